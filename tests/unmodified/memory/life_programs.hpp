// Random programs of threads that make, publish, use, drop and delete objects of the heap, with every memory
// order, and what a search has to find of them: that an object may be used before it is constructed or after
// it is destroyed, or what the threads see, by a brute force over all sequentially consistent executions that
// knows happens-before as [intro.races] and [atomics.order] have it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::lives {

constexpr std::size_t kSlots = 2;
constexpr std::size_t kThreads = 4;  ///< with that of the body, which is the first

struct Call {
  enum class Kind : unsigned char {
    publish,  ///< makes an object and stores where it is
    count,    ///< loads where one is, and counts in it
    lock,     ///< loads likewise, and locks the object for a moment
    drop,     ///< loads likewise, and deletes the object if it is its last owner
    take,     ///< exchanges it for nothing, and deletes the object
  };
  Kind kind = Kind::count;
  std::size_t slot = 0;
  std::memory_order order = std::memory_order_seq_cst;    ///< of the access to the slot
  std::memory_order of_drop = std::memory_order_acq_rel;  ///< of the access to the number of owners
  bool has_fence = false;                                 ///< of acquire, before it deletes
  bool is_guarded = false;                                ///< by one lock from its beginning to its end
};
using Kind = Call::Kind;

struct Program {
  random_calls::Threads<Call> threads;
  std::array<bool, kSlots> is_there{};  ///< an object that the body has made before the threads
  unsigned owners = 2;                  ///< of each object at first
};

struct Answer {
  std::set<std::uint64_t> outcomes;
  bool may_go_wrong = false;
};

inline std::string text_of(const Program& program) {
  static constexpr std::array kNames{"publish", "count", "lock", "drop", "take"};
  static constexpr std::array kOrders{"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
  const auto order = [](std::memory_order of) { return kOrders.at(static_cast<std::size_t>(of)); };
  std::string text = std::to_string(program.owners) + " owners, ";
  for (std::size_t n = 0; n < kSlots; ++n) text += program.is_there.at(n) ? "one there, " : "none there, ";
  return text + random_calls::text_of(program.threads, [&](const Call& call) {
    std::string words = kNames.at(static_cast<std::size_t>(call.kind));
    words += "(" + std::to_string(call.slot) + ", " + order(call.order);
    if (call.kind == Kind::drop) words += std::string(", ") + order(call.of_drop);
    return words + (call.is_guarded ? ", guarded" : "") + (call.has_fence ? ", fence)" : ")");
  });
}

inline bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}
inline bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

// -- The brute force

class BruteForce {
 public:
  explicit BruteForce(const Program& program) : program_(program) {}

  Answer run() {
    State first{
        .threads = std::vector<Thread>(program_.threads.size()), .slots = {}, .objects = {}, .found = {}};
    first.found.resize(program_.threads.size());
    for (std::size_t n = 0; n < kSlots; ++n) {
      if (program_.is_there.at(n)) first.slots.at(n).value = make(first, {});
    }
    for (std::size_t t = 0; t < first.threads.size(); ++t) first.threads[t].clock.at(t) = 1;
    visit(first);
    return answer_;
  }

 private:
  /// How many steps of each thread are known; those of the body before the threads are known to all.
  using Clock = std::array<unsigned char, kThreads>;
  static constexpr std::size_t kNone = ~std::size_t{0};

  struct Thread {
    std::size_t at = 0;          ///< the calls that it has made
    std::size_t object = kNone;  ///< that it has loaded, in the middle of a call
    bool holds = false;          ///< the lock of that
    bool is_over = false;        ///< the thread has called the object and has yet to give back the guard
    Clock clock{};
    Clock to_acquire{};  ///< what a fence would make known
    auto operator<=>(const Thread&) const = default;
  };
  struct Atomic {
    std::size_t value = kNone;
    Clock released{};  ///< what one knows who acquires it
    auto operator<=>(const Atomic&) const = default;
  };
  struct Object {
    Clock made{};
    Clock used{};  ///< the last use by each thread
    bool is_deleted = false;
    Atomic count{0};
    Atomic owners{};
    bool is_locked = false;
    Clock unlocked{};
    auto operator<=>(const Object&) const = default;
  };
  struct State {
    std::vector<Thread> threads;
    std::array<Atomic, kSlots> slots;
    std::vector<Object> objects;
    random_calls::Found found;
    std::size_t guard_of = kNone;  ///< the thread that holds the guard
    Clock unguarded{};
    auto operator<=>(const State&) const = default;
  };

  static void join(Clock& clock, const Clock& other) {
    for (std::size_t n = 0; n < clock.size(); ++n) clock.at(n) = std::max(clock.at(n), other.at(n));
  }
  static bool is_known(const Clock& what, const Clock& by) {
    for (std::size_t n = 0; n < what.size(); ++n) {
      if (what.at(n) > by.at(n)) return false;
    }
    return true;
  }

