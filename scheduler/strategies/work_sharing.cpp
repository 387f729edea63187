#include "work_sharing.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <climits>
#include <cstddef>
#include <ctime>
#include <new>
#include <utility>

#include <linux/futex.h>
#include <sys/syscall.h>

#include "../../runtime/platform/system_call.hpp"

namespace hocket {

namespace {

using runtime::platform::as_argument;
using runtime::platform::system_call;

}  // namespace

bool Parcel::add(std::uint32_t check, std::span<const Deviation> deviations) {
  if (items_ == kMostItems || words_.size() - used_ < deviations.size() + 2) return false;
  words_[used_++] = check;
  words_[used_++] = static_cast<std::uint32_t>(deviations.size());
  for (const Deviation& deviation : deviations)
    words_[used_++] = Frontier::pack(deviation.position, deviation.code);
  ++items_;
  return true;
}

struct WorkSharing::Job {
  enum class At : std::uint8_t { work, rest, apart, gone };  // apart: and others may have its work

  At at;
  bool has_work;      ///< something to run at the bound
  bool has_received;  ///< what is in the parcel
  unsigned next;      ///< the bound of what it has beyond this one, if it has no work
  Parcel parcel;
};

// What changes under the lock is not atomic, unless it is read without.
struct WorkSharing::Shared {
  alignas(64) std::atomic<std::uint32_t> asking;  ///< jobs that wait for work
  std::atomic<bool> is_over;
  std::atomic<bool> is_taken_over;
  std::atomic<bool> has_ended;
  std::atomic<unsigned> bound;
  std::atomic<unsigned> hints;

  alignas(64) std::atomic<bool> is_locked;
  std::atomic<std::uint32_t> changes;
  unsigned waiting_to_grow;

