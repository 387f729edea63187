// One execution of an existing test, before it is searched: whether there is anything to search.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../../runtime/execution/execution_result.hpp"
#include "../api/options.hpp"

namespace hocket {

/// A line of source at which an execution makes many of its steps.
struct BusyPlace {
  std::string where;  ///< "queue.hpp:12"
  std::uint64_t steps = 0;
};

/// What one execution shows, in which no thread is preempted.
struct FirstLook {
  /// An execution of more steps is long: a search can vary only a small part of it.
  static constexpr std::uint32_t kLong = 20'000;

  runtime::Outcome outcome = runtime::Outcome::completed;
  std::string failure;            ///< if the only schedule fails: what went wrong, and where
  std::string output;             ///< and what the body printed
  bool is_at_step_limit = false;  ///< it failed because it did not end within the limit of steps
  bool has_too_many_threads = false;
  bool is_out_of_time = false;   ///< it did not end in the time that it had
  bool is_skipped = false;       ///< the test asked to be skipped
  std::string reason_to_skip{};  ///< and why
  std::string skipped_in{};      ///< and the file and the line at which it did
  unsigned skipped_at = 0;
  bool searches_itself = false;  ///< the test began a search of its own, which is to be made without this one
  bool has_choices = false;      ///< somewhere there was more than one way to go on
  unsigned threads = 0;          ///< with the test's own
  std::uint32_t steps = 0;
  double seconds = 0;                  ///< of CPU time: a busy machine makes no test too long
  std::vector<BusyPlace> busy_places;  ///< of a long execution: where most of its first steps are made
  std::uint32_t placed_steps = 0;      ///< how many steps, from the first on, were looked at for that

  [[nodiscard]] bool is_long() const { return steps > kLong; }
  /// Whether there is but one schedule, because there is but one thread.
  [[nodiscard]] bool is_sequential() const { return threads == 1 && !has_choices; }
};

/// Runs one execution of `body` for at most Options::time_limit, and of a long one another. A failing one is
/// not saved.
FirstLook first_look(const std::string& test, const std::function<void()>& body, const Options& options);

/// Whether the calling code runs in first_look().
bool is_in_first_look();

/// Called in a body that is about to make a search: if this is in a first look, ends that and does not
/// return.
void leave_first_look_to_search();

}  // namespace hocket