  std::size_t make(State& state, const Clock& made) const {
    Object object{.made = made};
    object.owners.value = program_.owners;
    state.objects.push_back(object);
    return state.objects.size() - 1;
  }

  static void read(Thread& thread, const Atomic& atomic, std::memory_order order) {
    join(acquires(order) ? thread.clock : thread.to_acquire, atomic.released);
  }
  /// A store. An update of what was there goes on with the release sequence, and a plain store does not.
  static void write(
      const Thread& thread, Atomic& atomic, std::size_t value, std::memory_order order, bool is_update) {
    atomic.value = value;
    if (!is_update) atomic.released = {};
    if (releases(order)) join(atomic.released, thread.clock);
  }

  /// An access of something in the object, other than its construction and destruction.
  Object& use(State& state, std::size_t t) {
    Object& object = state.objects[state.threads[t].object];
    const Clock& clock = state.threads[t].clock;
    answer_.may_go_wrong |= object.is_deleted || !is_known(object.made, clock);
    object.used.at(t) = clock.at(t);
    return object;
  }
  void destroy(State& state, std::size_t t) {
    Object& object = state.objects[state.threads[t].object];
    const Clock& clock = state.threads[t].clock;
    answer_.may_go_wrong |=
        object.is_deleted || !is_known(object.made, clock) || !is_known(object.used, clock);
    object.is_deleted = true;
  }

  void visit(const State& state) {
    if (answer_.may_go_wrong || !seen_.insert(state).second) return;
    bool is_over = true;
    for (std::size_t t = 0; t < state.threads.size(); ++t) {
      if (state.threads[t].at == program_.threads[t].size()) continue;
      is_over = false;
      State next = state;
      if (!step(next, t)) continue;
      ++next.threads[t].clock.at(t);
      visit(next);
    }
    if (is_over) answer_.outcomes.insert(random_calls::outcome_of(state.found));
  }

  /// False if the thread has to wait.
  bool step(State& state, std::size_t t) {
    Thread& thread = state.threads[t];
    const Call& call = program_.threads[t][thread.at];
    if (thread.is_over) {
      state.guard_of = kNone;
      state.unguarded = thread.clock;
      thread.is_over = false;
      ++thread.at;
      return true;
    }
    if (call.is_guarded && state.guard_of != t) {
      if (state.guard_of != kNone) return false;
      state.guard_of = t;
      join(thread.clock, state.unguarded);
      return true;
    }
    if (thread.object != kNone) return second_step(state, t, call);
    Atomic& slot = state.slots.at(call.slot);
    if (call.kind == Kind::publish) {
      const std::size_t object = make(state, only_of(thread.clock, t));
      write(thread, slot, object, call.order, false);
      end_call(thread, call);
      return true;
    }
    read(thread, slot, call.order);
    thread.object = slot.value;
    if (call.kind == Kind::take) {
      write(thread, slot, kNone, call.order, true);
      if (thread.object != kNone) end_life(state, t, call);
    }
    if (thread.object == kNone || call.kind == Kind::take) end_call(thread, call);
    return true;
  }

  bool second_step(State& state, std::size_t t, const Call& call) {
    Thread& thread = state.threads[t];
    Object& object = use(state, t);
    switch (call.kind) {
      case Kind::count:
        state.found[t].push_back(static_cast<unsigned>(object.count.value & 7U));
        ++object.count.value;
        end_call(thread, call);
        return true;
      case Kind::lock:
        if (thread.holds) {
          object.is_locked = thread.holds = false;
          object.unlocked = thread.clock;
          end_call(thread, call);
          return true;
        }
        if (object.is_locked) return false;
        object.is_locked = thread.holds = true;
        join(thread.clock, object.unlocked);
        return true;
      default: {
        const std::size_t before = object.owners.value;
        read(thread, object.owners, call.of_drop);
        write(thread, object.owners, before - 1, call.of_drop, true);
        if (before == 1) end_life(state, t, call);
        end_call(thread, call);
        return true;
      }
    }
  }
  void end_life(State& state, std::size_t t, const Call& call) {
    Thread& thread = state.threads[t];
    if (call.has_fence) join(thread.clock, thread.to_acquire);
    destroy(state, t);
  }
  static void end_call(Thread& thread, const Call& call) {
    thread.object = kNone;
    thread.is_over = call.is_guarded;
    if (!call.is_guarded) ++thread.at;
  }
  /// The present step alone.
  static Clock only_of(const Clock& clock, std::size_t thread) {
    Clock only{};
    only.at(thread) = clock.at(thread);
    return only;
  }

