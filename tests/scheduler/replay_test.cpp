// Replays of saved schedules: exact, checked at every step, and never in silence about what does not fit.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>
#include <nlohmann/json.hpp>
#include "scheduler/schedules/schedule.hpp"
#include "scheduler/schedules/schedule_file.hpp"

#include "tests/support/folder.hpp"

namespace {

using hocket::Options;
using hocket::Report;
using hocket::Verdict;
using Json = nlohmann::ordered_json;

/// A folder of its own for each test.
class Replay : public ::testing::Test {
 protected:
  [[nodiscard]] Options options() const { return {.schedule_dir = folder_.string(), .try_saved = false}; }
  [[nodiscard]] Options replay_of(const std::filesystem::path& file) const {
    Options o = options();
    o.replay = file.string();
    return o;
  }

  hocket::test::Folder own_;
  std::filesystem::path folder_ = own_.path();
};

// Has steps of several kinds, a waiter to choose, a value to choose and an expiry; fails late.
void varied_body() {
  hocket::mutex mutex;
  hocket::name(mutex, "gate");
  hocket::condition_variable changed;
  hocket::atomic<int> x{0};
  int woken = 0;
  const auto wait = [&] {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::milliseconds(5));
    ++woken;
  };
  hocket::thread a(wait);
  hocket::thread b(wait);
  const auto value = hocket::choose(3);
  x.store(static_cast<int>(value));
  {
    const std::lock_guard lock(mutex);
    changed.notify_one();
  }
  a.join();
  b.join();
  hocket::check(x.load() != 2 || woken != 2, "two woken, value two");
}

void lost_update() {
  hocket::atomic<int> x{0};
  const auto increment = [&] { x.store(x.load() + 1); };
  hocket::thread a(increment);
  hocket::thread b(increment);
  a.join();
  b.join();
  hocket::check(x.load() == 2, "an increment was lost");
}

TEST_F(Replay, ComesToTheSameFailure) {
  const Report found = hocket::explore("lost", lost_update, options());
  ASSERT_EQ(found.verdict, Verdict::failed);
  const Report again = hocket::explore("lost", lost_update, replay_of(found.failures.at(0).schedule_file));
  ASSERT_EQ(again.verdict, Verdict::failed);
  EXPECT_TRUE(again.is_replay);
  EXPECT_EQ(again.failures.at(0).kind, found.failures.at(0).kind);
  EXPECT_EQ(again.failures.at(0).message, found.failures.at(0).message);
  EXPECT_EQ(again.failures.at(0).where, found.failures.at(0).where);
}

TEST_F(Replay, OfAMutantIsRefusedAtItsStepOrHarmless) {
  const Report found = hocket::explore("varied", varied_body, options());
  ASSERT_EQ(found.verdict, Verdict::failed);
  const std::filesystem::path file = found.failures.at(0).schedule_file;
  std::ifstream in(file);
  const Json original = Json::parse(in);
  const std::size_t steps = original.at("schedule").size();
  ASSERT_GT(steps, 10U);

  int mutants = 0;
  int harmless = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    for (const auto& [field, value] : original.at("schedule").at(step).items()) {
      std::vector<Json> others;
      if (value.is_number()) {
        others = {value.get<int>() + 1, 0, -1, 4095, 1e300, "1"};
      } else if (value.is_string()) {
        others = {"", "main", "thread 1", "thread 2", "gate", "atomic.store", "mutex.lock",
            value.get<std::string>() + "x", 7};
      } else {
        others = {Json::array(), Json::array({"another"})};
      }
      others.emplace_back(nullptr);  // stands for: without the field
      for (const Json& other : others) {
        if (other == value) continue;
        Json mutant = original;
        Json& entry = mutant.at("schedule").at(step);
        if (other.is_null()) {
          entry.erase(field);
        } else {
          entry[field] = other;
        }
        const std::filesystem::path path = folder_ / "mutant.json";
        std::ofstream(path) << mutant.dump();
        ++mutants;
        const std::string names_the_step = "step " + std::to_string(step + 1);
        SCOPED_TRACE(::testing::Message() << names_the_step << ", " << field << " = " << other.dump());
        try {
          const Report report = hocket::explore("varied", varied_body, replay_of(path));
          if (report.verdict == Verdict::failed) {
            // Without its check a step is taken as it stands, and it is as it was.
            EXPECT_TRUE(field == "check" && other.is_null());
            EXPECT_EQ(report.failures.at(0).message, found.failures.at(0).message);
            ++harmless;
          } else {
            EXPECT_EQ(report.verdict, Verdict::nondeterministic);
            EXPECT_NE(report.explanation.find(names_the_step + ":"), std::string::npos) << report.explanation;
          }
        } catch (const hocket::ScheduleError& error) {
          EXPECT_NE(std::string(error.what()).find("step " + std::to_string(step + 1)), std::string::npos)
              << error.what();
        }
      }
    }
  }
  EXPECT_GT(mutants, 500);
  EXPECT_GT(harmless, 0);
  EXPECT_LT(harmless, mutants / 4);
}

