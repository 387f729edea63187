// What a program can do under a memory model. The answer is plain text, so that it can be
// compared with that of another implementation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tests/oracle/memory_model/program.hpp"

namespace hocket::memory_model {

/// An event: its thread, and its number among the events of that thread. All that is done to atomics and
/// plain variables, fences, locks, sleeps, notifications, starts and joins are events; an instruction that
/// waits can be several. Thread -1 stands for first values.
using EventName = std::pair<int, int>;

/// Writes down an execution graph: what each event read, who woke whom, and the orders of writes, locks and
/// queues. Two executions are of one graph if the texts are equal. Events must come in ascending order.
class GraphText {
 public:
  void reads(EventName event, EventName from) { add(event, "<", from); }
  void is_woken(EventName event, EventName by) { add(event, "!", by); }

  /// A total order of some events on an object, none of which is a first value.
  void begin_order(char kind, unsigned object) { text_ += std::string(" ") + kind + std::to_string(object); }
  void next_in_order(EventName event) { text_ += ":" + to_text(event); }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  static std::string to_text(EventName event) {
    if (event.first < 0) return "-";
    return std::to_string(event.first) + "." + std::to_string(event.second);
  }
  void add(EventName event, std::string_view sign, EventName other) {
    text_ += " " + to_text(event);
    text_ += sign;
    text_ += to_text(other);
  }

  std::string text_;
};

/// The values of registers and atomics at the end, such as "r0=0 r1=1 x=2 y=0". Registers that no instruction
/// sets are left out, and locations that none writes.
std::string outcome_text(const Program& program, std::span<const std::int8_t, kRegisters> registers,
    std::span<const std::int8_t, kLocations> memory);

struct Behaviours {
  std::set<std::string> complete;  ///< graphs of executions that all threads end
  std::set<std::string> stuck;     ///< graphs of executions in which some thread waits for ever
  std::set<std::string> outcomes;  ///< of complete executions
  bool has_race = false;           ///< then the program means nothing, and the other members not much
  std::size_t states = 0;          ///< that were looked at
  bool is_incomplete = false;      ///< there are more states than allowed
};

/// Whether some outcome has all the values in `values`, for example "r0=0 x=1".
bool shows(const Behaviours& behaviours, std::string_view values);

}  // namespace hocket::memory_model
