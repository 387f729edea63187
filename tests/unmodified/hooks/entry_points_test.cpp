// The functions that compilers' instrumentation calls, called by hand: not every compiler calls each of them,
// and what one does with plain data the next must do too.
#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>

#include "tests/support/row_name.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

#define HOCKET_FOR_EACH_SIZE(declare, prefix) \
  declare(prefix, 1) declare(prefix, 2) declare(prefix, 4) declare(prefix, 8) declare(prefix, 16)

extern "C" {
#define HOCKET_DECLARE(prefix, bytes)       \
  void __tsan_##prefix##read##bytes(void*); \
  void __tsan_##prefix##write##bytes(void*);
HOCKET_FOR_EACH_SIZE(HOCKET_DECLARE, )
HOCKET_FOR_EACH_SIZE(HOCKET_DECLARE, unaligned_)
HOCKET_FOR_EACH_SIZE(HOCKET_DECLARE, volatile_)
HOCKET_FOR_EACH_SIZE(HOCKET_DECLARE, unaligned_volatile_)
void __tsan_read_write1(void*);
void __tsan_read_write2(void*);
void __tsan_read_write4(void*);
void __tsan_read_write8(void*);
void __tsan_read_write16(void*);
void __tsan_unaligned_read_write2(void*);
void __tsan_unaligned_read_write4(void*);
void __tsan_unaligned_read_write8(void*);
void __tsan_unaligned_read_write16(void*);
void __tsan_read_range(void*, std::size_t);
void __tsan_write_range(void*, std::size_t);
void* __tsan_memcpy(void*, const void*, std::size_t);
void* __tsan_memmove(void*, const void*, std::size_t);
void* __tsan_memset(void*, int, std::size_t);
void __tsan_vptr_update(void**, void*);
void __tsan_vptr_read(void**);
void __tsan_func_entry(void*);
void __tsan_func_exit();
void __tsan_ignore_thread_begin();
void __tsan_ignore_thread_end();
std::uint8_t __tsan_atomic8_compare_exchange_val(
    volatile std::uint8_t*, std::uint8_t, std::uint8_t, int, int);
std::uint16_t __tsan_atomic16_compare_exchange_val(
    volatile std::uint16_t*, std::uint16_t, std::uint16_t, int, int);
std::uint32_t __tsan_atomic32_compare_exchange_val(
    volatile std::uint32_t*, std::uint32_t, std::uint32_t, int, int);
std::uint64_t __tsan_atomic64_compare_exchange_val(
    volatile std::uint64_t*, std::uint64_t, std::uint64_t, int, int);
__extension__ unsigned __int128 __tsan_atomic128_compare_exchange_val(
    volatile unsigned __int128*, unsigned __int128, unsigned __int128, int, int);
}

