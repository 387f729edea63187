#include "tests/oracle/happens_before.hpp"

#include <optional>
#include <stdexcept>

namespace hocket::oracle {

namespace {

using EventKind = Event::Kind;
using Events = std::vector<std::size_t>;

bool is_one_of(const Event& event, std::initializer_list<EventKind> kinds) {
  for (const EventKind kind : kinds) {
    if (event.kind == kind) return true;
  }
  return false;
}
bool has_order(const Event& event, std::initializer_list<std::memory_order> orders) {
  for (const std::memory_order order : orders) {
    if (event.order == order) return true;
  }
  return false;
}
bool acquires(const Event& event) {
  return has_order(event, {std::memory_order_consume, std::memory_order_acquire, std::memory_order_acq_rel,
                              std::memory_order_seq_cst});
}
bool releases(const Event& event) {
  return has_order(event, {std::memory_order_release, std::memory_order_acq_rel, std::memory_order_seq_cst});
}

/// The event that wrote the value that event `of` finds in its object.
std::optional<std::size_t> writer_of_value(const History& history, std::size_t of) {
  for (std::size_t n = of; n-- > 0;) {
    const bool is_write = is_one_of(history[n], {EventKind::store, EventKind::update, EventKind::write});
    if (is_write && history[n].object == history[of].object) return n;
  }
  return {};
}

/// All atomic writes that would, as release operations, head a release sequence containing the value that
/// `load` reads.
Events heads(const History& history, std::size_t load) {
  Events result;
  std::optional<std::size_t> write = writer_of_value(history, load);
  while (write && history[*write].kind != EventKind::write) {
    result.push_back(*write);
    if (history[*write].kind != EventKind::update) break;
    write = writer_of_value(history, *write);
  }
  return result;
}

/// The write, if it is a release operation, and the release fences that precede it in its thread.
Events releasing(const History& history, std::size_t write) {
  Events result;
  if (releases(history[write])) result.push_back(write);
  for (std::size_t n = 0; n < write; ++n) {
    const bool is_fence = history[n].kind == EventKind::fence && history[n].thread == history[write].thread;
    if (is_fence && releases(history[n])) result.push_back(n);
  }
  return result;
}
Events acquiring(const History& history, std::size_t load) {
  Events result;
  if (acquires(history[load])) result.push_back(load);
  for (std::size_t n = load + 1; n < history.size(); ++n) {
    const bool is_fence = history[n].kind == EventKind::fence && history[n].thread == history[load].thread;
    if (is_fence && acquires(history[n])) result.push_back(n);
  }
  return result;
}

/// Whether the later event `later` is directly ordered after `event`, not counting atomics and fences.
bool is_ordered(const Event& event, const Event& later) {
  if (event.thread == later.thread) return true;
  if (event.kind == EventKind::start && event.object == later.thread) return true;
  if (later.kind == EventKind::join && later.object == event.thread) return true;
  if (event.object != later.object) return false;
  switch (later.kind) {
    case EventKind::lock:
      return is_one_of(event, {EventKind::unlock, EventKind::unlock_shared});
    case EventKind::lock_shared:
      return event.kind == EventKind::unlock;
    case EventKind::acquire:
      return event.kind == EventKind::release;
    default:
      return false;
  }
}

}  // namespace

std::vector<std::bitset<kMostEvents>> happens_before(const History& history) {
  const std::size_t size = history.size();
  if (size > kMostEvents) throw std::logic_error("a history is too long");
  std::vector<std::bitset<kMostEvents>> before(size);
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = a + 1; b < size; ++b) before[a][b] = is_ordered(history[a], history[b]);
  }
  for (std::size_t load = 0; load < size; ++load) {
    if (!is_one_of(history[load], {EventKind::load, EventKind::update})) continue;
    for (const std::size_t head : heads(history, load)) {
      for (const std::size_t a : releasing(history, head)) {
        for (const std::size_t b : acquiring(history, load)) before[a][b] = true;
      }
    }
  }
  for (std::size_t via = 0; via < size; ++via) {  // Warshall's closure
    for (std::size_t a = 0; a < size; ++a) {
      if (before[a][via]) before[a] |= before[via];
    }
  }
  return before;
}

bool conflict(const Event& one, const Event& other) {
  if (one.thread == other.thread || one.object != other.object) return false;
  const auto is_access = [](const Event& event) {
    return is_one_of(
        event, {EventKind::load, EventKind::store, EventKind::update, EventKind::read, EventKind::write});
  };
  const auto is_plain = [](const Event& event) {
    return is_one_of(event, {EventKind::read, EventKind::write});
  };
  const auto writes = [](const Event& event) {
    return is_one_of(event, {EventKind::store, EventKind::update, EventKind::write});
  };
  return is_access(one) && is_access(other) && (is_plain(one) || is_plain(other)) &&
         (writes(one) || writes(other));
}

std::vector<std::size_t> racing_with_last(const History& history) {
  Events result;
  const std::size_t last = history.size() - 1;
  const bool is_access = is_one_of(history[last],
      {EventKind::load, EventKind::store, EventKind::update, EventKind::read, EventKind::write});
  if (!is_access) return result;
  const auto before = happens_before(history);
  for (std::size_t n = 0; n < last; ++n) {
    if (conflict(history[n], history[last]) && !before[n][last]) result.push_back(n);
  }
  return result;
}

}  // namespace hocket::oracle
