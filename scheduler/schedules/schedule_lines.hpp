// The lines of a shown schedule before they are laid out in columns. Private to schedule_text.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "schedule.hpp"
#include "utf8.hpp"

namespace hocket {

/// How a line is highlighted.
enum class Style : std::uint8_t { plain, preemption, failure };

/// One line about one thread, in printable text.
struct ScheduleLine {
  std::size_t step = 0;  ///< the step's number if a step begins here; otherwise 0
  unsigned thread = 0;
  std::string head;  ///< "mutex.lock"
  std::string name;  ///< "queue lock"; this part is shortened first
  std::string tail;  ///< " → 3"
  std::string place;
  Style style = Style::plain;
  bool is_preempted = false;  ///< the line only says that the thread is preempted here
  bool is_for_all = false;    ///< about steps that are not shown, of any threads

  /// The number of columns that head, name and tail take.
  [[nodiscard]] std::size_t columns() const {
    return utf8::columns(head) + (name.empty() ? 0 : 1 + utf8::columns(name)) + utf8::columns(tail);
  }
};

/// The lines of the choices [begin, end), counted from 0: preemptions, operations with their results,
/// accesses, and the failure.
std::vector<ScheduleLine> lines_of(const Schedule& schedule, std::size_t begin, std::size_t end);

/// Steps that repeat before `end`; none if `rounds` is 0.
struct Repetition {
  std::size_t length = 0;
  std::size_t rounds = 0;
};
Repetition repetition_before(const Schedule& schedule, std::size_t end);

/// The choice at which the schedule fails: the one marked in the trace, or else the last one.
std::size_t failing_choice(const Schedule& schedule);

}  // namespace hocket