TEST_F(Replay, OfAnotherTestIsRefused) {
  const Report found = hocket::explore("lost", lost_update, options());
  const std::string file = found.failures.at(0).schedule_file;
  try {
    hocket::explore("other", lost_update, replay_of(file));
    FAIL() << "was not refused";
  } catch (const hocket::ScheduleError& error) {
    EXPECT_EQ(std::string(error.what()),
        file + ": this schedule is of the test \"lost\", not of \"other\"; run that test");
  }
}

TEST_F(Replay, OfAnotherProgramIsRefusedAtTheFirstStepThatDiffers) {
  const Report found = hocket::explore("lost", lost_update, options());
  const Report report = hocket::explore(
      "lost",
      [] {
        hocket::mutex mutex;
        hocket::thread([&] { const std::lock_guard lock(mutex); }).join();
      },
      replay_of(found.failures.at(0).schedule_file));
  EXPECT_EQ(report.verdict, Verdict::nondeterministic);
  EXPECT_NE(
      report.explanation.find("step 1: the file says \"thread 2: atomic.load atomic 1\""), std::string::npos)
      << report.explanation;
}

// An edit that adds a line, renames a variable or is compiled otherwise changes names, not what is done.
TEST_F(Replay, InAnotherBuildTakesRenamedObjectsForThoseOfTheFile) {
  const auto two_atomics = [] {
    hocket::atomic<int> x{0};
    hocket::atomic<int> y{0};
    hocket::name(x, "x made at u.cpp:8");
    hocket::name(y, "y");
    const auto increment = [&] {
      y.store(1);
      x.store(x.load() + 1);
    };
    hocket::thread a(increment);
    hocket::thread b(increment);
    a.join();
    b.join();
    hocket::check(x.load() == 2, "an increment was lost");
  };
  const Report found = hocket::explore("lost", two_atomics, options());
  ASSERT_EQ(found.verdict, Verdict::failed);
  std::ifstream in(found.failures.at(0).schedule_file);
  const Json original = Json::parse(in);
  const auto verdict_with = [&](const std::vector<std::string>& names_of_x, const std::string& build) {
    Json changed = original;
    changed["build_id"] = build;
    std::size_t nth = 0;
    for (Json& step : changed.at("schedule")) {
      step.erase("check");
      if (step.value("object", "") == "x made at u.cpp:8")
        step["object"] = names_of_x.at(nth++ % names_of_x.size());
    }
    const std::filesystem::path path = folder_ / "changed.json";
    std::ofstream(path) << changed.dump();
    return hocket::explore("lost", two_atomics, replay_of(path)).verdict;
  };
  const std::string other = "00ff";
  EXPECT_EQ(verdict_with({"x made at u.cpp:11", "x made at u.cpp:12"}, other), Verdict::failed);
  EXPECT_EQ(verdict_with({"z"}, other), Verdict::failed);
  EXPECT_EQ(verdict_with({"z", "y"}, other), Verdict::nondeterministic);
  EXPECT_EQ(verdict_with({"z"}, original.at("build_id")), Verdict::nondeterministic);
}

TEST_F(Replay, OfABodyThatWasMendedRunsClean) {
  bool mended = false;
  const auto body = [&] {
    hocket::atomic<int> x{0};
    hocket::thread([&] { x.store(1); }).join();
    hocket::check(mended, "not mended yet");
  };
  const Report found = hocket::explore("mended", body, options());
  ASSERT_EQ(found.verdict, Verdict::failed);
  mended = true;
  const Report report = hocket::explore("mended", body, replay_of(found.failures.at(0).schedule_file));
  EXPECT_TRUE(report.is_replay);
  EXPECT_EQ(report.verdict, Verdict::passed_sample) << report.explanation;
}

TEST_F(Replay, OfASavedFailureComesFirstInTheNextSearch) {
  const Report found = hocket::explore("lost", lost_update, options());
  ASSERT_GT(found.executions, 1U);
  Options o = options();
  o.try_saved = true;
  const Report next = hocket::explore("lost", lost_update, o);
  EXPECT_EQ(next.verdict, Verdict::failed);
  EXPECT_TRUE(next.from_saved);
  EXPECT_EQ(next.executions, 1U);
  EXPECT_EQ(next.failures.at(0).schedule_file, found.failures.at(0).schedule_file);
}

