// expect-error: A0107
int __accrs_value;
