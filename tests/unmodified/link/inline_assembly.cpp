// A lock that is made by hand, of an instruction that no hook stands for, and a time stamp by the
// instruction's code.
namespace {

int is_taken = 0;

}  // namespace

[[gnu::noinline]] bool take(int& lock);
bool take(int& lock) {
  int before = 1;
  asm volatile("xchgl %0, %1" : "+r"(before), "+m"(lock) : : "memory");
  return before == 0;
}

[[gnu::noinline]] unsigned time_stamp();
unsigned time_stamp() {
  unsigned low = 0;
  asm volatile(".byte 0x0f, 0x31" : "=a"(low) : : "edx");
  return low;
}
[[gnu::noinline]] unsigned seen_time_stamp();
unsigned seen_time_stamp() {
  unsigned low = 0;
  asm volatile("rdtsc" : "=a"(low) : : "edx");
  return low;
}

int main() {
  return take(is_taken) && time_stamp() != seen_time_stamp() ? 0 : 1;
}
