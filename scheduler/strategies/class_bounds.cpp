#include "class_bounds.hpp"

#include <algorithm>
#include <cassert>

namespace hocket {

using Row = StateTable::Row;

namespace {

/// Costs are stored inverted, so that 0, which fills a new row, means that the state cannot be reached so.
std::uint8_t inverse(std::uint8_t cost) {
  return static_cast<std::uint8_t>(Graph::kImpossible - cost);
}

}  // namespace

unsigned ClassBounds::cost(const Row& row, unsigned number) {
  return inverse(row.costs()[number]);
}

StateTable::Row* ClassBounds::row(Graph::Cut cut) {
  table_.widen(graph_.numbers());
  if (Row* known = table_.find(graph_.hash(cut)); known != nullptr) return known;
  fill(cut);
  return table_.find(graph_.hash(cut));
}

runtime::ClassHash ClassBounds::hash_where_kept(runtime::ClassHash hash, std::uint64_t key) {
  hash.add(key, 0x6b65707421212121U);
  return hash;
}

Row* ClassBounds::row(Graph::Cut cut, unsigned kept) {
  Row* whole = row(cut);
  return kept == Graph::kNobody ? whole : table_.find(hash_where_kept(graph_.hash(cut), graph_.key(kept)));
}

Row* ClassBounds::find(const runtime::ClassHash& hash, unsigned last) {
  if (has_kept_threads_) [[unlikely]] {
    const unsigned runs = last == Graph::kNobody ? 0 : last;
    Row* const kept = table_.find(hash_where_kept(hash, graph_.key(runs)));
    if (kept != nullptr) return kept;
  }
  return table_.find(hash);
}

const Row* ClassBounds::after(const Row& costs, const runtime::ClassHash& hash, const Successor& next) {
  unsigned last = next.thread;
  if (next.is_value && has_kept_threads_) [[unlikely]] {  // in a step of the only thread that can come last
    for (last = 0; last < graph_.threads() && cost(costs, graph_.number(last)) == Graph::kImpossible;) ++last;
    if (last == graph_.threads()) last = Graph::kNobody;
  }
  runtime::ClassHash there = hash;
  there += next.delta;
  return find(there, last);
}

Row* ClassBounds::root() {
  return graph_.threads() == 0 ? nullptr : find({}, Graph::kNobody);
}

StateTable::Row* ClassBounds::visit(Graph::Cut cut, const Graph::Situation& situation) {
  Row* here = row(cut);
  const std::uint16_t check = graph_.check(cut, situation);
  if (here->check == 0) here->check = check;
  if (situation.chooser != Graph::kNobody) {
    const auto is_reached = [](std::uint8_t inverted) { return inverted != 0; };
    has_values_in_two_steps_ |=
        std::count_if(here->costs(), here->costs() + graph_.numbers(), is_reached) > 1;
  }
  return here->check == check ? here : nullptr;
}

// Fills the rows of `cut` and of the unknown cuts below it, deepest first. It uses an explicit stack instead
// of recursion because an execution can be long.
void ClassBounds::fill(Graph::Cut cut) {
  const unsigned width = graph_.width();
  stack_.assign(cut, cut + width);
  while (!stack_.empty()) {
    poll();
    const std::size_t at = stack_.size() - width;
    const runtime::ClassHash hash = graph_.hash(stack_.data() + at);
    if (table_.find(hash) != nullptr) {
      stack_.resize(at);
      continue;
    }
    maximal_.clear();
    graph_.for_each_maximal(
        stack_.data() + at, scratch_, [&](unsigned thread) { maximal_.push_back(thread); });
    bool is_ready = true;
    for (const unsigned thread : maximal_) {
      runtime::ClassHash below = hash;
      below -= graph_.last_event(stack_.data() + at, thread).delta;
      if (table_.find(below) != nullptr) continue;
      is_ready = false;
      const std::size_t next = stack_.size();
      stack_.resize(next + width);
      std::copy_n(stack_.data() + at, width, stack_.data() + next);
      --stack_[next + thread];
    }
    if (!is_ready) continue;

    costs_.assign(table_.width(), static_cast<std::uint8_t>(Graph::kImpossible));
    const bool is_empty = std::all_of(stack_.begin() + static_cast<std::ptrdiff_t>(at), stack_.end(),
        [](Count count) { return count == 0; });
    if (is_empty) costs_[0] = 0;  // nothing has happened, and no thread came last
    before_.assign(stack_.data() + at, stack_.data() + at + width);
    for (const unsigned thread : maximal_) {
      const Graph::Event& event = graph_.last_event(before_.data(), thread);
      runtime::ClassHash below = hash;
      below -= event.delta;
      --before_[thread];
      const Graph::Situation situation = graph_.situation(before_.data());
      const Row& row = *table_.find(below);
      const auto reach = [&](unsigned last, unsigned last_number) {
        if (cost(row, last_number) == Graph::kImpossible) return;
        const unsigned price = graph_.price_of_event(before_.data(), situation, last, thread, event);
        if (price == Graph::kImpossible) return;
        // A value is chosen inside the step of the thread that came last.
        std::uint8_t& best = costs_[event.is_value ? last_number : graph_.number(thread)];
        const unsigned sum = std::min(cost(row, last_number) + price, kMost);
        best = static_cast<std::uint8_t>(std::min<unsigned>(best, sum));
      };
      reach(Graph::kNobody, 0);
      for (unsigned last = 0; last < graph_.threads(); ++last) reach(last, graph_.number(last));
      ++before_[thread];
    }
    Row* fresh = table_.insert(hash);
    std::transform(costs_.begin(), costs_.end(), fresh->costs(), inverse);
    if (graph_.has_guards()) [[unlikely]]
      add_rows_of_kept_threads(stack_.data() + at, hash);
    stack_.resize(at);
  }
}

void ClassBounds::add_rows_of_kept_threads(Graph::Cut cut, const runtime::ClassHash& hash) {
  graph_.situation(cut).forbidden.for_each([&](unsigned thread) {
    table_.insert(hash_where_kept(hash, graph_.key(thread)));
    has_kept_threads_ = true;
  });
}

unsigned ClassBounds::bound(const Row& row) const {
  return inverse(*std::max_element(row.costs(), row.costs() + graph_.numbers()));
}

unsigned ClassBounds::bound(const Row& row, Graph::Cut cut, const Graph::Situation& situation, unsigned kept,
    const Successor& next) const {
  unsigned least = Graph::kImpossible;
  const auto come_from = [&](unsigned last, unsigned number) {
    const unsigned before = cost(row, number);
    if (before >= least || Graph::kept_running(situation, last) != kept) return;
    const unsigned price = graph_.price(cut, situation, last, next);
    if (price != Graph::kImpossible) least = std::min({least, before + price, kMost});
  };
  come_from(Graph::kNobody, 0);
  for (unsigned last = 0; last < graph_.threads(); ++last) come_from(last, graph_.number(last));
  return least;
}

std::vector<OrderedChoice> ClassBounds::cheapest_order(Graph::Cut cut) {
  std::vector<OrderedChoice> order;
  std::vector<Count> now(cut, cut + graph_.width());
  const Row* here = row(now.data());
  unsigned last = static_cast<unsigned>(
      std::max_element(here->costs(), here->costs() + graph_.numbers()) - here->costs());  // its number
  unsigned price = cost(*here, last);
  for (;;) {
    maximal_.clear();
    graph_.for_each_maximal(now.data(), scratch_, [&](unsigned thread) { maximal_.push_back(thread); });
    if (maximal_.empty()) break;
    bool is_found = false;
    for (const unsigned thread : maximal_) {
      const Graph::Event& event = graph_.last_event(now.data(), thread);
      if (!event.is_value && graph_.number(thread) != last) continue;
      --now[thread];
      const Row& below = *row(now.data());
      const Graph::Situation situation = graph_.situation(now.data());
      const auto fits = [&](unsigned before, unsigned number) {
        if (is_found || cost(below, number) == Graph::kImpossible) return;
        if (event.is_value && number != last) return;
        const unsigned paid = graph_.price_of_event(now.data(), situation, before, thread, event);
        if (paid == Graph::kImpossible || std::min(cost(below, number) + paid, kMost) != price) return;
        is_found = true;
        price = cost(below, number);
        last = number;
        order.push_back({graph_.key(thread), event.is_value,
            event.is_value ? event.value : static_cast<std::uint32_t>(event.mode)});
      };
      fits(Graph::kNobody, 0);
      for (unsigned other = 0; other < graph_.threads(); ++other) fits(other, graph_.number(other));
      if (is_found) break;
      ++now[thread];
    }
    assert(is_found);
    if (!is_found) return {};
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace hocket