  const Program& program_;
  std::set<State> seen_;
  Answer answer_;
};

// -- The same with threads

struct Object {
  explicit Object(unsigned its_owners) : owners(its_owners) {}
  std::atomic<unsigned> count{0};
  std::atomic<unsigned> owners;
  std::mutex mutex;
};

class Slots {
 public:
  explicit Slots(const Program& program) : owners_(program.owners) {
    for (std::size_t n = 0; n < kSlots; ++n) {
      if (program.is_there.at(n)) slots_.at(n).store(new Object(owners_));
    }
  }

  void make(const Call& call, std::vector<unsigned>& found) {
    const std::unique_lock guard =
        call.is_guarded ? std::unique_lock(guard_) : std::unique_lock<std::mutex>();
    std::atomic<Object*>& slot = slots_.at(call.slot);
    if (call.kind == Kind::publish) return slot.store(new Object(owners_), call.order);
    Object* const object =
        call.kind == Kind::take ? slot.exchange(nullptr, call.order) : slot.load(call.order);
    if (object == nullptr) return;
    switch (call.kind) {
      case Kind::count:
        found.push_back(object->count.fetch_add(1, std::memory_order_relaxed) & 7U);
        break;
      case Kind::lock:
        object->mutex.lock();
        object->mutex.unlock();
        break;
      default:
        if (call.kind == Kind::drop && object->owners.fetch_sub(1, call.of_drop) != 1) break;
        if (call.has_fence) std::atomic_thread_fence(std::memory_order_acquire);
        delete object;
    }
  }

 private:
  std::array<std::atomic<Object*>, kSlots> slots_{};
  unsigned owners_;
  std::mutex guard_;
};

// -- The comparison

/// Searches in full, under strategies of each kind, and says what differs from the brute force. Empty:
/// nothing.
inline std::string contradiction(const Program& program, const Answer& answer) {
  for (const char* const strategy : {"auto", "icb", "dfs", "cb-por", "dpor", "icb-por", "hb-cache"}) {
    Collected outcomes;
    const Report report = report_of(with(strategy), [&] {
      Slots slots(program);
      outcomes.add(random_calls::outcome_of_threads(
          program.threads, [&](const Call& call, std::size_t, auto& found) { slots.make(call, found); }));
    });
    const bool is_right = report.failed() == answer.may_go_wrong &&
                          (report.failed() || outcomes.all() == answer.outcomes) &&
                          report.verdict != Verdict::stopped;
    if (is_right) continue;
    std::ostringstream text;
    text << strategy << ": " << text_of(program) << "\nfound";
    for (const std::uint64_t outcome : outcomes.all()) text << " " << outcome;
    text << ", by the brute force" << (answer.may_go_wrong ? " it may go wrong:" : ":");
    for (const std::uint64_t outcome : answer.outcomes) text << " " << outcome;
    text << "\n" << report;
    return text.str();
  }
  return {};
}

inline Program random_program(std::mt19937& random) {
  const auto below = [&random](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  Program program;
  for (bool& is_there : program.is_there) is_there = below(2) == 0;
  program.owners = 1 + static_cast<unsigned>(below(3));
  program.threads.resize(2 + below(2));
  const bool is_careful = below(2) == 0;  // most orders are strong enough
  const bool has_guard = below(3) == 0;   // with which they need not be
  for (std::vector<Call>& calls : program.threads) {
    const std::size_t count = 1 + below(program.threads.size() == 2 ? 3 : 2);
    for (std::size_t n = 0; n < count; ++n) {
      static constexpr std::array kKinds{Kind::publish, Kind::publish, Kind::count, Kind::count, Kind::lock,
          Kind::drop, Kind::drop, Kind::take};
      Call call{.kind = kKinds.at(below(kKinds.size())), .slot = below(kSlots)};
      const bool is_weak = below(is_careful ? 6 : 2) == 0;
      if (call.kind == Kind::publish) {
        call.order = is_weak ? std::memory_order_relaxed : std::memory_order_release;
      } else {
        call.order = is_weak ? std::memory_order_relaxed : std::memory_order_acquire;
      }
      if (below(5) == 0) call.order = std::memory_order_seq_cst;
      static constexpr std::array kWeak{
          std::memory_order_relaxed, std::memory_order_acquire, std::memory_order_release};
      if (below(is_careful ? 6 : 2) == 0) call.of_drop = kWeak.at(below(kWeak.size()));
      const bool may_have_fence = call.kind == Kind::drop || call.kind == Kind::take;
      call.has_fence = may_have_fence && below(is_careful ? 2 : 4) == 0;
      call.is_guarded = has_guard && below(4) != 0;
      calls.push_back(call);
    }
  }
  return program;
}

}  // namespace unmodified::lives
