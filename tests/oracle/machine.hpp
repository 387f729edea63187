// The abstract machine: what the threads of a program can do, and what that does. It is written from the
// description of a step (docs/how-it-works.md) and shares nothing with the runtime.
//
// A state holds everything, the actions made so far included, as a plain value. Those actions, by thread, are
// the happens-before class of the way to the state.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/oracle/event.hpp"
#include "tests/oracle/program.hpp"

namespace hocket::oracle {

inline constexpr unsigned kMostActions = 40;      ///< of one thread
inline constexpr unsigned kClock = kMostObjects;  ///< the number of the clock among the objects

/// One action in one word: the verb, how it came out, and up to three objects, for each
/// whether it was read or written and the version found or made.
class Action {
 public:
  explicit Action(Verb verb) : word_(static_cast<std::uint64_t>(verb)) {}
  explicit Action(std::uint64_t word) : word_(word) {}

  void touch(unsigned object, bool write, unsigned version);
  void come_out(unsigned outcome);  ///< not 0, which is to say nothing

  [[nodiscard]] std::uint64_t word() const { return word_; }
  [[nodiscard]] Verb verb() const { return static_cast<Verb>(word_ & 0x3fU); }
  [[nodiscard]] std::string to_text() const;

 private:
  std::uint64_t word_;
  unsigned touches_ = 0;
};

/// A happens-before class: for every thread, the number of its actions and these.
using Class = std::vector<std::uint64_t>;
std::string to_text(const Class& actions);

enum class Phase : std::uint8_t {
  absent,    ///< not started yet
  before,    ///< stopped before an operation
  releases,  ///< its shared mutex, in the middle of a wait on a condition variable
  waits,     ///< on a condition variable, not notified
  woken,     ///< notified, has to go on and take its mutex again
  retakes,   ///< its mutex, done with waiting
  parked,    ///< on an atomic, not notified
  roused,    ///< notified, has to look again
  looks,     ///< in an await of values: at the second atomic
  watches,  ///< in an await of values: looks at the first one again once something of what it saw has changed
  joins,
  ended,
};

struct ThreadState {
  Phase phase = Phase::absent;
  std::uint8_t ordinal = 0;  ///< among the threads of its creator, from 1
  std::uint8_t actions = 0;
  bool is_notified = false;   ///< while it releases its shared mutex
  bool has_expired = false;   ///< its last wait
  bool takes_shared = false;  ///< its last wait was with the mutex held in shared mode
  std::int8_t seen_time = 0;  ///< when it last touched the clock, or its creator had
  std::int8_t over_at = 0;    ///< when its timed wait is over
  Instruction at;             ///< while it is stopped: what it is about to do
  Frame frame;

  // What an await of values has looked at this time, and the versions that it saw first.
  std::uint8_t watched = 0;
  std::array<std::uint8_t, kMostObjects> seen_version{};

  // What it did since its last yield.
  bool has_yielded = false;
  bool has_written = false;
  std::uint8_t has_read = 0;                             ///< objects, the clock included
  std::array<std::uint8_t, kMostObjects + 1> version{};  ///< of those: the oldest that it read

  friend bool operator==(const ThreadState&, const ThreadState&) = default;
};

inline constexpr std::uint8_t kNobody = 0xff;

/// Sets of threads that say whom a thread ought to let go first, when scheduling is fair: what has happened
/// since its last yield, and whom it owes a turn. A thread that has not yielded yet owes nobody anything.
struct Debt {
  std::uint8_t always_enabled = 0;
  std::uint8_t stopped = 0xff;  ///< enabled before a step of the thread, and not after
  std::uint8_t has_run = 0xff;
  std::uint8_t owed_to = 0;  ///< to go on while one of these can costs something
};

struct ObjectState {
  std::uint8_t version = 0;
  std::int8_t value = 0;         ///< of an atomic; the count of a semaphore; the time
  std::uint8_t owner = kNobody;  ///< of a mutex
  std::uint8_t readers = 0;      ///< of a shared mutex
  friend bool operator==(const ObjectState&, const ObjectState&) = default;
};

/// Whether an execution was cut short: by an assumption that does not hold, a check, or a data race.
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

  // When scheduling is fair, else unused. These depend on the order of independent steps.
  std::array<Debt, kMostThreads> debts{};
  std::uint8_t gave_way = 0;  ///< who has yielded or waited too long since the clock moved

  Cut cut = Cut::none;
  CheckPlace failed;  ///< when cut == Cut::failed

  std::array<std::uint8_t, kMostThreads> in_order_of_start{};  ///< says nothing about what is to come
  std::uint8_t started = 0;

  [[nodiscard]] Class class_so_far() const;
  /// Whether both have the same future.
  [[nodiscard]] bool is_like(const State& other) const {
    return threads == other.threads && objects == other.objects && cut == other.cut && failed == other.failed;
  }
};

