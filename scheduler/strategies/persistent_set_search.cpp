#include "persistent_set_search.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/action_hash.hpp"
#include "../../runtime/terms/sabotage.hpp"
#include "../graph/graph.hpp"
#include "footprint.hpp"
#include "persistent_set_node.hpp"

namespace hocket {

namespace {

using runtime::Candidate;
using runtime::Code;
using runtime::is_sabotaged;
using runtime::LogEntry;
using runtime::Mode;
using runtime::Sabotage;
using runtime::ThreadSet;
using Node = PersistentSetNode;

constexpr unsigned kNobody = graph::kNobody;

class PersistentSetSearch final : public Strategy {
 public:
  PersistentSetSearch(const Options& options, Moves moves, unsigned first_bound)
      : moves_contexts_(moves == Moves::contexts),
        last_bound_(options.max_preemptions),
        graph_(std::make_unique<Graph>(options.spurious_wakeups)),
        bound_(first_bound),
        reads_joins_(moves == Moves::contexts && !is_sabotaged(Sabotage::joins_read_nothing)) {
    wants_forced = true;
  }

  bool next() override {
    if (is_bound_done_) {
      if (!left_out_ || bound_ == last_bound_) return false;
      ++bound_;
      left_out_ = false;
      is_bound_done_ = false;
    }
    bits_.clear();
    reached_ = 0;
    was_dead_ = false;
    consult_at = 0;
    return true;
  }

  Code choose(const runtime::ChoicePoint& point) override {
    consult_at = point.position + 1;
    if (reached_ < used_) {
      const Node& node = nodes_[reached_++];
      return node.check == point.entry.check ? node.choice.code : runtime::kDiverged;
    }
    graph_->recording.settle(runtime::run.hash);
    assert(graph_->recording.size() == used_);
    if (used_ != 0) note_step(nodes_[used_ - 1]);
    push(point);
    ++reached_;
    Node& node = nodes_[used_ - 1];
    if (advance(node)) return node.choice.code;
    was_dead_ = true;
    return runtime::kPruned;
  }

  bool finished(const runtime::ExecutionResult& result) override {
    using runtime::Outcome;
    if (result.outcome == Outcome::diverged || reached_ != used_) return false;
    graph_->recording.finish(result);
    if (reduces_ && runtime::execution.threads.any_detached() &&
        runtime::run.options.detect.contains(runtime::Detector::detached_threads) &&
        !is_sabotaged(Sabotage::ends_of_workers_conflict_with_nothing)) {
      reduces_ = false;
      begin_bound_anew();
      return true;
    }
    if (!reads_joins_ && graph_->recording.has_guards() && !is_sabotaged(Sabotage::joins_read_nothing)) {
      reads_joins_ = true;
      begin_bound_anew();
      return true;
    }
    Future below;
    Footprint context;
    Footprint rest;
    if (!was_dead_) end(result, below);
    for (bool is_leaf = !was_dead_; used_ != 0; is_leaf = true) {
      Node& node = nodes_[used_ - 1];
      if (is_leaf) {
        learn(node, below, context, rest);
        if (advance(node)) return true;
      }
      below = std::move(node.future);
      context = context_of_last(node);
      rest = node.rest;
      --used_;
    }
    is_bound_done_ = true;
    return true;
  }

  [[nodiscard]] unsigned bound() const override { return bound_; }
  [[nodiscard]] bool left_out_any() const override { return left_out_; }
  [[nodiscard]] bool has_bounds() const override { return moves_contexts_; }
  [[nodiscard]] bool leaves_out_unfair() const override { return !has_bounds(); }
  [[nodiscard]] PendingWork pending() const override {
    PendingWork work;
    for (std::size_t n = 0; n < used_; ++n) {
      ThreadSet open = nodes_[n].chosen_threads;
      open -= nodes_[n].explored;
      work.items += nodes_[n].alternatives.size() + open.size();
    }
    // Of each thread: what it waits for, its footprint, and what was seen of it, also while others sleep.
    constexpr std::size_t kFootprints = 5;
    work.table_bytes =
        nodes_.capacity() * sizeof(Node) + nodes_.size() * creators_.size() * kFootprints * sizeof(Footprint);
    return work;
  }
  runtime::Observer* observer() override { return &graph_->recording; }