TEST_F(Replay, OfASavedFailureComesBeforeTheSearchThatGoesOnAfterFailures) {
  const auto body = [] {
    const unsigned number = hocket::choose(3);
    if (number == 1) hocket::check(false, "one");
    if (number == 2) hocket::check(false, "two");
  };
  const Report first = hocket::explore("both", body, options());
  Options o = options();
  o.try_saved = o.keep_going = true;
  const Report all = hocket::explore("both", body, o);
  ASSERT_EQ(all.failures.size(), 2U) << all;
  EXPECT_TRUE(all.failures[0].from_saved);
  EXPECT_EQ(all.failures[0].message, first.failures.at(0).message);
  EXPECT_FALSE(all.failures[1].from_saved);
  EXPECT_NE(all.failures[1].message, all.failures[0].message);
  EXPECT_EQ(all.verdict, Verdict::failed);
  EXPECT_EQ(all.executions, 3U);
}

TEST_F(Replay, OfASavedFailureTellsOfTheLinesAndTheKindThatItHasNow) {
  bool has_moved = false;
  const auto body = [&] {
    hocket::atomic<int> x{0};
    if (has_moved) {
      x.store(1);
      throw std::runtime_error("now");
    }
    x.store(1);
    hocket::check(false, "before");
  };
  const Report before = hocket::explore("moved", body, options());
  has_moved = true;
  Options o = options();
  o.try_saved = true;
  const Report now = hocket::explore("moved", body, o);
  ASSERT_TRUE(now.from_saved) << now;
  const hocket::FoundFailure& failure = now.failures.at(0);
  EXPECT_EQ(failure.kind, hocket::FailureKind::exception);
  EXPECT_EQ(failure.message.find("before"), std::string::npos) << failure.message;
  EXPECT_EQ(failure.differs_from_file, R"(the file has the failure "check", and this is "exception")");
  EXPECT_NE(to_text(now).find("The saved schedule now fails differently: the file has the failure \"check\", "
                              "and this is \"exception\".\n"),
      std::string::npos)
      << now;
  EXPECT_NE(failure.where, before.failures.at(0).where);
  const std::string& where_it_was = before.failures[0].schedule->choices.at(0).where;
  EXPECT_NE(failure.schedule->choices.at(0).where, where_it_was);
}

TEST_F(Replay, SaysWhenTheFailureIsAnotherThanThatOfTheFile) {
  enum class Fails { as_saved, otherwise, with_another_message } fails = Fails::as_saved;
  const auto body = [&] {
    hocket::atomic<int> x{0};
    x.store(1);
    if (fails == Fails::otherwise) throw std::runtime_error("now");
    hocket::check(false, fails == Fails::as_saved ? "before" : "now");
  };
  const Report saved = hocket::explore("another", body, options());
  const Options o = replay_of(saved.failures.at(0).schedule_file);
  EXPECT_NE(to_text(hocket::explore("another", body, o)).find("another: replayed, and it failed again\n"),
      std::string::npos);
  fails = Fails::otherwise;
  EXPECT_NE(
      to_text(hocket::explore("another", body, o))
          .find("another: replayed, and it failed in another way: the file has the failure \"check\", and "
                "this is \"exception\"\n"),
      std::string::npos);
  fails = Fails::with_another_message;
  EXPECT_NE(to_text(hocket::explore("another", body, o))
                .find("another: replayed, and it failed in another way: the file says \"before\"\n"),
      std::string::npos);
}

TEST_F(Replay, NeverTouchesTheFileAndASecondFailureGetsAnotherName) {
  const Report first = hocket::explore("lost", lost_update, options());
  const std::filesystem::path file = first.failures.at(0).schedule_file;
  const auto written = std::filesystem::last_write_time(file);
  hocket::explore("lost", lost_update, replay_of(file));
  const Report second = hocket::explore("lost", lost_update, options());
  EXPECT_EQ(std::filesystem::last_write_time(file), written);
  EXPECT_NE(second.failures.at(0).schedule_file, first.failures.at(0).schedule_file);
}

TEST_F(Replay, FitsWhereAThreadGetsItsNameLate) {
  const auto body = [] {
    hocket::atomic<int> x{0};
    x.store(1);
    hocket::name_this_thread("late");
    x.store(2);
    hocket::check(false, "always");
  };
  const Report found = hocket::explore("late", body, options());
  const Report again = hocket::explore("late", body, replay_of(found.failures.at(0).schedule_file));
  EXPECT_EQ(again.verdict, Verdict::failed) << again.explanation;
}

}  // namespace
