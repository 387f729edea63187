// The programs of samples/unmodified: each bug is found with the fewest preemptions that it takes, and told
// of by what is wrong and by the lines of all who have part in it; without the bug the program passes.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/hocket.hpp>

#include "samples/unmodified/bugs.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/row_name.hpp"

namespace {

using hocket::FailureKind;
using hocket::Report;
using hocket::Verdict;

#ifdef __clang__
constexpr bool kIsClang = true;
#else
constexpr bool kIsClang = false;
#endif

/// Whether std::vector looks itself whether there is an element.
#if defined(_GLIBCXX_ASSERTIONS)
constexpr bool kAssertsInVectors = true;
#else
constexpr bool kAssertsInVectors = false;
#endif

/// Classes of readers of a std::atomic<std::shared_ptr>, which polls its lock bit. With -O2 g++ makes one
/// instruction of the first load of that loop and of the later ones (-ftree-pre, -fcrossjumping). Then Hocket
/// recognises a round that fails at once, and the classes that differ only in such a round are gone.
constexpr std::uint64_t kSharedPtrClasses = hocket::test::kRunsAllTests ? 26 : 29;

/// Where the initialiser of a member is in a class without a constructor: g++ gives it the line of the class.
constexpr const char* kInitialiser = kIsClang ? "@initialiser" : "@class";

/// Classes of a program that counts the owners of a std::shared_ptr. Clang's macros tell libstdc++ that
/// ThreadSanitizer is there, and then it leaves out a look at both counts before the last owner goes.
constexpr std::uint64_t counting_owners(std::uint64_t with_gcc, std::uint64_t with_clang) {
  return kIsClang ? with_clang : with_gcc;
}

struct Expected {
  const char* name;
  FailureKind kind;
  unsigned bound;
  /// Of the message. "@look" stands for the line that is marked so in the program.
  std::vector<std::string> words;
  std::string_view where;  ///< mark of the line at which it is noticed
  // Of the corrected program.
  std::uint64_t classes;
  unsigned passes_within = hocket::unbounded;
  bool wakes_spuriously = false;
};

void PrintTo(const Expected& expected, std::ostream* out) {
  *out << expected.name;
}

const Expected kExpected[] = {
    {"aba_stack", FailureKind::check, 1, {"a slot is given to two threads"}, "@taken", 84},
    {"check_then_act", FailureKind::check, 1, {"two sessions of one user"}, "@check",
        counting_owners(18, 12)},
    {"deleted_lock", FailureKind::data_race, 1,
        {"main frees block 1 at @free, not ordered after its use as a mutex by thread 1",
            "Keep block 1 alive until thread 1 has finished with it"},
        "@free", counting_owners(5, 3)},
    {"double_checked_locking", FailureKind::data_race, 0,
        {"thread 1 writes local variable 1 of main at @make, not ordered after the read by thread 2 at @look",
            "thread 1 holds mutex 1; thread 2 held no mutex"},
        "@make", 4},
    {"hand_made_once", FailureKind::data_race, 0,
        // Clang writes all four with one instruction.
        {kIsClang ? "thread 1 reads samples::hand_made_once::squares at @read"
                  : "thread 1 reads samples::hand_made_once::squares+12 at @read",
            ", not ordered after the write by main at @write"},
        // Who fills in, and whether the other one has looked before that was done.
        "@read", 4},
    {"intrusive_count", FailureKind::data_race, 0,
        {"thread 1 frees block 1 at @look, not ordered after the atomic read by main at @look"}, "@look", 2},
    {"joined_too_late", FailureKind::heap_error, 0,
        {"thread 1 writes 4 bytes, byte 0 of a block of 8 bytes that main", "allocated and main", "freed"},
        "@write", 1},
    {"lock_order", FailureKind::deadlock, 1,
        {"main waits for samples::lock_order::savings since step 2 at @second; thread 1 holds it since step "
         "1 at @first",
            "thread 1 waits for samples::lock_order::household since step 1 at @second; main holds it since "
            "step 2 at @first",
            "main and thread 1 wait for each other"},
        "@second", 10},
    {"lost_wakeup", FailureKind::deadlock, 0,
        {"thread 2 waits for a notification of condition variable 1 since step 16 at @take; the last one "
         "came before: condition.notify_one by thread 1 in step 12 at @notify",
            "thread 3 waits for a notification of condition variable 1 since step 10 at @put; the last one "
            "did not reach it",
            "notify_one wakes one waiter, notify_all wakes all"},
        "@take", 80},
    {"missed_notify", FailureKind::deadlock, 1,
        {"main waits in join for thread 1 to end since step 4 at @join",
            "thread 1 waits for a notification of condition variable 1 since step 5 at @wait; the last one "
            "came before: condition.notify_one by main in step 4 at @notify",
            "is lost: change what is waited for under "},
        "@wait", 2},
    {"promise_order", FailureKind::data_race, 0,
        {"main reads local variable", "at @read, not ordered after the write by thread 1 at @write"}, "@read",
        6},
    {"rwlock_upgrade", FailureKind::misuse, 0,
        {"main locks shared mutex 1, which it holds already, locked at @read"}, "@write", 14},
    {"semaphore_permits", FailureKind::check, 1, {"two use one connection"}, "@check", 2},
    {"shared_ptr_race", FailureKind::data_race, 0,
        {"main writes block 1 at @assign, not ordered after the read by thread 1 at @copy"}, "@assign",
        counting_owners(kSharedPtrClasses, 20), 3},
    {"spurious_wakeup", FailureKind::check, 1, {"a result that is not there yet"}, "@check", 7, 3, true},
    {"stale_thread_local", FailureKind::check, 1, {"an old price"}, "@check", 3},
    {"started_too_early", FailureKind::data_race, 0,
        {"main writes block 1+8 at " + std::string(kInitialiser) +
            ", not ordered after the write by thread 1 at @count"},
        kInitialiser, 1},
    {"torn_invariant", FailureKind::check, 1, {"a range that ends before it begins"}, "@check", 2},
    {"upgrade_gap", kAssertsInVectors ? FailureKind::terminate : FailureKind::heap_error, 1,
        {kAssertsInVectors ? std::string("thread 1 called abort()")
                           : "thread 1 reads 4 bytes, 4 bytes before a block of 4 bytes that main at " +
                                 std::string(kInitialiser) + " allocated"},
        "@read", 14},
    {"use_after_free", FailureKind::data_race, 0,
        {"main frees block 1 at @free, not ordered after the read by thread 1 at @read"}, "@free",
        counting_owners(5, 3)},
};

hocket::Options options(const Expected& expected, unsigned max_preemptions) {
  return {.max_preemptions = max_preemptions,
      .spurious_wakeups = expected.wakes_spuriously,
      .try_saved = false,
      .save_schedules = false};
}

samples::Bug bug(std::string_view name) {
  for (const samples::Bug& bug : samples::bugs()) {
    if (bug.name == name) return bug;
  }
  ADD_FAILURE() << "there is no program " << name;
  return {};
}

/// The places of a program's marks: "@look" is at "double_checked_locking.hpp:28".
std::map<std::string, std::string, std::less<>> marks_in(const std::string& program) {
  std::map<std::string, std::string, std::less<>> marks;
  const std::string file = program + ".hpp";
  std::ifstream in(HOCKET_UNMODIFIED_SAMPLES "/" + file);
  EXPECT_TRUE(in.is_open()) << file;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const std::size_t mark = line.find("// @");
    if (mark != std::string::npos) marks[line.substr(mark + 3)] = file + ":" + std::to_string(number);
  }
  return marks;
}

