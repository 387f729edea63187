// Copies of memory, which compilers make of instructions or of calls, are accesses to all of its bytes.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

struct Large {
  std::array<long, 40> words{};
};

// The compiler does not know how many bytes there are.
constinit volatile std::size_t size_of_large = sizeof(Large);

TEST(ACopyOfALargeStructure, RacesWithAWriteToWhatIsCopied) {
  expect_failure(FailureKind::data_race, 0, "not ordered after", [] {
    Large from;
    Large to;
    in_parallel([&] { to = from; }, [&] { from.words[20] = 1; });
  });
}

TEST(ACopyOfALargeStructure, RacesWithAReadOfWhereItGoes) {
  expect_failure(FailureKind::data_race, 0, "not ordered after", [] {
    const Large from;
    Large to;
    in_parallel([&] { to = from; }, [&] { check(to.words[39] == 0); });
  });
}

TEST(ACopyOfALargeStructure, MayBeMadeByTwoAtOnceOfTheSame) {
  explored([] {
    const Large from;
    Large to;
    Large to_as_well;
    in_parallel([&] { to = from; }, [&] { to_as_well = from; });
  });
}

TEST(MemcpyOfManyBytes, RacesWithAWriteToWhatIsCopied) {
  expect_failure(FailureKind::data_race, 0, "not ordered after", [] {
    Large from;
    Large to;
    in_parallel([&] { std::memcpy(&to, &from, size_of_large); }, [&] { from.words[39] = 1; });
  });
}

TEST(MemmoveOfManyBytes, RacesWithAWriteToWhatIsCopied) {
  expect_failure(FailureKind::data_race, 0, "not ordered after", [] {
    Large from;
    Large to;
    in_parallel([&] { std::copy_n(from.words.begin(), size_of_large / sizeof(long), to.words.begin()); },
        [&] { from.words[39] = 1; });
  });
}

TEST(MemsetOfManyBytes, RacesWithAReadOfThem) {
  expect_failure(FailureKind::data_race, 0, "not ordered after", [] {
    Large shared;
    in_parallel(
        [&] { std::memset(shared.words.data(), 0, size_of_large); }, [&] { check(shared.words[39] == 0); });
  });
}

TEST(ACopyOfAFreedBlock, IsToldOf) {
  expect_failure(FailureKind::heap_error, 0, " reads 320 bytes, byte 0 of a block of 320 bytes", [] {
    std::atomic<Large*> shared{new Large};
    Large* const from = shared;
    delete shared.load();
    Large to;
    std::memcpy(&to, from, size_of_large);
    check(to.words[0] == 0);
  });
}

}  // namespace

}  // namespace unmodified
