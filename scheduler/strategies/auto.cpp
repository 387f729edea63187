// The default strategy: icb as far as it must, reductions as far as they help, decided by what it measures.
//
// It begins as hb-cache, and decides after every so many executions. Where hardly any of them has met a state
// that it had been in before, remembering states does not pay, and the bound is searched by icb. Where nearly
// all have, steps commute, and it is likely that icb-por covers the bound in fewer executions; where hardly
// any comes to a class that it had not met before, that cb-por does, which runs each class once. But cb-por
// looks at each prefix of a class, of which many threads have too many, and icb-por has no memory of states,
// and treats sleeps, time-outs and the like as conflicts with everything. So the three take turns from then
// on, each as much work as the others, until one has covered the bound. That costs at most three times what
// the best of them takes.
//
// In code that is not instrumented threads may share something that Hocket does not see. Then an order of
// independent steps may matter. So auto runs all of them in small searches, and checks what the other two
// leave out by random executions within the bound: each must end in a class that they have met as well.
//
// Several jobs go on with hb-cache, and share its states. One of them leaves hb-cache to the others as soon
// as a reduction joins in. So that bound takes no longer than what is fastest takes alone, or twice as long
// where that is one of two reductions.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/execution/execution.hpp"
#include "../graph/class_set.hpp"
#include "hb_cache.hpp"
#include "persistent_set_search.hpp"
#include "random_bits.hpp"
#include "strategy.hpp"
#include "work_sharing.hpp"

namespace hocket {

constinit DecisionListener tell_of_decision = nullptr;

namespace {

/// A random execution within a bound, to check what a reduction leaves out. Switches at random where that is
/// free, and now and then where it costs preemptions that are left.
class Probe final : public runtime::Chooser {
 public:
  explicit Probe(std::uint64_t seed) : bits_(seed) {}

  /// The next execution may have so many preemptions.
  void begin(unsigned bound) { left_ = bound; }

  runtime::Code choose(const runtime::ChoicePoint& point) override {
    const unsigned most = bits_.below(kRarity) == 0 ? left_ : 0;
    runtime::Candidate chosen{};
    std::uint32_t affordable = 0;
    point.log->for_each_candidate(point.entry, [&](const runtime::Candidate& candidate) {
      if (candidate.price <= most && bits_.below(++affordable) == 0) chosen = candidate;
    });
    if (affordable == 0) return point.entry.code;
    left_ -= chosen.price;
    return static_cast<runtime::Code>(chosen.code);
  }

 private:
  static constexpr std::uint32_t kRarity = 8;  ///< it thinks of a preemption at one of so many points

  RandomBits bits_;
  unsigned left_ = 0;
};

/// The rules of hb-cache, which measure how much they save.
class MeasuringRules : public HbCacheRules {
 public:
  MeasuringRules(const Options& options, Trial trial, bool runs_first_all)
      : HbCacheRules(options), trial_(trial), cuts_short_(!runs_first_all) {}

  [[nodiscard]] bool watches_new() const { return is_on_; }

  void begin(unsigned bound, const std::function<bool()>& /*must_stop*/) {
    was_covered_ = false;
    if (bound == bound_) return;
    bound_ = bound;
    is_on_ = true;
    meets_mostly_known_ = meets_few_classes_ = false;
    if (cuts_short_) runs_ = covered_ = new_classes_ = 0;
  }

  bool prunes(const runtime::ChoicePoint& point, unsigned bound, std::vector<Child>& children) {
    const bool is_covered = HbCacheRules::prunes(point, bound, children);
    was_covered_ |= is_covered;
    return is_covered && cuts_short_;
  }

  bool ended(const runtime::ExecutionResult& result) {
    if (!is_on_) return true;
    ++runs_;
    if (result.outcome == runtime::Outcome::completed && result.hash.low % kCounted == 0)
      new_classes_ += some_classes_.insert(result.hash) ? 1 : 0;
    covered_ += was_covered_ ? 1 : 0;
    if (runs_ < trial_.executions) return true;
    if (covered_ * kLeastGain < runs_) {
      is_on_ = false;
      forget();
    }
    meets_mostly_known_ = cuts_short_ && (runs_ - covered_) * trial_.mostly_known <= runs_;
    meets_few_classes_ = cuts_short_ && new_classes_ * kCounted * trial_.mostly_known <= runs_;
    cuts_short_ = true;
    runs_ = covered_ = new_classes_ = 0;
    return true;
  }

  /// Whether nearly all executions of the last trial at this bound met a state that was covered.
  [[nodiscard]] bool meets_mostly_known() const { return meets_mostly_known_; }
  /// Whether they met hardly any class that had not been met before.
  [[nodiscard]] bool meets_few_classes() const { return meets_few_classes_; }

