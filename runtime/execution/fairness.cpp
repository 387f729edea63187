#include "fairness.hpp"

#include <utility>

namespace hocket::runtime {

ThreadSet Fairness::all() {
  ThreadSet set;
  for (unsigned t = 0; t < kMaxThreads; ++t) set.insert(t);
  return set;
}

Fairness::Window& Fairness::window(unsigned thread) {
  if (threads_.size() <= thread) threads_.resize(thread + std::size_t{1});
  return threads_[thread];
}

void Fairness::chose(unsigned thread, bool yields, Where where) {
  Window& own = window(thread);
  if (yields) {
    gave_way_.insert(thread);
    own.yielded_at = where;
  }
  chosen_ = thread;
  yields_ = yields;
  has_chosen_ = true;
}

void Fairness::settle(const ThreadSet& able) {
  const ThreadSet before = std::exchange(before_, able);
  if (!has_chosen_) return;
  has_chosen_ = false;
  for (Window& w : threads_) {
    w.behind.erase(chosen_);
    w.able &= able;
    w.ran.insert(chosen_);
  }
  Window& own = threads_[chosen_];
  ThreadSet stopped = before;
  stopped -= able;
  own.held_up |= stopped;
  if (!yields_) return;
  ThreadSet starved = own.able;
  starved |= own.held_up;
  starved -= own.ran;
  own.behind |= starved;
  own.able = able;
  own.held_up.clear();
  own.ran.clear();
}

ThreadSet Fairness::held_back(const ThreadSet& able) const {
  ThreadSet held;
  for (unsigned t = 0; t < threads_.size(); ++t) {
    ThreadSet first = threads_[t].behind;
    first &= able;
    if (!first.empty()) held.insert(t);
  }
  return held;
}

}  // namespace hocket::runtime
