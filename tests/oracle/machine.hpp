// The abstract machine: what the threads of a program can do, and what the effects are. It is written from
// the description of a step (docs/how-it-works.md) and shares no code with the runtime.
//
// A state holds everything as a plain value, including the actions made so far. Those actions, by thread, are
// the happens-before class of the execution that led to the state.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/oracle/event.hpp"
#include "tests/oracle/programs/program.hpp"

namespace hocket::oracle {

inline constexpr unsigned kMostActions = 40;      ///< of one thread
inline constexpr unsigned kClock = kMostObjects;  ///< the number of the clock among the objects

/// One action in one word: the verb, its outcome, and up to three objects. For each object the word says
/// whether it was read or written and which version was found or made.
class Action {
 public:
  explicit Action(Verb verb) : word_(static_cast<std::uint64_t>(verb)) {}
  explicit Action(std::uint64_t word) : word_(word) {}

  void touch(unsigned object, bool write, unsigned version);
  void come_out(unsigned outcome);  ///< not 0, which means that there is no outcome

  [[nodiscard]] std::uint64_t word() const { return word_; }
  [[nodiscard]] Verb verb() const { return static_cast<Verb>(word_ & 0x3fU); }
  [[nodiscard]] std::string to_text() const;

 private:
  std::uint64_t word_;
  unsigned touches_ = 0;
};

/// A happens-before class: for every thread, the number of its actions, followed by the actions.
using Class = std::vector<std::uint64_t>;
std::string to_text(const Class& actions);

enum class Phase : std::uint8_t {
  absent,    ///< not started yet
  before,    ///< stopped before an operation
  releases,  ///< releases its shared mutex, in the middle of a wait on a condition variable
  waits,     ///< waits on a condition variable, not notified
  woken,     ///< notified, must continue and take its mutex again
  retakes,   ///< takes its mutex again after the wait
  parked,    ///< waits on an atomic, not notified
  roused,    ///< notified, must read the value again
  looks,     ///< in an await of values: reads the second atomic
  watches,   ///< in an await of values: reads the first one again after a change of something that it saw
  joins,
  runs,  ///< in the middle of a step
  ended,
};

struct ThreadState {
  Phase phase = Phase::absent;
  std::uint8_t ordinal = 0;  ///< among the threads of its creator, from 1
  std::uint8_t actions = 0;
  bool is_notified = false;   ///< while it releases its shared mutex
  bool has_expired = false;   ///< whether its last wait expired
  bool takes_shared = false;  ///< its last wait was with the mutex held in shared mode
  std::int8_t seen_time = 0;  ///< when it or its creator last read the clock
  std::int8_t over_at = 0;    ///< when its timed wait is over
  Instruction at;             ///< while it is stopped: what it is about to do
  Frame frame;

  // The objects that an await of values has read in this round, and the versions that it saw first.
  std::uint8_t watched = 0;
  std::array<std::uint8_t, kMostObjects> seen_version{};

  // What the thread did since its last yield.
  bool has_yielded = false;
  bool has_written = false;
  std::uint16_t has_read = 0;                            ///< objects, including the clock
  std::array<std::uint8_t, kMostObjects + 1> version{};  ///< the oldest version of each that it read

