// The skeleton of the strategies that keep pending executions: pop one, run it, push what branches off.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../runtime/terms/action_hash.hpp"
#include "../../runtime/terms/sabotage.hpp"
#include "frontier.hpp"
#include "shared_states.hpp"
#include "strategy.hpp"
#include "work_sharing.hpp"

namespace hocket {

/// An execution that branches off from the current one.
struct Child {
  std::uint32_t position;
  runtime::Code code;
  std::uint32_t check;
  unsigned price;  ///< price of the whole execution
};

/// What a FrontierSearch asks its rules, with default answers. Rules derive from this and hide the members
/// that they answer differently.
struct FrontierRules {
  /// Whether executions have prices and are searched by ascending price, up to a last bound.
  static constexpr bool has_bounds = false;
  /// What the price counts, in the singular.
  static constexpr std::string_view unit = "preemption";
  /// Whether points with one candidate count as well. This needs an observer.
  static constexpr bool watches_forced = false;
  /// Whether passes() is called at the points before the last deviation, too.
  static constexpr bool watches_all = false;

  /// Whether prunes() is called at every point after the last deviation that has more than one candidate.
  /// Asked for each execution anew, after begin().
  [[nodiscard]] static constexpr bool watches_new() { return false; }
  /// Called when an execution begins. `bound`: its price. `must_stop`: as Strategy::must_stop.
  void begin(unsigned /*bound*/, const std::function<bool()>& /*must_stop*/) {}
  /// The execution is about to take `chosen`, its last deviation or a choice before that. Returns false to
  /// end the execution instead.
  [[nodiscard]] bool passes(const runtime::ChoicePoint& /*point*/, runtime::Code /*chosen*/) { return true; }
  /// Whether to end the execution at a new point. May push children that branch off here.
  [[nodiscard]] bool prunes(
      const runtime::ChoicePoint& /*point*/, unsigned /*bound*/, std::vector<Child>& /*children*/) {
    return false;
  }
  /// An execution has ended. Returns false if it contradicts what was recorded.
  [[nodiscard]] bool ended(const runtime::ExecutionResult& /*result*/) { return true; }
  /// Pushes the children that branch off at a new position of an execution that has ended.
  void branch(
      const runtime::ChoiceLog& log, std::uint32_t position, unsigned bound, std::vector<Child>& children) {
    const runtime::LogEntry& entry = log.entries[position];
    log.for_each_candidate(entry, [&](const runtime::Candidate& candidate) {
      if (candidate.code != entry.code) children.push_back({position, candidate.code, entry.check, bound});
    });
  }

  /// For Strategy::share_work(): the states that have been met; nullptr: none are remembered.
  [[nodiscard]] std::unique_ptr<SharedStates> share_states() const { return nullptr; }
  /// From now on these are the states.
  void use(SharedStates* /*states*/) {}

  runtime::Observer* observer() { return nullptr; }
  [[nodiscard]] std::size_t bytes() const { return 0; }
  [[nodiscard]] bool is_complete() const { return true; }
  [[nodiscard]] std::string note() const { return {}; }
  std::vector<OrderedChoice> cheapest_order() { return {}; }
};

/// Each execution is generated from exactly one other: itself without its last deviation. So each is run at
/// most once. If no child is cheaper than its parent, taking the stacks in order runs the cheapest executions
/// first.
template <class Rules>
class FrontierSearch final : public Strategy {
 public:
  /// `shard`: the part of the executions that this search runs; none: all. The first deviations of an
  /// execution decide to which shard it belongs. Every shard runs the executions with fewer deviations,
  /// because its own branch off from them, but each of those is counted by one shard only.
  explicit FrontierSearch(unsigned last_bound, Rules rules = {}, std::optional<Shard> shard = {})
      : rules_(std::move(rules)), shard_(shard), last_bound_(last_bound) {
    wants_forced = Rules::watches_forced;
  }

