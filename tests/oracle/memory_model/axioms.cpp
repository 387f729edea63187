#include "tests/oracle/memory_model/axioms.hpp"

#include "tests/oracle/memory_model/relation.hpp"

namespace hocket::memory_model {

namespace {

std::size_t place(EventIndex index) {
  return static_cast<std::size_t>(index);
}

/// The relations of RC11, by the names that they have there.
class Relations {
 public:
  Relations(const Execution& execution, const Rules& rules)
      : execution_(execution),
        rules_(rules),
        count_(execution.events.size()),
        po_(count_),
        rf_(count_),
        mo_(count_),
        fr_(count_),
        starts_(count_),
        joins_(count_),
        also_before_(count_),
        hb_(count_) {
    for (std::size_t i = 0; i < count_; ++i) sort(i);
    for (std::size_t i = 0; i < count_; ++i) add_program_order(i);
    add_modification_order();
    add_locks();
    hb_ = (po_ | also_before_ | synchronizes_with()).closure();
  }

  [[nodiscard]] bool is_consistent() const {
    if (!hb_.is_irreflexive()) return false;
    if (rules_.forbids_load_buffering && !can_happen_in_some_order()) return false;
    const Relation eco = (rf_ | mo_ | fr_).closure();
    // Only a read-modify-write can stand behind what stands behind that which it has read.
    if (rules_.is_atomic && !eco.is_irreflexive()) return false;
    if (rules_.is_coherent && !(hb_ * eco).is_irreflexive()) return false;
    return !rules_.orders_seq_cst || seq_cst_ == 0 || partial_seq_cst(eco).is_acyclic();
  }

  [[nodiscard]] bool has_race() const {
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (conflict(event(i), event(j)) && !hb_.has(i, j) && !hb_.has(j, i)) return true;
      }
    }
    return false;
  }

 private:
  [[nodiscard]] const Event& event(std::size_t index) const { return execution_.events[index]; }
  static bool is_access(const Event& event) {
    return event.kind == EventKind::access || event.kind == EventKind::first;
  }
  static bool is_update(const Event& event) { return event.reads && event.writes; }

  void sort(std::size_t i) {
    const Event& it = event(i);
    const bool is_fence = it.kind == EventKind::fence;
    if (is_fence) fences_ |= only(i);
    if (it.kind == EventKind::access && !it.is_plain) {
      if (it.reads) atomic_reads_ |= only(i);
      if (it.writes) atomic_writes_ |= only(i);
      if (is_update(it)) updates_ |= only(i);
    }
    if (!is_fence && (it.kind != EventKind::access || it.is_plain)) return;
    if (oracle::acquires(it.order)) acquiring_ |= only(i);
    if (oracle::releases(it.order)) releasing_ |= only(i);
    if (it.order == std::memory_order_seq_cst) seq_cst_ |= only(i);
  }

  void add_program_order(std::size_t i) {
    const Event& one = event(i);
    for (std::size_t j = 0; j < count_; ++j) {
      const Event& other = event(j);
      if (one.kind == EventKind::first) {
        if (other.kind != EventKind::first) also_before_.add(i, j);
      } else if (one.thread == other.thread && one.number < other.number) {
        po_.add(i, j);
      }
      const bool starts = one.kind == EventKind::start && other.thread == static_cast<int>(one.object);
      const bool joins = other.kind == EventKind::join && one.thread == static_cast<int>(other.object);
      if (starts) starts_.add(i, j);
      if (joins) joins_.add(i, j);
      if (starts || joins) also_before_.add(i, j);
    }
    if (one.from != kNoEvent) rf_.add(place(one.from), i);
  }

  void add_modification_order() {
    for (const auto& writes : execution_.modifications) {
      EventSet later = 0;
      for (std::size_t k = writes.size(); k-- > 0;) {
        mo_.add_all(place(writes[k]), later);
        later |= only(place(writes[k]));
      }
    }
    for (std::size_t i = 0; i < count_; ++i) {
      if (event(i).from != kNoEvent) fr_.add_all(i, mo_[place(event(i).from)] & ~only(i));
    }
  }

  /// Giving a mutex back synchronizes with the next time that it is taken.
  void add_locks() {
    for (const auto& order : execution_.orders) {
      for (std::size_t k = 1; k < order.size(); ++k) also_before_.add(place(order[k - 1]), place(order[k]));
    }
  }

