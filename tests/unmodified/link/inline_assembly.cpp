// A lock that is made by hand, of an instruction that no hook stands for.
namespace {

int is_taken = 0;

}  // namespace

[[gnu::noinline]] bool take(int& lock);
bool take(int& lock) {
  int before = 1;
  asm volatile("xchgl %0, %1" : "+r"(before), "+m"(lock) : : "memory");
  return before == 0;
}

int main() {
  return take(is_taken) ? 0 : 1;
}
