#include "class_bounds.hpp"

#include <algorithm>
#include <cassert>

#include "../../runtime/terms/prices.hpp"

namespace hocket {

using Arc = StateGraph::Arc;
using Id = StateGraph::Id;
using Label = StateGraph::Label;

namespace {

constexpr unsigned kBody = 1;  ///< the number of the body's own thread

}  // namespace

Id ClassBounds::root() const {
  return first_ == kNone ? kNone : states_.after(first_, kBody);
}

Arc* ClassBounds::arc(Id state, const Label& label) {
  const auto arcs = states_.arcs(state);
  const auto found =
      std::find_if(arcs.begin(), arcs.end(), [&](const Arc& arc) { return arc.label == label; });
  return found == arcs.end() ? nullptr : &*found;
}

// A value is chosen inside the step of the thread that came last.
unsigned ClassBounds::last_after(Id state, const Label& label) const {
  if (!label.is_value) return label.thread;
  const Id cut = states_.cut_of(state);
  const std::uint8_t* const costs = states_.costs(cut);
  for (unsigned last = 1; last < states_.width(); ++last) {
    if (costs[last] != graph::kImpossible && states_.after(cut, last) == state) return last;
  }
  return kBody;
}

graph::Successor ClassBounds::successor(const Label& label) const {
  return {graph_.recording.with_number(label.thread), label.is_value,
      label.is_value ? runtime::Mode::run : static_cast<runtime::Mode>(label.what), label.what};
}

runtime::Code ClassBounds::code(const Label& label) const {
  const graph::Successor next = successor(label);
  return next.is_value ? next.value : runtime::thread_code(next.thread, next.mode);
}

runtime::ClassHash ClassBounds::delta(const Arc& arc) const {
  if (arc.to != kNone) {
    runtime::ClassHash delta = states_[arc.to].hash;
    delta -= graph_.recording.hash();
    return delta;
  }
  const graph::Cut top = graph_.cuts.top();
  const graph::Successor next = successor(arc.label);
  return graph_.transitions.delta(top, next.is_value ? graph::Enabled{} : graph_.cuts.enabled(top), next);
}

void ClassBounds::find_ends(Id state) {
  for (Arc& arc : states_.arcs(state)) {
    if (arc.to != kNone) continue;
    runtime::ClassHash there = graph_.recording.hash();
    there += delta(arc);
    const Id end = states_.find(there);
    if (end != kNone) arc.to = states_.after(end, last_after(state, arc.label));
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Where the execution is

Id ClassBounds::visit() {
  const graph::Recording& recording = graph_.recording;
  for (; here_ != kNone && events_ != recording.size(); ++events_) {
    const Label taken = label(recording.number(recording.thread_of_event(events_)), recording.event(events_));
    const Arc* along = nullptr;
    states_.for_each_of_cut(here_, [&](Id state) {
      if (along == nullptr) along = arc(state, taken);
    });
    here_ = along == nullptr || along->to == kNone ? kNone : states_.cut_of(along->to);
  }
  const graph::Cut top = graph_.cuts.top();
  if (here_ == kNone || states_[here_].hash != recording.hash()) here_ = cut(top);
  events_ = recording.size();

  const auto arcs = states_.arcs(here_);
  const bool chooses = !arcs.empty() && arcs.front().label.is_value;
  const std::uint16_t check =
      graph_.cuts.check(top, chooses ? recording.with_number(arcs.front().label.thread) : graph::kNobody);
  std::uint16_t& known = states_[here_].check;
  if (known == 0) known = check;
  return known == check ? after_last(here_) : kNone;
}

Id ClassBounds::top() {
  return after_last(cut(graph_.cuts.top()));
}

// If no thread has made a step yet, the state is the same as after a step of the body's own thread.
Id ClassBounds::after_last(Id cut) const {
  const unsigned last = graph_.recording.last();
  return states_.after(cut, last == graph::kNobody ? kBody : graph_.recording.number(last));
}

// ---------------------------------------------------------------------------------------------------------------------
// New states

Id ClassBounds::cut(graph::Cut cut) {
  states_.widen(graph_.recording.numbers());
  const runtime::ClassHash hash = graph_.cuts.hash(cut);
  if (const Id known = states_.find(hash); known != kNone) return known;
  return fill(cut, hash);
}

// Adds `cut`, which is unknown, and the unknown cuts below it, deepest first. It uses an explicit stack
// instead of recursion because an execution can be long.
Id ClassBounds::fill(graph::Cut cut, const runtime::ClassHash& hash) {
  const unsigned width = graph_.recording.width();
  counts_.assign(cut, cut + width);
  steps_.clear();
  open_.clear();
  open(hash);
  for (;;) {
    OpenCut& here = open_.back();
    const std::size_t at = counts_.size() - width;
    if (here.next != steps_.size()) {
      StepTo& step = steps_[here.next];
      runtime::ClassHash below = here.hash;
      below -= graph_.cuts.last_event(counts_.data() + at, step.thread).delta;
      step.below = states_.find(below);
      if (step.below != kNone) {
        ++here.next;
        continue;
      }
      counts_.resize(at + 2 * std::size_t{width});
      std::copy_n(counts_.data() + at, width, counts_.data() + at + width);
      --counts_[at + width + step.thread];
      open(below);
      continue;
    }
    const Id added = add(counts_.data() + at, here.hash, std::span(steps_).subspan(here.first));
    steps_.resize(here.first);
    counts_.resize(at);
    open_.pop_back();
    if (open_.empty()) return added;
    steps_[open_.back().next++].below = added;
  }
}

// Begins to fill the cut whose counts come last in counts_.
void ClassBounds::open(const runtime::ClassHash& hash) {
  poll();
  const graph::Cut cut = counts_.data() + counts_.size() - graph_.recording.width();
  open_.push_back({hash, steps_.size(), steps_.size()});
  graph_.transitions.for_each_maximal(cut, scratch_, [&](unsigned thread) {
    runtime::ClassHash below = hash;
    below -= graph_.cuts.last_event(cut, thread).delta;
    states_.prefetch(below);
    steps_.push_back({thread, kNone});
  });
}

// Adds a cut; those from which an event leads to it are known.
Id ClassBounds::add(graph::Cut cut, const runtime::ClassHash& hash, std::span<const StepTo> steps) {
  const Id fresh = states_.add(hash);
  std::uint8_t* const costs = states_.costs(fresh);
  const auto lower = [](std::uint8_t& cost, unsigned to) {
    cost = static_cast<std::uint8_t>(std::min<unsigned>(cost, to));
  };
  if (hash == runtime::ClassHash{}) {
    costs[0] = 0;  // nothing has happened, and no thread came last
    first_ = fresh;
  }
  for (const auto& [thread, below] : steps) {
    const graph::Event& event = graph_.cuts.last_event(cut, thread);
    const unsigned number = graph_.recording.number(thread);
    states_.add_before(below);
    if (event.is_value) {
      for (unsigned last = 0; last < states_.width(); ++last) {
        const unsigned before = states_.costs(below)[last];
        if (before != graph::kImpossible) lower(costs[last], std::min(before + event.price, kMost));
      }
    } else {
      states_.for_each_of_cut(below, [&](Id state) {
        if (const Arc* along = arc(state, label(number, event)); along != nullptr)
          lower(costs[number], along->bound);
      });
    }
  }

  graph::Enabled enabled = graph_.cuts.enabled(cut);
  lasts_.clear();
  const auto come_last = [&](unsigned thread, unsigned number) {
    if (costs[number] == graph::kImpossible) return;
    const unsigned leaving = graph_.cuts.counts_as_preempted(cut, enabled, thread) ? 1 : 0;
    lasts_.push_back({thread, number, costs[number], leaving});
  };
  come_last(graph::kNobody, 0);
  for (unsigned last = 0; last < graph_.recording.threads(); ++last)
    come_last(last, graph_.recording.number(last));
  // A value may be chosen inside the last step of a thread or of another one, which it has joined. So these
  // are told apart, as threads that must go on are: afterwards they may be such.
  if (enabled.chooser != graph::kNobody) {
    for (std::size_t n = 1; n < lasts_.size(); ++n) enabled.forbidden.insert(lasts_[n].thread);
  }
  add_arcs(cut, enabled, graph::kNobody);
  enabled.forbidden.for_each([&](unsigned kept) {
    if (enabled.kept_running(kept) != kept) return;
    states_.add_kept(graph_.recording.number(kept));
    add_arcs(cut, enabled, kept);
  });

  for (const auto& [thread, below] : steps) {
    const Label taken = label(graph_.recording.number(thread), graph_.cuts.last_event(cut, thread));
    states_.for_each_of_cut(below, [&](Id state) {
      if (Arc* const along = arc(state, taken); along != nullptr)
        along->to = states_.after(fresh, last_after(state, taken));
    });
  }
  return fresh;
}

// Adds what can follow where only `kept` can run, if that is a thread.
void ClassBounds::add_arcs(graph::Cut cut, const graph::Enabled& enabled, unsigned kept) {
  unsigned stay = graph::kImpossible;   // the least price of coming here
  unsigned leave = graph::kImpossible;  // and of going on with another thread than the last one
  for (const Last& last : lasts_) {
    if (enabled.kept_running(last.thread) != kept) continue;
    stay = std::min(stay, last.cost);
    leave = std::min(leave, last.cost + last.leaving);
  }
  if (stay == graph::kImpossible) return;
  graph_.transitions.for_each_successor(cut, enabled, [&](const graph::Successor& next) {
    const unsigned number = graph_.recording.number(next.thread);
    unsigned here = next.is_value ? stay : leave;
    unsigned price = 0;
    if (kept != graph::kNobody) {
      if (!next.is_value && next.thread != kept) return;
      here = stay;
      price = next.is_value ? graph_.cuts.price(cut, enabled, next)
                            : runtime::price_without_preemption(next.mode);
    } else {
      price = graph_.cuts.price(cut, enabled, next);
      if (price == graph::kImpossible) return;
      for (const Last& last : lasts_) {
        if (last.number == number && enabled.kept_running(last.thread) == kept)
          here = std::min(here, last.cost);
      }
    }
    states_.add_arc({{next.is_value ? next.value : static_cast<std::uint32_t>(next.mode),
                         static_cast<std::uint16_t>(number), next.is_value},
        static_cast<std::uint8_t>(std::min(here + price, kMost))});
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// Prices

unsigned ClassBounds::bound(Id cut) const {
  const std::uint8_t* costs = states_.costs(cut);
  return *std::min_element(costs, costs + states_.width());
}

std::vector<OrderedChoice> ClassBounds::cheapest_order() {
  std::vector<OrderedChoice> order;
  std::vector<Count> now(graph_.cuts.top(), graph_.cuts.top() + graph_.recording.width());
  const std::uint8_t* const costs = states_.costs(cut(now.data()));
  // A step that was cut short, as by a failure, is the last one.
  const unsigned cut_short = graph_.recording.cut_short();
  unsigned last = cut_short != graph::kNobody
                      ? graph_.recording.number(cut_short)
                      : static_cast<unsigned>(std::min_element(costs, costs + states_.width()) - costs);
  unsigned price = costs[last];
  for (;;) {
    maximal_.clear();
    graph_.transitions.for_each_maximal(
        now.data(), scratch_, [&](unsigned thread) { maximal_.push_back(thread); });
    if (maximal_.empty()) break;
    bool is_found = false;
    for (const unsigned thread : maximal_) {
      const graph::Event& event = graph_.cuts.last_event(now.data(), thread);
      if (!event.is_value && graph_.recording.number(thread) != last) continue;
      --now[thread];
      const Id below = cut(now.data());
      const graph::Enabled enabled = graph_.cuts.enabled(now.data());
      const auto price_after = [&](unsigned before) -> unsigned {
        if (event.is_value) return event.price;
        if (const unsigned kept = enabled.kept_running(before); kept != graph::kNobody)
          return thread == kept ? runtime::price_without_preemption(event.mode) : graph::kImpossible;
        const bool leaves = before != thread && graph_.cuts.counts_as_preempted(now.data(), enabled, before);
        return graph_.cuts.price(now.data(), enabled, {thread, false, event.mode, 0}) + (leaves ? 1 : 0);
      };
      const auto fits = [&](unsigned before, unsigned number) {
        const unsigned cost = states_.costs(below)[number];
        if (is_found || cost == graph::kImpossible) return;
        if (event.is_value && number != last) return;
        const unsigned paid = price_after(before);
        if (paid >= graph::kImpossible || std::min(cost + paid, kMost) != price) return;
        is_found = true;
        price = cost;
        last = number;
        order.push_back({graph_.recording.key(thread), event.is_value,
            event.is_value ? event.value : static_cast<std::uint32_t>(event.mode)});
      };
      fits(graph::kNobody, 0);
      for (unsigned other = 0; other < graph_.recording.threads(); ++other)
        fits(other, graph_.recording.number(other));
      if (is_found) break;
      ++now[thread];
    }
    assert(is_found);
    if (!is_found) return {};
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace hocket