 private:
  // If fewer than one in so many executions meet a covered state, remembering does not pay. Each bound gets
  // another trial, because executions with more preemptions have more in common.
  static constexpr unsigned kLeastGain = 64;
  static constexpr unsigned kCounted = 16;  ///< one class of so many counts as a sample

  Trial trial_;
  bool cuts_short_;
  bool is_on_ = true;
  bool meets_mostly_known_ = false;
  bool meets_few_classes_ = false;
  unsigned bound_ = 0;
  bool was_covered_ = false;  ///< the current execution has met a state that is covered
  unsigned runs_ = 0;         ///< executions since the last decision
  unsigned covered_ = 0;      ///< those of them that met such a state
  unsigned new_classes_ = 0;  ///< met by them, of those that count
  ClassSet some_classes_;     ///< those that count
};

class Auto final : public Strategy {
 public:
  Auto(const Options& options, Trial trial)
      : options_(options),
        trial_(trial),
        is_instrumented_(runtime::run.host != nullptr),
        memory_limit_(memory_for_states(options) / 2),
        probe_(options.seed) {
    auto by_states = std::make_unique<StateSearch>(
        options.max_preemptions, MeasuringRules(options, trial, !is_instrumented_));
    by_states_ = by_states.get();
    searches_.push_back({Kind::states, std::move(by_states)});
  }

  bool next() override {
    if (is_apart_ && !goes_on_apart()) return false;
    is_probing_ = probes_next();
    if (is_probing_) {
      probe_.begin(bound_);
      return true;
    }
    if (searches_.size() > 1 && --left_of_turn_ == 0) take_turns();
    bool has_more = turn().next();
    while (searches_[turn_].kind == Kind::classes && must_end_classes()) {
      end_classes();
      has_more = turn().next();
    }
    if (is_apart_ && (!has_more || turn().bound() > bound_)) {
      if (sharing_->take_over(bound_)) {
        is_apart_ = false;
      } else {
        come_back();
        has_more = turn().next();
      }
    }
    if (!has_more) return false;
    if (turn().bound() > bound_) {  // the bound is covered, whatever the others have done
      bound_ = turn().bound();
      probes_left_ = kFirstProbes;
      if (searches_.size() > 1) {
        tell([&] {
          return fmt::format(
              "{} was first to come to bound {}, and goes on alone", name(searches_[turn_].kind), bound_);
        });
      }
      keep_only_turn();
    }
    return true;
  }

  bool finished(const runtime::ExecutionResult& result) override {
    if (is_probing_) return result.outcome != runtime::Outcome::diverged;
    searches_[turn_].work += (result.log.size + kFixedWork) * work_of_step(searches_[turn_].kind);
    is_finishing_ = true;
    const bool goes_on = turn().finished(result);
    is_finishing_ = false;
    if (!goes_on) return false;
    if (by_states_ != nullptr && options_.memory_model != MemoryModel::c11) {
      const MeasuringRules& rules = by_states_->rules();
      unsigned hints = (rules.meets_mostly_known() ? kMeetsMostlyKnown : 0U) |
                       (rules.meets_few_classes() ? kMeetsFewClasses : 0U);
      if (is_job_) hints = sharing_->hints(hints);
      if (is_job_ && !may_be_apart_) return true;
      if (trial_.tries_icb_por && (hints & kMeetsMostlyKnown) != 0 && !has(Kind::contexts))
        add(Kind::contexts);
      const bool may_add_classes = trial_.tries_cb_por && !has(Kind::classes) && !has_ended_classes_;
      if (may_add_classes && (hints & kMeetsFewClasses) != 0) add(Kind::classes);
    }
    return true;
  }

  runtime::Chooser& chooser() override {
    if (is_probing_) return probe_;
    return turn().chooser();
  }
  runtime::Code choose(const runtime::ChoicePoint& point) override { return chooser().choose(point); }
  runtime::Observer* observer() override { return is_probing_ ? nullptr : turn().observer(); }

