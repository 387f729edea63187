#include <hocket/runtime/races.hpp>

#include <algorithm>
#include <utility>

#include <hocket/runtime/sabotage.hpp>
#include <hocket/runtime/synchronization.hpp>

namespace hocket::runtime {

// ---------------------------------------------------------------------------------------------------------------------
// What is kept

void Races::Directory::clear() {
  used_ = 0;
  if (++generation_ == 0) {  // once in four billion executions
    entries_.assign(entries_.size(), Entry{});
    generation_ = 1;
  }
}

std::uint32_t Races::Directory::find_or_add(std::uint64_t key, std::uint32_t next) {
  if (2 * used_ >= entries_.size()) grow();
  const std::size_t mask = entries_.size() - 1;
  for (std::size_t n = key & mask;; n = (n + 1) & mask) {  // keys are well mixed
    Entry& entry = entries_[n];
    if (entry.generation != generation_) {
      entry = {key, generation_, next};
      ++used_;
      return next;
    }
    if (entry.key == key) return entry.place;
  }
}

void Races::Directory::grow() {
  constexpr std::size_t kFirst = 64;
  const std::vector<Entry> old =
      std::exchange(entries_, std::vector<Entry>(entries_.empty() ? kFirst : 2 * entries_.size()));
  used_ = 0;
  for (const Entry& entry : old) {
    if (entry.generation == generation_) find_or_add(entry.key, entry.place);
  }
}

[[gnu::always_inline]] inline Races::ObjectClocks& Races::clocks_of(Object& object) {
  if (object.kind->is_plain_data) {
    if (const std::uint32_t known = static_cast<Var&>(object).shadow.clocks; known != 0) [[likely]]
      return objects_[known - 1];
  }
  return find_clocks_of(object);
}

Races::ObjectClocks& Races::find_clocks_of(Object& object) {
  const std::uint32_t place = directory_.find_or_add(object.key, static_cast<std::uint32_t>(objects_used_));
  if (object.kind->is_plain_data) static_cast<Var&>(object).shadow.clocks = place + 1;
  if (place == objects_used_) {
    if (++objects_used_ > objects_.size()) objects_.emplace_back();
    objects_[place].released.clear();
    objects_[place].released_shared.clear();
  }
  return objects_[place];
}

[[gnu::always_inline]] inline Races::History& Races::history_of(VarShadow& shadow) {
  if (shadow.history != 0) [[likely]] {
    History& history = histories_[shadow.history - 1];
    if (history.size() == threads_used_) [[likely]]
      return history;
  }
  return make_history_of(shadow);
}

Races::History& Races::make_history_of(VarShadow& shadow) {
  if (shadow.history == 0) {
    if (++histories_used_ > histories_.size()) histories_.emplace_back();
    shadow.history = static_cast<std::uint32_t>(histories_used_);
    histories_[shadow.history - 1].clear();
  }
  History& history = histories_[shadow.history - 1];
  if (history.size() < threads_used_) history.resize(threads_used_);
  return history;
}

// ---------------------------------------------------------------------------------------------------------------------
// Threads

void Races::begin() {
  directory_.clear();
  objects_used_ = 0;
  histories_used_ = 0;
  threads_used_ = 0;
  race_ = {};
}

void Races::add(Thread& thread, bool is_created_now) {
  threads_used_ = std::max(threads_used_, thread.index + 1U);
  ThreadClocks& clocks = threads_[thread.index];
  clocks.key = thread.key;
  clocks.now.clear();
  clocks.fenced.clear();
  clocks.observed.clear();
  if (is_created_now && thread.creator != nullptr) {
    clocks.now.join(threads_[thread.creator->index].now);
    advance(*thread.creator);
  }
  clocks.now.set(thread.index, 1);
  thread.known = &clocks.now;
  thread.epoch = epoch_of(thread.index, 1);
}

void Races::joined(const Thread& joiner, const Thread& ended) {
  if (is_sabotaged(Sabotage::join_orders_nothing)) return;
  threads_[joiner.index].now.join(threads_[ended.index].now);
}

[[gnu::always_inline]] inline void Races::advance(Thread& self) {
  ++self.epoch;
  threads_[self.index].now.set(self.index, time_of(self.epoch));
}

// ---------------------------------------------------------------------------------------------------------------------
// What orders

[[gnu::always_inline]] inline void Races::acquire_value(
    ThreadClocks& self, const VectorClock& value, std::memory_order order) {
  if (is_acquire(order)) {
    self.now.join(value);
  } else {
    self.observed.join(value);
  }
}

// As conflict() and note(), but shorter: atomic accesses do not race with each other.
[[gnu::always_inline]] inline const Race* Races::access_atomically(
    const Thread& self, Var& var, bool writes, const void* code) {
  VarShadow& shadow = var.shadow;
  const VectorClock& now = threads_[self.index].now;
  if (!is_before(shadow.written, now) || (writes && !is_before(shadow.read, now))) [[unlikely]] {
    const VarAccess access = writes ? VarAccess::atomic_write : VarAccess::atomic_read;
    if (const Race* race = conflict(self, var, access, code); race != nullptr) return race;
  }
  shadow.has_been_atomic = true;
  history_of(shadow)[self.index][writes ? atomic_write : atomic_read] = {time_of(self.epoch), code};
  return nullptr;
}

const Race* Races::acted(Thread& self, Object& object, Operation operation, Access access,
    std::memory_order order, const void* code) {
  const Synchronization what = synchronization_of(object, operation, access);
  if (what == Synchronization::none) return nullptr;
  if (is_sabotaged(Sabotage::no_memory_orders)) order = std::memory_order_seq_cst;
  ThreadClocks& mine = threads_[self.index];
  ObjectClocks& its = clocks_of(object);
  switch (what) {
    case Synchronization::acquire:
      if (is_sabotaged(Sabotage::unlock_orders_nothing)) return nullptr;
      mine.now.join(its.released);
      mine.now.join(its.released_shared);
      return nullptr;
    case Synchronization::acquire_shared:
      mine.now.join(its.released);
      if (is_sabotaged(Sabotage::readers_order_readers)) mine.now.join(its.released_shared);
      return nullptr;
    case Synchronization::release:
      its.released.join(mine.now);
      advance(self);
      return nullptr;
    case Synchronization::release_shared:
      its.released_shared.join(mine.now);
      advance(self);
      return nullptr;
    default:
      break;
  }

  // An atomic operation. It happens before what reads its value, and after what comes with the value it
  // reads: so it is an access between its acquire and its release.
  const bool writes = what != Synchronization::atomic_load;
  if (what != Synchronization::atomic_store) acquire_value(mine, its.released, order);
  if (object.kind->is_plain_data) {
    const Race* const race = access_atomically(self, static_cast<Var&>(object), writes, code);
    if (race != nullptr) return race;
  }
  if (!writes) return nullptr;
  // A store begins with nothing, an update takes along what comes with the value that it replaces. A plain
  // write to a var would end that too, but then whoever reads the value as an atomic must be ordered after
  // that write, and so knows already all that could come with an older value.
  bool begins = what == Synchronization::atomic_store;
  if (is_sabotaged(Sabotage::stores_continue_release_sequences)) begins = false;
  if (is_sabotaged(Sabotage::updates_end_release_sequences)) begins = true;
  if (is_release(order)) {
    const bool knows_the_value = what == Synchronization::atomic_update && is_acquire(order);
    if (begins || knows_the_value) {
      its.released.become(mine.now);
    } else {
      its.released.join(mine.now);
    }
    advance(self);
  } else if (begins) {
    its.released.become(mine.fenced);
  } else {
    its.released.join(mine.fenced);
  }
  return nullptr;
}

void Races::fenced(Thread& self, std::memory_order order) {
  if (is_sabotaged(Sabotage::fences_order_nothing)) return;
  ThreadClocks& mine = threads_[self.index];
  if (is_acquire(order)) mine.now.join(mine.observed);
  if (!is_release(order)) return;
  mine.fenced.join(mine.now);
  advance(self);
}

// ---------------------------------------------------------------------------------------------------------------------
// Accesses

const Race* Races::found(const Thread& self, const Var& var, VarAccess access, const void* code,
    unsigned thread, VarAccess first, const void* first_code) {
  race_.var_key = var.key;
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
  const VarShadow& shadow = var.shadow;
  const VectorClock& now = threads_[self.index].now;
  const bool reads = access == VarAccess::read || access == VarAccess::atomic_read;
  const bool is_atomic = access == VarAccess::atomic_read || access == VarAccess::atomic_write;

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
    if (race == nullptr && !is_atomic && shadow.has_been_atomic) {
      race = find_in_history(self, var, access, code, atomic_write, VarAccess::atomic_write);
    }
    if (race == nullptr && !is_atomic && !reads && shadow.has_been_atomic) {
      race = find_in_history(self, var, access, code, atomic_read, VarAccess::atomic_read);
    }
    if (race != nullptr) return race;
  }
  return nullptr;
}

