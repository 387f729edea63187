// The states that a search has met, and how they lead to one another.
//
// A cut stands for a state of its own, and for one more for each thread that must not be preempted there (see
// Enabled::kept_running): what follows depends on whether that thread came last. So it may where a value is
// chosen in a step that can be that of several threads. These states of a cut come one after the other, that
// of the cut itself first.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../../runtime/terms/action_hash.hpp"
#include "vector_clocks.hpp"

namespace hocket {

class StateGraph {
 public:
  using Id = std::uint32_t;  ///< of a state; kNone: of none
  static constexpr Id kNone = graph::kNone;

  struct State {
    runtime::ClassHash hash;  ///< of the cut
    std::uint32_t arcs;       ///< the first one in arcs_; they end where those of the next state begin
    std::uint32_t before;     ///< likewise in before_
    std::uint16_t kept;       ///< the number of the thread that came last; 0 in the state of a cut itself
    std::uint16_t check = 0;  ///< Cuts::check of the state, 0: not known yet
    std::uint8_t done = 0;    ///< all classes reachable from the state below this bound have been run
    bool is_pending = false;  ///< for the strategy: whether it has yet to look at the cut
  };

  /// Something that can happen next: a step in a mode, or the choice of a value.
  struct Label {
    std::uint32_t what;    ///< the mode, or the value
    std::uint16_t thread;  ///< its number
    bool is_value;
    friend bool operator==(const Label&, const Label&) = default;
  };
  struct Arc {
    Label label;
    std::uint8_t bound;  ///< the least price of coming to the state that it leaves, and of going on so
    Id to = kNone;       ///< once that state is known
  };

  StateGraph() : slots_(kLeastSlots) {}

  /// The state of a cut itself, or kNone.
  [[nodiscard]] Id find(const runtime::ClassHash& hash) const { return slot(slot_of(hash, kNone)).cut; }
  /// Makes the next find() of the hash wait less for memory.
  void prefetch(const runtime::ClassHash& hash) const {
    __builtin_prefetch(&slots_[place(slot_of(hash, kNone))]);
  }
  /// Adds the state of a cut that has none yet. What is added from then on to states is added to this one.
  Id add(const runtime::ClassHash& hash) {
    if ((used_ + 1) * 10 > slots_.size() * 7) grow();
    ++used_;
    const Id cut = add_state(hash, 0);
    fill_slot(slot_of(hash, cut));
    return cut;
  }
  /// Adds the state of the same cut after a step of the thread with that number.
  void add_kept(unsigned thread) { add_state(states_.back().hash, static_cast<std::uint16_t>(thread)); }
  void add_before(Id cut) { before_.push_back(cut); }
  void add_arc(const Arc& arc) { arcs_.push_back(arc); }

  [[nodiscard]] std::size_t size() const { return states_.size(); }
  [[nodiscard]] State& operator[](Id id) { return states_[id]; }
  [[nodiscard]] const State& operator[](Id id) const { return states_[id]; }
  /// The state of the cut itself whose state this is.
  [[nodiscard]] Id cut_of(Id state) const {
    while (states_[state].kept != 0) --state;
    return state;
  }
  /// Calls `visit(state)` for each state of the cut.
  template <class Visit>
  void for_each_of_cut(Id cut, Visit&& visit) const {
    Id state = cut;
    do {
      visit(state);
    } while (++state < states_.size() && states_[state].kept != 0);
  }
  /// The state of the cut after a step of the thread with that number.
  [[nodiscard]] Id after(Id cut, unsigned last) const {
    for (Id state = cut + 1; state < states_.size() && states_[state].kept != 0; ++state) {
      if (states_[state].kept == last) return state;
    }
    return cut;
  }

  /// What can happen next in the state.
  [[nodiscard]] std::span<Arc> arcs(Id state) {
    const std::size_t end = state + 1 < states_.size() ? states_[state + 1].arcs : arcs_.size();
    return {arcs_.data() + states_[state].arcs, end - states_[state].arcs};
  }
  /// The cuts from which one event leads to the cut.
  [[nodiscard]] std::span<const Id> before(Id cut) const {
    const std::size_t end = cut + 1 < states_.size() ? states_[cut + 1].before : before_.size();
    return {before_.data() + states_[cut].before, end - states_[cut].before};
  }

  /// The least price of reaching the cut, indexed by the number of the thread that came last; width()
  /// entries.
  [[nodiscard]] std::uint8_t* costs(Id cut) { return costs_.data() + cut * std::size_t{width_}; }
  [[nodiscard]] const std::uint8_t* costs(Id cut) const { return costs_.data() + cut * std::size_t{width_}; }
  [[nodiscard]] unsigned width() const { return width_; }
  /// Makes room for at least this many costs; new ones are kImpossible.
  void widen(unsigned width) {
    if (width <= width_) return;
    const unsigned wider = width + width / 4;
    std::vector<std::uint8_t> costs(states_.size() * wider, kImpossible);
    for (Id state = 0; state < states_.size(); ++state)
      std::copy_n(this->costs(state), width_, costs.data() + state * std::size_t{wider});
    costs_ = std::move(costs);
    width_ = wider;
  }
  static constexpr std::uint8_t kImpossible = 255;

  [[nodiscard]] std::size_t bytes() const {
    return slots_.capacity() * sizeof(Slot) + states_.capacity() * sizeof(State) +
           arcs_.capacity() * sizeof(Arc) + before_.capacity() * sizeof(Id) + costs_.capacity();
  }

 private:
  static constexpr std::size_t kLeastSlots = 64;

  /// Has most of the hash itself, so that a search for it looks nowhere else: 96 bits tell states apart.
  struct Slot {
    std::uint64_t high = 0;
    std::uint32_t low = 0;
    Id cut = kNone;
  };

  [[nodiscard]] static Slot slot_of(const runtime::ClassHash& hash, Id cut) {
    return {hash.high, static_cast<std::uint32_t>(hash.low), cut};
  }
  [[nodiscard]] std::size_t place(const Slot& of) const {
    return (of.low ^ of.high >> 32U) & (slots_.size() - 1);
  }
  /// The slot of a hash table with open addressing that holds the same hash, or that is free for it.
  [[nodiscard]] const Slot& slot(const Slot& like) const {
    std::size_t at = place(like);
    while (slots_[at].cut != kNone && (slots_[at].high != like.high || slots_[at].low != like.low))
      at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void fill_slot(const Slot& with) { const_cast<Slot&>(slot(with)) = with; }
  void grow() {
    const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    for (const Slot& old : before) {
      if (old.cut != kNone) fill_slot(old);
    }
  }
  Id add_state(const runtime::ClassHash& hash, std::uint16_t kept) {
    states_.push_back(
        {hash, static_cast<std::uint32_t>(arcs_.size()), static_cast<std::uint32_t>(before_.size()), kept});
    costs_.resize(costs_.size() + width_, kImpossible);
    return static_cast<Id>(states_.size() - 1);
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;  ///< slots
  std::vector<State> states_;
  std::vector<Arc> arcs_;
  std::vector<Id> before_;
  std::vector<std::uint8_t> costs_;
  unsigned width_ = 0;
};

}  // namespace hocket
