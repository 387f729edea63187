// A program that is instrumented, with libraries of the same project that are not: static, shared and of
// object files.
int count_in_static();
int count_in_shared();
int count_in_object();

#if defined(HAS_MAIN)
int main() {
  return count_in_static() + count_in_shared() + count_in_object() >= 3 ? 0 : 1;
}
#else
namespace {
int total = 0;
}
int LIBRARY() {
  return ++total;
}
#endif
