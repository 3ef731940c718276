// expect-error: A0521
// The third dimension of a CUDA block has at most 64 threads.
void smooth(int n, float a[n][n][n], float b[n][n][n])
{
    #pragma acc kernels loop independent vector(128) copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; i++) {
        #pragma acc loop independent vector(2)
        for (int j = 0; j < n; j++) {
            #pragma acc loop independent vector(4)
            for (int k = 1; k < n; k++) {
                #pragma acc fcw FETCH_ONLY(a[i:0:0:j:0:0:k:1:0])
                b[i][j][k] = a[i][j][k] + a[i][j][k - 1];
            }
        }
    }
}