  bool next() override {
    if (root_is_run_) {
      if (!(is_job_ ? finds_work() : has_work())) return false;
      item_ = stacks_[bound_].pop();
      if (!is_job_) share_.take();
      frontier_.deviations(item_, deviations_);
    }
    done_ = 0;
    children_.clear();
    rules_.begin(bound_, must_stop);
    plan(0);
    return true;
  }

  runtime::Code choose(const runtime::ChoicePoint& point) override {
    if (done_ == deviations_.size()) {
      return rules_.prunes(point, bound_, children_) ? runtime::kPruned : point.entry.code;
    }
    const Deviation& deviation = deviations_[done_];
    if (Rules::watches_all && point.position < deviation.position) {
      return rules_.passes(point, point.entry.code) ? point.entry.code : runtime::kPruned;
    }
    if (point.position != deviation.position) return runtime::kDiverged;
    const bool is_last = ++done_ == deviations_.size();
    if (is_last && point.entry.check != item_.check) return runtime::kDiverged;
    plan(point.position + 1);
    if ((is_last || Rules::watches_all) && !rules_.passes(point, deviation.code)) return runtime::kPruned;
    return deviation.code;
  }

  bool finished(const runtime::ExecutionResult& result) override {
    const bool is_pruned = result.outcome == runtime::Outcome::pruned;
    if (result.outcome == runtime::Outcome::diverged) return false;
    if (done_ != deviations_.size() && !is_pruned) return false;
    if (!rules_.ended(result)) return false;
    const std::uint32_t first_new = deviations_.empty() ? 0 : deviations_.back().position + 1;
    for (std::uint32_t position = first_new; position < result.log.size; ++position) {
      rules_.branch(result.log, position, bound_, children_);
    }
    if (shard_) leave_to_other_shards();
    std::uint32_t count = 0;
    for (const Child& child : children_) count += child.price <= last_bound_ ? 1 : 0;
    left_out_ |= count != children_.size();
    const Frontier::Parent parent = root_is_run_ ? frontier_.adopt(item_, count) : Frontier::kRoot;
    root_is_run_ = true;
    [[maybe_unused]] std::uint32_t pushed = 0;
    for (const Child& child : children_) {
      // Otherwise a stack that has been emptied would fill again.
      assert(Rules::watches_forced || child.price >= bound_);
      assert(child.position >= first_new);
      if (child.price > last_bound_) continue;
      if (child.price >= stacks_.size()) stacks_.resize(child.price + 1);
      stacks_[child.price].push({parent, Frontier::pack(child.position, child.code), child.check});
      ++pushed;
    }
    assert(pushed == count);  // otherwise the frontier would forget the parent too early, or never
    if (!is_job_) divide_share();
    return true;
  }

  [[nodiscard]] unsigned bound() const override { return Rules::has_bounds ? bound_ : 0; }
  [[nodiscard]] std::vector<Deviation> deviations() const override { return deviations_; }
  [[nodiscard]] PendingWork pending() const override {
    PendingWork work{0, frontier_.bytes(), rules_.bytes()};
    if (is_job_ && sharing_->states() != nullptr)
      work.table_bytes += sharing_->states()->bytes() / sharing_->jobs();
    for (const Frontier::Stack& stack : stacks_) {
      work.items += stack.size();
      work.bytes += stack.bytes();
    }
    if (is_taken_over()) work.items = 0;
    return work;
  }
  [[nodiscard]] std::uint64_t pending_at_next_bound() const override {
    return bound_ + 1 < stacks_.size() ? stacks_[bound_ + 1].size() : 0;
  }
  [[nodiscard]] std::optional<BoundEstimate> estimate() const override {
    BoundEstimate estimate = share_.estimate(bound_ < stacks_.size() ? stacks_[bound_].size() : 0);
    estimate.bound = bound();
    return estimate;
  }
  [[nodiscard]] bool left_out_any() const override { return left_out_ && !is_taken_over(); }
  [[nodiscard]] bool is_of_another_shard() const override {
    const bool all_count = runtime::is_sabotaged(runtime::Sabotage::every_shard_counts_what_all_run);
    return shard_ && is_run_by_all_shards(deviations_.size(), bound_) && !shard_->has(hash_of(deviations_)) &&
           !all_count;
  }
  [[nodiscard]] bool has_bounds() const override { return Rules::has_bounds; }
  [[nodiscard]] std::string_view bound_unit() const override { return Rules::unit; }
  [[nodiscard]] bool is_complete() const override { return rules_.is_complete(); }
  [[nodiscard]] std::string note() const override { return rules_.note(); }
  [[nodiscard]] std::vector<OrderedChoice> cheapest_order() override { return rules_.cheapest_order(); }
  [[nodiscard]] bool leaves_out_unfair() const override { return !Rules::has_bounds; }
  runtime::Observer* observer() override { return rules_.observer(); }

