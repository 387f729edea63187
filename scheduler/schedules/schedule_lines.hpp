// What a shown schedule says of each step, before it is laid out in columns. Private to schedule_text.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "schedule.hpp"
#include "utf8.hpp"

namespace hocket {

/// What stands out.
enum class Style : std::uint8_t { plain, preemption, failure };

/// One line about one thread, in printable text.
struct ScheduleLine {
  std::size_t step = 0;  ///< its number, where a step begins; otherwise 0
  unsigned thread = 0;
  std::string head;  ///< "mutex.lock"
  std::string name;  ///< "queue lock": what is shortened first
  std::string tail;  ///< " → 3"
  std::string place;
  Style style = Style::plain;
  bool is_preempted = false;  ///< nothing but that the thread is preempted here
  bool is_for_all = false;    ///< about steps that are not shown, of whatever threads

  /// How many columns head, name and tail take.
  [[nodiscard]] std::size_t columns() const {
    return utf8::columns(head) + (name.empty() ? 0 : 1 + utf8::columns(name)) + utf8::columns(tail);
  }
};

/// The lines of choices `begin` to `end` (from 0, the last one not included): preemptions, operations with
/// their results, accesses, and where it fails.
std::vector<ScheduleLine> lines_of(const Schedule& schedule, std::size_t begin, std::size_t end);

/// Steps that come again and again before `end`; none if `rounds` is 0.
struct Repetition {
  std::size_t length = 0;
  std::size_t rounds = 0;
};
Repetition repetition_before(const Schedule& schedule, std::size_t end);

/// The choice at which the schedule fails: where the trace says so, or else the last one.
std::size_t failing_choice(const Schedule& schedule);

}  // namespace hocket
