// expect-error: A0418
int work(int n);

int main(void)
{
    double field[8];
    memset(field, 0, sizeof field);
#pragma acc parallel loop
    for (int i = 0; i < 8; ++i)
        field[i] = wrok(i);
    return (int)field[3];
}
