// Best-first search, as Coons, Burckhardt and Musuvathi propose in GAMBIT: Effective Unit Testing for
// Concurrency Libraries (PPoPP 2010), with a priority of its own: the execution comes next whose last
// deviation is of the kind that has been tried least often. It is complete when it ends.
//
// The kind of a deviation is from which thread to which it switches, and before which operations of both, on
// which objects. Of executions with the same kind the one found last comes first. So deviations of all kinds
// accumulate along a path, where a search by bounds tries all places for a few of them.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/action_hash.hpp"
#include "../../runtime/terms/choice.hpp"
#include "../../runtime/terms/sabotage.hpp"
#include "frontier.hpp"
#include "strategy.hpp"

namespace hocket {

namespace {

/// A word for the operation that a thread is stopped before.
std::uint64_t word_of_pending(unsigned index) {
  const runtime::Thread& thread = runtime::execution.thread(index);
  const runtime::Object* const object = thread.pending.object;
  return runtime::mix(thread.key, runtime::mix(static_cast<std::uint64_t>(thread.pending.operation),
                                      object == nullptr ? 0 : object->key));
}

class BestFirst final : public Strategy {
 public:
  bool next() override {
    deviations_.clear();
    if (root_is_run_) {
      if (waiting_.empty()) return false;
      const auto [tries, nth] = *waiting_.begin();
      waiting_.erase(waiting_.begin());
      Kind& kind = kinds_[nth];
      item_ = kind.pending.pop();
      kind.tries = tries + 1;
      if (!kind.pending.empty()) waiting_.emplace(kind.tries, nth);
      --items_;
      frontier_.deviations(item_, deviations_);
    }
    done_ = 0;
    children_.clear();
    consult_at = deviations_.empty() ? 0 : deviations_[0].position;
    return true;
  }

  runtime::Code choose(const runtime::ChoicePoint& point) override {
    if (done_ == deviations_.size()) {
      note_children(point);
      consult_at = point.position + 1;
      return point.entry.code;
    }
    const Deviation& deviation = deviations_[done_];
    if (point.position != deviation.position) return runtime::kDiverged;
    const bool is_last = ++done_ == deviations_.size();
    if (is_last && point.entry.check != item_.check) return runtime::kDiverged;
    consult_at = is_last ? point.position + 1 : deviations_[done_].position;
    return deviation.code;
  }

  bool finished(const runtime::ExecutionResult& result) override {
    if (result.outcome == runtime::Outcome::diverged || done_ != deviations_.size()) return false;
    const auto count = static_cast<std::uint32_t>(children_.size());
    const Frontier::Parent parent = root_is_run_ ? frontier_.adopt(item_, count) : Frontier::kRoot;
    root_is_run_ = true;
    for (const ChildOfKind& child : children_) {
      const auto [place, is_new] = number_of_kind_.emplace(child.kind, kinds_.size());
      if (is_new) kinds_.emplace_back();
      Kind& kind = kinds_[place->second];
      if (kind.pending.empty()) waiting_.emplace(kind.tries, place->second);
      kind.pending.push({parent, child.deviation, child.check});
    }
    items_ += count;
    return true;
  }

  [[nodiscard]] std::vector<Deviation> deviations() const override { return deviations_; }
  [[nodiscard]] PendingWork pending() const override {
    PendingWork work{items_, frontier_.bytes() + items_ * sizeof(Frontier::Pending), 0};
    work.table_bytes = kinds_.size() * kBytesOfKind;
    return work;
  }
  [[nodiscard]] bool leaves_out_unfair() const override { return true; }

 private:
  struct Kind {
    std::uint64_t tries = 0;
    Frontier::Stack pending;
  };
  struct ChildOfKind {
    std::uint64_t kind;
    std::uint32_t deviation;
    std::uint32_t check;
  };
  /// Of a kind, with its places in the map and the set.
  static constexpr std::size_t kBytesOfKind = 2 * sizeof(Kind);

  void note_children(const runtime::ChoicePoint& point) {
    const bool is_value = point.entry.kind == runtime::LogEntry::value;
    const bool can_go_on = is_value || runtime::run.enabled.contains(point.entry.previous);
    const std::uint64_t from = can_go_on ? word_of_pending(point.entry.previous) : 0;
    point.log->for_each_candidate(point.entry, [&](const runtime::Candidate& candidate) {
      if (candidate.code == point.entry.code) return;
      const unsigned thread = runtime::thread_of(candidate.code);
      const std::uint64_t to = is_value ? candidate.code
                                        : runtime::mix(word_of_pending(thread),
                                              static_cast<std::uint64_t>(runtime::mode_of(candidate.code)));
      children_.push_back(
          {runtime::mix(from, to), Frontier::pack(point.position, candidate.code), point.entry.check});
    });
  }

  Frontier frontier_;
  std::vector<Kind> kinds_;
  std::unordered_map<std::uint64_t, std::size_t> number_of_kind_;
  std::set<std::pair<std::uint64_t, std::size_t>> waiting_;  ///< kinds with pending executions: tries, number
  std::uint64_t items_ = 0;                                  ///< pending executions of all kinds
  std::vector<ChildOfKind> children_;                        ///< of the current execution
  std::vector<Deviation> deviations_;                        ///< of the current execution
  Frontier::Pending item_{};
  std::size_t done_ = 0;  ///< deviations made so far
  bool root_is_run_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_best_first(const Options& /*options*/) {
  return std::make_unique<BestFirst>();
}

}  // namespace hocket
