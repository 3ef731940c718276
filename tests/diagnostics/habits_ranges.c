// expect-error: A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0407 A0407 A0407
// Sections by their first and their last element.
double table[100];
void f(int n, int lo, int hi, double *a)
{
    #pragma acc update self(a[0..n])
    #pragma acc update self(a[0..n-1])
    #pragma acc update self(a[1..n])
    #pragma acc update self(a[lo..hi])
    #pragma acc update self(a[lo + 1 .. hi - 1])
    #pragma acc update self(a[0..<n], a[2...9])
    #pragma acc update self(table[50:99])
    #pragma acc update self(table[50:100])
    #pragma acc update self(table[1:100])
}
