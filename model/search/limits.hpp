// What ends a search before it is complete: a limit, or Ctrl-C. Shows how far it has come meanwhile.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../../scheduler/process/interrupt.hpp"
#include "../../scheduler/process/status_line.hpp"
#include "../api/options.hpp"

namespace hocket::model {

/// Knows how much of the process's own memory was added since this object was made. The heap belongs to it,
/// mapped files do not. The system counts in pages, and roughly.
class ProcessMemory {
 public:
  ProcessMemory();
  ~ProcessMemory();
  ProcessMemory(const ProcessMemory&) = delete;
  ProcessMemory& operator=(const ProcessMemory&) = delete;

  [[nodiscard]] std::size_t added() const;

 private:
  [[nodiscard]] std::size_t own_bytes() const;

  int file_;  ///< /proc/self/statm, or -1
  std::size_t at_first_;
};

/// How many visits to let pass before the next look at the clock: more while they are quick.
class Pace {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Pace(Time begin) : last_look_(begin) {}

  /// At a look at the clock.
  unsigned visits_after(Time now) {
    using namespace std::chrono_literals;
    // A look costs some tens of nanoseconds, which matters to a fast model, and a slow one may need a second
    // for a visit.
    constexpr unsigned kMost = 16;
    constexpr auto kSlow = 1ms;
    visits_ = now - last_look_ < kSlow ? std::min(visits_ * 2, kMost) : 1;
    last_look_ = now;
    return visits_;
  }

 private:
  Time last_look_;
  unsigned visits_ = 1;
};

class Limits {
 public:
  /// `name` is the model's, for the status line.
  Limits(std::string_view name, const Options& options);

  /// Whether the search must stop. `visits` is the number of states visited after the last call. `figures`
  /// returns the states stored so far and the bytes used; it is called once in a while.
  template <typename Figures>
  [[nodiscard]] bool reached(std::uint64_t visits, Figures figures) {
    turns_ += visits;
    if (turns_ < next_look_ || !is_due()) [[likely]]
      return false;
    const auto [states, bytes] = figures();
    return look(states, bytes);
  }
  /// Whether the search must stop because it has explored so many transitions.
  [[nodiscard]] bool reached_transitions(std::uint64_t transitions) {
    if (transitions < max_transitions_) [[likely]]
      return false;
    stop_at_transitions();
    return true;
  }
  [[nodiscard]] const std::string& stopped_by() const { return stopped_by_; }
  [[nodiscard]] bool reached_time_limit() const { return reached_time_limit_; }
  /// Ends the search for another reason.
  void stop(std::string reason) { stopped_by_ = std::move(reason); }
  [[nodiscard]] double seconds() const;

 private:
  using Time = std::chrono::steady_clock::time_point;

  /// Looks at the clock: whether it is time to look at the figures.
  bool is_due();
  void stop_at_transitions();
  bool look(std::uint64_t states, std::size_t bytes);
  void show_status(std::uint64_t states, std::size_t bytes, Time now);

  const InterruptGuard interrupt_guard_;
  std::string name_;
  StatusLine status_line_;
  Time begin_;
  std::chrono::nanoseconds time_limit_;
  std::size_t free_at_first_;  ///< memory of the machine, in bytes
  std::size_t memory_limit_;
  bool is_own_memory_limit_;
  std::uint64_t max_states_;
  std::uint64_t max_transitions_;
  ProcessMemory process_memory_;
  std::uint64_t turns_ = 0;  ///< visits so far
  std::uint64_t next_look_ = 0;
  Pace pace_;
  std::uint64_t figures_interval_;  ///< visits from one look at the figures to the next one
  std::uint64_t next_figures_ = 0;
  Time figures_due_;
  bool reached_time_limit_ = false;
  std::string stopped_by_;
};

}  // namespace hocket::model