 private:
  /// Where something is met that footprints did not count with so far. The bounds that are done do not have
  /// it, because every class was run there.
  void begin_bound_anew() {
    used_ = 0;
    left_out_ = false;
  }

  // -- Names

  unsigned object_bit(std::uint64_t key) {
    return objects_.try_emplace(key, static_cast<unsigned>(objects_.size())).first->second;
  }
  /// Stands for whether the thread has ended, which a thread that joins it waits for.
  unsigned life_bit(unsigned number) { return object_bit(runtime::mix(numbers_.key(number), 0x6c696665U)); }

  unsigned number_of(const runtime::Thread& thread) {
    const unsigned number = numbers_.number(thread.key);
    if (number >= creators_.size()) {
      creators_.resize(number + std::size_t{1}, 0);
      creators_[number] = thread.creator == nullptr ? 0 : numbers_.number(thread.creator->key);
      assert(thread.creator == nullptr || creators_[number] < number);  // chains of creators end
    }
    return number;
  }

  void add(Footprint& footprint, std::span<const graph::ObjectAccess> accesses) {
    for (const graph::ObjectAccess& access : accesses) {
      if (access.object >= bits_.size()) bits_.resize(access.object + std::size_t{1}, kUnknown);
      unsigned& bit = bits_[access.object];
      if (bit == kUnknown) bit = object_bit(graph_->recording.object(access.object).key);
      footprint.add(bit, access.writes);
    }
  }

  // -- Recording

  /// Stores the footprint of the event that has followed the node.
  void note_step(Node& node) {
    const auto nth = static_cast<std::size_t>(&node - nodes_.data());
    const graph::Event& event = graph_->recording.event(nth);
    node.step = {};
    node.step_by = number_of(runtime::execution.thread(graph_->recording.thread_of_event(nth)));
    const bool depends_on_threads =
        runtime::is_yield(event.operation) && !graph_->recording.chosen(nth).is_plain_yield();
    const bool is_simple = reduces_ && event.mode == Mode::run && !depends_on_threads &&
                           event.operation != runtime::Operation::process_exit;
    if (!is_simple) {
      node.step.add_everything();
      return;
    }
    add(node.step, graph_->recording.accesses(event));
    node.step.add(life_bit(node.step_by), false);  // no footprint is empty
    if (!reads_joins_) return;
    graph_->recording.for_each_joined_in_last_event(stepping_thread(node), [&](unsigned target) {
      node.step.add(life_bit(number_of(runtime::execution.thread(target))), false);
    });
  }
  /// Adds to the footprint of the event that has followed the node which threads have ended in it, and which
  /// one the thread that steps waits for.
  void note_lives(Node& node, const std::vector<Position>& after) {
    for (unsigned index = 0; index < node.positions.size(); ++index) {
      if (is_sabotaged(Sabotage::only_the_stepping_thread_ends) && index != stepping_thread(node)) continue;
      if (after[index].has_ended && !node.positions[index].has_ended)
        node.step.add(life_bit(node.numbers[index]), true);
    }
    const unsigned joins = after[stepping_thread(node)].joins;
    if (joins != 0 && reads_joins_) node.step.add(life_bit(joins), false);
  }

  /// Whether the thread that came last has a guard now.
  static bool ends_guarded_step(const LogEntry& entry) {
    return entry.kind != LogEntry::value &&
           runtime::execution.thread(entry.previous).preemption_forbidden != 0;
  }
  /// The guard may have begun after a choice in the step, even one of another thread.
  void note_guard() {
    if (is_sabotaged(Sabotage::guards_begin_unseen)) return;
    for (std::size_t n = used_; n != 0; --n) {
      nodes_[n - 1].step.add_everything();
      if (!nodes_[n - 1].is_value) break;
    }
  }