  [[nodiscard]] const Rules& rules() const { return rules_; }

  [[nodiscard]] std::shared_ptr<WorkSharing> share_work(unsigned jobs) override {
    sharing_ = std::make_shared<WorkSharing>(jobs, bound_, rules_.share_states());
    return sharing_;
  }
  void become_job(unsigned index) override {
    is_job_ = true;
    sharing_->become(index);
    rules_.use(sharing_->states());
    for (Frontier::Stack& stack : stacks_) {
      Frontier::Stack own;
      for (std::uint64_t nth = index; !stack.empty(); ++nth) {
        const Frontier::Pending item = stack.take_oldest();
        if (nth % sharing_->jobs() == 0) {
          own.push(item);
        } else {
          frontier_.adopt(item, 0);
        }
      }
      stack = std::move(own);
    }
  }
  /// In a job that is apart (see WorkSharing): lets others run what it has left at the bound.
  void hand_out_all() {
    hand_out(0);
    if (!has_any_at_bound()) sharing_->has_handed_out_all(bound_, next_bound());
  }

 private:
  /// Goes on to the next bound at which anything is pending, if nothing is at this one.
  [[nodiscard]] bool has_work() {
    // Prices never decrease, so a stack that is empty now stays empty.
    const unsigned previous = bound_;
    while (bound_ < stacks_.size() && stacks_[bound_].empty()) stacks_[bound_++] = {};
    if (bound_ >= stacks_.size()) return false;
    if (bound_ != previous) share_.begin(stacks_[bound_].size());
    return true;
  }

  /// The same in a job: all go on to the next bound together.
  [[nodiscard, gnu::noinline]] bool finds_work() {
    for (;;) {
      if (sharing_->is_asked()) {
        hand_out(1);
        if (sharing_->is_over() || sharing_->is_taken_over()) return false;
      }
      if (has_any_at_bound()) return true;
      switch (sharing_->wait(bound_, next_bound(), must_stop)) {
        case WorkSharing::Came::items:
          receive();
          break;
        case WorkSharing::Came::bound:
          for (; bound_ < sharing_->bound(); ++bound_) {
            if (bound_ < stacks_.size()) stacks_[bound_] = {};
          }
          break;
        case WorkSharing::Came::end:
          return false;
      }
    }
  }

  /// Whether another job has taken over. Then this one says nothing of what it has left.
  [[nodiscard]] bool is_taken_over() const { return is_job_ && sharing_->is_taken_over(); }

  [[nodiscard]] bool has_any_at_bound() const { return bound_ < stacks_.size() && !stacks_[bound_].empty(); }
  /// The least bound beyond this one at which anything is pending.
  [[nodiscard]] unsigned next_bound() const {
    for (unsigned bound = bound_ + 1; bound < stacks_.size(); ++bound) {
      if (!stacks_[bound].empty()) return bound;
    }
    return WorkSharing::kNone;
  }