  /// The writes from which reading one of them means to read the release sequence of a write.
  [[nodiscard]] Relation release_sequences() const {
    Relation to_update(count_);
    for_each(updates_, [&](std::size_t i) { to_update.add(place(event(i).from), i); });
    Relation heads = Relation(count_).or_same(atomic_writes_);
    if (rules_.continues_in_same_thread) {
      for_each(atomic_writes_, [&](std::size_t i) {
        for_each(po_[i] & atomic_writes_, [&](std::size_t j) {
          if (event(i).object == event(j).object) heads.add(i, j);
        });
      });
    }
    return heads * to_update.closure().or_same(atomic_writes_);
  }

  [[nodiscard]] Relation synchronizes_with() const {
    const EventSet all_writes = atomic_writes_;
    const Relation from = po_.between(fences_ & releasing_, all_writes).or_same(all_writes & releasing_);
    const Relation to = po_.between(atomic_reads_, fences_ & acquiring_).or_same(atomic_reads_ & acquiring_);
    return from * release_sequences() * rf_.between(all_writes, atomic_reads_) * to;
  }

  /// Whether there is an order of all events in which each read stands behind what it reads, each lock behind
  /// the unlock, and each thread that fell asleep when the value was the newest one.
  [[nodiscard]] bool can_happen_in_some_order() const {
    Relation order = po_ | rf_ | also_before_;
    for (const auto& queue : execution_.queues) {
      for (std::size_t k = 1; k < queue.size(); ++k) order.add(place(queue[k - 1]), place(queue[k]));
    }
    for (std::size_t i = 0; i < count_; ++i) {
      const Event& it = event(i);
      if (it.woken_by != kNoEvent) order.add(place(it.woken_by), i);
      if (it.compared == kNoEvent) continue;
      order.add(place(it.compared), i);
      order.add_all(i, mo_[place(it.compared)]);
    }
    return order.is_acyclic();
  }

  /// po;hb;po. A thread also begins, which its start synchronizes with, and ends, which synchronizes with a
  /// join. These are no events here, but stand in program order before and behind all events of the thread.
  [[nodiscard]] Relation strongly_before() const {
    const EventSet all = ~EventSet{0} >> (kMostEvents - count_);
    const Relation around = rules_.splits_updates ? po_.or_same(updates_) : po_;
    const Relation hb_or_same = hb_.or_same(all);
    return around * hb_ * around | joins_ * hb_or_same * (around | starts_) | around * hb_or_same * starts_;
  }

  /// psc, which must have no cycle.
  [[nodiscard]] Relation partial_seq_cst(const Relation& eco) const {
    const EventSet sc_fences = rules_.orders_seq_cst_fences ? seq_cst_ & fences_ : 0;
    const EventSet sc = (seq_cst_ & ~fences_) | sc_fences;
    Relation hb_same_location(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      if (!is_access(event(i))) continue;
      for_each(hb_[i], [&](std::size_t j) {
        if (is_access(event(j)) && event(i).object == event(j).object) hb_same_location.add(i, j);
      });
    }
    Relation scb = po_ | strongly_before() | hb_same_location | mo_ | fr_;
    if (rules_.orders_all_coherent) scb |= eco;
    const Relation from = hb_.between(sc_fences, ~EventSet{0}).or_same(sc);
    const Relation to = hb_.between(~EventSet{0} >> (kMostEvents - count_), sc_fences).or_same(sc);
    const Relation base = from.between(sc, ~EventSet{0}) * scb * to;
    const Relation fences = (hb_ | hb_ * eco * hb_).between(sc_fences, sc_fences);
    return base.between(sc, sc) | fences;
  }

  const Execution& execution_;
  const Rules& rules_;
  std::size_t count_;
  EventSet fences_ = 0;
  EventSet atomic_reads_ = 0;
  EventSet atomic_writes_ = 0;
  EventSet updates_ = 0;
  EventSet acquiring_ = 0;
  EventSet releasing_ = 0;
  EventSet seq_cst_ = 0;
  Relation po_;
  Relation rf_;
  Relation mo_;
  Relation fr_;
  Relation starts_;       ///< from a start to the events of the thread
  Relation joins_;        ///< from the events of a thread to its join
  Relation also_before_;  ///< what happens before something for another reason than program order or atomics
  Relation hb_;
};

}  // namespace

bool is_consistent(const Execution& execution, const Rules& rules) {
  return Relations(execution, rules).is_consistent();
}

bool conflict(const Event& one, const Event& other) {
  return one.kind == EventKind::access && other.kind == EventKind::access && one.object == other.object &&
         one.thread != other.thread && (one.writes || other.writes) && (one.is_plain || other.is_plain);
}

bool has_race(const Execution& execution, const Rules& rules) {
  return Relations(execution, rules).has_race();
}

}  // namespace hocket::memory_model
