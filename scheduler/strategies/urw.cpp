// Uniform random walk: Zhao, Wolff, Mathur, Roychoudhury, Selectively Uniform Concurrency Testing
// (ASPLOS 2025), the algorithm URW.
//
// If threads with n and m steps left choose with the same probability, the longer one most likely runs late
// alone, and orders in which the shorter one ends last are rare. Here the next thread is chosen with a
// probability proportional to the number of steps that it has left, so all orders are equally likely as long
// as the numbers are right and nothing blocks. They are those of the latest execution that completed. The
// steps of threads that a thread has yet to create count as its own, because they cannot begin before.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "../../runtime/execution/execution.hpp"
#include "sampling.hpp"

namespace hocket {

namespace {

class Urw final : public Sampling {
 public:
  using Sampling::Sampling;

  bool next() override {
    threads_.clear();
    counted_ = 0;
    return true;
  }

  runtime::Code choose(const runtime::ChoicePoint& point) override {
    if (point.entry.kind == runtime::LogEntry::value) return any_value(point);
    meet_threads();
    count_steps(*point.log, point.position);
    return by_weight(point, [&](unsigned thread) { return threads_[thread].left(); });
  }

  bool finished(const runtime::ExecutionResult& result) override {
    if (result.outcome == runtime::Outcome::completed) {
      meet_threads();
      count_steps(result.log, result.log.size);
      learn();
    }
    return Sampling::finished(result);
  }

 private:
  struct InThisExecution {
    std::uint32_t expected = 0;  ///< steps, with those of threads that it has not created yet; 0: not known
    std::uint32_t taken = 0;
    std::uint32_t* learnt = nullptr;  ///< the expectation at its creation, in expected_

    [[nodiscard]] std::uint32_t left() const { return expected > taken ? expected - taken : 1; }
  };

  /// Threads that were created since the last call no longer count as a part of their creators.
  void meet_threads() {
    const unsigned count = runtime::execution.thread_count();
    while (threads_.size() < count) {
      const runtime::Thread& thread = runtime::execution.thread(static_cast<unsigned>(threads_.size()));
      std::uint32_t& learnt = expected_[thread.key];
      if (thread.creator != nullptr) {
        std::uint32_t& of_creator = threads_[thread.creator->index].expected;
        of_creator -= std::min(of_creator, learnt);
      }
      threads_.push_back({.expected = learnt, .learnt = &learnt});
    }
  }

  /// Counts the steps at the positions before `end`.
  void count_steps(const runtime::ChoiceLog& log, std::uint32_t end) {
    for (; counted_ < end; ++counted_) {
      const runtime::LogEntry& entry = log.entries[counted_];
      if (entry.kind != runtime::LogEntry::value) ++threads_[runtime::thread_of(entry.code)].taken;
    }
  }

  void learn() {
    // Threads come after their creators.
    for (std::size_t n = threads_.size(); n-- != 0;) {
      const InThisExecution& thread = threads_[n];
      *thread.learnt = thread.taken;
      const runtime::Thread* const creator = runtime::execution.thread(static_cast<unsigned>(n)).creator;
      if (creator != nullptr) threads_[creator->index].taken += thread.taken;
    }
  }

  std::unordered_map<std::uint64_t, std::uint32_t> expected_;  ///< by Thread::key; references stay valid
  std::vector<InThisExecution> threads_;                       ///< by index
  std::uint32_t counted_ = 0;                                  ///< positions whose steps are counted
};

}  // namespace

std::unique_ptr<Strategy> make_urw(const Options& options) {
  return std::make_unique<Urw>(options.seed);
}

}  // namespace hocket
