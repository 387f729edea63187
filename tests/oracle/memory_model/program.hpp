// A small concurrent program in which memory orders matter, as plain data and as text.
//
// In the text `||` stands between threads and `;` between instructions:
//
//   x = 1 rlx; r0 = y acq || y = 1 rel; fence sc; r1 = x rlx
//
//   x = 1 rlx              store; also of a register, `x = r0 rlx`, or of one plus a number, `x = r0+1 rlx`
//   r0 = x acq             load
//   x = 1 na; r0 = x na    plain accesses, which are no atomic operations
//   r0 = add x 1 acq_rel   fetch_add; r0 gets the old value. `swap` is exchange
//   r0 = cas x 0 1 sc rlx  compare_exchange_strong of 0 to 1: the order of success, then that of failure.
//                          `cas_weak` may fail for no reason
//   fence sc               atomic_thread_fence
//   lock m; unlock m       a mutex that its thread does not hold, or does
//   start 1; join 1        a thread that is started nowhere begins with the program
//   r0 = wait x 0 acq      std::atomic::wait: loads until it gets another value than 0, which r0 gets
//   notify_one x           notify_all
//   sleep c m              a wait at condition variable c, which gives mutex m back meanwhile; `wake_one c`,
//                          `wake_all c` notify it
//   skip 2 if r0 != 1      the next two instructions; `==` as well
//
// Atomics and plain variables are called x, y, z, w, v and u, mutexes m and n, condition variables c and d,
// registers r0 to r15. All begin with 0. A register belongs to the thread that uses it.
//
// A plain write to w constructs an atomic with that value there, and the next one destroys it. Both are plain
// accesses, so that is all that the model has to know of it ([atomics.types.operations]).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hocket::memory_model {

inline constexpr unsigned kMostThreads = 4;
inline constexpr unsigned kLocations = 6;
inline constexpr unsigned kMutexes = 2;
inline constexpr unsigned kConditions = 2;
inline constexpr unsigned kRegisters = 16;
inline constexpr std::string_view kLocationNames = "xyzwvu";
inline constexpr std::uint8_t kLived = 3;

enum class Order : std::uint8_t { relaxed, acquire, release, acq_rel, seq_cst };

constexpr bool acquires(Order order) {
  return order == Order::acquire || order == Order::acq_rel || order == Order::seq_cst;
}
constexpr bool releases(Order order) {
  return order == Order::release || order == Order::acq_rel || order == Order::seq_cst;
}

enum class Verb : std::uint8_t {
  load,
  store,
  add,
  exchange,
  compare_exchange,
  compare_exchange_weak,
  fence,
  read_plainly,
  write_plainly,
  lock,
  unlock,
  start,
  join,
  wait,
  notify_one,
  notify_all,
  sleep,
  wake_one,
  wake_all,
  skip_if_equal,
  skip_if_different,
};

/// A number, or a register plus a number.
struct Operand {
  std::int8_t number = 0;
  std::int8_t from = -1;  ///< a register, or -1

  friend bool operator==(const Operand&, const Operand&) = default;
};

struct Instruction {
  Verb verb = Verb::fence;
  std::uint8_t object = 0;  ///< a location, mutex, condition variable or thread; of skips: how many to skip
  std::uint8_t mutex = 0;   ///< of sleep
  std::int8_t into = -1;    ///< the register that gets what is read, or -1; of skips: which is compared
  Operand value{};          ///< to store, add, exchange, compare with; wait: the old one
  Operand expected{};       ///< of compare_exchange
  Order order = Order::relaxed;
  Order failure = Order::relaxed;  ///< of compare_exchange

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

using Code = std::vector<Instruction>;

struct Program {
  std::vector<Code> threads;

  friend bool operator==(const Program&, const Program&) = default;
};

/// Throws std::invalid_argument with the part that it does not understand.
Program parse(std::string_view text);

/// What parse() reads.
std::string to_text(const Program& program);

/// Whether some thread starts this one; others begin with the program.
bool is_started(const Program& program, unsigned thread);

}  // namespace hocket::memory_model