namespace unmodified {

namespace {

/// Sixteen bytes that threads share.
using Bytes = std::array<std::byte, 16>;

struct Access {
  const char* name;
  void (*access)(void*);
  bool writes;
  std::size_t size;  ///< bytes from the beginning of the sixteen
};

void PrintTo(const Access& access, std::ostream* out) {
  *out << access.name;
}

#define HOCKET_ROWS(prefix, bytes)                                      \
  {#prefix "read" #bytes, &__tsan_##prefix##read##bytes, false, bytes}, \
      {#prefix "write" #bytes, &__tsan_##prefix##write##bytes, true, bytes},
#define HOCKET_ROW(name, bytes) {#name, &__tsan_##name, true, bytes},

const Access kAccesses[] = {
    HOCKET_FOR_EACH_SIZE(HOCKET_ROWS, ) HOCKET_FOR_EACH_SIZE(HOCKET_ROWS, unaligned_)
        HOCKET_FOR_EACH_SIZE(HOCKET_ROWS, volatile_) HOCKET_FOR_EACH_SIZE(HOCKET_ROWS, unaligned_volatile_)
            HOCKET_ROW(read_write1, 1) HOCKET_ROW(read_write2, 2) HOCKET_ROW(read_write4, 4)
                HOCKET_ROW(read_write8, 8) HOCKET_ROW(read_write16, 16) HOCKET_ROW(unaligned_read_write2, 2)
                    HOCKET_ROW(unaligned_read_write4, 4) HOCKET_ROW(unaligned_read_write8, 8)
                        HOCKET_ROW(unaligned_read_write16, 16){
                            "read_range", [](void* at) { __tsan_read_range(at, 7); }, false, 7},
    {"write_range", [](void* at) { __tsan_write_range(at, 7); }, true, 7},
    {"memset", [](void* at) { __tsan_memset(at, 0, 5); }, true, 5},
    {"memcpy_to",
        [](void* at) {
          const Bytes from{};
          __tsan_memcpy(at, &from, 3);
        },
        true, 3},
    {"memcpy_from",
        [](void* at) {
          Bytes to;
          __tsan_memcpy(&to, at, 3);
        },
        false, 3},
    {"memmove_to",
        [](void* at) {
          const Bytes from{};
          __tsan_memmove(at, &from, 3);
        },
        true, 3},
    {"memmove_from",
        [](void* at) {
          Bytes to;
          __tsan_memmove(&to, at, 3);
        },
        false, 3},
    {"vptr_update", [](void* at) { __tsan_vptr_update(static_cast<void**>(at), at); }, true, 8},
    {"vptr_read", [](void* at) { __tsan_vptr_read(static_cast<void**>(at)); }, false, 8},
};

class EntryPoint : public ::testing::TestWithParam<Access> {
 protected:
  /// Whether the access races with another, to the byte with this number.
  static bool races_with(void (*other)(void*), std::size_t byte) {
    const Access& row = GetParam();
    const Report report = report_of(exhaustively(), [&row, other, byte] {
      alignas(16) Bytes shared{};
      in_parallel([&] { row.access(&shared); }, [&] { other(&shared[byte]); });
    });
    if (report.failed()) {
      EXPECT_EQ(report.failures.at(0).kind, FailureKind::data_race) << report;
    }
    return report.failed();
  }
};

TEST_P(EntryPoint, RacesWithAWriteToAnyOfItsBytes) {
  EXPECT_TRUE(races_with(&__tsan_write1, 0));
  EXPECT_TRUE(races_with(&__tsan_write1, GetParam().size - 1));
}

TEST_P(EntryPoint, RacesWithAReadOnlyIfItWrites) {
  EXPECT_EQ(races_with(&__tsan_read1, GetParam().size - 1), GetParam().writes);
}

TEST_P(EntryPoint, DoesNotTouchTheByteBehind) {
  if (GetParam().size == sizeof(Bytes)) return;
  EXPECT_FALSE(races_with(&__tsan_write1, GetParam().size));
}

INSTANTIATE_TEST_SUITE_P(PlainAccesses, EntryPoint, ::testing::ValuesIn(kAccesses), hocket::test::RowName());

TEST(AnAccessOverManyGranules, RacesAtEachOfItsBytes) {
  for (const std::size_t byte : {0U, 15U, 16U, 40U, 63U}) {
    expect_failure(FailureKind::data_race, 0, "not ordered after", [byte] {
      alignas(16) std::array<std::byte, 64> shared{};
      in_parallel([&] { __tsan_write_range(&shared, sizeof shared); }, [&] { __tsan_read1(&shared[byte]); });
    });
  }
}

TEST(TheEntryPointsForCopies, Copy) {
  const auto copy = [] {
    std::array<char, 8> text{"abcdefg"};
    std::array<char, 8> copied{};
    check(__tsan_memcpy(&copied, &text, sizeof text) == &copied && copied == text);
    check(__tsan_memmove(&text[1], text.data(), 4) == &text[1] && text[4] == 'd');
    check(__tsan_memset(&text, 'x', 2) == &text && text[1] == 'x' && text[2] == 'b');
  };
  explored(copy);
  copy();
}

TEST(TheEntryPointForVtablePointers, TakesNoAccessForOneThatChangesNothing) {
  explored([] {
    void* pointer = nullptr;
    in_parallel(
        [&] { __tsan_vptr_update(&pointer, nullptr); }, [&] { __tsan_vptr_update(&pointer, nullptr); });
  });
}

TEST(TheEntryPointsThatMeanNothingHere, DoNothing) {
  const Report report = explored([] {
    const auto call = [] {
      __tsan_func_entry(nullptr);
      __tsan_ignore_thread_begin();
      __tsan_ignore_thread_end();
      __tsan_func_exit();
    };
    in_parallel(call, call);
  });
  EXPECT_EQ(report.executions, 1U);
}

/// Clang's compare-exchange, which returns what it found.
template <class T>
void compare_exchange_as_clang_does(T (*compare_exchange)(volatile T*, T, T, int, int)) {
  const auto body = [compare_exchange] {
    alignas(16) T n = 3;
    check(compare_exchange(&n, 2, 5, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) == 3 && n == 3);
    check(compare_exchange(&n, 3, 5, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) == 3 && n == 5);
  };
  body();
  explored(body);
  const Outcomes outcomes = outcomes_by_bound([compare_exchange] {
    alignas(16) T n = 0;
    in_parallel([&] { compare_exchange(&n, 0, 1, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); },
        [&] { compare_exchange(&n, 0, 2, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); });
    return static_cast<unsigned>(n);
  });
  EXPECT_EQ(outcomes, (Outcomes{{1, 0}, {2, 0}}));
}

TEST(TheCompareExchangeOfClang, ReturnsWhatItFound) {
  compare_exchange_as_clang_does(&__tsan_atomic8_compare_exchange_val);
  compare_exchange_as_clang_does(&__tsan_atomic16_compare_exchange_val);
  compare_exchange_as_clang_does(&__tsan_atomic32_compare_exchange_val);
  compare_exchange_as_clang_does(&__tsan_atomic64_compare_exchange_val);
  compare_exchange_as_clang_does(&__tsan_atomic128_compare_exchange_val);
}

}  // namespace

}  // namespace unmodified