void Races::note(const Thread& self, Var& var, VarAccess access, const void* code) {
  VarShadow& shadow = var.shadow;
  const bool reads = access == VarAccess::read || access == VarAccess::atomic_read;
  if (access == VarAccess::atomic_read || access == VarAccess::atomic_write) {
    shadow.has_been_atomic = true;
    history_of(shadow)[self.index][reads ? atomic_read : atomic_write] = {time_of(self.epoch), code};
  } else if (reads) {
    note_read(self, shadow, code);
  } else {
    note_write(self, shadow, code);
  }
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
  History& history = history_of(shadow);
  if (shadow.read != kSeveralThreads) {
    history[thread_of_epoch(shadow.read)][plain_read] = {time_of(shadow.read), shadow.read_by};
    shadow.read = kSeveralThreads;
  }
  history[self.index][plain_read] = {time_of(self.epoch), code};
}

// All that was done before is ordered before this write.
void Races::note_write(const Thread& self, VarShadow& shadow, const void* code) {
  shadow.written = self.epoch;
  shadow.written_by = code;
  if (shadow.read == kSeveralThreads) shadow.read = 0;
  if (shadow.history != 0) histories_[shadow.history - 1].clear();
  shadow.has_been_atomic = false;
}

}  // namespace hocket::runtime