  /// What decides whether a stopped thread can go on, and what it does then.
  Footprint waits_of_stopped(unsigned thread) {
    Footprint footprint;
    const bool depends_on_objects = graph_->transitions.dependencies(thread, accesses_);
    add(footprint, accesses_);
    if (!depends_on_objects || !reduces_) footprint.add_everything();
    return footprint;
  }
  /// The same for any thread, as long as the execution goes on.
  Footprint waits_of(const runtime::Thread& thread) {
    if (thread.state == runtime::Thread::State::ended) return {};
    Footprint footprint = waits_of_stopped(thread.index);
    if (thread.joins != nullptr) footprint.add(life_bit(number_of(*thread.joins)), false);
    return footprint;
  }

  [[nodiscard]] Position position_of(const runtime::Thread& thread) {
    return {graph_->recording.completed()[thread.index], graph_->recording.is_stopped(thread.index),
        thread.state == runtime::Thread::State::ended, thread.joins == nullptr ? 0 : number_of(*thread.joins),
        graph_->recording.moves(thread.index)};
  }

  void push(const runtime::ChoicePoint& point) {
    if (used_ == nodes_.size()) nodes_.emplace_back();
    Node& node = nodes_[used_];
    node.clear();
    const LogEntry& entry = point.entry;
    if (ends_guarded_step(entry)) note_guard();
    node.check = entry.check;
    node.is_value = entry.kind == LogEntry::value;
    node.left = bound_;
    point.log->for_each_candidate(entry, [&](const Candidate& candidate) {
      node.candidates.push_back(candidate);
      if (node.is_value) return;
      const unsigned thread = runtime::thread_of(candidate.code);
      node.can_step.insert(thread);
      if (runtime::mode_of(candidate.code) == Mode::run) node.can_run.insert(thread);
    });
    Node* parent = used_ == 0 ? nullptr : &nodes_[used_ - 1];
    node.last = node.is_value && parent != nullptr ? stepping_thread(*parent) : entry.previous;
    node.is_free = !node.is_value && (!moves_contexts_ || is_switching_free(node));
    node.follows_yield =
        !node.is_value && parent != nullptr && graph_->cuts.has_just_yielded(graph_->cuts.top(), node.last);
    const unsigned threads = graph_->recording.threads();
    for (unsigned index = 0; index < threads; ++index) {
      const runtime::Thread& thread = runtime::execution.thread(index);
      node.numbers.push_back(number_of(thread));
      node.positions.push_back(position_of(thread));
    }
    if (parent != nullptr) note_lives(*parent, node.positions);
    // What threads wait for that are blocked after the parent's choice, perhaps because of it.
    Footprint blocks;
    for (unsigned index = 0; index < threads; ++index) {
      const runtime::Thread& thread = runtime::execution.thread(index);
      if (parent != nullptr && !may_wait_for_else(*parent, node, index)) {
        node.waits_for.push_back(parent->waits_for[index]);
        assert(node.waits_for[index] == waits_of(thread) || runtime::sabotage_is_on());
      } else {
        node.waits_for.push_back(waits_of(thread));
        if (!node.is_value && !node.can_run.contains(index)) blocks.add(node.waits_for[index]);
      }
      add_to(node.future, node.numbers[index], node.waits_for[index]);
    }
    node.footprints.resize(threads);
    if (parent != nullptr) inherit(node, *parent, blocks);
    ++used_;
    if (node.is_value) {
      node.alternatives.assign(node.candidates.rbegin(), node.candidates.rend());
      node.current = node.last;
      node.current_future = std::make_shared<Future>();
    } else {
      node.chosen_threads.insert(first_thread(node, runtime::thread_of(entry.code)));
    }
  }

