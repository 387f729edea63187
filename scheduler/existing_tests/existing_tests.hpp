// --hocket_all_tests: the tests of a program, as they are, become bodies of searches, which share the time
// that is given for all of them. How a test framework comes by its tests is not known here.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "../api/options.hpp"
#include "../api/report.hpp"
#include "first_look.hpp"

namespace hocket {

/// What has become of a test.
enum class TestEnd : std::uint8_t {
  failed,            ///< under some schedule, or its body is not deterministic
  failed_alone,      ///< it has one thread only, and fails
  died,              ///< an execution ended the process
  exhausted,         ///< passed under every schedule
  covered,           ///< passed under every schedule up to a bound
  sampled,           ///< passed under some schedules
  no_concurrency,    ///< passed, and has one thread only
  too_long,          ///< one execution has more steps than an execution may have
  too_many_threads,  ///< more than an execution may have
  too_slow,          ///< the time was not enough for an execution, or not for a search
  skipped,           ///< by its own wish, or that of its framework
  searches_itself,   ///< its body makes a search, and was left to do so
  interrupted        ///< by a signal
};

/// A test, and what has become of it. What was found in a child process is passed on in `record` form.
struct ExistingTest {
  std::string name;
  TestEnd end = TestEnd::skipped;
  FirstLook look;
  bool is_searched = false;          ///< the rest says how
  bool is_unfinished = false;        ///< more time would have brought more
  bool is_nondeterministic = false;  ///< the same schedule led elsewhere, so it has failed
  std::string sealed{};              ///< where threads were not preempted: Coverage::sealed
  bool has_late_timeouts = false;    ///< timeouts, or sleeps, ran out only where no thread could go on
  bool ended_at_race = false;        ///< what else is in it was not looked for
  unsigned bound = 0;                ///< of `covered`
  std::uint64_t executions = 0;
  double seconds = 0;
  std::string sections;  ///< as sections::to_record() has left them
  std::string failure;   ///< why it has failed, in a few lines; or empty
  std::string text;      ///< what to print when it has ended; ends with '\n' if it is not empty

  [[nodiscard]] bool has_failed() const {
    return end == TestEnd::failed || end == TestEnd::failed_alone || end == TestEnd::died;
  }
};

/// What a framework is to do with a test.
struct Ruling {
  bool run_as_it_is = false;  ///< once, without Hocket, so that the framework counts its assertions
  std::string failure{};      ///< why it has failed, in a few lines; or empty
  std::string text{};         ///< what to print beside; or empty
};

class ExistingTests {
 public:
  static ExistingTests& instance();

  /// Whether all tests of this program are to be searched.
  static bool are_asked_for();
  /// The test of which the schedule is to be replayed, if it was found by such a search; or empty.
  static std::string to_be_replayed();
  /// Why the tests of this program cannot be searched, as a sentence; or empty.
  static std::string why_not();

  /// There are so many tests, which share the time from now on.
  void begin(std::size_t tests);
  /// Searches the test, or replays its schedule. Throws what explore() does. The reference is valid until the
  /// next call.
  const ExistingTest& run(const std::string& name, const std::function<void()>& body);
  /// For frameworks that run a test once for each of its sections: searches the section that comes next.
  /// `part` counts these calls, from 1.
  Ruling search_part(const std::string& name, unsigned part, const std::function<void()>& body);
  /// A test that was counted in begin() is not run.
  void leave_out() { left_ -= left_ != 0 ? 1 : 0; }
  /// The names of the tests for which there is time left, to search them once more for longer, or to sample
  /// their schedules; the next calls of run() are to be for them. To be called until there are none.
  std::vector<std::string> begin_next_round();

  /// What has become of each test, for lines of `width` columns.
  [[nodiscard]] std::string summary(unsigned width, bool color) const;

 private:
  using Clock = std::chrono::steady_clock;

  ExistingTest& entry(const std::string& name);
  [[nodiscard]] std::chrono::nanoseconds left_time() const { return time_ - (Clock::now() - begin_); }
  [[nodiscard]] std::chrono::nanoseconds next_share();
  /// What a search of the test needs at least.
  static std::chrono::nanoseconds time_for_search(const ExistingTest& test);
  void run_in_child(ExistingTest& test, const std::function<void()>& body, std::chrono::nanoseconds share);
  void run_here(ExistingTest& test, const std::function<void()>& body, std::chrono::nanoseconds share,
      const std::function<void()>& looked);
  void look(ExistingTest& test, const std::function<void()>& body);
  void search(ExistingTest& test, const std::function<void()>& body, std::chrono::nanoseconds time);

  std::vector<ExistingTest> tests_;
  std::size_t left_ = 0;  ///< tests that have had no share in this round
  Clock::time_point begin_;
  std::chrono::nanoseconds time_{0};  ///< for all tests
  unsigned round_ = 0;                ///< of searches
  bool is_in_child_ = false;          ///< of this process
  bool is_sampling_ = false;          ///< in the last round: there is not time enough to search further
};

/// Like explore(), but the environment and the flags do not override `options`.
Report explore_exactly(std::string_view test, const std::function<void()>& body, const Options& options);

/// While an object of this class exists, schedules are saved as those of a whole test, so that a replay knows
/// that the test makes no search itself.
class WholeTestGuard {
 public:
  WholeTestGuard() { has_guard = true; }
  ~WholeTestGuard() { has_guard = false; }
  WholeTestGuard(const WholeTestGuard&) = delete;
  WholeTestGuard& operator=(const WholeTestGuard&) = delete;

  static bool is_searched() { return has_guard; }

 private:
  static inline constinit bool has_guard = false;
};

}  // namespace hocket
