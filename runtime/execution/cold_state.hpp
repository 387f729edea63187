// The parts of Execution that are not plain data. Private to the runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "../diagnosis/held_locks.hpp"
#include "../diagnosis/last_steps.hpp"
#include "../diagnosis/notifications.hpp"
#include "../races/race_record.hpp"
#include "../races/races.hpp"
#include "../races/weaker_orders.hpp"
#include "../terms/failure.hpp"
#include "../weak_memory/weak_memory.hpp"
#include "execution.hpp"
#include "fairness.hpp"
#include "retries.hpp"

namespace hocket::runtime {

struct ColdState {
  /// An object that was made outside the body, with its state when the search first saw it.
  struct OutsideObject {
    Object* object;  ///< nullptr if it has been destroyed
    void* saved;
  };

  /// The virtual clock. now() reads it, and advancing it writes it.
  struct Clock : Object {
    Clock();
  };

  /// An object or a block of memory that the body has made.
  struct Made {
    unsigned thread;
    std::uint64_t order;
    std::uint64_t what;  ///< the key of an object, or the size of a block in bytes
    Where where;
  };

  /// What is left of a condition variable that was destroyed before all threads that it had notified resumed:
  /// its name and version, as bytes.
  struct DestroyedObject {
    alignas(Object) std::byte bytes[sizeof(Object)];
  };

  /// The initial state of a thread. It is copied from here because compilers clear that many bytes with a
  /// string instruction, which is slow.
  ThreadState fresh_thread;
  OfExecution fresh_execution;  ///< likewise

  Failure failure;
  Races races;
  RaceRecord race_record;
  WeakMemory weak_memory;
  std::vector<std::uint64_t> passed_races;  ///< signatures of those that the execution went past
  Clock clock;
  WeakerOrders weaker_orders;  ///< of this search
  std::unique_ptr<Skipping> skipping;
  std::unique_ptr<Observer> own_memory_observer;

  /// Of Scheduling.
  struct {
    Fairness fairness;
    LastSteps last_steps;
    std::vector<Candidate> candidates;  ///< the candidate list that goes with the log
    bool took_unfair_turn = false;      ///< a thread that should have been held back has run
    bool left_out_unfair = false;       ///< this and what follows: as in ExecutionResult
    bool left_out_sealed = false;
    bool held_late_waits = false;
    bool priced_yield = false;
    Where yields_at;

    void begin() {
      fairness.begin();
      last_steps.clear();
      candidates.clear();
      took_unfair_turn = left_out_unfair = left_out_sealed = held_late_waits = priced_yield = false;
    }
  } scheduling;

  /// Of Retries.
  struct {
    std::vector<Retries::Place> places;  ///< of each thread
    /// In a replay, by thread, the callers of its steps, and what they were, from the head of the latest
    /// round on.
    std::vector<std::vector<std::pair<const void*, RetryStep>>> replayed_steps;
    RetryLoops found;  ///< that the search does not know yet
  } retries;

  /// Of ObjectLives.
  struct {
    std::vector<OutsideObject> outside;
    std::vector<std::uint32_t> touched;  ///< positions of those that were accessed in this execution
    std::unordered_map<const Object*, std::uint32_t>
        made_in_static_storage;  ///< how often, in this execution
    std::deque<DestroyedObject> remains;
  } objects;

  /// While recording.
  struct Recorded {
    HeldLocks held_locks;
    Notifications notifications;
    std::vector<Where> detached_at;                               ///< by index of thread
    std::unordered_map<const Object*, std::string> destroyed_by;  ///< which thread, and where
    std::vector<FailureStack> more_stacks;  ///< of the failure that is about to be noted
  };
  Recorded recorded;

  /// While objects or memory are counted.
  struct Counted {
    std::unordered_map<const Object*, Made> objects;
    std::unordered_map<std::uintptr_t, Made> blocks;  ///< by address
    std::uint64_t made = 0;

    void clear() {
      objects.clear();
      blocks.clear();
      made = 0;
    }
  };
  Counted counted;

  /// Another execution begins. What has its own begin() is not touched here.
  void begin(const std::function<void()>& of) {
    body = &of;
    scheduling.begin();
    passed_races.clear();
    if (!objects.remains.empty()) objects.remains.clear();
    clock.life = run.life;
    clock.version = 0;
  }

  const std::function<void()>* body = nullptr;
  void* log_memory = nullptr;
};

}  // namespace hocket::runtime