  /// Whether the parent's choice may have changed what the thread waits for. The thread may have moved in the
  /// step of another one: it has begun, or has joined a thread that has ended, or is one of those that were
  /// chosen to wait for another object.
  static bool may_wait_for_else(const Node& parent, const Node& node, unsigned thread) {
    if (thread >= parent.waits_for.size() || parent.step.conflicts(parent.waits_for[thread])) return true;
    const bool steps = thread == stepping_thread(parent);
    if (is_sabotaged(Sabotage::only_the_stepping_thread_moves)) return steps;
    if (is_sabotaged(Sabotage::only_the_chooser_moves_too))
      return steps || node.numbers[thread] == parent.step_by;
    return parent.positions[thread] != node.positions[thread];
  }

  /// The thread that makes the step to which the node's choice belongs.
  [[nodiscard]] static unsigned stepping_thread(const Node& node) {
    return node.is_value ? node.last : runtime::thread_of(node.choice.code);
  }

  /// The preemptions that are left after the parent's choice, and the threads that still sleep.
  void inherit(Node& node, const Node& parent, const Footprint& blocks) const {
    Footprint waking = parent.step;
    if (moves_contexts_) {
      assert(parent.choice.price <= parent.left);
      node.left = parent.left - parent.choice.price;
      if (!is_sabotaged(Sabotage::blocking_wakes_no_sleeper)) waking.add(blocks);
    }
    const unsigned thread = stepping_thread(parent);
    for (const Sleeper& sleeper : parent.asleep) {
      const bool is_woken =
          waking.conflicts(sleeper.footprint) && !is_sabotaged(Sabotage::conflicts_wake_no_sleeper);
      if (sleeper.thread != thread && !is_woken) node.asleep.push_back(sleeper);
    }
  }

  [[nodiscard]] static bool is_switching_free(const Node& node) {
    if (!node.can_run.contains(node.last)) return true;
    return std::any_of(node.candidates.begin(), node.candidates.end(), [&](const Candidate& candidate) {
      return runtime::thread_of(candidate.code) != node.last && candidate.price == 0;
    });
  }

  [[nodiscard]] static const Sleeper* sleeper(const Node& node, unsigned thread) {
    const auto place = std::find_if(node.asleep.begin(), node.asleep.end(),
        [&](const Sleeper& sleeper) { return sleeper.thread == thread; });
    return place == node.asleep.end() ? nullptr : &*place;
  }

  /// The thread with which the set begins. `preferred` can take a step.
  [[nodiscard]] static unsigned first_thread(const Node& node, unsigned preferred) {
    if (!node.is_free) return node.last;
    if (sleeper(node, preferred) == nullptr) return preferred;
    unsigned found = preferred;
    for (const ThreadSet& able : {node.can_step, node.can_run}) {
      able.for_each([&](unsigned thread) {
        if (sleeper(node, thread) == nullptr) found = thread;
      });
    }
    return found;
  }

  // -- Searching

  /// Determines what to do next at the node. Returns false if nothing is left.
  bool advance(Node& node) {
    for (;;) {
      while (!node.alternatives.empty()) {
        node.choice = node.alternatives.back();
        node.alternatives.pop_back();
        if (!moves_contexts_ || node.choice.price <= node.left) return true;
        left_out_ = true;
        node.is_current_whole = false;
        // It can be cheaper after steps of other threads, as if it were blocked now.
        const unsigned switching = node.is_free || node.current == node.last ? 0 : 1;
        if (!node.is_value && node.choice.price > switching && is_awaited(node.choice))
          wait(node, node.current);
      }
      if (node.is_value) return false;
      if (node.current != kNobody) close_current(node);
      const unsigned thread = next_thread(node);
      if (thread == kNobody) return false;
      node.explored.insert(thread);
      if (!node.can_step.contains(thread)) {
        if (!is_sabotaged(Sabotage::blocked_threads_await_nothing)) wait(node, thread);
        extend(node, thread);
      } else if (const Sleeper* known = sleeper(node, thread); known != nullptr) {
        node.footprints[thread] = known->footprint;
        add_to(node.future, *known->future);
        extend(node, thread);
      } else {
        begin(node, thread);
      }
    }
  }

