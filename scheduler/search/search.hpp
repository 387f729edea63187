// The search loop: one strategy, one body, until a failure, the end or a limit. Its functions are in several
// files: what begins it anew in search_restarts.cpp, what it has covered in search_coverage.cpp, the
// executions before and after it in search_warm_up.cpp and search_lock_orders.cpp, and its jobs in
// split_search.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../api/options.hpp"
#include "../api/report.hpp"
#include "../deaths/dying_process.hpp"
#include "../failures/minimizer.hpp"
#include "../process/fresh_start.hpp"
#include "../process/interrupt.hpp"
#include "../process/search_guards.hpp"
#include "../replays/exploration.hpp"
#include "../report/other_jobs.hpp"
#include "../report/progress.hpp"
#include "../strategies/strategy.hpp"
#include "../strategies/work_sharing.hpp"
#include "cut_short.hpp"
#include "jobs.hpp"
#include "lock_orders.hpp"
#include "meetings.hpp"

namespace hocket {

/// A search. The process counts as searching during the lifetime of this object.
class Search {
 public:
  Search(std::string test, const std::function<void()>& body, const Options& options);
  Report run();
  /// Makes the report of a search that has ended with the process, before a fresh start.
  Report tell_of(const fresh_start::Ending& ending);

 private:
  class Visitor;

  /// An execution whose schedule a job sends to the search.
  struct Found {
    std::vector<std::uint16_t> codes;
    unsigned bound = 0;
    std::uint64_t executions = 0;  ///< that the job had run before
    unsigned job = 0;
    bool has_ended_job = false;  ///< as the body crashed, or was killed
  };
  /// In the order in which jobs have come to them.
  static bool comes_before(const Found& one, const Found& other);
  /// What the search has received from its jobs.
  struct Joined;

  /// Whether atomics that were treated as separate objects until now turned out to overlap.
  static bool take_found_overlaps();
  /// What watches the process while executions run.
  void guard_process();

  // A search that lasts is split among jobs: split_search.cpp.
  [[nodiscard]] bool is_job() const { return jobs_ != nullptr && jobs_->index() != 0; }
  /// Whether it is a job that goes on with what the search has begun.
  [[nodiscard]] bool shares_work() const { return is_job() && work_ != nullptr; }
  /// Whether it is to be split if it lasts, and can be.
  [[nodiscard]] bool may_be_split() const;
  [[nodiscard]] bool lasts() const;
  /// Splits it. Returns false if there are no jobs after all; in a job, true: it begins with its part, or
  /// shares_work(); and otherwise true when all have ended: is_joined_, or the search has to begin anew.
  [[nodiscard]] bool split();
  [[nodiscard]] bool begin_to_share(unsigned jobs);
  /// Throws std::system_error.
  [[nodiscard]] std::shared_ptr<SharedStates> table_for_classes() const;
  void become_job();
  /// In a job that goes on with what the search has begun: it tells what comes from now on.
  void go_on_as_job(unsigned index);
  /// In such a job: whether all are to end, or have run as many executions as they may.
  [[nodiscard]] bool is_over_for_all();
  static std::uint64_t seed_of_shard(const Options& options);
  /// In a job: that which has just been met is told, if it is new, and the search records it.
  void note_failure_of_job();
  /// In a job: whether what comes from now on is behind a failure that is known, so that a single search
  /// would not come there.
  [[nodiscard]] bool is_behind_first_failure();
  /// In a job, to which the search leaves it to begin anew.
  [[noreturn]] void tell_why_anew();
  [[noreturn]] void tell_of_part();
  /// Waits for the jobs. Returns whether they have covered the search; otherwise it begins anew.
  [[nodiscard]] bool join();
  void take_end_of(JobEnd end, Joined& joined);
  /// Runs what has had a job begin anew, to learn what it has learned. If that fails, goes on without jobs.
  void learn_why_anew(const Found& after);
  /// Runs the failing executions again, in the order of a single search, and reports the failures.
  void tell_of(std::vector<Found> found);
  void take_whole(const Report& whole);
  /// Whether executions that jobs have cut short end as others do; only the parts of all together tell.
  [[nodiscard]] bool jobs_cut_short_rightly(Joined& joined);
  /// Of the reasons for which jobs have stopped, only the first one is one.
  static void tell_what_ended_all(Joined& joined);