  friend bool operator==(const ThreadState&, const ThreadState&) = default;
};

inline constexpr std::uint8_t kNobody = 0xff;

/// With fair scheduling, sets of threads that determine which threads a thread should let run first: what has
/// happened since its last yield, and to which threads it owes a turn. A thread that has not yielded yet owes
/// no turn.
struct Debt {
  std::uint8_t always_enabled = 0;
  std::uint8_t stopped = 0xff;  ///< enabled before a step of the thread, but not after it
  std::uint8_t has_run = 0xff;
  std::uint8_t owed_to = 0;  ///< while one of these can run, running the thread has a price
};

struct ObjectState {
  std::uint8_t version = 0;
  std::int8_t value = 0;         ///< of an atomic; the count of a semaphore; the time
  std::uint8_t owner = kNobody;  ///< of a mutex
  std::uint8_t readers = 0;      ///< of a shared mutex
  friend bool operator==(const ObjectState&, const ObjectState&) = default;
};

/// Whether an execution was cut short: by a failed assumption, a failed check, or a data race.
enum class Cut : std::uint8_t { none, dropped, failed, raced };

/// A `check`, by its thread and place in it.
struct CheckPlace {
  std::uint8_t thread = 0;
  std::uint8_t place = 0;
  friend auto operator<=>(const CheckPlace&, const CheckPlace&) = default;
};

struct State {
  std::array<ThreadState, kMostThreads> threads;
  std::array<ObjectState, kMostObjects + 1> objects;
  std::array<std::array<std::uint64_t, kMostActions>, kMostThreads> actions{};

  // Used only with fair scheduling. These members depend on the order of independent steps.
  std::array<Debt, kMostThreads> debts{};
  std::uint8_t gave_way = 0;  ///< threads that have yielded or waited too long since the clock moved

  Cut cut = Cut::none;
  CheckPlace failed;  ///< when cut == Cut::failed

  std::array<std::uint8_t, kMostThreads> in_order_of_start{};  ///< does not affect what can follow
  std::uint8_t started = 0;

  [[nodiscard]] Class class_so_far() const;
  /// Whether both states have the same future.
  [[nodiscard]] bool is_like(const State& other) const {
    return threads == other.threads && objects == other.objects && cut == other.cut && failed == other.failed;
  }
};

/// How a thread continues.
enum class Way : std::uint8_t {
  run,
  expire,
  spurious,
  timeless,  ///< it sleeps, and no time passes although time may pass
};

/// A scheduling decision: which thread makes the next step, and in which way.
struct Turn {
  std::uint8_t thread = 0;
  Way way = Way::run;
  friend auto operator<=>(const Turn&, const Turn&) = default;
};
struct Candidate {
  Turn turn;
  unsigned price = 0;
  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

/// Which thread made the last step, as far as prices depend on it.
struct Last {
  std::uint8_t thread = kNobody;
  bool yielded = false;
  friend auto operator<=>(const Last&, const Last&) = default;
};

/// The environment of the machine: makes the choices that the program leaves open, and is notified of what
/// was done.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  /// Returns a value below `count`, which is at least 2. Every value except 0 costs `price`.
  virtual unsigned choose(unsigned count, unsigned price) = 0;
  virtual void completed(unsigned /*thread*/, const Instruction& /*instruction*/, int /*result*/) {}
  /// Returns whether the execution is cut short here by a data race.
  virtual bool happened(const Event& /*event*/) { return false; }
};

class Machine {
 public:
  explicit Machine(const Program& program) : program_(program) {}

  /// The state of the main thread before its first step, and of the threads that it has started by then.
  [[nodiscard]] State begin(Surroundings& surroundings) const;

  /// The threads that may make the next step, with their prices, in ascending order. There are none if all
  /// threads have ended, there is a deadlock, or the execution has been cut short. `without_unfair` leaves
  /// out the candidates that fair scheduling makes more expensive.
  [[nodiscard]] std::vector<Candidate> candidates(
      const State& state, Last last, bool without_unfair = false) const;

  /// Makes a step: runs the operation before which the thread is stopped, and continues to the next
  /// operation.
  Last step(State& state, Turn turn, Surroundings& surroundings) const;

  [[nodiscard]] static bool all_have_ended(const State& state);

 private:
  class Step;

