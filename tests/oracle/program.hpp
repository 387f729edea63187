// A small concurrent program as plain data, which both the abstract machine and the real runtime run.
//
// Any list of instructions is a program. An instruction that makes no sense where it stands (to unlock what
// the thread does not hold, to use an object that it does not know) is passed over; and at its end a thread
// releases what it holds, joins what it started and destroys what it made. So programs can be generated and
// shrunk without care. What is passed over depends on the thread alone, never on other threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hocket::oracle {

inline constexpr unsigned kMostThreads = 6;  ///< the main thread included
inline constexpr unsigned kMostObjects = 7;

enum class Verb : std::uint8_t {
  // on atomics
  load,
  store,
  add,
  exchange,
  compare_exchange,
  compare_exchange_weak,
  await_change,  ///< std::atomic::wait
  await_values,  ///< hocket::await: this atomic holds `expected`, and then the one in `mutex` holds `value`
  await_either,  ///< the same with "or" in the place of "and"
  wake_one,
  wake_all,
  // on mutexes and shared mutexes
  lock,
  try_lock,
  try_lock_for,
  unlock,
  // on shared mutexes
  lock_shared,
  try_lock_shared,
  try_lock_shared_for,
  unlock_shared,
  // on condition variables
  wait,
  wait_for,
  notify_one,
  notify_all,
  // on semaphores
  acquire,
  try_acquire,
  try_acquire_for,
  release,
  // on no object of the program
  yield,
  sleep,
  read_clock,
  // no steps
  choose,
  forbid_preemption,  ///< by a guard, which lives until the thread's end where nothing ends it before
  allow_preemption,   ///< ends the thread's last guard
  skip_if,            ///< passes over the next `value` instructions if the last result was `expected`
  make,               ///< makes an object of this thread's
  start,              ///< starts a thread of this thread's
  join,
  assume,  ///< that the last result was `expected`; else the execution is dropped
  check,   ///< that the last result was `expected`; else the execution has failed
  // a step that no instruction asks for: what becomes of a thread's objects when it ends
  destroy,
  // no steps, and only in programs about data races
  read_var,
  write_var,
  fence,
};
inline constexpr unsigned kVerbs =
    static_cast<unsigned>(Verb::destroy) + 1;  ///< of programs without data races
inline constexpr unsigned kAllVerbs = static_cast<unsigned>(Verb::fence) + 1;

std::string_view to_string(Verb verb);

struct Instruction {
  Verb verb = Verb::yield;
  std::uint8_t object = 0;   ///< which object; start and join: which thread
  std::int8_t value = 0;     ///< to store, add, exchange; how many to release, choose from, skip; how long to
                             ///< wait; what the other atomic is to hold
  std::int8_t expected = 0;  ///< by compare_exchange, awaits, skip_if, assume, check
  std::uint8_t mutex = 0;    ///< of wait and wait_for; it may be a shared one, held in either mode.
                             ///< await_values, await_either: the other atomic, or the same one again
  std::memory_order order = std::memory_order_seq_cst;    ///< of what is done to an atomic, and of a fence
  std::memory_order failure = std::memory_order_seq_cst;  ///< of a compare_exchange that fails

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

/// A var is plain data; what can be done to an atomic can be done to it too, by an atomic_ref.
enum class Kind : std::uint8_t { atomic, mutex, shared_mutex, condition, semaphore, var };

/// As Object::maker: the object is made before the body runs, and outlives it.
inline constexpr std::uint8_t kOutside = 0xff;

struct Object {
  Kind kind = Kind::atomic;
  std::int8_t initial = 0;        ///< value of an atomic or var, count of a semaphore
  std::uint8_t maker = kOutside;  ///< the thread whose `make` makes it
};

struct Thread {
  std::uint8_t parent = 0;  ///< the thread whose `start` starts it; thread 0, the main one, just runs
  std::vector<Instruction> code;
};

struct Program {
  std::vector<Object> objects;
  std::vector<Thread> threads;
  bool spurious_wakeups = false;
  bool spurious_failures = false;
  bool is_fair = false;  ///< who yields lets those go first that it has starved, or else that costs something
};

/// One thread for each list of instructions, all started by the main thread before their first step, with
/// objects that are made outside.
Program in_parallel(std::vector<Object> objects, std::vector<std::vector<Instruction>> code);

/// The same program, whose main thread starts its threads in this order.
Program with_starts_permuted(const Program& program, const std::vector<std::uint8_t>& order);

std::string to_text(const Program& program);
std::string to_text(const Program& program, const Instruction& instruction);

/// Where a thread of a program stands, and all that it knows by itself.
struct Frame {
  std::uint8_t place = 0;         ///< of the next instruction
  std::int8_t seen = 0;           ///< the last result
  std::uint8_t knows = 0;         ///< objects that it may use
  std::uint8_t made = 0;          ///< objects that it made, and has not destroyed
  std::uint8_t holds = 0;         ///< mutexes, exclusively
  std::uint8_t holds_shared = 0;  ///< shared mutexes
  std::uint8_t started = 0;       ///< threads
  std::uint8_t joined = 0;        ///< threads
  std::uint8_t guards = 0;        ///< against preemption

  friend bool operator==(const Frame&, const Frame&) = default;
};

/// How the main thread begins.
Frame first_frame(const Program& program);
/// How a thread begins that is started from `creator`.
Frame child_frame(const Frame& creator);

/// What `thread` does next; nothing when it has come to its end. Moves past what is to be passed over.
std::optional<Instruction> next(const Program& program, unsigned thread, Frame& frame);

/// `instruction`, which next() gave, is done. `result` matters for those that have one.
void complete(Frame& frame, const Instruction& instruction, int result);

}  // namespace hocket::oracle
