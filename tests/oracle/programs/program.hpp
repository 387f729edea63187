// A small concurrent program as plain data, which the abstract machines and the real runtime can run.
//
// Any list of instructions is a program. An instruction that makes no sense at its place (unlocking a mutex
// that the thread does not hold, using an object that it does not know) is skipped. At its end a thread
// releases what it holds, joins what it started and destroys what it made. So programs can be generated and
// shrunk without special care. Which instructions are skipped depends on the thread alone, never on other
// threads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hocket::oracle {

inline constexpr unsigned kMostThreads = 6;  ///< including the main thread
inline constexpr unsigned kMostObjects = 8;
inline constexpr unsigned kMostRegisters = 16;

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
  await_either,  ///< the same with "or" in place of "and"
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
  // on none of the program's objects
  yield,
  sleep,
  read_clock,
  // not steps
  choose,
  forbid_preemption,  ///< with a guard, which lives until the thread's end unless it is ended before
  allow_preemption,   ///< ends the thread's last guard
  skip_if,            ///< skips the next `value` instructions if the last result was `expected`
  make,               ///< makes an object whose maker is this thread
  start,              ///< starts a thread whose parent is this thread
  join,
  assume,  ///< assumes that the last result was `expected`; otherwise drops the execution
  check,   ///< checks that the last result was `expected`; otherwise the execution fails
  // a step that no instruction requests: the destruction of a thread's objects when it ends
  destroy,
  // not steps, and only in programs about data races and memory orders
  read_var,
  write_var,
  fence,
  skip_unless,  ///< as skip_if, if it was not `expected`
};
inline constexpr unsigned kVerbs =
    static_cast<unsigned>(Verb::destroy) + 1;  ///< the number of verbs in programs without data races
inline constexpr unsigned kAllVerbs = static_cast<unsigned>(Verb::skip_unless) + 1;

std::string_view to_string(Verb verb);
constexpr bool is_skip(Verb verb) {
  return verb == Verb::skip_if || verb == Verb::skip_unless;
}
constexpr bool is_compare_exchange(Verb verb) {
  return verb == Verb::compare_exchange || verb == Verb::compare_exchange_weak;
}
bool names_an_object(Verb verb);
bool has_a_mutex(Verb verb);

constexpr bool acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}
constexpr bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

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
  bool is_sealed = false;                                 ///< if Program::has_seals: its steps are
  // Registers of the thread, or -1
  std::int8_t into =
      -1;  ///< gets what is read; of a compare_exchange what it has found, not whether it succeeds
  std::int8_t from = -1;  ///< is added to `value`; of skips: is compared, in place of the last result

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

/// A var is plain data. Through an atomic_ref it allows the same operations as an atomic.
enum class Kind : std::uint8_t {
  atomic,
  mutex,
  shared_mutex,
  condition,
  semaphore,
  var,
  lived,  ///< storage for an atomic. The first write_var constructs it there, the next one destroys it.
};

/// A value of Object::maker: the object is made before the body runs, and outlives it.
inline constexpr std::uint8_t kOutside = 0xff;

struct Object {
  Kind kind = Kind::atomic;
  std::int8_t initial = 0;        ///< value of an atomic or var, count of a semaphore
  std::uint8_t maker = kOutside;  ///< the thread whose `make` makes it
  char name = 0;                  ///< by which texts call it; 0: by its kind and number
};

using Code = std::vector<Instruction>;

struct Thread {
  std::uint8_t parent = 0;  ///< the thread whose `start` starts it; thread 0, the main thread, has none
  Code code;
};

struct Program {
  std::vector<Object> objects;
  std::vector<Thread> threads;
  bool spurious_wakeups = false;
  bool spurious_failures = false;
  bool is_late = false;  ///< waits with a time end only when no thread can go on, in the order of their ends
  bool has_seals = false;  ///< a thread is not preempted before a step of a sealed instruction
  bool is_fair = false;    ///< a thread that yields lets the threads that it starved run first, or pays
};

/// One thread for each list of instructions. The main thread starts all of them before their first step. The
/// objects are made outside.
Program in_parallel(std::vector<Object> objects, std::vector<Code> code);

/// The same program, whose main thread starts its threads in this order.
Program with_starts_permuted(const Program& program, const std::vector<std::uint8_t>& order);

/// The program with all its orders raised to seq_cst.
Program with_all_seq_cst(Program program);

/// Whether some instruction of some thread is such.
template <class Predicate>
bool any_instruction(const Program& program, const Predicate& is_such) {
  for (const Thread& thread : program.threads) {
    for (const Instruction& instruction : thread.code) {
      if (is_such(instruction)) return true;
    }
  }
  return false;
}
template <class Predicate>
bool any_verb(const Program& program, const Predicate& is_such) {
  return any_instruction(program, [&](const Instruction& instruction) { return is_such(instruction.verb); });
}

/// Whether the instruction is about plain data.
bool is_of_var(const Program& program, const Instruction& instruction);
/// Whether a compare-exchange is about plain data.
bool compares_plain_data(const Program& program);

std::string to_text(const Program& program);
std::string to_text(const Program& program, const Instruction& instruction);
std::string name_of(const Program& program, unsigned object);

/// The position of a thread in its program, and all that the thread knows by itself.
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
  std::array<std::int8_t, kMostRegisters> registers{};

  friend bool operator==(const Frame&, const Frame&) = default;
};

/// The frame with which the main thread begins.
Frame first_frame(const Program& program);
/// The frame with which a thread that is started from `creator` begins.
Frame child_frame(const Frame& creator);

/// The value of the instruction, with that of its register.
int value_of(const Frame& frame, const Instruction& instruction);

/// The next action of `thread`, or nothing if it has ended. Moves past the instructions to be skipped.
std::optional<Instruction> next(const Program& program, unsigned thread, Frame& frame);

/// Notes that `instruction`, which next() returned, is done. `result` matters for instructions that have one.
void complete(Frame& frame, const Instruction& instruction, int result);

}  // namespace hocket::oracle
