#include "lock_orders.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "../../runtime/terms/semantics.hpp"
#include "../../runtime/threads/thread.hpp"

namespace hocket {

using runtime::Access;
using runtime::Need;
using runtime::Object;
using runtime::Operation;
using runtime::Thread;

namespace {

constexpr std::size_t kMostNestings = 256;
constexpr std::size_t kMostInCycle = 8;

}  // namespace

/// What a search for cycles has found, and how far it may still go: there may be very many of them.
struct LockOrders::Found {
  static constexpr unsigned kMostOfLocks = 4;

  std::vector<Cycle> cycles;
  std::map<std::vector<const void*>, unsigned> of_locks;  ///< how many cycles in which these are taken
  std::uint32_t looks_left = 100'000;

  [[nodiscard]] bool goes_on() const {
    constexpr std::size_t kMost = 32;
    return looks_left != 0 && cycles.size() < kMost;
  }
};

void LockOrders::begin(const Thread& first) {
  current_ = &first;
  steps_ = 0;
  threads_.clear();
  nestings_.clear();
}

LockOrders::ThreadsLocks& LockOrders::of(const Thread& thread) {
  if (threads_.size() <= thread.index) threads_.resize(thread.index + std::size_t{1});
  ThreadsLocks& its = threads_[thread.index];
  if (its.clock.size() <= thread.index) its.clock.resize(thread.index + std::size_t{1});
  return its;
}

void LockOrders::join(Clock& into, const Clock& other) {
  if (into.size() < other.size()) into.resize(other.size());
  for (std::size_t n = 0; n < other.size(); ++n) into[n] = std::max(into[n], other[n]);
}

void LockOrders::created(const Thread& thread) {
  const Clock before = of(*thread.creator).clock;
  join(of(thread).clock, before);
}

void LockOrders::joined(const Thread& thread, const Thread& target) {
  const Clock ended = of(target).clock;
  join(of(thread).clock, ended);
}

void LockOrders::chose_thread(const Thread& thread, runtime::Mode /*mode*/) {
  current_ = &thread;
  ++steps_;
  ++of(thread).clock[thread.index];
}

void LockOrders::acted(const Object& object, Access access) {
  const runtime::Pending& pending = current_->pending;
  const Operation operation = runtime::operation_of_step(pending.operation, current_->mode);
  if (access != Access::write) return;  // it failed to take the lock
  const runtime::Semantics& meaning = runtime::semantics_of(operation);
  switch (meaning.needs) {
    case Need::lock:
      return take({&object, false}, meaning.otherwise == runtime::Otherwise::waits);
    case Need::shared_lock:
      return take({&object, true}, meaning.otherwise == runtime::Otherwise::waits);
    case Need::notification_and_lock:
      if (&object == pending.second) take({&object, false}, true);
      return;
    default:
      break;
  }
  const bool is_unlock = operation == Operation::mutex_unlock || operation == Operation::mutex_unlock_shared;
  const bool is_mutex_of_wait = operation == Operation::condition_wait && &object != pending.object;
  if (is_unlock || is_mutex_of_wait) give_back(object);
}

void LockOrders::take(const Held& lock, bool waits) {
  ThreadsLocks& its = of(*current_);
  const bool is_again =
      std::any_of(its.held.begin(), its.held.end(), [&](const Held& held) { return held.lock == lock.lock; });
  if (waits && !is_again && !its.held.empty())
    add({{current_->index, its.clock[current_->index]}, lock, its.held, its.clock});
  its.held.push_back(lock);
}

void LockOrders::add(Nesting nesting) {
  const auto is_like = [&](const Nesting& one) {
    return one.at.thread == nesting.at.thread && one.takes == nesting.takes && one.holds == nesting.holds;
  };
  nesting.is_again = std::any_of(nestings_.begin(), nestings_.end(), is_like);
  const auto last = std::find_if(nestings_.rbegin(), nestings_.rend(), is_like);
  if (last != nestings_.rend() && last->is_again) {
    *last = std::move(nesting);
  } else if (nestings_.size() < kMostNestings) {
    nestings_.push_back(std::move(nesting));
  }
}

void LockOrders::give_back(const Object& lock) {
  std::vector<Held>& held = of(*current_).held;
  const auto last =
      std::find_if(held.rbegin(), held.rend(), [&](const Held& one) { return one.lock == &lock; });
  if (last != held.rend()) held.erase(std::next(last).base());
}

bool LockOrders::may_be_together(const Nesting& one, const Nesting& other) {
  const auto comes_before = [](const Nesting& first, const Nesting& second) {
    const unsigned thread = first.at.thread;
    return thread < second.clock.size() && second.clock[thread] >= first.at.step;
  };
  if (one.at.thread == other.at.thread || comes_before(one, other) || comes_before(other, one)) return false;
  return std::none_of(one.holds.begin(), one.holds.end(), [&](const Held& held) {
    return std::any_of(
        other.holds.begin(), other.holds.end(), [&](const Held& its) { return held.excludes(its); });
  });
}

void LockOrders::extend(std::vector<std::size_t>& path, std::size_t length, Found& found) const {
  const auto holds = [](const Nesting& nesting, const Held& wanted) {
    return std::any_of(
        nesting.holds.begin(), nesting.holds.end(), [&](const Held& held) { return held.excludes(wanted); });
  };
  const Nesting& last = nestings_[path.back()];
  if (path.size() == length) {
    if (!holds(nestings_[path.front()], last.takes)) return;
    Cycle cycle;
    std::vector<const void*> key;
    for (const std::size_t nesting : path) {
      cycle.push_back(nestings_[nesting].at);
      key.push_back(nestings_[nesting].takes.lock);
    }
    if (++found.of_locks[key] <= Found::kMostOfLocks) found.cycles.push_back(std::move(cycle));
    return;
  }
  for (std::size_t next = 0; next < nestings_.size() && found.goes_on(); ++next) {
    --found.looks_left;
    const Nesting& nesting = nestings_[next];
    if (nesting.at.thread < nestings_[path.front()].at.thread || !holds(nesting, last.takes)) continue;
    const bool fits = std::all_of(path.begin(), path.end(),
        [&](std::size_t other) { return may_be_together(nestings_[other], nesting); });
    if (!fits) continue;
    path.push_back(next);
    extend(path, length, found);
    path.pop_back();
  }
}

std::vector<LockOrders::Cycle> LockOrders::cycles() const {
  Found found;
  const std::size_t most = std::min(kMostInCycle, threads_.size());
  for (std::size_t length = 2; length <= most; ++length) {
    for (std::size_t first = 0; first < nestings_.size() && found.goes_on(); ++first) {
      std::vector<std::size_t> path{first};
      extend(path, length, found);
    }
  }
  return std::move(found.cycles);
}

HoldsBack::HoldsBack(const LockOrders::Cycle& cycle, std::size_t first) : cycle_(cycle) {
  std::rotate(cycle_.begin(), cycle_.begin() + static_cast<std::ptrdiff_t>(first), cycle_.end());
}

runtime::Code HoldsBack::choose(const runtime::ChoicePoint& point) {
  if (point.entry.kind == runtime::LogEntry::value) return point.entry.code;
  for (; counted_ < point.position; ++counted_) {
    const runtime::LogEntry& entry = point.log->entries[counted_];
    if (entry.kind == runtime::LogEntry::value) continue;
    const unsigned thread = runtime::thread_of(entry.code);
    if (steps_.size() <= thread) steps_.resize(thread + std::size_t{1});
    ++steps_[thread];
  }
  constexpr std::size_t kLast = std::numeric_limits<std::size_t>::max();
  // First the thread that is to come to its step next, then those outside the cycle, and those that are there
  // if no other can run.
  const auto rank_of = [&](unsigned thread) {
    std::size_t before = 0;  // threads that have not come there yet
    for (const LockOrders::Taking& at : cycle_) {
      const std::uint32_t made = at.thread < steps_.size() ? steps_[at.thread] : 0;
      const bool is_there = made + 1 == at.step;
      if (at.thread == thread) return is_there ? kLast : made >= at.step || before != 0 ? before + 1 : 0;
      before += made + 1 < at.step ? 1 : 0;
    }
    return std::size_t{1};
  };
  runtime::Code best = point.entry.code;
  std::size_t least = kLast;
  point.log->for_each_candidate(point.entry, [&](const runtime::Candidate& candidate) {
    if (runtime::mode_of(candidate.code) != runtime::Mode::run) return;
    const std::size_t rank = rank_of(runtime::thread_of(candidate.code));
    if (rank >= least) return;
    least = rank;
    best = candidate.code;
  });
  return best;
}

}  // namespace hocket