/// How a thread goes on.
enum class Way : std::uint8_t {
  run,
  expire,
  spurious,
  timeless,  ///< it sleeps, and no time passes although it might
};

/// A decision about threads: who makes the next step, and in which way.
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

/// Who made the last step, as far as prices depend on it.
struct Last {
  std::uint8_t thread = kNobody;
  bool yielded = false;
  friend auto operator<=>(const Last&, const Last&) = default;
};

/// What surrounds the machine: decides what the program does not, and hears of what was done.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  /// A value below `count`, which is at least 2. Every value but 0 costs `price`.
  virtual unsigned choose(unsigned count, unsigned price) = 0;
  virtual void completed(unsigned /*thread*/, const Instruction& /*instruction*/, int /*result*/) {}
  /// Whether the execution is cut short here, by a data race.
  virtual bool happened(const Event& /*event*/) { return false; }
};

class Machine {
 public:
  explicit Machine(const Program& program) : program_(program) {}

  /// The main thread before its first step, and those that it has started by then.
  [[nodiscard]] State begin(Surroundings& surroundings) const;

  /// Who may make the next step, at what price, in ascending order. Nobody: all threads have ended, there
  /// is a deadlock, or the execution has been cut short. `without_unfair`: what scheduling fairly makes
  /// dearer is left out.
  [[nodiscard]] std::vector<Candidate> candidates(
      const State& state, Last last, bool without_unfair = false) const;

  /// Makes a step: the operation that the thread stands before, and on to the next.
  Last step(State& state, Turn turn, Surroundings& surroundings) const;

  [[nodiscard]] static bool all_have_ended(const State& state);

 private:
  class Step;

  [[nodiscard]] bool is_shared(unsigned mutex) const {
    return program_.objects[mutex].kind == Kind::shared_mutex;
  }
  [[nodiscard]] bool is_free(const State& state, unsigned mutex) const;
  /// Whether a thread that is about to take something waits until it can. To wait for no time is to try.
  [[nodiscard]] static bool waits_before(const Instruction& at);
  /// Whether it can take now what it is about to take: a mutex in either mode, or one of a semaphore's count.
  [[nodiscard]] bool can_take(const State& state, const Instruction& at) const;
  /// Who can go on, also because a wait is over. While time may pass the wait that ends first is.
  [[nodiscard]] std::uint8_t able(const State& state) const;
  /// Whether it would be fair to let another thread go first.
  [[nodiscard]] bool owes(const State& state, unsigned thread) const;
  static void account_for(
      State& state, unsigned thread, bool yields, std::uint8_t before, std::uint8_t after);
  [[nodiscard]] bool is_enabled(const State& state, unsigned thread) const;
  /// Whether nobody else may go on: the thread that made the last step is not to be preempted.
  [[nodiscard]] bool is_kept_running(const State& state, Last last) const;
  [[nodiscard]] bool may_expire(const State& state, unsigned thread) const;
  [[nodiscard]] bool may_wake_spuriously(const State& state, unsigned thread) const;
  [[nodiscard]] bool is_at_futile_yield(const State& state, unsigned thread) const;
  [[nodiscard]] bool is_useful(const State& state, unsigned thread) const {
    return is_enabled(state, thread) && !is_at_futile_yield(state, thread);
  }
  /// Whether the clock does not move before the thread has gone on or given way.
  [[nodiscard]] bool holds_up_time(const State& state, unsigned thread) const {
    return is_useful(state, thread) && (state.gave_way >> thread & 1U) == 0;
  }
  /// Whether time may pass while the thread sleeps: nobody else holds it up.
  [[nodiscard]] bool may_let_time_pass(const State& state, unsigned thread) const;
  /// Whether it must: nobody else has anything useful to do.
  [[nodiscard]] bool must_let_time_pass(const State& state, unsigned thread) const;
  /// Whether the thread may sleep without time passing, though time may pass.
  [[nodiscard]] bool may_hold_time(const State& state, unsigned thread) const;
  /// The threads that a notification by `waker` may wake, by stable name: creators first, then by ordinal.
  [[nodiscard]] std::vector<unsigned> sleepers(const State& state, const Instruction& waker) const;
  [[nodiscard]] std::vector<unsigned> stable_name(const State& state, unsigned thread) const;
  /// A step of a wait on a condition variable; whether it was the last.
  bool step_of_wait(State& state, Turn turn, Step& step, Surroundings& surroundings) const;
  /// A step of await_values or await_either; whether it was the last.
  bool step_of_await(State& state, unsigned thread, Step& step, Surroundings& surroundings) const;
  void wake(State& state, unsigned thread) const;
  /// Tells of an event; whether the execution goes on.
  static bool happens(State& state, const Event& event, Surroundings& surroundings);
  /// Runs `thread` up to its next operation, and the threads that it sets going.
  void run_on(State& state, unsigned thread, Surroundings& surroundings) const;

  const Program& program_;
};

}  // namespace hocket::oracle
