#include "races.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "../execution/allocations.hpp"
#include "../terms/sabotage.hpp"

namespace hocket::runtime {

// ---------------------------------------------------------------------------------------------------------------------
// State

Races::ObjectClocks& Races::clocks_of(Object& object) {
  if (object.clocks != 0) return objects_[object.clocks - 1];
  if (++objects_used_ > objects_.size()) objects_.emplace_back();
  object.clocks = static_cast<std::uint32_t>(objects_used_);
  ObjectClocks& made = objects_[objects_used_ - 1];
  made.released.clear();
  made.released_shared.clear();
  made.is_of_several = false;
  made.made = {};
  made.uses.clear();
  return made;
}

[[gnu::always_inline]] inline Races::Pasts* Races::find_pasts_of(const VarShadow& shadow, unsigned thread) {
  if (shadow.history == 0) return nullptr;
  History& history = histories_[shadow.history - 1];
  Pasts* const pasts = history.data() + thread;
  return pasts < history.data() + history.size() ? pasts : nullptr;  // comparing addresses needs no division
}

Races::Pasts& Races::pasts_of(VarShadow& shadow, unsigned thread) {
  if (Pasts* const known = find_pasts_of(shadow, thread); known != nullptr) return *known;
  if (shadow.history == 0) {
    if (++histories_used_ > histories_.size()) histories_.emplace_back();
    shadow.history = static_cast<std::uint32_t>(histories_used_);
    histories_[shadow.history - 1].clear();
    if (is_passed_) {
      noted_.resize(std::max(noted_.size(), histories_used_));
      noted_[shadow.history - 1].clear();
    }
  }
  History& history = histories_[shadow.history - 1];
  history.resize(std::max(history.size(), thread + std::size_t{1}));
  return history[thread];
}

// ---------------------------------------------------------------------------------------------------------------------
// Threads

void Races::begin(std::function<bool(const Race&)> is_passed, bool watches_lives) {
  is_passed_ = std::move(is_passed);
  watches_lives_ = watches_lives;
  objects_used_ = 0;
  histories_used_ = 0;
  race_ = {};
  // The paths for few threads keep only the accesses to vars that matter without races.
  has_few_threads_ = !is_passed_ && !watches_lives_;
}

void Races::add(Thread& thread, bool is_created_now) {
  if (thread.index >= VectorClock::kNear) has_few_threads_ = false;
  ThreadClocks& clocks = threads_[thread.index];
  clocks.key = thread.key;
  clocks.now.clear();
  clocks.fenced.clear();
  clocks.observed.clear();
  if (is_created_now && thread.creator != nullptr) {
    ThreadClocks& creator = threads_[thread.creator->index];
    clocks.now.join(creator.now);
    advance(*thread.creator, creator);
  }
  clocks.now.set(thread.index, 1);
  thread.known = &clocks.now;
  thread.epoch = epoch_of(thread.index, 1);
}

void Races::joined(const Thread& joiner, const Thread& ended) {
  assert(ended.state == Thread::State::ended);
  if (is_sabotaged(Sabotage::join_orders_nothing)) return;
  threads_[joiner.index].now.join(threads_[ended.index].now);
}

template <Threads threads>
[[gnu::always_inline]] inline void Races::advance(Thread& self, ThreadClocks& clocks) {
  ++self.epoch;
  clocks.now.set<threads>(self.index, time_of(self.epoch));
}

// ---------------------------------------------------------------------------------------------------------------------
// Operations that order threads

const Race* Races::acted(
    Thread& self, Object& object, Synchronization what, std::memory_order order, const void* code) {
  // Nothing on this path allocates memory or makes a call that is not a tail call.
  if (has_few_threads_ && object.clocks != 0) [[likely]] {
    ObjectClocks& its = objects_[object.clocks - 1];
    if (!is_atomic(what)) {
      synchronized<Threads::few>(self, its, what);
      return nullptr;
    }
    Pasts* pasts = nullptr;
    if (object.kind->is_plain_data) pasts = find_pasts_of(static_cast<Var&>(object).shadow, self.index);
    if (pasts != nullptr || !object.kind->is_plain_data) [[likely]]
      return acted_atomically<Threads::few>(self, object, its, pasts, what, order, code);
  }
  return acted_with_care(self, object, what, order, code);
}

const Race* Races::acted_with_care(
    Thread& self, Object& object, Synchronization what, std::memory_order order, const void* code) {
  if (what == Synchronization::none && !watches_lives_) return nullptr;
  const OwnMemory own;
  ObjectClocks& its = clocks_of(object);
  if (!is_atomic(what)) {
    const bool acquires = what == Synchronization::acquire || what == Synchronization::acquire_shared;
    if (acquires) synchronized<Threads::any>(self, its, what);
    if (const Race* const race = use(self, object, its, code); race != nullptr) {
      unfinished_ = {&object, what, order, code, nullptr, nullptr};
      return race;
    }
    if (!acquires) synchronized<Threads::any>(self, its, what);
    return nullptr;
  }
  Pasts* pasts = nullptr;
  if (object.kind->is_plain_data) pasts = &pasts_of(static_cast<Var&>(object).shadow, self.index);
  return acted_atomically<Threads::any>(self, object, its, pasts, what, order, code);
}

template <Threads threads>
[[gnu::always_inline]] inline void Races::synchronized(
    Thread& self, ObjectClocks& its, Synchronization what) {
  ThreadClocks& mine = threads_[self.index];
  if (what == Synchronization::acquire || what == Synchronization::acquire_shared) {
    const bool is_alone = what == Synchronization::acquire;
    if (is_alone && is_sabotaged(Sabotage::unlock_orders_nothing)) return;
    its.released.join_to<threads>(mine.now);
    if (is_alone || is_sabotaged(Sabotage::readers_order_readers))
      its.released_shared.join_to<threads>(mine.now);
  } else if (what == Synchronization::release || what == Synchronization::release_shared) {
    Released& released = what == Synchronization::release ? its.released : its.released_shared;
    released.add<threads>(mine.now, self.epoch);
    advance<threads>(self, mine);
  }
}

// An atomic operation happens before what reads its value, and after what comes with the value it reads. So
// the access is checked and noted between the operation's acquire and its release.
template <Threads threads>
[[gnu::always_inline]] inline const Race* Races::acted_atomically(Thread& self, Object& object,
    ObjectClocks& its, Pasts* pasts, Synchronization what, std::memory_order order, const void* code) {
  if (is_sabotaged(Sabotage::no_memory_orders)) order = std::memory_order_seq_cst;
  ThreadClocks& mine = threads_[self.index];
  const bool writes = what != Synchronization::atomic_load;
  if (what != Synchronization::atomic_store)
    its.released.join_to<threads>(is_acquire(order) ? mine.now : mine.observed);
  if (pasts != nullptr) {
    // Like conflict() and note(), but shorter because atomic accesses do not race with each other.
    auto& var = static_cast<Var&>(object);
    const bool is_ordered = is_before<threads>(var.shadow.written, mine.now) &&
                            (!writes || is_before<threads>(var.shadow.read, mine.now));
    const bool keeps_all = threads == Threads::any && is_passed_ && !finishes_;
    if (!is_ordered || keeps_all) [[unlikely]] {
      if constexpr (threads == Threads::few) return acted_with_care(self, object, what, order, code);
      const VarAccess access = writes ? VarAccess::atomic_write : VarAccess::atomic_read;
      if (const Race* race = conflict(self, var, access, code); race != nullptr && !finishes_) {
        unfinished_ = {&object, what, order, code, nullptr, nullptr};
        return race;
      }
    }
    var.shadow.has_been_atomic = true;
    (*pasts)[writes ? atomic_write : atomic_read] = {time_of(self.epoch), code};
    if (keeps_all) keep(self, var.shadow, writes ? VarAccess::atomic_write : VarAccess::atomic_read, code);
  } else if (threads == Threads::any) {
    if (const Race* const race = use(self, object, its, code); race != nullptr) {
      unfinished_ = {&object, what, order, code, nullptr, nullptr};
      return race;
    }
  }
  if (!writes) return nullptr;
  // A store starts a new release sequence; an update keeps what comes with the value that it replaces. A
  // plain write to a var would also end the sequence, but a thread that reads the value as an atomic must
  // then be ordered after that write, and so already knows everything that could come with an older value.
  bool begins = what == Synchronization::atomic_store && !its.is_of_several;
  if (is_sabotaged(Sabotage::stores_continue_release_sequences)) begins = false;
  if (is_sabotaged(Sabotage::updates_end_release_sequences)) begins = true;
  release<threads>(self, its.released, begins, what == Synchronization::atomic_update, order);
  return nullptr;
}

/// The release of an atomic operation that writes. `to` has what comes with the value that it replaces; the
/// operation keeps it unless it `begins` a release sequence.
template <Threads threads>
[[gnu::always_inline]] inline void Races::release(
    Thread& self, Released& to, bool begins, bool updates, std::memory_order order) {
  ThreadClocks& mine = threads_[self.index];
  if (is_release(order)) {
    if (begins || (updates && is_acquire(order))) {  // an acquiring update already knows all that was there
      to.become<threads>(mine.now, self.epoch);
    } else {
      to.add<threads>(mine.now, self.epoch);
    }
    advance<threads>(self, mine);
  } else if (begins) {
    to.become<threads>(mine.fenced);
  } else {
    to.add<threads>(mine.fenced);
  }
}

const Race* Races::acted(Thread& self, Object& object, Synchronization what, std::memory_order order,
    const void* code, const Released* from, Released* to) {
  if (is_sabotaged(Sabotage::no_memory_orders)) order = std::memory_order_seq_cst;
  ThreadClocks& mine = threads_[self.index];
  if (from != nullptr) from->join_to(is_acquire(order) ? mine.now : mine.observed);
  if (object.kind->is_plain_data) {
    auto& var = static_cast<Var&>(object);
    const VarAccess access = to != nullptr ? VarAccess::atomic_write : VarAccess::atomic_read;
    if (!finishes_) {
      if (const Race* race = conflict(self, var, access, code); race != nullptr) {
        unfinished_ = {&object, what, order, code, from, to};
        return race;
      }
    }
    note(self, var, access, code);
  } else if (watches_lives_) {
    if (const Race* const race = use(self, object, clocks_of(object), code); race != nullptr) {
      unfinished_ = {&object, what, order, code, from, to};
      return race;
    }
  }
  if (to == nullptr) return nullptr;
  if (from != nullptr) to->become(*from);
  release<Threads::any>(self, *to, from == nullptr, from != nullptr, order);
  return nullptr;
}

void Races::finish_operation(Thread& self) {
  const auto [object, what, order, code, from, to] = unfinished_;
  finishes_ = true;
  if (from != nullptr || to != nullptr) {
    acted(self, *object, what, order, code, from, to);
  } else {
    acted(self, *object, what, order, code);
  }
  finishes_ = false;
}

void Races::unite(Object& one, Object& other) {
  if (one.clocks != 0 && one.clocks == other.clocks) return;
  const OwnMemory own;
  clocks_of(other);  // this may move the clocks of the first object
  ObjectClocks& its = clocks_of(one);
  its.is_of_several = true;
  its.released.add<Threads::any>(objects_[other.clocks - 1].released);
  other.clocks = one.clocks;
}

void Races::fenced(Thread& self, std::memory_order order) {
  if (is_sabotaged(Sabotage::fences_order_nothing)) return;
  ThreadClocks& mine = threads_[self.index];
  if (is_acquire(order)) mine.now.join(mine.observed);
  if (!is_release(order)) return;
  mine.fenced.become(mine.now, self.epoch);
  advance(self, mine);
}

// ---------------------------------------------------------------------------------------------------------------------
// Lives of objects

void Races::began_life(const Thread& self, Object& object, const void* code) {
  if (is_sabotaged(Sabotage::constructions_are_no_writes)) return;
  ObjectClocks& its = clocks_of(object);
  its.made_by = self.index;
  its.made = {time_of(self.epoch), code};
}

// Like an access to a var as an atomic, an operation comes after what it acquires and before what it
// releases.
const Race* Races::use(const Thread& self, const Object& object, ObjectClocks& its, const void* code) {
  if (!watches_lives_ || its.made.time == 0) return nullptr;
  if (its.uses.size() <= self.index) its.uses.resize(self.index + std::size_t{1});
  its.uses[self.index] = {time_of(self.epoch), code};
  if (finishes_ || its.made.time <= threads_[self.index].now.at(its.made_by)) return nullptr;
  return found(self, object, VarAccess::use, code, its.made_by, VarAccess::make, its.made.code);
}

const Race* Races::ends_life(const Thread& self, Object& object, const void* code) {
  if (object.clocks == 0 || is_sabotaged(Sabotage::destructions_are_no_writes)) return nullptr;
  ObjectClocks& its = objects_[object.clocks - 1];
  const Past made = std::exchange(its.made, {});
  if (made.time == 0) return nullptr;
  const VectorClock& now = threads_[self.index].now;
  for (std::size_t thread = its.uses.size(); thread-- > 0;) {
    const Past& use = its.uses[thread];
    const auto by = static_cast<unsigned>(thread);
    if (use.time > now.at(by))
      return found(self, object, VarAccess::destroy, code, by, VarAccess::use, use.code);
    if (is_sabotaged(Sabotage::destruction_looks_at_one_user) && use.time != 0) break;
  }
  if (made.time <= now.at(its.made_by)) return nullptr;
  return found(self, object, VarAccess::destroy, code, its.made_by, VarAccess::make, made.code);
}

// ---------------------------------------------------------------------------------------------------------------------
// Accesses

const Race* Races::found(const Thread& self, const Object& object, VarAccess access, const void* code,
    unsigned thread, VarAccess first, const void* first_code) {
  race_.object = &object;
  race_.first = {thread, threads_[thread].key, first, first_code};
  race_.second = {self.index, self.key, access, code};
  return &race_;
}

const Race* Races::find_in_history(
    const Thread& self, const Var& var, VarAccess access, const void* code, Slot slot, VarAccess first) {
  const History& history = histories_[var.shadow.history - 1];
  const VectorClock& now = threads_[self.index].now;
  for (unsigned thread = 0; thread < history.size(); ++thread) {
    const Past& past = history[thread][slot];
    if (past.time > now.at(thread)) return found(self, var, access, code, thread, first, past.code);
  }
  return nullptr;
}

const Race* Races::conflict(const Thread& self, const Var& var, VarAccess access, const void* code) {
  return is_passed_ ? unpassed_conflict(self, var, access, code) : last_conflict(self, var, access, code);
}

const Race* Races::unpassed_conflict(const Thread& self, const Var& var, VarAccess access, const void* code) {
  // First the one that an execution which ends at the first race finds.
  const Race* const last = last_conflict(self, var, access, code);
  if (last != nullptr && !is_passed_(*last)) return last;
  if (var.shadow.history == 0) return nullptr;
  const VectorClock& now = threads_[self.index].now;
  const auto reads = [](VarAccess one) { return one == VarAccess::read || one == VarAccess::atomic_read; };
  for (const Noted& noted : noted_[var.shadow.history - 1]) {
    const bool conflicts =
        !(reads(noted.access) && reads(access)) && !(is_atomic(noted.access) && is_atomic(access));
    if (!conflicts || noted.thread == self.index || noted.time <= now.at(noted.thread)) continue;
    const Race* const race = found(self, var, access, code, noted.thread, noted.access, noted.code);
    if (!is_passed_(*race)) return race;
  }
  return nullptr;
}

void Races::keep(Thread& self, VarShadow& shadow, VarAccess access, const void* code) {
  pasts_of(shadow, self.index);  // makes the history
  std::vector<Noted>& all = noted_[shadow.history - 1];
  const auto known = std::find_if(all.begin(), all.end(), [&](const Noted& noted) {
    return noted.thread == self.index && noted.access == access && noted.code == code;
  });
  if (known == all.end()) {
    all.push_back({self.index, time_of(self.epoch), access, code});
  } else {
    known->time = time_of(self.epoch);
  }
  advance(self, threads_[self.index]);  // so that the next access is not taken for this one
}

const Race* Races::last_conflict(const Thread& self, const Var& var, VarAccess access, const void* code) {
  const VarShadow& shadow = var.shadow;
  const VectorClock& now = threads_[self.index].now;
  const bool reads = access == VarAccess::read || access == VarAccess::atomic_read;

  if (!is_before(shadow.written, now)) {
    return found(
        self, var, access, code, thread_of_epoch(shadow.written), VarAccess::write, shadow.written_by);
  }
  if (!reads && shadow.read != kSeveralThreads && !is_before(shadow.read, now)) {
    return found(self, var, access, code, thread_of_epoch(shadow.read), VarAccess::read, shadow.read_by);
  }
  if (shadow.history != 0) {
    const Race* race = nullptr;
    if (!reads && shadow.read == kSeveralThreads) {
      race = find_in_history(self, var, access, code, plain_read, VarAccess::read);
    }
    if (race == nullptr && !is_atomic(access) && shadow.has_been_atomic) {
      race = find_in_history(self, var, access, code, atomic_write, VarAccess::atomic_write);
    }
    if (race == nullptr && !is_atomic(access) && !reads && shadow.has_been_atomic) {
      race = find_in_history(self, var, access, code, atomic_read, VarAccess::atomic_read);
    }
    if (race != nullptr) return race;
  }
  return nullptr;
}

void Races::note(Thread& self, Var& var, VarAccess access, const void* code) {
  VarShadow& shadow = var.shadow;
  const bool reads = access == VarAccess::read || access == VarAccess::atomic_read;
  if (is_atomic(access)) {
    shadow.has_been_atomic = true;
    pasts_of(shadow, self.index)[reads ? atomic_read : atomic_write] = {time_of(self.epoch), code};
  } else if (reads) {
    note_read(self, shadow, code);
    if (is_sabotaged(Sabotage::plain_reads_forget_history)) var.clocks = 0;
  } else {
    note_write(self, shadow, code);
  }
  if (!is_passed_) return;
  keep(self, shadow, access, code);
  // Who reads this value as an atomic is not ordered after the stores before it: see acted_atomically().
  if (reads || is_atomic(access) || var.clocks == 0) return;
  ObjectClocks& its = objects_[var.clocks - 1];
  if (!its.is_of_several) its.released.clear();
}

bool Races::note_atomic_alone(const Thread& self, Var& var, VarAccess access, const void* code) {
  VarShadow& shadow = var.shadow;
  if (is_passed_ || shadow.written != 0 || shadow.read != 0) return false;
  shadow.has_been_atomic = true;
  pasts_of(shadow, self.index)[access == VarAccess::atomic_read ? atomic_read : atomic_write] = {
      time_of(self.epoch), code};
  return true;
}

void Races::note_read(const Thread& self, VarShadow& shadow, const void* code) {
  const bool replaces =
      shadow.read != kSeveralThreads &&
      (is_before(shadow.read, threads_[self.index].now) || is_sabotaged(Sabotage::only_the_last_read_counts));
  if (replaces) {
    shadow.read = self.epoch;
    shadow.read_by = code;
    return;
  }
  if (shadow.read != kSeveralThreads) {
    pasts_of(shadow, thread_of_epoch(shadow.read))[plain_read] = {time_of(shadow.read), shadow.read_by};
    shadow.read = kSeveralThreads;
  }
  pasts_of(shadow, self.index)[plain_read] = {time_of(self.epoch), code};
}

// Everything that was done before is ordered before this write.
void Races::note_write(const Thread& self, VarShadow& shadow, const void* code) {
  shadow.note_write(self.epoch, code);
  if (shadow.history != 0) histories_[shadow.history - 1].clear();
  shadow.has_been_atomic = false;
}

}  // namespace hocket::runtime