  [[nodiscard]] bool is_shared(unsigned mutex) const {
    return program_.objects[mutex].kind == Kind::shared_mutex;
  }
  [[nodiscard]] bool is_free(const State& state, unsigned mutex) const;
  /// Whether a thread that is about to take something waits until it can. Waiting for no time counts as
  /// trying.
  [[nodiscard]] static bool waits_before(const Instruction& at);
  /// Whether the thread can now take what it is about to take: a mutex in either mode, or one unit of a
  /// semaphore.
  [[nodiscard]] bool can_take(const State& state, const Instruction& at) const;
  /// The threads that can run, including those whose wait is over. While time may pass, the wait that ends
  /// first counts as over.
  [[nodiscard]] std::uint8_t able(const State& state) const;
  /// Whether it would be fair to let another thread go first.
  [[nodiscard]] bool owes(const State& state, unsigned thread) const;
  static void account_for(
      State& state, unsigned thread, bool yields, std::uint8_t before, std::uint8_t after);
  [[nodiscard]] bool is_enabled(const State& state, unsigned thread) const;
  /// Whether no other thread may run, because the thread that made the last step must not be preempted.
  [[nodiscard]] bool is_kept_running(const State& state, Last last) const;
  /// The same, because it would be a preemption before a sealed step.
  [[nodiscard]] bool is_sealed(const State& state, Last last) const;
  /// Whether letting another thread run than the one that made the last step is a preemption.
  [[nodiscard]] bool could_go_on(const State& state, Last last) const {
    return last.thread != kNobody && !last.yielded && is_useful(state, last.thread) &&
           !owes(state, last.thread);
  }
  /// Whether what the thread is about to do may end only when no thread can go on.
  [[nodiscard]] bool is_late(const Instruction& at) const;
  /// Whether the thread lets others run first by what it is about to do.
  [[nodiscard]] bool yields(const Instruction& at) const {
    return at.verb == Verb::yield || (at.verb == Verb::sleep && !is_late(at));
  }
  /// Whether the thread is in a wait, or a late sleep, that ends at a certain time.
  [[nodiscard]] bool has_time_limit(const State& state, unsigned thread) const;
  [[nodiscard]] bool may_expire(const State& state, unsigned thread) const;
  [[nodiscard]] bool may_wake_spuriously(const State& state, unsigned thread) const;
  [[nodiscard]] bool is_at_futile_yield(const State& state, unsigned thread) const;
  [[nodiscard]] bool is_useful(const State& state, unsigned thread) const {
    return is_enabled(state, thread) && !is_at_futile_yield(state, thread);
  }
  /// Whether the clock does not move before the thread has run or given way.
  [[nodiscard]] bool holds_up_time(const State& state, unsigned thread) const {
    return is_useful(state, thread) && (state.gave_way >> thread & 1U) == 0;
  }
  /// Whether time may pass while the thread sleeps: no other thread holds it up.
  [[nodiscard]] bool may_let_time_pass(const State& state, unsigned thread) const;
  /// Whether time must pass: no other thread can do anything useful.
  [[nodiscard]] bool must_let_time_pass(const State& state, unsigned thread) const;
  /// Whether the thread may sleep without time passing although time may pass.
  [[nodiscard]] bool may_hold_time(const State& state, unsigned thread) const;
  /// The threads that a notification by `waker` may wake, by stable name: creators first, then by ordinal.
  [[nodiscard]] std::vector<unsigned> sleepers(const State& state, const Instruction& waker) const;
  [[nodiscard]] std::vector<unsigned> stable_name(const State& state, unsigned thread) const;
  /// Makes a step of a wait on a condition variable. Returns whether it was the last one.
  bool step_of_wait(State& state, Turn turn, Step& step, Surroundings& surroundings) const;
  /// Makes a step of await_values or await_either. Returns whether it was the last one.
  bool step_of_await(State& state, unsigned thread, Step& step, Surroundings& surroundings) const;
  void wake(State& state, unsigned thread) const;
  /// Reports an event. Returns whether the execution continues.
  static bool happens(State& state, const Event& event, Surroundings& surroundings);
  /// Runs `thread` up to its next operation, and also the threads that it starts.
  void run_on(State& state, unsigned thread, Surroundings& surroundings) const;

  const Program& program_;
};

}  // namespace hocket::oracle
