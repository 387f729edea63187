// The values of atomics as recorded schedules show them.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>
#include "scheduler/schedules/schedule.hpp"

#include "tests/support/failure_of.hpp"

extern "C" {
int s = 0;  // which as a mangled name would be a type
}

namespace {

int global = 0;

/// What is here somebody else may know. Clang leaves out operations on objects that nobody else can know.
void* volatile shared;

// What the steps of the failing execution have noted, but for the failure itself.
std::vector<std::string> values_in(void (*body)()) {
  const hocket::FoundFailure failure = hocket::test::failure_of(body);
  std::vector<std::string> values;
  if (failure.schedule == nullptr) return values;
  for (const auto& step : failure.schedule->choices) {
    for (const std::string& note : step.notes) {
      if (!note.starts_with("FAILS")) values.push_back(note);
    }
  }
  return values;
}

TEST(UnmodifiedValues, OfPointersAreThePlacesThatTheyPointTo) {
  EXPECT_EQ(values_in([] {
    int local = 0;
    auto* const block = new int[2];
    std::atomic<int*> pointer{nullptr};
    shared = &pointer;
    pointer = block;
    pointer = block + 1;
    pointer = &global;
    pointer = &local;
    pointer = nullptr;
    hocket::check(false, "the end");
  }),
      (std::vector<std::string>{
          "→ block 1", "→ block 1+4", "→ (anonymous namespace)::global", "→ a local variable", "0"}));
}

TEST(UnmodifiedValues, BelowZeroAreShownSo) {
  EXPECT_EQ(values_in([] {
    std::atomic<int> number{0};
    --number;
    number.load();
    std::atomic<std::int64_t> wide{-1000};
    shared = &wide;
    wide.load();
    std::atomic<unsigned char> byte{255};
    shared = &byte;
    byte.load();
    hocket::check(false, "the end");
  }),
      (std::vector<std::string>{"0", "-1", "-1000", "255"}));
}

TEST(UnmodifiedValues, NameVariablesOfCAsTheyAre) {
  EXPECT_EQ(values_in([] {
    std::atomic<int*> pointer{nullptr};
    shared = &pointer;
    pointer = &s;
    hocket::check(false, "to be looked at");
  }),
      (std::vector<std::string>{"→ s"}));
}

#if !defined(__clang__)  // which leaves the library's variables where they are
TEST(UnmodifiedValues, NameVariablesOfTheLibraryWithoutTheirVersion) {
  const hocket::FoundFailure failure = hocket::test::failure_of([] {
    std::thread other([] { std::cerr << std::hex; });
    std::cerr << std::dec;
    other.join();
  });
  EXPECT_EQ(to_string(failure.kind), to_string(hocket::FailureKind::data_race));
  EXPECT_NE(failure.message.find(" std::cerr+"), std::string::npos) << failure.message;
}
#endif

}  // namespace
