#include "forbidding_orders.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../runtime/races/weaker_orders.hpp"
#include "../../runtime/weak_memory/raised_orders.hpp"
#include "../schedules/shown_steps.hpp"
#include "trial_search.hpp"

namespace hocket {

namespace {

using runtime::Operation;
using runtime::RaisedOrder;
using runtime::RaisedOrders;
using runtime::Trace;

using Clock = std::chrono::steady_clock;

/// An operation of the schedule that asks for less than seq_cst.
struct Site {
  std::string place;
  Operation operation;
  std::string object;
  std::string order;

  [[nodiscard]] std::string in_words() const {
    return std::string(to_string(operation)) + (object.empty() ? "" : " of " + object) + " at " + place;
  }
};

/// The kinds of changes, the weakest first.
enum class Change : std::uint8_t { acquire_or_release, seq_cst, fence };
constexpr Change kChanges[] = {Change::acquire_or_release, Change::seq_cst, Change::fence};

std::vector<Site> sites_in(const Schedule& schedule) {
  constexpr std::size_t kMost = 8;
  std::vector<Site> sites;
  const std::size_t end = std::min(failing_choice(schedule) + 1, schedule.choices.size());
  for (std::size_t n = end; n-- > 0 && sites.size() < kMost;) {
    const Trace::Choice& choice = schedule.choices[n];
    if (choice.order.empty() || choice.where.empty()) continue;
    const bool is_known = std::any_of(sites.begin(), sites.end(),
        [&](const Site& site) { return site.place == choice.where && site.operation == choice.operation; });
    if (!is_known) sites.push_back({choice.where, choice.operation, choice.object, choice.order});
  }
  std::reverse(sites.begin(), sites.end());
  return sites;
}

unsigned line_in(const std::string& place) {
  unsigned line = 0;
  const std::size_t colon = place.rfind(':');
  if (colon != std::string::npos)
    std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
  return line;
}

std::memory_order strongest_below_seq_cst(Operation operation) {
  if (operation == Operation::atomic_store) return std::memory_order_release;
  if (operation == Operation::atomic_load || operation == Operation::atomic_wait)
    return std::memory_order_acquire;
  return std::memory_order_acq_rel;
}

/// Searches with changed orders.
class Trials {
 public:
  /// They go up to that bound.
  Trials(const Exploration& exploration, const runtime::ExecutionOptions& options, const Schedule& schedule,
      unsigned bound, Clock::time_point deadline)
      : exploration_(exploration),
        options_(options),
        sites_(sites_in(schedule)),
        bound_(bound),
        deadline_(deadline) {}

  std::string any() {
    std::string text = single();
    if (text.empty()) text = pair();
    if (text.empty()) text = all();
    return text;
  }

 private:
  std::string single() {
    for (const Change change : kChanges) {
      for (std::size_t n = 0; n < sites_.size(); ++n) {
        if (changes(change, n) && passes({raised(change, n)})) return in_words(change, n);
      }
    }
    return {};
  }
  std::string pair() {
    for (const Change change : kChanges) {
      for (std::size_t n = 0; n < sites_.size(); ++n) {
        for (std::size_t m = n + 1; m < sites_.size(); ++m) {
          if (!changes(change, n) || !changes(change, m)) continue;
          if (passes({raised(change, n), raised(change, m)}))
            return in_words(change, n) + ", and " + in_words(change, m);
        }
      }
    }
    return {};
  }
  std::string all() {
    RaisedOrders raised_orders;
    std::string text;
    for (std::size_t n = 0; n < sites_.size(); ++n) {
      raised_orders.push_back(raised(Change::seq_cst, n));
      text += (n == 0 ? "seq_cst for " : ", ") + sites_[n].in_words();
    }
    return sites_.size() > 2 && passes(raised_orders) ? text : std::string{};
  }

  /// Whether the change is one at that site.
  [[nodiscard]] bool changes(Change change, std::size_t n) const {
    const Site& site = sites_[n];
    return change != Change::acquire_or_release ||
           runtime::order_name(strongest_below_seq_cst(site.operation)) != site.order;
  }
  [[nodiscard]] RaisedOrder raised(Change change, std::size_t n) const {
    const Site& site = sites_[n];
    RaisedOrder result{site.place, line_in(site.place), site.operation, std::memory_order_seq_cst, false};
    if (change == Change::acquire_or_release) result.order = strongest_below_seq_cst(site.operation);
    result.is_fence = change == Change::fence;
    return result;
  }
  [[nodiscard]] std::string in_words(Change change, std::size_t n) const {
    const Site& site = sites_[n];
    if (change == Change::fence) return "a seq_cst fence before " + site.in_words();
    const std::memory_order order =
        change == Change::seq_cst ? std::memory_order_seq_cst : strongest_below_seq_cst(site.operation);
    return std::string(runtime::order_name(order)) + " for " + site.in_words();
  }

  bool passes(const RaisedOrders& raised_orders) {
    runtime::ExecutionOptions rules = options_;
    rules.raised_orders = &raised_orders;
    return passes_in_full(exploration_, rules, bound_, deadline_);
  }

  const Exploration& exploration_;
  runtime::ExecutionOptions options_;
  std::vector<Site> sites_;
  unsigned bound_;
  Clock::time_point deadline_;
};

}  // namespace

std::string orders_that_forbid(const Exploration& exploration, const runtime::ExecutionOptions& options,
    const Schedule& schedule, Clock::time_point deadline) {
  // Orders that forbid only the cheapest executions that fail are no advice.
  const Clock::time_point now = Clock::now();
  const Clock::time_point half = now + (deadline - now) / 2;
  for (const unsigned more : {1U, 0U}) {
    const unsigned bound = schedule.bound + more;
    const std::string text = Trials(exploration, options, schedule, bound, more != 0 ? half : deadline).any();
    if (!text.empty())
      return text + " (tried with up to " + std::to_string(bound) + " preemptions and stale reads)";
  }
  return {};
}

}  // namespace hocket
