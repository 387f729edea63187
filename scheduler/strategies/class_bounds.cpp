#include "class_bounds.hpp"

#include <algorithm>
#include <cassert>

namespace hocket {

using Row = StateTable::Row;

namespace {

/// Costs are stored inverted, so that 0, which fills a new row, means that the state cannot be reached so.
std::uint8_t inverse(std::uint8_t cost) {
  return static_cast<std::uint8_t>(graph::kImpossible - cost);
}

}  // namespace

unsigned ClassBounds::cost(const Row& row, unsigned number) {
  return inverse(row.costs()[number]);
}

StateTable::Row* ClassBounds::row(graph::Cut cut) {
  table_.widen(graph_.recording.numbers());
  if (Row* known = table_.find(graph_.cuts.hash(cut)); known != nullptr) return known;
  fill(cut);
  return table_.find(graph_.cuts.hash(cut));
}

runtime::ClassHash ClassBounds::hash_where_kept(runtime::ClassHash hash, std::uint64_t key) {
  hash.add(key, 0x6b65707421212121U);
  return hash;
}

Row* ClassBounds::row(graph::Cut cut, unsigned kept) {
  Row* whole = row(cut);
  return kept == graph::kNobody
             ? whole
             : table_.find(hash_where_kept(graph_.cuts.hash(cut), graph_.recording.key(kept)));
}

Row* ClassBounds::find(const runtime::ClassHash& hash, unsigned last) {
  if (has_kept_threads_) [[unlikely]] {
    const unsigned runs = last == graph::kNobody ? 0 : last;
    Row* const kept = table_.find(hash_where_kept(hash, graph_.recording.key(runs)));
    if (kept != nullptr) return kept;
  }
  return table_.find(hash);
}

const Row* ClassBounds::after(
    const Row& costs, const runtime::ClassHash& hash, const graph::Successor& next) {
  unsigned last = next.thread;
  if (next.is_value && has_kept_threads_) [[unlikely]] {  // in a step of the only thread that can come last
    for (last = 0; last < graph_.recording.threads() &&
                   cost(costs, graph_.recording.number(last)) == graph::kImpossible;)
      ++last;
    if (last == graph_.recording.threads()) last = graph::kNobody;
  }
  runtime::ClassHash there = hash;
  there += next.delta;
  return find(there, last);
}

Row* ClassBounds::root() {
  return graph_.recording.threads() == 0 ? nullptr : find({}, graph::kNobody);
}

StateTable::Row* ClassBounds::visit(graph::Cut cut, const graph::Enabled& enabled) {
  Row* here = row(cut);
  const std::uint16_t check = graph_.cuts.check(cut, enabled);
  if (here->check == 0) here->check = check;
  if (enabled.chooser != graph::kNobody) {
    const auto is_reached = [](std::uint8_t inverted) { return inverted != 0; };
    has_values_in_two_steps_ |=
        std::count_if(here->costs(), here->costs() + graph_.recording.numbers(), is_reached) > 1;
  }
  return here->check == check ? here : nullptr;
}

// Fills the rows of `cut` and of the unknown cuts below it, deepest first. It uses an explicit stack instead
// of recursion because an execution can be long.
void ClassBounds::fill(graph::Cut cut) {
  const unsigned width = graph_.recording.width();
  stack_.assign(cut, cut + width);
  while (!stack_.empty()) {
    poll();
    const std::size_t at = stack_.size() - width;
    const runtime::ClassHash hash = graph_.cuts.hash(stack_.data() + at);
    if (table_.find(hash) != nullptr) {
      stack_.resize(at);
      continue;
    }
    maximal_.clear();
    graph_.transitions.for_each_maximal(
        stack_.data() + at, scratch_, [&](unsigned thread) { maximal_.push_back(thread); });
    bool is_ready = true;
    for (const unsigned thread : maximal_) {
      runtime::ClassHash below = hash;
      below -= graph_.cuts.last_event(stack_.data() + at, thread).delta;
      if (table_.find(below) != nullptr) continue;
      is_ready = false;
      const std::size_t next = stack_.size();
      stack_.resize(next + width);
      std::copy_n(stack_.data() + at, width, stack_.data() + next);
      --stack_[next + thread];
    }
    if (!is_ready) continue;

    costs_.assign(table_.width(), static_cast<std::uint8_t>(graph::kImpossible));
    const bool is_empty = std::all_of(stack_.begin() + static_cast<std::ptrdiff_t>(at), stack_.end(),
        [](Count count) { return count == 0; });
    if (is_empty) costs_[0] = 0;  // nothing has happened, and no thread came last
    before_.assign(stack_.data() + at, stack_.data() + at + width);
    for (const unsigned thread : maximal_) {
      const graph::Event& event = graph_.cuts.last_event(before_.data(), thread);
      runtime::ClassHash below = hash;
      below -= event.delta;
      --before_[thread];
      const graph::Enabled enabled = graph_.cuts.enabled(before_.data());
      const Row& row = *table_.find(below);
      const auto reach = [&](unsigned last, unsigned last_number) {
        if (cost(row, last_number) == graph::kImpossible) return;
        const unsigned price = graph_.cuts.price_of_event(before_.data(), enabled, last, thread, event);
        if (price == graph::kImpossible) return;
        // A value is chosen inside the step of the thread that came last.
        std::uint8_t& best = costs_[event.is_value ? last_number : graph_.recording.number(thread)];
        const unsigned sum = std::min(cost(row, last_number) + price, kMost);
        best = static_cast<std::uint8_t>(std::min<unsigned>(best, sum));
      };
      reach(graph::kNobody, 0);
      for (unsigned last = 0; last < graph_.recording.threads(); ++last)
        reach(last, graph_.recording.number(last));
      ++before_[thread];
    }
    Row* fresh = table_.insert(hash);
    std::transform(costs_.begin(), costs_.end(), fresh->costs(), inverse);
    if (graph_.recording.has_guards()) [[unlikely]]
      add_rows_of_kept_threads(stack_.data() + at, hash);
    stack_.resize(at);
  }
}

void ClassBounds::add_rows_of_kept_threads(graph::Cut cut, const runtime::ClassHash& hash) {
  graph_.cuts.enabled(cut).forbidden.for_each([&](unsigned thread) {
    table_.insert(hash_where_kept(hash, graph_.recording.key(thread)));
    has_kept_threads_ = true;
  });
}

unsigned ClassBounds::bound(const Row& row) const {
  return inverse(*std::max_element(row.costs(), row.costs() + graph_.recording.numbers()));
}

unsigned ClassBounds::bound(const Row& row, graph::Cut cut, const graph::Enabled& enabled, unsigned kept,
    const graph::Successor& next) const {
  unsigned least = graph::kImpossible;
  const auto come_from = [&](unsigned last, unsigned number) {
    const unsigned before = cost(row, number);
    if (before >= least || enabled.kept_running(last) != kept) return;
    const unsigned price = graph_.cuts.price(cut, enabled, last, next);
    if (price != graph::kImpossible) least = std::min({least, before + price, kMost});
  };
  come_from(graph::kNobody, 0);
  for (unsigned last = 0; last < graph_.recording.threads(); ++last)
    come_from(last, graph_.recording.number(last));
  return least;
}

std::vector<OrderedChoice> ClassBounds::cheapest_order(graph::Cut cut) {
  std::vector<OrderedChoice> order;
  std::vector<Count> now(cut, cut + graph_.recording.width());
  const Row* here = row(now.data());
  unsigned last =
      static_cast<unsigned>(std::max_element(here->costs(), here->costs() + graph_.recording.numbers()) -
                            here->costs());  // its number
  unsigned price = cost(*here, last);
  for (;;) {
    maximal_.clear();
    graph_.transitions.for_each_maximal(
        now.data(), scratch_, [&](unsigned thread) { maximal_.push_back(thread); });
    if (maximal_.empty()) break;
    bool is_found = false;
    for (const unsigned thread : maximal_) {
      const graph::Event& event = graph_.cuts.last_event(now.data(), thread);
      if (!event.is_value && graph_.recording.number(thread) != last) continue;
      --now[thread];
      const Row& below = *row(now.data());
      const graph::Enabled enabled = graph_.cuts.enabled(now.data());
      const auto fits = [&](unsigned before, unsigned number) {
        if (is_found || cost(below, number) == graph::kImpossible) return;
        if (event.is_value && number != last) return;
        const unsigned paid = graph_.cuts.price_of_event(now.data(), enabled, before, thread, event);
        if (paid == graph::kImpossible || std::min(cost(below, number) + paid, kMost) != price) return;
        is_found = true;
        price = cost(below, number);
        last = number;
        order.push_back({graph_.recording.key(thread), event.is_value,
            event.is_value ? event.value : static_cast<std::uint32_t>(event.mode)});
      };
      fits(graph::kNobody, 0);
      for (unsigned other = 0; other < graph_.recording.threads(); ++other)
        fits(other, graph_.recording.number(other));
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