  void prepare_shard();
  void add_note(const std::string& text);
  struct Restart;
  /// Writes to the log and to the report why the search begins anew.
  void note_restart(const Restart& restart);
  void tell_other_jobs() const;
  void note_class_of_shard(const runtime::ClassHash& hash, bool passed);
  [[nodiscard]] bool begins_untouched() const;
  void warm_up();
  /// The same for the replay of a schedule under which the process dies at the last step.
  void warm_up_until(const Schedule& death);
  /// Calls `work` with the process prepared for executions.
  Report run_guarded(const std::function<void()>& work);
  void explore();
  /// Ends the search with what it has found, after an allocation of its own has failed.
  void give_up_without_memory();
  /// Runs the executions of the strategy. Returns false if the search has to start over.
  [[nodiscard]] bool explore_with_strategy();
  /// Handles a failed execution of this price that the strategy has already taken into account. Returns
  /// whether to continue.
  bool take_failure(const runtime::ExecutionResult& result, unsigned bound);
  /// What minimizing the failure that was just found may take. At most the time that the search has taken, so
  /// that a person waits for both at most twice as long. The search has done all bounds below `bounds_done`.
  [[nodiscard]] MinimizeBudget minimize_budget(std::uint64_t bounds_done) const;
  void note_overlaps();
  /// Called after an operation has asked for less than seq_cst. Whether the search has to begin anew: it then
  /// goes on under the C++ memory model, if it was asked to, and watches the lives of objects.
  [[nodiscard]] bool meets_weaker_order();
  void begin_to_keep_stores();
  /// A loop was found that retries. The search has to begin anew, and threads yield in it.
  void take_found_retries();
  /// Makes the search fair after an unfair execution. Returns false if the strategy cannot search fairly.
  [[nodiscard]] bool switch_to_fair();
  /// Whether what executions showed after they had been cut short was met within the bound, too. If not,
  /// changes to a strategy that cuts nothing short.
  [[nodiscard]] bool cut_short_rightly();
  void begin_to_leave_nothing_out();
  /// Discards all results so far, except failures, and continues with a new strategy.
  void begin_anew();
  void account(const runtime::ExecutionResult& result);
  /// The same for what the report has a sentence of.
  void account_for_notes(const runtime::ExecutionResult& result);
  [[nodiscard]] bool is_over();
  [[nodiscard]] bool limit_is_reached(bool measures_memory);
  /// Returns the memory that the search keeps, in bytes.
  std::size_t measure_frontier();
  void conclude_within_bound();
  /// Runs executions in which threads that take locks in different orders may wait for each other.
  void follow_lock_orders();
  /// The same for one cycle, as HoldsBack. Returns whether the execution has failed.
  [[nodiscard]] bool follow(const LockOrders::Cycle& cycle, std::size_t first);
  void conclude();
  void conclude_what_was_covered();
  void list_weaker_operations();
  BoundReport& bound_report(unsigned bound);

  /// What the search has met so far, in addition to the Coverage in its report. A search that begins anew
  /// begins with a new one.
  struct Met {
    MetClasses classes;
    CutShort cut_short;
    Meetings meetings;               ///< if Settings::coverage
    LockOrders lock_orders;          ///< of the first execution that ran to its end
    std::uint64_t cut_at_limit = 0;  ///< executions that were unfair at the step limit
    std::uint32_t turns = 0;
    unsigned threads = 0;         ///< the most in an execution
    std::uint32_t completed = 0;  ///< executions that ran to their end
    runtime::Where last_poll;     ///< last polling place of the last execution that had one
    bool left_out_unfair = false;
  };

  const SearchGuard guard_;  // first, so that later allocations do not count as the program's
  Exploration exploration_;
  const Options& options_ = exploration_.options;
  Report& report_ = exploration_.report;
  std::unique_ptr<Strategy> strategy_;
  Met met_;
  /// How far the search has got with its bound, if the strategy can tell.
  [[nodiscard]] std::optional<BoundEstimate> estimate(std::chrono::steady_clock::time_point now) const;

  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point bound_begun_;
  std::chrono::steady_clock::time_point strategy_begun_;
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
  Progress progress_;
  OtherJobs other_jobs_;
  std::uint64_t max_executions_ = 0;
  unsigned left_waiting_ = 0;  ///< the most threads that an execution left waiting as it ended with its body
  bool needs_clock_ = false;
  bool is_over_ = false;                 ///< a limit was reached
  bool is_out_of_time_ = false;          ///< and it was that of time
  std::vector<std::string> retries_at_;  ///< " at FILE:LINE", or empty, for each of those loops
  bool knows_new_race_ = false;          ///< since the last failure: Exploration::known_races
  bool may_split_ = false;
  bool begins_part_ = false;           ///< in a job that has just been made
  bool is_joined_ = false;             ///< the report is that of all jobs together
  std::unique_ptr<Jobs> jobs_;         ///< in a job, and while the search waits for them
  std::shared_ptr<WorkSharing> work_;  ///< between them, if they go on with what the search has begun
  std::vector<Found> found_;           ///< by this job
  Found anew_after_;                   ///< in a job: the execution that has it begin anew
  std::optional<DeathGuards> death_guards_;
};

}  // namespace hocket
