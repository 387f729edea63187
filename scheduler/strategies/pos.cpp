// Partial order sampling: Yuan, Yang, Gu, Partial Order Aware Concurrency Sampling (CAV 2018), the algorithm
// POS.
//
// Every pending operation has a random priority, and the enabled thread with the highest one runs. What the
// thread does next gets a new priority, and so does every pending operation that conflicts with the step.
// Because operations that commute keep theirs, how long a thread is held back does not depend on how many
// steps the others take elsewhere: of n such steps and one of another thread, that one comes last with a
// probability of 1 / (n + 1), where uniform random choice gives it 2^-n.
#include <cstdint>
#include <vector>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/semantics.hpp"
#include "sampling.hpp"

namespace hocket {

namespace {

/// What the operation that a thread is stopped before will access, as far as its row in semantics.hpp tells.
struct PendingAccess {
  const runtime::Object* object = nullptr;
  bool is_known = true;
  bool writes = false;

  static PendingAccess of(const runtime::Pending& pending, runtime::Mode mode) {
    using runtime::Effect;
    const Effect effect = runtime::semantics_of(pending.operation).effect;
    PendingAccess access;
    access.object = pending.object;
    access.writes = effect != Effect::reads;
    // These have a second object, or let time pass.
    access.is_known = effect != Effect::writes_both && effect != Effect::takes_second &&
                      pending.operation != runtime::Operation::thread_sleep && mode == runtime::Mode::run;
    return access;
  }

  [[nodiscard]] bool conflicts(const PendingAccess& other) const {
    if (!is_known || !other.is_known) return true;
    return object != nullptr && object == other.object && (writes || other.writes);
  }
};

class Pos final : public Sampling {
 public:
  using Sampling::Sampling;

  bool next() override {
    asked_at_ = chosen_at_ = kNever;
    priorities_.clear();
    return true;
  }

  runtime::Code choose(const runtime::ChoicePoint& point) override {
    // Between the two calls there may have been steps of the only thread that was enabled. What they accessed
    // is not known, so all priorities are drawn again.
    const bool is_next = point.position == asked_at_ + 1;
    asked_at_ = point.position;
    if (point.entry.kind == runtime::LogEntry::value) {
      if (!is_next) chosen_at_ = kNever;
      return any_value(point);
    }
    const std::uint32_t before = is_next ? chosen_at_ : kNever;
    const runtime::Code code =
        with_highest_rank(point, [&](unsigned thread) { return priority(thread, before, point.position); });
    chosen_at_ = point.position;
    stepping_ = runtime::thread_of(code);
    step_ = PendingAccess::of(runtime::execution.thread(stepping_).pending, runtime::mode_of(code));
    return code;
  }

 private:
  struct Priority {
    std::uint64_t value = 0;
    std::uint32_t known_at = kNever;  ///< the last position where the thread was a candidate
  };

  /// The priority of the operation that the thread, a candidate at `position`, is stopped before. At `before`
  /// the step was chosen that has just been made.
  std::uint64_t priority(unsigned thread, std::uint32_t before, std::uint32_t position) {
    if (thread >= priorities_.size()) priorities_.resize(thread + std::size_t{1});
    Priority& priority = priorities_[thread];
    if (priority.known_at == position) return priority.value;
    // A thread that was no candidate was blocked by what the step has changed, or has stopped before another
    // operation since.
    const bool was_candidate = before != kNever && priority.known_at == before;
    const bool is_kept =
        was_candidate && thread != stepping_ &&
        !step_.conflicts(PendingAccess::of(runtime::execution.thread(thread).pending, runtime::Mode::run));
    if (!is_kept) priority.value = bits_();
    priority.known_at = position;
    return priority.value;
  }

  std::vector<Priority> priorities_;  ///< indexed by thread
  std::uint32_t asked_at_ = kNever;   ///< the position of the last call of choose()
  std::uint32_t chosen_at_ = kNever;  ///< the position where it last chose a thread
  unsigned stepping_ = 0;             ///< that thread
  PendingAccess step_;                ///< and what its step accesses
};

}  // namespace

std::unique_ptr<Strategy> make_pos(const Options& options) {
  return std::make_unique<Pos>(options.seed);
}

}  // namespace hocket
