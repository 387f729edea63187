#include "lock_orders.hpp"

#include <algorithm>
#include <iterator>
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
  /// The threads, and what each of them takes.
  using Likeness = std::vector<std::pair<unsigned, const Object*>>;
  static constexpr unsigned kMostAlike = 4;

  std::vector<Cycle> cycles;
  std::map<Likeness, unsigned> alike;  ///< how many cycles there are of each
  std::uint32_t looks_left = 100'000;

  [[nodiscard]] bool goes_on() const {
    constexpr std::size_t kMost = 32;
    return looks_left != 0 && cycles.size() < kMost;
  }
};

void LockOrders::begin(const Thread& first) {
  ThreadClocks::begin(first);
  held_.clear();
  nestings_.clear();
}

std::uint32_t LockOrders::steps() const {
  std::uint32_t sum = 0;
  for (std::size_t thread = 0; thread < clocks().size(); ++thread)
    sum += clocks()[thread].empty() ? 0 : clocks()[thread][thread];
  return sum;
}

/// The locks of the current thread.
std::vector<LockOrders::Held>& LockOrders::held() {
  const std::size_t index = current().index;
  if (held_.size() <= index) held_.resize(index + 1);
  return held_[index];
}

void LockOrders::acted(const Object& object, Access access) {
  const runtime::Pending& pending = current().pending;
  const Operation operation = runtime::operation_of_step(pending.operation, current().mode);
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
  std::vector<Held>& all = held();
  const bool is_again =
      std::any_of(all.begin(), all.end(), [&](const Held& one) { return one.lock == lock.lock; });
  if (waits && !is_again && !all.empty()) {
    const Clock& now = clock(current());
    add({{current().index, now[current().index]}, lock, all, now});
  }
  all.push_back(lock);
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
  std::vector<Held>& all = held();
  const auto last =
      std::find_if(all.rbegin(), all.rend(), [&](const Held& one) { return one.lock == &lock; });
  if (last != all.rend()) all.erase(std::next(last).base());
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
    Found::Likeness likeness;
    for (const std::size_t nesting : path) {
      cycle.push_back(nestings_[nesting].at);
      likeness.emplace_back(nestings_[nesting].at.thread, nestings_[nesting].takes.lock);
    }
    if (++found.alike[likeness] <= Found::kMostAlike) found.cycles.push_back(std::move(cycle));
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
  const std::size_t most = std::min(kMostInCycle, held_.size());
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
