// Jobs: processes that a search makes by fork(), each of which goes on with a part of it. The search that has
// made them waits, and joins what they tell.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "../../runtime/platform/ending.hpp"
#include "../deaths/last_execution.hpp"
#include "../deaths/supervisor.hpp"

namespace hocket {

/// What a job has left.
struct JobEnd {
  unsigned index = 0;  ///< from 1
  std::string text;    ///< what it has told: nothing if it has ended before
  runtime::platform::Ending ending;
  std::optional<LastExecution> lost;  ///< the execution that has ended it
};

/// All jobs of a search. Each job has a copy of the object, which knows which of them it is.
class Jobs {
 public:
  /// A search is split when it has lasted so long. Tests split shorter ones.
  static inline constinit std::chrono::nanoseconds begin_after = std::chrono::milliseconds(50);

  /// Throws std::system_error if there is no memory that they can share.
  explicit Jobs(unsigned count);
  /// Ends those that run.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// Whether this process can make jobs: it has no other thread, which they would lack.
  static bool are_possible();
  /// How many there are to be if so many were asked for: 0: one for each core.
  static unsigned count_of(unsigned asked_for);

  /// Makes the next one. Returns true in that process, and false in this one. Throws std::system_error. A
  /// search may not be supervised meanwhile, as it would be by two.
  [[nodiscard]] bool make_next();

  [[nodiscard]] unsigned count() const { return count_; }
  [[nodiscard]] bool any_runs() const;
  /// Waits a little. Returns those that have ended meanwhile.
  [[nodiscard]] std::vector<JobEnd> wait();
  /// Sends a signal to those that run.
  void pass_on(int signal) const;
  /// Ends them at once, and what executions have started that were ended with their jobs.
  void end_all();
  /// A job has failed after so many executions. The others learn of the least number.
  void note_failure(std::uint64_t executions) const;
  /// Of all jobs, as they have noted them.
  [[nodiscard]] std::uint64_t executions() const;

  /// Which job this process is: from 1; 0: it has made them.
  [[nodiscard]] unsigned index() const { return index_; }
  /// The least number of executions after which a job has failed; the greatest number there is: none has.
  [[nodiscard]] std::uint64_t first_failure() const;
  void note_executions(std::uint64_t count) const;
  /// Ends this process, which is a job, after it has told this.
  [[noreturn]] void tell_and_end(std::string_view text) const;

 private:
  struct Job {
    Supervisor supervisor{Supervisor::Starts::a_child_of_this_process};
    pid_t process = 0;  ///< 0: it does not run
    int pipe = -1;
    std::string text;
  };
  struct Shared;

  [[nodiscard]] JobEnd end_of(Job& job);
  void read_from(Job& job, std::vector<JobEnd>& ended);

  unsigned count_;
  unsigned index_ = 0;
  int told_to_ = -1;  ///< in a job: the pipe to the search
  std::deque<Job> jobs_;
  Shared* shared_;
  std::size_t shared_size_;
};

}  // namespace hocket
