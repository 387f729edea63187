// Instructions that read the processor's time stamp counter: as intrinsic functions, in inline assembly, and
// in C.
#if defined(__x86_64__)
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include <x86intrin.h>

#include "tests/unmodified/pthread/c11_bodies.h"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using namespace std::chrono_literals;

std::uint64_t by_assembly() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high));
  return low | std::uint64_t{high} << 32U;
}

std::uint64_t with_processor_by_assembly() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::uint32_t processor = 1;
  __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(processor));
  check(processor == 0);
  return low | std::uint64_t{high} << 32U;
}

std::uint64_t with_processor() {
  unsigned processor = 1;
  const std::uint64_t stamp = __rdtscp(&processor);
  check(processor == 0);
  return stamp;
}

TEST(ATimeStamp, IsAReadOfTheVirtualClock) {
  explored([] {
    const auto clock = std::chrono::steady_clock::now().time_since_epoch();
    const std::uint64_t begin = __rdtsc();
    check(begin == static_cast<std::uint64_t>(std::chrono::nanoseconds(clock).count()));
    std::this_thread::sleep_for(7ns);
    check(by_assembly() == begin + 7);
    std::this_thread::sleep_for(7s);
    check(with_processor() == begin + 7'000'000'007);
    check(with_processor_by_assembly() == begin + 7'000'000'007);
    check(c11_time_stamp() == begin + 7'000'000'007);
  });
}

TEST(ATimeStamp, OutsideBodiesIsTheProcessors) {
  const std::uint64_t begin = by_assembly();
  EXPECT_GT(begin, 0U);
  EXPECT_GE(__rdtsc(), begin);
}

// As in locks that keep in their word how long they have been waited for.
TEST(ATimeStamp, MayDecideWhatABodyDoes) {
  const auto body = [] {
    std::atomic<std::uint64_t> word{0};
    std::atomic<int> extra{0};
    const auto work = [&] {
      const std::uint64_t begin = by_assembly();
      word = begin;
      if ((__rdtsc() - begin) % 3 != 0) extra = 1;
      if (word % 2 != 0) ++extra;
    };
    in_parallel(work, work);
    check(extra == 0);
  };
  explored_everywhere(body);
}

TEST(ATimeStamp, IsNotReadBeforeOneThatHappensBefore) {
  const Report report = explored([] {
    std::atomic<std::uint64_t> sent{0};
    in_parallel([&] { sent = by_assembly(); }, [] { std::this_thread::sleep_for(5ns); },
        [&] {
          if (const std::uint64_t received = sent; received != 0) check(by_assembly() >= received);
        });
  });
  EXPECT_GT(report.classes, 1U);
}

/// Reads the counter far from the frame in which the poll stands.
[[gnu::noinline]] std::uint64_t elapsed_since(std::uint64_t begin) {
  std::uint64_t kept[4] = {by_assembly(), by_assembly(), begin, 0};
  __asm__ volatile("" : "+m"(kept));
  return kept[1] - kept[2];
}

TEST(ATimeStamp, CanBePolledInFunctionsOfAnyFrame) {
  explored([] {
    const std::uint64_t begin = __rdtsc();
    while (elapsed_since(begin) < 10'000) _mm_pause();
  });
}

TEST(ATimeStamp, CanBePolled) {
  explored([] {
    const std::uint64_t begin = by_assembly();
    while (by_assembly() - begin < 10'000) _mm_pause();
  });
}

/// What the compiler may keep in registers around the instruction.
bool everything_else_stays_as_it_was() {
  std::uint64_t kept[16] = {};
  std::uint8_t carry = 0;
  __asm__ volatile(
      "movq $1, %%rcx\n\t movq $2, %%rsi\n\t movq $3, %%rdi\n\t movq $4, %%r8\n\t movq $5, %%r9\n\t"
      "movq $6, %%r10\n\t movq $7, %%r11\n\t movq $8, %%r12\n\t"
      "movq %%rsi, %%xmm0\n\t movq %%rdi, %%xmm7\n\t movq %%r8, %%xmm15\n\t"
      "stc\n\t"
      "rdtsc\n\t"
      "setc %[carry]\n\t"
      "movq %%rcx, %[kept]\n\t movq %%rsi, 8+%[kept]\n\t movq %%rdi, 16+%[kept]\n\t"
      "movq %%r8, 24+%[kept]\n\t movq %%r9, 32+%[kept]\n\t movq %%r10, 40+%[kept]\n\t"
      "movq %%r11, 48+%[kept]\n\t movq %%r12, 56+%[kept]\n\t"
      "movq %%xmm0, 64+%[kept]\n\t movq %%xmm7, 72+%[kept]\n\t movq %%xmm15, 80+%[kept]"
      : [kept] "+m"(kept), [carry] "=m"(carry)
      :
      : "rax", "rdx", "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "xmm0", "xmm7", "xmm15", "cc",
      "memory");
  for (unsigned n = 0; n < 8; ++n) {
    if (kept[n] != n + 1) return false;
  }
  return kept[8] == 2 && kept[9] == 3 && kept[10] == 4 && carry == 1;
}

/// The same for the halves of vector registers that only AVX has.
[[gnu::target("avx")]] bool wide_registers_stay_as_they_were() {
  std::uint64_t kept[4] = {};
  const std::uint64_t nine = 9;
  __asm__ volatile(
      "vbroadcastsd %[value], %%ymm9\n\t"
      "rdtsc\n\t"
      "vmovupd %%ymm9, %[kept]\n\t"
      "vzeroupper"
      : [kept] "=m"(kept)
      : [value] "m"(nine)
      : "rax", "rdx", "xmm9");
  for (const std::uint64_t word : kept) {
    if (word != 9) return false;
  }
  return true;
}

/// Uses the registers that a switch of threads does not keep, as any function may.
void use_registers() {
  volatile double sum = 1;
  for (unsigned n = 0; n < 4; ++n) sum = sum * 3 + n;
  if (__builtin_cpu_supports("avx")) __asm__ volatile("vzeroall" ::: "memory", "xmm0", "xmm9");
}

TEST(ATimeStamp, ChangesNothingElseAlsoIfOtherThreadsRunMeanwhile) {
  const auto body = [] {
    std::atomic<int> steps{0};
    in_parallel(
        [&] {
          check(everything_else_stays_as_it_was());
          if (__builtin_cpu_supports("avx")) check(wide_registers_stay_as_they_were());
        },
        [&] {
          use_registers();
          ++steps;
          use_registers();
          std::this_thread::sleep_for(1ns);
          use_registers();
        });
  };
  explored(body);
  EXPECT_TRUE(everything_else_stays_as_it_was());
}

}  // namespace

}  // namespace unmodified
#endif
