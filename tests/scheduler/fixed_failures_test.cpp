// What becomes of the file of a failure when the failure no longer comes.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include <hocket/hocket.hpp>

#include "tests/support/folder.hpp"

namespace {

/// How the body is mended after its failure was saved.
enum class Mending {
  none,
  of_check,  ///< it takes the same steps
  of_steps   ///< it takes others
};

class FixedFailures : public ::testing::Test {
 protected:
  [[nodiscard]] hocket::Options options() const { return {.schedule_dir = own_.path().string()}; }

  /// Two threads that add to a number.
  hocket::Report explore(Mending mending, const hocket::Options& options) {
    return hocket::explore(
        "add",
        [mending] {
          hocket::atomic<int> sum{0};
          const auto add = [&] {
            if (mending == Mending::of_steps) {
              sum.fetch_add(2);
              sum.fetch_sub(1);
            } else {
              sum.store(sum.load() + 1);
            }
          };
          hocket::thread a(add);
          hocket::thread b(add);
          a.join();
          b.join();
          hocket::check(sum.load() == 2 || mending == Mending::of_check, "an addition is lost");
        },
        options);
  }

  [[nodiscard]] bool is_saved() const { return std::filesystem::exists(own_.path() / kFile); }
  [[nodiscard]] bool is_set_aside() const { return std::filesystem::exists(own_.path() / "fixed" / kFile); }

  static constexpr const char* kFile = "add.schedule.json";
  hocket::test::Folder own_;
};

TEST_F(FixedFailures, AreSetAsideOnceTheirScheduleRunsClean) {
  ASSERT_TRUE(explore(Mending::none, options()).failed());
  ASSERT_TRUE(is_saved());
  const hocket::Report mended = explore(Mending::of_check, options());
  EXPECT_FALSE(mended.failed()) << mended;
  EXPECT_NE(mended.note.find("does not come any more, so the file is now "), std::string::npos) << mended;
  EXPECT_FALSE(is_saved());
  EXPECT_TRUE(is_set_aside());
  EXPECT_EQ(explore(Mending::of_check, options()).note, "");  // it is said once
}

TEST_F(FixedFailures, AreSetAsideIfTheBodyTakesOtherStepsAndPassesAsFar) {
  ASSERT_TRUE(explore(Mending::none, options()).failed());
  hocket::Options less = options();
  less.max_preemptions = 0;
  EXPECT_FALSE(explore(Mending::of_steps, less).failed());
  EXPECT_TRUE(is_saved());  // the failure had a preemption
  EXPECT_FALSE(explore(Mending::of_steps, options()).failed());
  EXPECT_FALSE(is_saved());
  EXPECT_TRUE(is_set_aside());
}

TEST_F(FixedFailures, StayWhereTheyAreWhileTheyCome) {
  ASSERT_TRUE(explore(Mending::none, options()).failed());
  EXPECT_TRUE(explore(Mending::none, options()).from_saved);
  EXPECT_TRUE(is_saved());
  EXPECT_FALSE(is_set_aside());
}

TEST_F(FixedFailures, StayWhereTheyAreIfTheyAreNotTriedOrNothingIsToBeSaved) {
  ASSERT_TRUE(explore(Mending::none, options()).failed());
  hocket::Options untried = options();
  untried.try_saved = false;
  EXPECT_EQ(explore(Mending::of_check, untried).note, "");
  hocket::Options unsaved = options();
  unsaved.save_schedules = false;
  EXPECT_EQ(explore(Mending::of_check, unsaved).note, "");
  EXPECT_TRUE(is_saved());
}

TEST_F(FixedFailures, LeaveThoseAloneThatWereSetAsideBefore) {
  for (int time = 0; time < 2; ++time) {
    ASSERT_TRUE(explore(Mending::none, options()).failed());
    EXPECT_FALSE(explore(Mending::of_check, options()).failed());
  }
  EXPECT_TRUE(is_set_aside());
  EXPECT_TRUE(std::filesystem::exists(own_.path() / "fixed" / "add-2.schedule.json"));
}

}  // namespace