  /// Hands out what is pending at the bound to jobs that ask, a half each time, while more than so many items
  /// are left.
  void hand_out(std::uint64_t least) {
    while (has_any_at_bound() && stacks_[bound_].size() > least) {
      Frontier::Stack& stack = stacks_[bound_];
      std::vector<Deviation> deviations;
      const std::uint64_t before = stack.size();
      sharing_->hand_out([&](Parcel& parcel) {
        for (std::uint64_t left = (before + 1 - least) / 2; left != 0; --left) {
          frontier_.deviations(stack.oldest(), deviations);
          if (!parcel.add(stack.oldest().check, deviations)) break;
          frontier_.adopt(stack.take_oldest(), 0);
        }
      });
      if (stack.size() == before) break;
    }
  }

  void receive() {
    if (bound_ >= stacks_.size()) stacks_.resize(bound_ + 1);
    sharing_->received().for_each([&](std::uint32_t check, std::span<const Deviation> deviations) {
      Frontier::Pending item{Frontier::kRoot, 0, check};
      for (std::size_t n = 0; n < deviations.size(); ++n) {
        if (n != 0) item.parent = frontier_.adopt(item, 1);
        item.deviation = Frontier::pack(deviations[n].position, deviations[n].code);
      }
      stacks_[bound_].push(item);
    });
  }

  /// Sets the next point at which choose() must be called: the next deviation, or every point that the rules
  /// watch.
  void plan(std::uint32_t from) {
    if (done_ < deviations_.size()) {
      consult_at = Rules::watches_all ? from : deviations_[done_].position;
    } else {
      consult_at = rules_.watches_new() ? from : kNever;
    }
  }

  /// Few executions of each search, from which most others branch off. The cheaper the first deviations of an
  /// execution are the more follows from them, so that few shards would have most of the work if two always
  /// said which shard it is of; and with many shards each has to be small.
  [[nodiscard]] bool is_run_by_all_shards(std::size_t deviations, unsigned price) const {
    constexpr unsigned kMany = 64;
    return deviations < 2 || deviations + price < (shard_->count < kMany ? 3U : 4U);
  }

  static std::uint64_t hash_of(const std::vector<Deviation>& deviations) {
    std::uint64_t hash = 0;
    for (const Deviation& deviation : deviations)
      hash = runtime::fold_multiply(hash ^ 0x9e3779b97f4a7c15U,
          Frontier::pack(deviation.position, deviation.code) ^ 0xd1b54a32d192ed03U);
    return hash;
  }

  /// Drops the children that are of other shards.
  void leave_to_other_shards() {
    if (!is_run_by_all_shards(deviations_.size(), bound_)) return;
    if (runtime::is_sabotaged(runtime::Sabotage::shards_share_work)) return;
    std::vector<Deviation> of_child = deviations_;
    of_child.push_back({});
    std::erase_if(children_, [&](const Child& child) {
      of_child.back() = {child.position, child.code};
      return !is_run_by_all_shards(of_child.size(), child.price) && !shard_->has(hash_of(of_child));
    });
  }

  /// Divides the share of the current execution among itself and the children at its bound. Those that branch
  /// off at one point were pushed one after the other.
  void divide_share() {
    std::uint32_t position = kNever;
    std::uint64_t at_position = 0;
    const auto branch = [&] {
      if (at_position != 0) share_.branch(at_position);
    };
    for (const Child& child : children_) {
      if (child.price != bound_) continue;
      if (child.position != position) {
        branch();
        position = child.position;
        at_position = 0;
      }
      ++at_position;
    }
    branch();
    share_.finish();
  }

  Rules rules_;
  Frontier frontier_;
  std::vector<Frontier::Stack> stacks_;  ///< by price
  std::vector<Child> children_;
  std::vector<Deviation> deviations_;  ///< deviations of the current execution
  Frontier::Pending item_{};
  std::optional<Shard> shard_;
  std::size_t done_ = 0;  ///< deviations made so far
  ShareDone share_;
  std::shared_ptr<WorkSharing> sharing_;  ///< between jobs, if there are any
  bool is_job_ = false;
  unsigned bound_ = 0;
  unsigned last_bound_;
  bool root_is_run_ = false;
  bool left_out_ = false;
};

}  // namespace hocket
