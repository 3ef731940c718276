// expect-error: A0415 A0415
// Directives outside of functions.
int a[64];
#pragma hicuda global alloc a[*]
#pragma hicuda shape a[64]