  alignas(64) std::atomic<std::int64_t> executions_left;
};

WorkSharing::WorkSharing(unsigned jobs, unsigned bound, std::unique_ptr<SharedStates> states)
    : jobs_(jobs), states_(std::move(states)), memory_(sizeof(Shared) + jobs * sizeof(Job)) {
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
  ::new (memory_.data()) Shared{};
  shared().bound.store(bound, std::memory_order_relaxed);
  for (unsigned index = 0; index < jobs; ++index) {
    job(index).at = Job::At::work;
    job(index).has_work = true;
  }
}

WorkSharing::Shared& WorkSharing::shared() const {
  return *reinterpret_cast<Shared*>(memory_.data());
}
WorkSharing::Job& WorkSharing::job(unsigned index) const {
  return reinterpret_cast<Job*>(memory_.data() + sizeof(Shared))[index];
}

// ---------------------------------------------------------------------------------------------------------------------
// The lock, and waiting

// A job that was killed may have it: then the search is over, as the process that made the job says.
bool WorkSharing::lock() {
  while (shared().is_locked.exchange(true, std::memory_order_acquire)) {
    if (is_over()) return false;
    system_call(SYS_sched_yield);
  }
  return true;
}

void WorkSharing::unlock() {
  shared().is_locked.store(false, std::memory_order_release);
}

void WorkSharing::tell_all() {
  shared().changes.fetch_add(1, std::memory_order_release);
  system_call(SYS_futex, as_argument(&shared().changes), FUTEX_WAKE, INT_MAX);
}

void WorkSharing::wait_a_little(std::uint32_t seen) const {
  const timespec most{.tv_sec = 0, .tv_nsec = 5'000'000};
  system_call(SYS_futex, as_argument(&shared().changes), FUTEX_WAIT, seen, as_argument(&most));
}

void WorkSharing::end() {
  shared().is_over.store(true, std::memory_order_release);
  tell_all();
}

bool WorkSharing::is_over() const {
  return shared().is_over.load(std::memory_order_relaxed);
}

void WorkSharing::leave() {
  if (!lock()) return;
  job(index_).at = Job::At::gone;
  tell_all();
  unlock();
}

// ---------------------------------------------------------------------------------------------------------------------
// The limit of executions

void WorkSharing::limit(std::uint64_t executions) {
  shared().executions_left.store(static_cast<std::int64_t>(executions), std::memory_order_relaxed);
}

bool WorkSharing::takes_execution() {
  if (shared().executions_left.fetch_sub(1, std::memory_order_relaxed) > 0) return true;
  gives_execution_back();
  return false;
}

void WorkSharing::gives_execution_back() {
  shared().executions_left.fetch_add(1, std::memory_order_relaxed);
}

// ---------------------------------------------------------------------------------------------------------------------
// Work

bool WorkSharing::is_asked() const {
  const Shared& all = shared();
  return all.asking.load(std::memory_order_relaxed) != 0 || is_over() || is_taken_over() || asks_to_grow();
}

bool WorkSharing::asks_to_grow() const {
  return (states_ != nullptr && states_->asks_to_grow()) || (classes_ != nullptr && classes_->asks_to_grow());
}

void WorkSharing::let_tables_grow(const std::function<bool()>& must_stop) {
  if (!asks_to_grow() || !lock()) return;
  Shared& all = shared();
  ++all.waiting_to_grow;
  while (asks_to_grow() && !is_over()) {  // one that was killed never comes
    const auto working = [&](const Job& one) { return one.at == Job::At::work || one.at == Job::At::apart; };
    const auto count = static_cast<unsigned>(std::count_if(&job(0), &job(0) + jobs_, working));
    if (all.waiting_to_grow == count) {
      for (SharedStates* const table : {states_.get(), classes_.get()}) {
        if (table != nullptr && table->asks_to_grow()) table->grow();
      }
      tell_all();
      break;
    }
    const std::uint32_t seen = all.changes.load(std::memory_order_relaxed);
    unlock();
    wait_a_little(seen);
    const bool stops = must_stop && must_stop();
    if (!lock()) return;
    if (stops) break;
  }
  --all.waiting_to_grow;
  unlock();
}

bool WorkSharing::hand_out(const std::function<void(Parcel&)>& fill) {
  Shared& all = shared();
  if (all.asking.load(std::memory_order_relaxed) == 0 || !lock()) return false;
  Job* const end = &job(0) + jobs_;
  Job* const asks =
      std::find_if(&job(0), end, [](const Job& one) { return one.at == Job::At::rest && !one.has_work; });
  if (asks != end) {
    asks->parcel.clear();
    fill(asks->parcel);
    if (asks->parcel.items() != 0) {
      asks->has_work = asks->has_received = true;
      all.asking.fetch_sub(1, std::memory_order_relaxed);
      tell_all();
    }
  }
  unlock();
  return asks != end;
}

void WorkSharing::note_nothing_left(unsigned next) {
  job(index_).has_work = false;
  job(index_).next = next;
  end_bound_if_done();
  tell_all();
}

void WorkSharing::end_bound_if_done() {
  Shared& all = shared();
  if (all.is_taken_over.load(std::memory_order_relaxed)) return;
  unsigned next = kNone;
  for (unsigned index = 0; index < jobs_; ++index) {
    if (job(index).has_work) return;
    next = std::min(next, job(index).next);
  }
  assert(next > all.bound.load(std::memory_order_relaxed));
  if (next == kNone) {
    all.has_ended.store(true, std::memory_order_relaxed);
    return;
  }
  all.bound.store(next, std::memory_order_relaxed);
  for (unsigned index = 0; index < jobs_; ++index) {
    job(index).has_work = true;  // until it says that it has none
    if (job(index).at == Job::At::rest) job(index).at = Job::At::work;
  }
  all.asking.store(0, std::memory_order_relaxed);
  all.hints.store(0, std::memory_order_relaxed);
}

WorkSharing::Came WorkSharing::wait(unsigned bound, unsigned next, const std::function<bool()>& must_stop) {
  if (!lock()) return Came::end;
  Shared& all = shared();
  Job& self = job(index_);
  const bool is_news = all.bound.load(std::memory_order_relaxed) != bound;
  if (!is_news) {
    self.at = Job::At::rest;
    all.asking.fetch_add(1, std::memory_order_relaxed);
    note_nothing_left(next);
  }
  for (;;) {
    const bool is_over = this->is_over() || is_taken_over() || has_ended();
    const bool has_received = std::exchange(self.has_received, false);
    const bool is_next = all.bound.load(std::memory_order_relaxed) != bound;
    if (is_over || has_received || is_next) {
      self.at = Job::At::work;
      unlock();
      return is_over ? Came::end : has_received ? Came::items : Came::bound;
    }
    const std::uint32_t seen = all.changes.load(std::memory_order_relaxed);
    unlock();
    wait_a_little(seen);
    if (must_stop && must_stop()) return Came::end;
    if (!lock()) return Came::end;
  }
}

const Parcel& WorkSharing::received() const {
  return job(index_).parcel;
}
unsigned WorkSharing::bound() const {
  return shared().bound.load(std::memory_order_relaxed);
}
bool WorkSharing::has_ended() const {
  return shared().has_ended.load(std::memory_order_relaxed);
}

unsigned WorkSharing::hints(unsigned own) {
  const unsigned known = shared().hints.load(std::memory_order_relaxed);
  if ((known | own) != known) shared().hints.fetch_or(own, std::memory_order_relaxed);
  return known | own;
}

// ---------------------------------------------------------------------------------------------------------------------
// Apart

void WorkSharing::go_apart() {
  if (!lock()) return;
  job(index_).at = Job::At::apart;
  tell_all();
  unlock();
}

void WorkSharing::has_handed_out_all(unsigned bound, unsigned next) {
  if (!lock()) return;
  if (bound == this->bound() && job(index_).has_work) note_nothing_left(next);
  unlock();
}

void WorkSharing::come_back() {
  if (!lock()) return;
  job(index_).at = Job::At::work;
  unlock();
}

bool WorkSharing::take_over(unsigned bound) {
  if (!lock()) return false;
  Shared& all = shared();
  const bool is_first = bound == this->bound() && !has_ended();
  if (is_first) all.is_taken_over.store(true, std::memory_order_relaxed);
  tell_all();
  unlock();
  return is_first;
}

bool WorkSharing::is_taken_over() const {
  return shared().is_taken_over.load(std::memory_order_relaxed);
}

}  // namespace hocket
