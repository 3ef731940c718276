// expect-error: A0465 A0465 A0465 A0465 A0465 A0465 A0465
// Virtual shared variables whose memory cannot be shared, and names that hide them.
struct Node {
    int value;
    Node *next;
};
extern __global__ int elsewhere[10];
__global__ int **rows;
__global__ Node nodes[10];
__global__ int count, steps, both;
#define NEXT_STEP steps++
__global__ struct { int x, y[3]; } place;

__global__ void add(int *values)
{
    values[threadIdx.x] += count;
}

__host__ __device__ int twice()
{
    return both * 2;
}

int main()
{
    int count = 3;
    NEXT_STEP;
    return count + twice();
}
