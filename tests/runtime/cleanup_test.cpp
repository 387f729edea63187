// Whatever an execution leaves behind is cleaned up: many executions do not make the process grow.
#include <gtest/gtest.h>

#include <ostream>

#include "runtime/platform/sanitizer_fiber.hpp"

#include "tests/support/bodies.hpp"
#include "tests/support/cleanup_bodies.hpp"
#include "tests/support/row_name.hpp"

namespace hocket::test {

void PrintTo(const Ending& ending, std::ostream* out) {
  *out << ending.name;
}

namespace {

/// Clang ends a noexcept function that has destructors to run in a way that cannot be told from a catch (...)
/// before it is too late: they run, and then the stack of its callers is abandoned. See Limits in
/// docs/what-a-pass-means.md.
bool leaves_stacks_behind(const Ending& ending) {
#if defined(__clang__)
  return ending.body == body_that_is_cut_in_noexcept<HocketTypes>;
#else
  static_cast<void>(ending);
  return false;
#endif
}

class ABodyThat : public ::testing::TestWithParam<Ending> {};

TEST_P(ABodyThat, LeavesNothingBehindInTwentyThousandExecutions) {
  constexpr std::uint64_t kExecutions = 20'000;
  run_again_and_again(GetParam(), 2000);  // stacks, the set of classes and the allocator's own pools fill
  const Memory before = memory_of_this_process();
  {
    const Report report = run_again_and_again(GetParam(), kExecutions);
    EXPECT_EQ(report.executions + report.dropped, kExecutions) << report;
    EXPECT_EQ(report.abandoned != 0, leaves_stacks_behind(GetParam())) << report.abandoned;
  }
  const Memory after = memory_of_this_process();
  // A single byte an execution would be 20 000. What one thread of these bodies holds is 1100 bytes.
  EXPECT_LT(after.allocated - before.allocated, 16 * 1024);
  if (!runtime::platform::address_sanitizer_is_linked()) {  // which keeps what is freed
    EXPECT_LT(after.resident - before.resident, 256 * 1024);
  }
}

INSTANTIATE_TEST_SUITE_P(Endings, ABodyThat, ::testing::ValuesIn(kEndings<HocketTypes>), RowName());

TEST(TheBodiesOfTheseTests, EndAsTheirNamesSay) {
  const auto run = [](std::size_t n) { return run_again_and_again(kEndings<HocketTypes>.at(n), 200); };
  EXPECT_EQ(run(0).verdict, Verdict::passed_sample);
  const Report deadlocks = run(1);
  EXPECT_EQ(deadlocks.verdict, Verdict::failed);
  EXPECT_EQ(deadlocks.failures.at(0).kind, FailureKind::deadlock);
  EXPECT_EQ(run(2).failures.at(0).kind, FailureKind::exception);
  EXPECT_EQ(run(3).dropped, 200U);
  EXPECT_EQ(run(4).failures.at(0).kind, FailureKind::check);
}

TEST(AnExecution, ThatCallsTerminateIsAbandonedAndCounted) {
  const Report report = report_of(exhaustively({.keep_going = true}), [] {
    in_parallel([] {
      if (choose(4) != 0) std::terminate();
    });
  });
  EXPECT_EQ(report.verdict, Verdict::failed);
  EXPECT_EQ(report.executions, 4U);
  EXPECT_EQ(report.abandoned, 3U);
  EXPECT_EQ(report.failures.size(), 1U);
}

/// Looks at what it was given when it is destroyed.
struct LastLook {
  const bool* is_alive;
  unsigned* too_late;
  ~LastLook() { *too_late += *is_alive ? 0U : 1U; }
};
struct SaysWhenItIsGone {
  bool* is_alive;
  ~SaysWhenItIsGone() { *is_alive = false; }
};

TEST(AThread, IsEndedBeforeItsCreatorsFrameIsGone) {
  unsigned too_late = 0;
  unsigned looks = 0;
  const Options options = exhaustively({.keep_going = true});
  const auto creator_that_fails = [&] {
    bool is_alive = true;
    atomic<int> x{0};
    const SaysWhenItIsGone owned{&is_alive};
    thread child([&] {
      const LastLook look{&is_alive, &too_late};
      ++looks;
      x.store(1);
      x.store(2);
    });
    check(x.load() == 2, "the child is not through");
    child.join();
  };
  const Report in_the_body = explore("the body fails", creator_that_fails, options);
  const Report in_a_thread = report_of(options, [&] { in_parallel([&] { creator_that_fails(); }); });
  EXPECT_EQ(in_the_body.verdict, Verdict::failed);
  EXPECT_EQ(in_a_thread.verdict, Verdict::failed);
  EXPECT_GT(looks, 0U);
  EXPECT_EQ(too_late, 0U);
}

}  // namespace

}  // namespace hocket::test
