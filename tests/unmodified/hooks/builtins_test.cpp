// Atomics that are no std::atomic: the compilers' __atomic_ and __sync_ builtins, those of sixteen bytes, and
// libatomic's functions for all other sizes.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

TEST(AnAtomicBuiltin, IsOneStep) {
  const Report report = explored([] {
    int n = 0;
    const auto change = [&] {
      __atomic_fetch_add(&n, 1, __ATOMIC_SEQ_CST);
      __atomic_add_fetch(&n, 1, __ATOMIC_ACQ_REL);
      __atomic_exchange_n(&n, __atomic_load_n(&n, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
      __atomic_store_n(&n, 5, __ATOMIC_RELEASE);
    };
    in_parallel(change, change);
    check(n == 5);
  });
  // Of the 252 orders of five steps each there are 36 pairs that differ in the order of two loads alone.
  EXPECT_EQ(report.classes, 216U);
}

TEST(AnAtomicBuiltin, ComputesAsTheMachineDoes) {
  explored([] {
    std::uint32_t n = 12;
    check(__atomic_nand_fetch(&n, 8, __ATOMIC_RELAXED) == ~8U);
    check(__atomic_nand_fetch(&n, ~0U, __ATOMIC_RELAXED) == 8);
    check(__atomic_or_fetch(&n, 1, __ATOMIC_RELAXED) == 9);
    check(__atomic_and_fetch(&n, 3, __ATOMIC_RELAXED) == 1);
    check(__atomic_xor_fetch(&n, 7, __ATOMIC_RELAXED) == 6);
    check(__atomic_sub_fetch(&n, 2, __ATOMIC_RELAXED) == 4);
    std::uint32_t expected = 5;
    check(!__atomic_compare_exchange_n(&n, &expected, 9, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    check(expected == 4);
    check(__atomic_compare_exchange_n(&n, &expected, 9, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED) && n == 9);
    bool flag = false;
    check(!__atomic_test_and_set(&flag, __ATOMIC_SEQ_CST) && flag);
    __atomic_clear(&flag, __ATOMIC_SEQ_CST);
    check(!flag);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  });
}

template <class T>
void combine_by_nand() {
  T n = 12;
  // NOLINTNEXTLINE(bugprone-misplaced-widening-cast): the sign is to be extended
  check(__atomic_fetch_nand(&n, T{10}, __ATOMIC_RELAXED) == 12 && n == static_cast<T>(~8));
}

TEST(AnAtomicBuiltin, CombinesByNandInEverySize) {
  const auto body = [] {
    combine_by_nand<std::uint8_t>();
    combine_by_nand<std::uint16_t>();
    combine_by_nand<std::uint32_t>();
    combine_by_nand<std::uint64_t>();
  };
  explored(body);
}

TEST(ASyncBuiltin, IsOneStepToo) {
  const Report report = explored([] {
    long n = 0;
    const auto change = [&] {
      __sync_fetch_and_add(&n, 1);
      __sync_add_and_fetch(&n, 1);
    };
    in_parallel(change, change);
    check(n == 4);
    check(__sync_val_compare_and_swap(&n, 4, 6) == 4);
    check(!__sync_bool_compare_and_swap(&n, 4, 7) && n == 6);
    check(__sync_fetch_and_sub(&n, 1) == 6 && __sync_fetch_and_or(&n, 2) == 5);
    check(__sync_fetch_and_and(&n, 3) == 7 && __sync_fetch_and_xor(&n, 1) == 3 && n == 2);
    check(__sync_lock_test_and_set(&n, 8) == 2);
    __sync_synchronize();
    __sync_lock_release(&n);
    check(n == 0);
  });
  EXPECT_EQ(report.classes, 6U);
}

TEST(ASpinLockOfSyncBuiltins, ExcludesAndOrders) {
  explored(within(1), [] {
    int taken = 0;
    int data = 0;
    const auto section = [&] {
      while (__sync_lock_test_and_set(&taken, 1) != 0) std::this_thread::yield();
      ++data;
      __sync_lock_release(&taken);
    };
    in_parallel(section, section);
    check(data == 2);
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// Sixteen bytes

__extension__ using Wide = unsigned __int128;

constexpr Wide wide(std::uint64_t high, std::uint64_t low) {
  return Wide{high} << 64U | low;
}

TEST(AnAtomicOfSixteenBytes, IsOneStep) {
  const Report report = explored([] {
    alignas(16) Wide n = 0;
    const auto change = [&] {
      __atomic_fetch_add(&n, wide(1, 1), __ATOMIC_SEQ_CST);
      __atomic_fetch_add(&n, wide(2, 2), __ATOMIC_SEQ_CST);
    };
    in_parallel(change, change);
    check(n == wide(6, 6));
  });
  EXPECT_EQ(report.classes, 6U);
}

void compute_wide() {
  alignas(16) Wide n = wide(12, 12);
  const auto order = __ATOMIC_SEQ_CST;
  check(__atomic_fetch_add(&n, wide(0, ~0ULL), order) == wide(12, 12) && n == wide(13, 11), "the carry");
  check(__atomic_fetch_sub(&n, wide(1, 1), order) == wide(13, 11) && n == wide(12, 10));
  check(__atomic_fetch_and(&n, wide(8, 2), order) == wide(12, 10) && n == wide(8, 2));
  check(__atomic_fetch_or(&n, wide(1, 1), order) == wide(8, 2) && n == wide(9, 3));
  check(__atomic_fetch_xor(&n, wide(9, 1), order) == wide(9, 3) && n == wide(0, 2));
  check(__atomic_fetch_nand(&n, wide(0, 3), order) == wide(0, 2) && n == ~wide(0, 2));
  check(__atomic_exchange_n(&n, wide(5, 6), order) == ~wide(0, 2));
  Wide expected = wide(5, 7);
  check(!__atomic_compare_exchange_n(&n, &expected, wide(1, 1), false, order, order));
  check(expected == wide(5, 6));
  check(__atomic_compare_exchange_n(&n, &expected, wide(1, 1), true, order, order));
  check(__atomic_load_n(&n, order) == wide(1, 1));
  __atomic_store_n(&n, wide(2, 3), order);
  check(n == wide(2, 3));
}

TEST(AnAtomicOfSixteenBytes, ComputesInABodyAndOutside) {
  explored(&compute_wide);
  compute_wide();
}

TEST(AnAtomicOfSixteenBytes, IsOneObjectWithItsHalves) {
  // A pointer and a tag, swung together, and the pointer read alone.
  const Report report = explored([] {
    struct alignas(16) Tagged {
      std::uint64_t pointer;
      std::uint64_t tag;
    };
    Tagged tagged{1, 0};
    in_parallel(
        [&] {
          Wide expected = wide(0, 1);
          check(__atomic_compare_exchange_n(reinterpret_cast<Wide*>(&tagged), &expected, wide(1, 2), false,
              __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
        },
        [&] {
          const std::uint64_t seen = __atomic_load_n(&tagged.pointer, __ATOMIC_ACQUIRE);
          check(seen == 1 || seen == 2);
        });
  });
  EXPECT_EQ(report.classes, 2U) << "which comes first makes a difference";
}

// What code calls that was compiled without cmpxchg16b. Declared under other names, as those are builtins.
extern "C" {
Wide load_16(const volatile void* at, int order) __asm__("__atomic_load_16");
void store_16(volatile void* at, Wide value, int order) __asm__("__atomic_store_16");
Wide exchange_16(volatile void* at, Wide value, int order) __asm__("__atomic_exchange_16");
bool compare_exchange_16(volatile void* at, void* expected, Wide desired, int success, int failure) __asm__(
    "__atomic_compare_exchange_16");
Wide fetch_add_16(volatile void* at, Wide value, int order) __asm__("__atomic_fetch_add_16");
Wide fetch_sub_16(volatile void* at, Wide value, int order) __asm__("__atomic_fetch_sub_16");
Wide fetch_and_16(volatile void* at, Wide value, int order) __asm__("__atomic_fetch_and_16");
Wide fetch_or_16(volatile void* at, Wide value, int order) __asm__("__atomic_fetch_or_16");
Wide fetch_xor_16(volatile void* at, Wide value, int order) __asm__("__atomic_fetch_xor_16");
Wide fetch_nand_16(volatile void* at, Wide value, int order) __asm__("__atomic_fetch_nand_16");
}

void call_libatomic_for_sixteen_bytes() {
  alignas(16) Wide n = 0;
  store_16(&n, wide(1, 2), __ATOMIC_SEQ_CST);
  check(load_16(&n, __ATOMIC_SEQ_CST) == wide(1, 2));
  check(exchange_16(&n, wide(3, 4), __ATOMIC_SEQ_CST) == wide(1, 2));
  check(fetch_add_16(&n, wide(1, 1), __ATOMIC_SEQ_CST) == wide(3, 4));
  Wide expected = wide(4, 5);
  check(compare_exchange_16(&n, &expected, wide(7, 7), __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  check(!compare_exchange_16(&n, &expected, wide(8, 8), __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  check(expected == wide(7, 7));
  check(fetch_sub_16(&n, wide(1, 2), __ATOMIC_SEQ_CST) == wide(7, 7));
  check(fetch_and_16(&n, wide(2, 4), __ATOMIC_SEQ_CST) == wide(6, 5));
  check(fetch_or_16(&n, wide(1, 1), __ATOMIC_SEQ_CST) == wide(2, 4));
  check(fetch_xor_16(&n, wide(3, 1), __ATOMIC_SEQ_CST) == wide(3, 5));
  check(fetch_nand_16(&n, wide(0, 4), __ATOMIC_SEQ_CST) == wide(0, 4));
  check(load_16(&n, __ATOMIC_SEQ_CST) == ~wide(0, 4));
}

TEST(LibatomicForSixteenBytes, DoesStepsInABodyAndWorksOutside) {
  call_libatomic_for_sixteen_bytes();
  explored(&call_libatomic_for_sixteen_bytes);
  const Report report = explored([] {
    alignas(16) Wide n = 0;
    in_parallel(
        [&] { fetch_add_16(&n, 1, __ATOMIC_SEQ_CST); }, [&] { fetch_add_16(&n, 1, __ATOMIC_SEQ_CST); });
  });
  EXPECT_EQ(report.classes, 2U);
}

// ---------------------------------------------------------------------------------------------------------------------
// Any size

struct ThreeWords {
  std::uint64_t words[3];
  friend bool operator==(const ThreeWords&, const ThreeWords&) = default;
};
constexpr ThreeWords all(std::uint64_t word) {
  return {{word, word, word}};
}

void change_three_words() {
  std::atomic<ThreeWords> value{all(1)};
  check(value.load() == all(1));
  value.store(all(2));
  check(value.exchange(all(3)) == all(2));
  ThreeWords expected = all(2);
  check(!value.compare_exchange_strong(expected, all(4)) && expected == all(3));
  check(value.compare_exchange_weak(expected, all(4)) && value.load() == all(4));
}

TEST(AStdAtomicOfThreeWords, WorksInABodyAndOutside) {
  explored(&change_three_words);
  change_three_words();
}

TEST(AStdAtomicOfThreeWords, IsReadAndWrittenAsOne) {
  const Outcomes outcomes = outcomes_by_bound([] {
    std::atomic<ThreeWords> value{all(0)};
    ThreeWords seen{};
    in_parallel([&] { value.store(all(1)); }, [&] { value.store(all(2)); }, [&] { seen = value.load(); });
    check(seen == all(seen.words[0]), "torn");
    return static_cast<unsigned>(seen.words[0]);
  });
  EXPECT_EQ(outcomes, (Outcomes{{0, 0}, {1, 0}, {2, 0}}));
}

TEST(AStdAtomicOfThreeWords, HasAClassForEachOrderOfItsSteps) {
  for (const char* const strategy : {"icb", "cb-por"}) {
    const Report report = explored(with(strategy), [] {
      std::atomic<ThreeWords> value{all(0)};
      const auto increment = [&] {
        ThreeWords before = value.load();
        while (!value.compare_exchange_strong(before, all(before.words[0] + 1))) {
        }
      };
      in_parallel(increment, increment);
      check(value.load() == all(2));
    });
    // Each order of a load and a CAS of two threads; one whose CAS fails tries again.
    EXPECT_EQ(report.classes, 4U) << strategy;
  }
}

TEST(AStdAtomicOfThreeWords, RacesWithAPlainAccessToAnyPart) {
  for (const std::size_t part : {std::size_t{0}, std::size_t{2}}) {
    expect_failure(FailureKind::data_race, 0, "not ordered after", [part] {
      alignas(16) ThreeWords value = all(0);
      in_parallel([&] { std::atomic_ref<ThreeWords>(value).store(all(1)); }, [&] { value.words[part] = 2; });
    });
  }
}

TEST(AStdAtomicOfThreeWords, InFreedMemoryIsAHeapError) {
  expect_failure(FailureKind::heap_error, 0, "atomically accesses", [] {
    auto* const gone = new std::atomic<ThreeWords>(all(1));
    std::atomic<ThreeWords>* volatile kept = gone;
    delete gone;
    kept->load();
  });
}

TEST(AStdAtomicOfThreeWords, MayBeSpunOn) {
  explored(within(1), [] {
    std::atomic<ThreeWords> value{all(0)};
    in_parallel(
        [&] {
          while (value.load() == all(0)) {
          }
        },
        [&] { value.store(all(1)); });
  });
}

extern "C" {
void load_bytes(std::size_t size, const volatile void* at, void* result, int order) __asm__("__atomic_load");
void store_bytes(std::size_t size, volatile void* at, const void* value, int order) __asm__("__atomic_store");
void exchange_bytes(std::size_t size, volatile void* at, const void* value, void* before, int order) __asm__(
    "__atomic_exchange");
bool compare_exchange_bytes(std::size_t size, volatile void* at, void* expected, const void* desired,
    int success, int failure) __asm__("__atomic_compare_exchange");
}

template <std::size_t size>
void change_bytes() {
  using Bytes = std::array<unsigned char, size>;
  const auto filled = [](unsigned char byte) {
    Bytes bytes;
    bytes.fill(byte);
    return bytes;
  };
  alignas(16) Bytes value = filled(1);
  Bytes found{};
  load_bytes(size, &value, &found, __ATOMIC_SEQ_CST);
  check(found == filled(1));
  const Bytes two = filled(2);
  const Bytes three = filled(3);
  store_bytes(size, &value, &two, __ATOMIC_SEQ_CST);
  exchange_bytes(size, &value, &three, &found, __ATOMIC_SEQ_CST);
  check(found == two && value == three);
  check(!compare_exchange_bytes(size, &value, &found, &two, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  check(found == three);
  check(compare_exchange_bytes(size, &value, &found, &two, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  check(value == two);
}

template <std::size_t size>
std::uint64_t classes_of_two_exchanges() {
  return explored([] {
    alignas(16) std::array<unsigned char, size> value{};
    const auto exchange = [&] {
      std::array<unsigned char, size> mine{};
      exchange_bytes(size, &value, &mine, &mine, __ATOMIC_SEQ_CST);
    };
    in_parallel(exchange, exchange);
  }).classes;
}

template <std::size_t... sizes>
void expect_libatomic_works_for() {
  (change_bytes<sizes>(), ...);
  (explored(&change_bytes<sizes>), ...);
  for (const std::uint64_t classes : {classes_of_two_exchanges<sizes>()...}) EXPECT_EQ(classes, 2U);
}

TEST(LibatomicForAnySize, DoesStepsInABodyAndWorksOutside) {
  expect_libatomic_works_for<1, 2, 3, 4, 5, 8, 12, 16, 17, 24, 40, 100>();
}

}  // namespace

}  // namespace unmodified
