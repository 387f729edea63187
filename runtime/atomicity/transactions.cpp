#include "transactions.hpp"

#include <algorithm>
#include <utility>

namespace hocket::runtime {

void Transactions::begin(bool older) {
  older_ = older;
  threads_.clear();
  events_.clear();
  transactions_.clear();
  edges_.clear();
  objects_.clear();
  violation_.reset();
}

Transactions::ThreadState& Transactions::state(unsigned thread) {
  if (threads_.size() <= thread) threads_.resize(thread + std::size_t{1});
  return threads_[thread];
}

void Transactions::enter(unsigned thread, Where where) {
  ThreadState& self = state(thread);
  if (self.depth++ != 0) return;
  self.begins = where;
  self.transaction = kNone;
}

void Transactions::leave(unsigned thread) {
  ThreadState& self = state(thread);
  if (self.depth != 0) --self.depth;
}

Transactions::Number Transactions::add_event(
    unsigned thread, std::uint32_t step, Event::What what, unsigned other) {
  ThreadState& self = state(thread);
  const auto event = static_cast<Number>(events_.size());
  const bool is_in_block = self.depth != 0;
  const bool goes_on = is_in_block && self.transaction != kNone;
  const Number before = std::exchange(self.last, event);
  if (!goes_on) {
    self.transaction = static_cast<Number>(transactions_.size());
    transactions_.push_back({is_in_block, is_in_block ? self.begins : Where{}, event, event});
  }
  transactions_[self.transaction].last = event;
  events_.push_back({thread, step, what, other, self.transaction});
  if (!goes_on) order(before, event);
  return event;
}

void Transactions::access(
    unsigned thread, std::uint64_t object, Access access, std::uint32_t step, std::uint32_t newer) {
  const Number event = add_event(thread, step);
  std::vector<Value>& values = objects_[object];
  if (values.empty()) values.emplace_back();
  if (newer >= values.size()) return;  // what replaced that value was before the first block
  const std::size_t place = values.size() - 1 - newer;
  const Number next = newer == 0 ? kNone : values[place + 1].written;
  order(values[place].written, event);
  if (access == Access::write) {
    for (const Number read : values[place].reads) order(read, event);
    if (!older_) values.clear();
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(older_ ? place + 1 : 0), Value{event});
  } else {
    std::vector<Number>& reads = values[place].reads;
    const bool is_again = !reads.empty() && events_[reads.back()].transaction == events_[event].transaction;
    if (!is_again) reads.push_back(event);
  }
  order(event, next);
}

void Transactions::create(unsigned creator, unsigned thread, std::uint32_t step) {
  const Number event = add_event(creator, step, Event::What::creation, thread);
  state(thread).last = event;
}

void Transactions::join(unsigned joiner, unsigned ended, std::uint32_t step) {
  const Number event = add_event(joiner, step, Event::What::join, ended);
  order(state(ended).last, event);
}

void Transactions::order(Number first, Number second) {
  if (first == kNone || second == kNone) return;
  const Number into = events_[second].transaction;
  const Number from = events_[first].transaction;
  if (from == into) return;
  const auto edge = static_cast<Number>(edges_.size());
  edges_.push_back({first, second, std::exchange(transactions_[into].in, edge)});
  transactions_[from].is_followed = true;
  if (!violation_ && transactions_[into].is_followed) look_for_cycle(edge);
}

/// The ways back from an edge, breadth first.
struct Transactions::Search {
  /// An edge on a way, from a transaction of which the edge at `then` leaves the same way.
  struct Visit {
    Number edge;
    std::size_t then;
    bool is_broken;  ///< the way leads into a block at a later event than out of it
  };
  /// What was seen at a transaction: a way out of it at an earlier event can be broken more easily.
  struct Seen {
    Number least_out = kNone;
    bool is_broken = false;
  };
  std::vector<Visit> visits;
  std::unordered_map<Number, Seen> seen;  ///< by transaction
};

void Transactions::look_for_cycle(Number last) {
  const Number target = events_[edges_[last].to].transaction;
  Search search;
  search.visits.push_back({last, 0, false});
  for (std::size_t n = 0; n < search.visits.size(); ++n) {
    const Search::Visit visit = search.visits[n];
    const Number out = edges_[visit.edge].from;
    const Number at = events_[out].transaction;
    Search::Seen& seen = search.seen[at];
    if (seen.is_broken || (!visit.is_broken && seen.least_out <= out)) continue;
    if (visit.is_broken) seen.is_broken = true;
    seen.least_out = std::min(seen.least_out, out);
    for (Number edge = transactions_[at].in; edge != kNone; edge = edges_[edge].next) {
      const Edge& in = edges_[edge];
      const Number from = events_[in.from].transaction;
      // Nothing that is over when the target begins comes after it, unless older values are read.
      if (!older_ && transactions_[from].last < transactions_[target].first) continue;
      bool is_broken = visit.is_broken || in.to > out;
      if (from == target) is_broken = is_broken || edges_[last].to > in.from;
      search.visits.push_back({edge, n, is_broken});
      if (from != target || !is_broken) continue;
      Violation found;
      const Transaction* block = nullptr;
      Number into = edges_[last].to;
      for (std::size_t way = search.visits.size() - 1;; way = search.visits[way].then) {
        const Edge& step = edges_[search.visits[way].edge];
        found.cycle.push_back({events_[step.from], events_[step.to]});
        if (block == nullptr && into > step.from) {
          block = &transactions_[events_[step.from].transaction];
          found.thread = events_[step.from].thread;
          found.begins = block->begins;
        }
        into = step.to;
        if (way == 0) break;
      }
      violation_ = std::move(found);
      return;
    }
  }
}

}  // namespace hocket::runtime