  [[nodiscard]] unsigned bound() const override { return bound_; }
  [[nodiscard]] bool is_probe() const override { return is_probing_; }
  [[nodiscard]] std::vector<Deviation> deviations() const override { return turn().deviations(); }
  [[nodiscard]] std::vector<OrderedChoice> cheapest_order() override {
    if (is_probing_) return {};
    is_ordering_ = true;
    std::vector<OrderedChoice> order = turn().cheapest_order();
    is_ordering_ = false;
    return order;
  }
  [[nodiscard]] PendingWork pending() const override {
    PendingWork work = turn().pending();
    for (const Search& search : searches_) {
      if (&search == &searches_[turn_]) continue;
      const PendingWork other = search.strategy->pending();
      work.bytes += other.bytes;
      work.table_bytes += other.table_bytes;
    }
    return work;
  }
  [[nodiscard]] std::uint64_t pending_at_next_bound() const override {
    return turn().pending_at_next_bound();
  }
  [[nodiscard]] std::optional<BoundEstimate> estimate() const override {
    return by_states_ != nullptr ? by_states_->estimate() : std::nullopt;
  }
  [[nodiscard]] bool left_out_any() const override { return turn().left_out_any(); }
  [[nodiscard]] bool has_bounds() const override { return true; }
  [[nodiscard]] std::string note() const override { return turn().note(); }

  [[nodiscard]] std::shared_ptr<WorkSharing> share_work(unsigned jobs) override {
    if (by_states_ != nullptr) sharing_ = by_states_->share_work(jobs);
    return sharing_;
  }
  void become_job(unsigned index) override {
    is_job_ = true;
    may_be_apart_ = index == sharing_->jobs();
    by_states_->must_stop = [this] { return must_stop && must_stop(); };
    by_states_->become_job(index);
    if (searches_.size() == 1) return;
    if (may_be_apart_) {
      go_apart();
    } else {
      keep_only_states();
    }
  }

 private:
  using StateSearch = FrontierSearch<MeasuringRules>;

  enum class Kind : std::uint8_t { states, contexts, classes };
  struct Search {
    Kind kind;
    std::unique_ptr<Strategy> strategy;
    std::uint64_t work = 0;  ///< in steps of hb-cache, since there are others
  };

  // Of code that is not instrumented, as long as a reduction searches it, so many of the first executions of
  // a bound are probes, and after that one of so many.
  static constexpr unsigned kFirstProbes = 256;
  static constexpr unsigned kProbes = 8;

  // What the trials of a bound tell.
  static constexpr unsigned kMeetsMostlyKnown = 1;
  static constexpr unsigned kMeetsFewClasses = 2;

  static constexpr unsigned kFixedWork = 32;  ///< of an execution, in steps of hb-cache
  static constexpr unsigned kTurnsInTrial = 8;
  /// Cuts that cb-por examines between two questions whether it must stop.
  static constexpr std::uint64_t kCuts = 1024;
  /// An execution of cb-por may be that much work, and twice what the others have done, before it is
  /// interrupted.
  static constexpr std::uint64_t kLeastWork = 1U << 16U;

  static const char* name(Kind kind) {
    return kind == Kind::states ? "hb-cache" : kind == Kind::contexts ? "icb-por" : "cb-por";
  }
  template <class Text>
  static void tell(const Text& text) {
    if (tell_of_decision != nullptr) tell_of_decision("auto: " + text());
  }

  [[nodiscard]] Strategy& turn() const { return *searches_[turn_].strategy; }

  // A step of instrumented code takes so long that little is added to it. Measured.
  [[nodiscard]] std::uint64_t work_of_step(Kind kind) const {
    if (kind == Kind::states) return 1;
    return kind == Kind::contexts ? is_instrumented_ ? 2 : 8 : is_instrumented_ ? 1 : 2;
  }
  [[nodiscard]] std::uint64_t work_of_cut() const { return is_instrumented_ ? 1 : 3; }

  [[nodiscard]] bool has(Kind kind) const {
    return std::any_of(
        searches_.begin(), searches_.end(), [&](const Search& search) { return search.kind == kind; });
  }
  // Lets another one search this bound, too.
  void add(Kind kind) {
    const unsigned bound = bound_ + (runtime::is_sabotaged(runtime::Sabotage::auto_skips_a_bound) ? 1 : 0);
    if (kind == Kind::contexts) {
      searches_.push_back({kind, make_persistent_set_search(options_, Moves::contexts, bound)});
    } else {
      searches_.push_back({kind, make_cb_por_from(options_, bound)});
      searches_.back().strategy->must_stop = [this] { return must_stop_classes(); };
    }
    for (Search& search : searches_) search.work = 0;
    if (is_job_ && !is_apart_ && by_states_ != nullptr) go_apart();
    left_of_turn_ = 1;
    probes_left_ = kFirstProbes;
    tell([&] { return fmt::format("{} takes turns from bound {} on", name(kind), bound_); });
  }

