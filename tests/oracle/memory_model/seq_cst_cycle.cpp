// The search for a cycle of seq_cst events that goes through the last event. What is "before" what among them
// is psc of RC11, in the form with po;hb;po (axioms.hpp says why), but nothing is computed that the search
// does not come to: clocks say what happens before what.
//
// Nothing follows the last event in program order, and nobody has read it. So it is before others only
// because they are later in modification order than what it wrote or read. Hence every new cycle leaves the
// last event that way.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "tests/oracle/memory_model/machine.hpp"

namespace hocket::memory_model {

namespace {

class SeqCst {
 public:
  SeqCst(const State& state, bool orders_fences)
      : state_(state), execution_(state.partial.execution), orders_fences_(orders_fences) {
    const std::size_t count = execution_.events.size();
    places_.resize(count);
    for (const auto& writes : execution_.modifications) {
      for (std::size_t place = 0; place < writes.size(); ++place) {
        places_[static_cast<std::size_t>(writes[place])] = place;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      const Event& event = execution_.events[i];
      if (event.order != std::memory_order_seq_cst || event.is_plain) continue;
      if (event.kind == EventKind::access || is_ordered_fence(i)) all_.push_back(i);
    }
  }

  [[nodiscard]] bool last_event_closes_a_cycle() const {
    const std::size_t last = execution_.events.size() - 1;
    return std::any_of(all_.begin(), all_.end(), [&](std::size_t from) {
      const bool may_be_in_it = from == last || (is_ordered_fence(from) && happens_before(from, last));
      return may_be_in_it && comes_back_to(from);
    });
  }

 private:
  [[nodiscard]] const Event& event(std::size_t i) const { return execution_.events[i]; }
  [[nodiscard]] bool is_ordered_fence(std::size_t i) const {
    return orders_fences_ && event(i).kind == EventKind::fence && event(i).order == std::memory_order_seq_cst;
  }
  [[nodiscard]] bool is_access(std::size_t i) const {
    return event(i).kind == EventKind::access || event(i).kind == EventKind::first;
  }
  [[nodiscard]] bool happens_before(std::size_t one, std::size_t other) const {
    if (one == other || event(other).thread < 0) return false;
    return state_.clocks[other].includes(event(one));
  }
  [[nodiscard]] bool is_program_order(std::size_t one, std::size_t other) const {
    return event(one).thread >= 0 && event(one).thread == event(other).thread &&
           event(one).number < event(other).number;
  }

  [[nodiscard]] bool are_of_one_location(std::size_t one, std::size_t other) const {
    return is_access(one) && is_access(other) && event(one).object == event(other).object;
  }

  /// Whether the second access wrote later in modification order than what the first one wrote or read.
  [[nodiscard]] bool is_overwritten_by(std::size_t one, std::size_t other) const {
    if (one == other || !are_of_one_location(one, other) || !event(other).writes) return false;
    if (event(one).writes && places_[one] < places_[other]) return true;
    return event(one).reads && places_[static_cast<std::size_t>(event(one).from)] < places_[other];
  }
  /// The same, or the second access reads such a write, or what the first one wrote.
  [[nodiscard]] bool is_coherence_ordered(std::size_t one, std::size_t other) const {
    if (is_overwritten_by(one, other)) return true;
    if (one == other || !are_of_one_location(one, other) || !event(other).reads) return false;
    const auto from = static_cast<std::size_t>(event(other).from);
    return from == one ? event(one).writes : is_overwritten_by(one, from);
  }

  /// po;hb;po. The beginning and the end of a thread count as events in its program order: a start happens
  /// before the former, and the latter before a join.
  [[nodiscard]] bool is_strongly_before(std::size_t one, std::size_t other) const {
    const Event& first = event(one);
    const Event& second = event(other);
    if (first.thread < 0 || first.thread == second.thread) return false;
    return std::any_of(execution_.events.begin(), execution_.events.end(), [&](const Event& before_second) {
      const bool is_previous =
          before_second.thread == second.thread && before_second.number + 1 == second.number;
      const bool starts = before_second.kind == EventKind::start && before_second.object == second.thread;
      if (!is_previous && !starts) return false;
      const auto index = static_cast<std::size_t>(&before_second - execution_.events.data());
      return includes_what_follows(state_.clocks[index], first);
    });
  }
  [[nodiscard]] bool includes_what_follows(const Clock& clock, const Event& first) const {
    if (clock.includes(first.thread, first.number + 1)) return true;
    return std::any_of(execution_.events.begin(), execution_.events.end(), [&](const Event& candidate) {
      return candidate.kind == EventKind::join && candidate.object == first.thread &&
             clock.includes(candidate);
    });
  }

  /// scb of RC11.
  [[nodiscard]] bool is_before_at_ends(std::size_t one, std::size_t other) const {
    if (is_program_order(one, other) || is_overwritten_by(one, other)) return true;
    if (are_of_one_location(one, other) && happens_before(one, other)) return true;
    return is_strongly_before(one, other);
  }

  /// psc of RC11: whether the one seq_cst event is before the other.
  [[nodiscard]] bool is_before(std::size_t one, std::size_t other) const {
    const std::size_t count = execution_.events.size();
    const bool is_from_fence = is_ordered_fence(one);
    const bool is_to_fence = is_ordered_fence(other);
    if (is_from_fence && is_to_fence && happens_before(one, other)) return true;
    for (std::size_t i = 0; i < count; ++i) {
      if (i != one && !(is_from_fence && happens_before(one, i))) continue;
      for (std::size_t j = 0; j < count; ++j) {
        if (j != other && !(is_to_fence && happens_before(j, other))) continue;
        if (is_before_at_ends(i, j)) return true;
        if (is_from_fence && is_to_fence && i != one && j != other && is_coherence_ordered(i, j)) return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool comes_back_to(std::size_t start) const {
    std::vector<bool> is_known(execution_.events.size());
    std::vector<std::size_t> pending{start};
    while (!pending.empty()) {
      const std::size_t one = pending.back();
      pending.pop_back();
      for (const std::size_t other : all_) {
        if (is_known[other] || !is_before(one, other)) continue;
        if (other == start) return true;
        is_known[other] = true;
        pending.push_back(other);
      }
    }
    return false;
  }

  const State& state_;
  const Execution& execution_;
  bool orders_fences_;
  std::vector<std::size_t> places_;  ///< of writes, in modification order
  std::vector<std::size_t> all_;     ///< seq_cst events
};

}  // namespace

bool breaks_seq_cst(const State& state, bool orders_fences) {
  return SeqCst(state, orders_fences).last_event_closes_a_cycle();
}

}  // namespace hocket::memory_model