std::string with_places(std::string text, const std::string& program) {
  for (const auto& [mark, place] : marks_in(program)) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
      text.replace(at, mark.size(), place);
  }
  return text;
}

class UnmodifiedBug : public testing::TestWithParam<Expected> {};

TEST_P(UnmodifiedBug, IsFoundWithTheFewestPreemptionsAndToldOfByItsLines) {
  const Expected& expected = GetParam();
  const Report report = hocket::explore(expected.name, bug(expected.name).buggy, options(expected, 3));
  ASSERT_EQ(report.verdict, Verdict::failed) << report;
  const hocket::FoundFailure& failure = report.failures.at(0);
  EXPECT_EQ(failure.kind, expected.kind) << report;
  EXPECT_EQ(failure.bound, expected.bound) << report;
  EXPECT_EQ(failure.where, with_places(std::string(expected.where), expected.name));
  for (const std::string& words : expected.words) {
    const std::string wanted = with_places(words, expected.name);
    EXPECT_NE(failure.message.find(wanted), std::string::npos) << wanted << "\n" << report;
  }
}

TEST_P(UnmodifiedBug, IsGoneFromTheCorrectedProgram) {
  const Expected& expected = GetParam();
  const Report report =
      hocket::explore(expected.name, bug(expected.name).corrected, options(expected, expected.passes_within));
  const bool is_exhaustive = expected.passes_within == hocket::unbounded;
  EXPECT_EQ(report.verdict, is_exhaustive ? Verdict::passed_exhaustively : Verdict::passed_within_bound)
      << report;
  EXPECT_EQ(report.classes, expected.classes) << report;
}

INSTANTIATE_TEST_SUITE_P(All, UnmodifiedBug, testing::ValuesIn(kExpected), hocket::test::RowName());

TEST(UnmodifiedBugs, AreAllExpected) {
  EXPECT_EQ(samples::bugs().size(), std::size(kExpected));
}

}  // namespace
