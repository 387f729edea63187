#include "forbidding_orders.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
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
using runtime::RecordedChoice;

using Clock = std::chrono::steady_clock;

/// An operation of the schedule that asks for less than seq_cst.
struct Site {
  std::string place;
  Operation operation;
  std::set<std::string> objects;
  std::set<std::string, std::less<>> orders;  ///< one line may run with several

  [[nodiscard]] std::string in_words() const {
    std::string text(to_string(operation));
    for (const std::string& object : objects)
      text += (object == *objects.begin() ? " of " : " and ") + object;
    return text + " at " + place;
  }
};

/// Something to try at one of the sites.
struct Change {
  std::size_t site;
  std::memory_order order;
  bool is_fence = false;
};

/// The kinds of changes, the weakest first.
enum class Kind : std::uint8_t { order, fence, seq_cst, seq_cst_fence };

std::vector<Site> sites_in(const Schedule& schedule) {
  constexpr std::size_t kMost = 8;
  std::vector<Site> sites;
  const std::size_t end = std::min(failing_choice(schedule) + 1, schedule.choices.size());
  for (std::size_t n = end; n-- > 0;) {
    const RecordedChoice& choice = schedule.choices[n];
    if (choice.order.empty() || choice.where.empty()) continue;
    const auto known = std::find_if(sites.begin(), sites.end(),
        [&](const Site& site) { return site.place == choice.where && site.operation == choice.operation; });
    if (known != sites.end()) {
      known->orders.insert(choice.order);
      known->objects.insert(choice.object);
    } else if (sites.size() < kMost) {
      sites.push_back({choice.where, choice.operation, {choice.object}, {choice.order}});
    }
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

bool reads(Operation operation) {
  return operation != Operation::atomic_store;
}
bool writes(Operation operation) {
  return operation != Operation::atomic_load && operation != Operation::atomic_wait;
}

/// The orders below seq_cst that mean more for some operation of the site than it asks for, the weakest
/// first.
std::vector<std::memory_order> stronger_orders(const Site& site) {
  const auto asks = [&](std::memory_order order) { return site.orders.contains(runtime::order_name(order)); };
  const bool acquires = asks(std::memory_order_acquire);
  const bool releases = asks(std::memory_order_release);
  const bool is_weakest = asks(std::memory_order_relaxed) || asks(std::memory_order_consume);
  std::vector<std::memory_order> orders;
  if (reads(site.operation) && is_weakest && !releases) orders.push_back(std::memory_order_acquire);
  if (writes(site.operation) && is_weakest && !acquires) orders.push_back(std::memory_order_release);
  if (reads(site.operation) && writes(site.operation) && (is_weakest || acquires || releases))
    orders.push_back(std::memory_order_acq_rel);
  return orders;
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
    for (const Kind kind : {Kind::order, Kind::fence, Kind::seq_cst, Kind::seq_cst_fence}) {
      for (const Change& change : changes(kind)) {
        if (pass({change})) return in_words({change});
      }
    }
    std::vector<Change> weak = changes(Kind::order);
    const std::vector<Change> fences = changes(Kind::fence);
    weak.insert(weak.end(), fences.begin(), fences.end());
    for (const std::vector<Change>& kind : {weak, changes(Kind::seq_cst), changes(Kind::seq_cst_fence)}) {
      if (std::string text = pair_of(kind); !text.empty()) return text;
    }
    return as_few_as_possible(changes(Kind::seq_cst));
  }

 private:
  [[nodiscard]] std::vector<Change> changes(Kind kind) const {
    std::vector<Change> result;
    for (std::size_t n = 0; n < sites_.size(); ++n) {
      switch (kind) {
        case Kind::order:
          for (const std::memory_order order : stronger_orders(sites_[n])) result.push_back({n, order});
          break;
        case Kind::fence:
          if (writes(sites_[n].operation)) result.push_back({n, std::memory_order_release, true});
          result.push_back({n, std::memory_order_acquire, true});
          break;
        case Kind::seq_cst:
        case Kind::seq_cst_fence:
          result.push_back({n, std::memory_order_seq_cst, kind == Kind::seq_cst_fence});
          break;
      }
    }
    return result;
  }

  /// Two of the changes that will do, in words. Empty if none do.
  std::string pair_of(const std::vector<Change>& changes) {
    for (std::size_t m = 1; m < changes.size(); ++m) {
      for (std::size_t n = 0; n < m; ++n) {
        if (changes[n].site != changes[m].site && pass({changes[n], changes[m]}))
          return in_words({changes[n], changes[m]});
      }
    }
    return {};
  }

  /// If all of them will do: those that are left when each is dropped, or becomes a weaker one, that need not
  /// be as strong.
  std::string as_few_as_possible(std::vector<Change> changes) {
    if (changes.size() <= 2 || !pass(changes)) return {};
    for (std::size_t n = changes.size(); n-- > 0;) {
      const Change strong = changes[n];
      changes.erase(changes.begin() + static_cast<std::ptrdiff_t>(n));
      if (pass(changes)) continue;
      const auto at = changes.insert(changes.begin() + static_cast<std::ptrdiff_t>(n), strong);
      for (const std::memory_order order : stronger_orders(sites_[strong.site])) {
        at->order = order;
        if (pass(changes)) break;
        at->order = strong.order;
      }
    }
    return in_words(changes);
  }

  [[nodiscard]] std::string in_words(std::vector<Change> changes) const {
    std::sort(changes.begin(), changes.end(),
        [](const Change& one, const Change& other) { return one.site < other.site; });
    std::string text;
    for (const Change& change : changes) {
      if (!text.empty()) text += changes.size() == 2 ? ", and " : ", ";
      if (change.is_fence) text += change.order == std::memory_order_acquire ? "an " : "a ";
      text += std::string(runtime::order_name(change.order)) +
              (change.is_fence ? " fence before " : " for ") + sites_[change.site].in_words();
    }
    return text;
  }

  bool pass(const std::vector<Change>& changes) {
    RaisedOrders raised_orders;
    for (const Change& change : changes) {
      const Site& site = sites_[change.site];
      raised_orders.push_back(
          {site.place, line_in(site.place), site.operation, change.order, change.is_fence});
    }
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
