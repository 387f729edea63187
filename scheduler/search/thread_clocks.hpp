// What observers of executions need that ask which steps nothing but the scheduler has ordered: a clock for
// each thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../runtime/objects/observer.hpp"
#include "../../runtime/threads/thread.hpp"

namespace hocket {

/// Observes an execution. A thread's clock counts, by index of the thread, the steps that come before its
/// next one: its own, and by creations and joins those of others. Who derives from it may add other orders.
class ThreadClocks : public runtime::Observer {
 public:
  void begin(const runtime::Thread& first) override {
    current_ = &first;
    clocks_.clear();
  }
  void created(const runtime::Thread& thread) override {
    const Clock before = clock(*thread.creator);
    join(clock(thread), before);
  }
  void joined(const runtime::Thread& thread, const runtime::Thread& target) override {
    const Clock ended = clock(target);
    join(clock(thread), ended);
  }
  void chose_thread(const runtime::Thread& thread, runtime::Mode /*mode*/) override {
    current_ = &thread;
    ++clock(thread)[thread.index];
  }

  void started(const runtime::Thread& /*thread*/) override {}
  void stopped(const runtime::Thread& /*thread*/, bool /*is_free*/) override {}
  void met_values(const runtime::Thread& /*thread*/, runtime::Operation /*operation*/,
      std::uint32_t /*count*/, std::uint16_t /*price*/) override {}
  void chose_value(const runtime::Thread& /*thread*/, std::uint32_t /*value*/) override {}
  void over(bool /*is_cut_short*/) override {}
  void woke(const runtime::Thread& /*thread*/) override {}

 protected:
  using Clock = std::vector<std::uint32_t>;

  /// The thread that makes steps now.
  [[nodiscard]] const runtime::Thread& current() const { return *current_; }
  Clock& clock(const runtime::Thread& thread) {
    if (clocks_.size() <= thread.index) clocks_.resize(thread.index + std::size_t{1});
    Clock& clock = clocks_[thread.index];
    if (clock.size() <= thread.index) clock.resize(thread.index + std::size_t{1});
    return clock;
  }
  static void join(Clock& into, const Clock& other) {
    if (into.size() < other.size()) into.resize(other.size());
    for (std::size_t n = 0; n < other.size(); ++n) into[n] = std::max(into[n], other[n]);
  }
  /// Those of all threads so far, by index.
  [[nodiscard]] const std::vector<Clock>& clocks() const { return clocks_; }

 private:
  const runtime::Thread* current_ = nullptr;
  std::vector<Clock> clocks_;
};

}  // namespace hocket