  static bool is_awaited(const Candidate& candidate) {
    return !is_sabotaged(runtime::mode_of(candidate.code) == Mode::run
                             ? Sabotage::dear_yields_are_not_awaited
                             : Sabotage::dear_expiries_are_not_awaited);
  }

  [[nodiscard]] static unsigned next_thread(const Node& node) {
    ThreadSet open = node.chosen_threads;
    open -= node.explored;
    if (open.contains(node.last)) return node.last;
    unsigned first = kNobody;
    open.for_each([&](unsigned thread) { first = std::min(first, thread); });
    return first;
  }

  static void begin(Node& node, unsigned thread) {
    node.current = thread;
    node.is_current_whole = true;
    node.current_future = std::make_shared<Future>();
    for (const Candidate& candidate : node.candidates) {
      if (runtime::thread_of(candidate.code) == thread) node.alternatives.push_back(candidate);
    }
    std::reverse(node.alternatives.begin(), node.alternatives.end());  // Mode::run comes first
    if (!node.can_run.contains(thread) && !is_sabotaged(Sabotage::dear_expiries_are_not_awaited))
      wait(node, thread);
  }

  /// What lets the thread go on counts as a part of its footprint.
  static void wait(Node& node, unsigned thread) {
    node.footprints[thread].add(node.waits_for[thread]);
    node.has_footprint.insert(thread);
  }

  /// All that the current thread can do at the node has been searched.
  void close_current(Node& node) {
    const unsigned thread = std::exchange(node.current, kNobody);
    if (!node.has_footprint.contains(thread)) return;  // it was too expensive
    if (node.is_current_whole)
      node.asleep.push_back({thread, node.footprints[thread], std::move(node.current_future)});
    extend(node, thread);
  }

  /// Adds the threads that conflict with the footprint of a thread of the set, and those that can only be
  /// reached through others.
  void extend(Node& node, unsigned thread) {
    node.has_footprint.insert(thread);
    for (unsigned number = 0; number < node.future.size(); ++number) {
      unsigned by = number;  // a thread that does not exist yet is reached through its creator
      unsigned index = index_at(node, by);
      while (index == kNobody && by != 0 && !is_sabotaged(Sabotage::late_threads_are_not_reached))
        index = index_at(node, by = creators_[by]);
      if (index == kNobody || node.chosen_threads.contains(index)) continue;
      bool joins = false;
      node.has_footprint.for_each(
          [&](unsigned explored) { joins |= node.footprints[explored].conflicts(node.future[number]); });
      if (joins) node.chosen_threads.insert(index);
    }
  }

  static unsigned index_at(const Node& node, unsigned number) {
    const auto place = std::find(node.numbers.begin(), node.numbers.end(), number);
    return place == node.numbers.end() ? kNobody : static_cast<unsigned>(place - node.numbers.begin());
  }

  /// Takes in what was seen below the node's choice: what threads did, and the context of the thread that
  /// made the step.
  void learn(Node& node, const Future& below, const Footprint& context, const Footprint& rest) {
    const unsigned thread = stepping_thread(node);
    Footprint step = node.step;
    if (!is_sabotaged(Sabotage::steps_end_at_values)) step.add(rest);
    Footprint whole = step;
    whole.add(context);
    for (Future* future : {&node.future, node.current_future.get()}) {
      add_to(*future, below);
      add_to(*future, node.step_by, node.step);
    }
    if (thread == node.last) node.context.add(whole);
    if (node.is_value) {
      node.rest.add(step);
      return;
    }
    const bool may_be_preempted = !node.is_free && thread == node.last;
    const bool is_one_step =
        !moves_contexts_ || may_be_preempted || is_sabotaged(Sabotage::contexts_are_first_steps);
    node.footprints[thread].add(is_one_step ? step : whole);
    node.has_footprint.insert(thread);
  }

  /// What the thread that came last does alone from the node on.
  static Footprint context_of_last(const Node& node) {
    if (node.follows_yield) return {};
    const bool is_known =
        node.is_value || !node.can_step.contains(node.last) || node.explored.contains(node.last);
    Footprint context = node.context;
    if (!is_known) context.add_everything();
    return context;
  }