  // That with the least work so far; of those with the same, the newest.
  void take_turns() {
    const auto least =
        std::min_element(searches_.rbegin(), searches_.rend(), [&](const Search& a, const Search& b) {
          const bool is_of_others = is_apart_ && a.kind == Kind::states;
          return !is_of_others && (a.work < b.work || (is_apart_ && b.kind == Kind::states));
        });
    turn_ = static_cast<std::size_t>(searches_.rend() - least) - 1;
    left_of_turn_ = 1 + trial_.executions / kTurnsInTrial;
  }

  void keep_only_turn() {
    Search winner = std::move(searches_[turn_]);
    searches_.clear();
    searches_.push_back(std::move(winner));
    turn_ = 0;
    if (searches_.front().kind != Kind::states) by_states_ = nullptr;
  }

  // In a job that may be apart from the others, which go on with the states.
  void go_apart() {
    is_apart_ = true;
    left_of_turn_ = 1;
    sharing_->go_apart();
  }
  void keep_only_states() {
    std::erase_if(searches_, [](const Search& search) { return search.kind != Kind::states; });
    turn_ = 0;
  }
  void come_back() {
    is_apart_ = false;
    keep_only_states();
    sharing_->come_back();
  }
  [[nodiscard]] bool others_are_done() const {
    return sharing_->bound() > bound_ || sharing_->has_ended() || sharing_->is_over();
  }
  [[nodiscard]] bool goes_on_apart() {
    by_states_->hand_out_all();
    if (sharing_->is_over()) return false;
    if (others_are_done()) come_back();
    return true;
  }

  /// Asked while cb-por examines cuts: whether a limit of the search is reached, or it is the turn of
  /// another. Cuts that it has examined by then remain known, so that it gets further at its next turn. What
  /// an execution has found at its end must be noted as a whole, unless cb-por gives up anyway.
  bool must_stop_classes() {
    searches_[turn_].work += kCuts * work_of_cut();
    if (must_stop && must_stop()) return true;
    if (is_ordering_) return false;
    if (is_apart_) {
      by_states_->hand_out_all();
      sharing_->let_tables_grow(must_stop);
      if (others_are_done()) return true;
    }
    if (turn().pending().table_bytes > memory_limit_) return true;  // its last turn
    if (searches_.size() == (is_apart_ ? 2 : 1) || is_finishing_) return false;
    std::uint64_t others = 0;
    for (const Search& search : searches_) {
      if (search.kind != Kind::classes) others = std::max(others, search.work);
    }
    if (searches_[turn_].work <= 2 * others + kLeastWork) return false;
    left_of_turn_ = 1;
    return true;
  }
  [[nodiscard]] bool must_end_classes() const {
    return !turn().is_complete() || turn().pending().table_bytes > memory_limit_;
  }
  // Goes on with the others, from this bound on.
  void end_classes() {
    searches_.erase(searches_.begin() + static_cast<std::ptrdiff_t>(turn_));
    has_ended_classes_ = true;
    tell([&] { return fmt::format("cb-por gives up at bound {}", bound_); });
    if (searches_.empty()) add(Kind::contexts);
    if (is_apart_ && searches_.size() == 1) come_back();
    take_turns();
  }

  bool probes_next() {
    if (is_instrumented_ || searches_[turn_].kind == Kind::states) return false;
    if (probes_left_ != 0) return probes_left_-- != 0;
    return ++since_probe_ % kProbes == 0;
  }

  Options options_;
  Trial trial_;
  bool is_instrumented_;
  std::size_t memory_limit_;  ///< for the states of cb-por, beside those of hb-cache
  std::vector<Search> searches_;
  std::shared_ptr<WorkSharing> sharing_;  ///< between jobs, if there are any
  bool is_job_ = false;
  bool may_be_apart_ = false;  ///< in one of the jobs
  bool is_apart_ = false;
  StateSearch* by_states_ = nullptr;  ///< hb-cache among them, or nullptr if another one was faster
  std::size_t turn_ = 0;              ///< the one of them that prepares executions
  Probe probe_;
  unsigned left_of_turn_ = 0;  ///< executions
  unsigned probes_left_ = 0;
  unsigned since_probe_ = 0;
  unsigned bound_ = 0;
  bool is_probing_ = false;
  bool is_finishing_ = false;
  bool is_ordering_ = false;  ///< the cheapest order of a failure is looked for
  bool has_ended_classes_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_auto(const Options& options) {
  return make_auto_with(options, usual_trial);
}

std::unique_ptr<Strategy> make_auto_with(const Options& options, Trial trial) {
  if (options.fair) return make_icb(options);
  if (!options.seal.empty() || !options.open.empty()) trial.tries_icb_por = trial.tries_cb_por = false;
  return std::make_unique<Auto>(options, trial);
}

}  // namespace hocket
