// What ends a search before it is complete: a limit, or Ctrl-C. Shows how far it has come meanwhile.
#pragma once

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

class Limits {
 public:
  /// `name` is the model's, for the status line.
  Limits(std::string_view name, const Options& options);

  /// Whether the search must stop. `visits` is the number of states visited after the last call. `figures`
  /// returns the states stored so far and the bytes used; it is called once in a while.
  template <typename Figures>
  [[nodiscard]] bool reached(std::uint64_t visits, Figures figures) {
    turns_ += visits;
    if (turns_ < next_look_) [[likely]]
      return false;
    next_look_ = turns_ + interval_;
    const auto [states, bytes] = figures();
    return look(states, bytes);
  }
  [[nodiscard]] const std::string& stopped_by() const { return stopped_by_; }
  [[nodiscard]] bool reached_time_limit() const { return reached_time_limit_; }
  /// Ends the search for another reason.
  void stop(std::string reason) { stopped_by_ = std::move(reason); }
  [[nodiscard]] double seconds() const;

 private:
  using Time = std::chrono::steady_clock::time_point;

  bool look(std::uint64_t states, std::size_t bytes);
  void show_status(std::uint64_t states, std::size_t bytes, Time now);

  const InterruptGuard interrupt_guard_;
  std::string name_;
  StatusLine status_line_;
  Time begin_;
  std::chrono::nanoseconds time_limit_;
  std::size_t memory_limit_;
  bool is_own_memory_limit_;
  std::uint64_t max_states_;
  std::uint64_t interval_;  ///< visits from one look at the clock to the next
  std::uint64_t turns_ = 0;
  std::uint64_t next_look_ = 0;
  bool reached_time_limit_ = false;
  std::string stopped_by_;
};

}  // namespace hocket::model