  /// What is seen at the end of an execution that was not cut short by this search.
  void end(const runtime::ExecutionResult& result, Future& below) {
    using runtime::Outcome;
    if (used_ == 0) return;
    Node& node = nodes_[used_ - 1];
    note_step(node);
    for (unsigned index = 0; index < node.positions.size(); ++index) {  // which threads it has ended at most
      if (!node.positions[index].has_ended && !graph_->recording.is_stopped(index))
        node.step.add(life_bit(node.numbers[index]), true);
    }
    if (result.outcome == Outcome::completed && result.left_waiting == 0) return;
    const bool is_deadlock = result.outcome == Outcome::completed ||
                             (result.outcome == Outcome::failed &&
                                 runtime::Execution::failure().kind == runtime::FailureKind::deadlock);
    if (is_deadlock) {
      see_deadlock(node, below);
      return;
    }
    // It is not known what the threads would have done.
    Footprint everything;
    everything.add_everything();
    for (unsigned index = 0; index < graph_->recording.threads(); ++index)
      add_to(below, number_of(runtime::execution.thread(index)), everything);
    node.step.add_everything();
  }

  /// What threads wait for that will wait for ever, or until the execution ends with the body.
  void see_deadlock(const Node& node, Future& below) {
    if (is_sabotaged(Sabotage::deadlocks_await_nothing)) return;
    Footprint lives;
    for (unsigned index = 0; index < graph_->recording.threads(); ++index) {
      if (graph_->recording.is_stopped(index))
        lives.add(life_bit(number_of(runtime::execution.thread(index))), false);
    }
    for (unsigned index = 0; index < graph_->recording.threads(); ++index) {
      const unsigned number = number_of(runtime::execution.thread(index));
      if (graph_->recording.is_stopped(index)) {
        add_to(below, number, waits_of_stopped(index));
      } else if (index < node.waits_for.size() && index != graph_->recording.thread_of_event(used_ - 1)) {
        add_to(below, number, node.waits_for[index]);  // it waits to join a thread, or has ended
      } else {
        add_to(below, number, lives);  // it has ended, or joins one of the others
      }
    }
  }

  bool moves_contexts_;
  unsigned last_bound_;
  std::unique_ptr<Graph> graph_;
  graph::ThreadNumbers numbers_;
  std::vector<unsigned> creators_;                       ///< by number
  std::unordered_map<std::uint64_t, unsigned> objects_;  ///< bits of footprints, by stable name
  static constexpr unsigned kUnknown = ~0U;
  std::vector<unsigned> bits_;  ///< the same by number in the current execution
  std::vector<graph::ObjectAccess> accesses_;

  std::vector<Node> nodes_;
  std::size_t used_ = 0;     ///< nodes of the current execution
  std::size_t reached_ = 0;  ///< choices that the current execution has made
  unsigned bound_;
  bool is_bound_done_ = false;
  /// Whether a detached thread ends before the body does depends on the order of steps that are independent
  /// otherwise. So where that matters, every step conflicts with everything.
  bool reduces_ = true;
  /// Whether joining a thread reads its life, where that happens in a step of the joining thread. The last
  /// step of the other thread comes before or after this step, and both lead to the same state; but a
  /// different thread comes last. That matters only for prices and guards.
  bool reads_joins_;
  bool was_dead_ = false;  ///< the current execution has ended where only sleeping threads could go on
  bool left_out_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_persistent_set_search(
    const Options& options, Moves moves, unsigned first_bound) {
  return std::make_unique<PersistentSetSearch>(options, moves, first_bound);
}

std::unique_ptr<Strategy> make_dpor(const Options& options) {
  return make_persistent_set_search(options, Moves::steps);
}

std::unique_ptr<Strategy> make_icb_por(const Options& options) {
  return make_persistent_set_search(options, Moves::contexts);
}

}  // namespace hocket
