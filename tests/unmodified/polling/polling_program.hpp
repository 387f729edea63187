// Random programs whose threads poll, or wait in other ways, as plain data.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace unmodified::polling {

using namespace std::chrono_literals;

enum class Do : std::uint8_t {
  load,              ///< register = x
  store,             ///< x = value
  add,               ///< register = x, x += value
  exchange,          ///< register = x, x = value
  compare_exchange,  ///< register = whether x was `expected`; then x = value
  lock,
  try_lock,  ///< register = whether it succeeded
  lock_shared,
  try_lock_shared,
  unlock,      ///< if the thread holds it, in either mode
  load_both,   ///< the first two registers = the atomics, in one step
  store_both,  ///< the atomics = value, expected, in one step
  yield,
  look_at_clock,  ///< register = whether the deadline with the number `value` is over
  wait,           ///< std::atomic::wait, for x to be something else than `value`
  notify_one,     ///< on x
  notify_all,
  count_down,  ///< of the latch
  wait_for_latch,
  try_latch,        ///< register = whether the latch is open
  arrive_and_wait,  ///< at the barrier `object`
  acquire,
  try_acquire,  ///< register = whether it succeeded
  release,
  destroy,       ///< the semaphore `object`; from then on it must not be used
  raise,         ///< the flag `object`
  look_at_flag,  ///< register = whether it is raised
  // no steps
  lock_both,  ///< std::lock of the mutex and the other one, and on at `target`; up to there it is spelt out
  read,       ///< register = the plain data that a mutex protects, if the thread holds it
  write,      ///< that = value, if it holds it alone
  count,      ///< counter += 1, up to kMostCounted
  clear,      ///< registers = 0
  jump,       ///< to `target`
  jump_if,    ///< register == expected
  jump_unless,
  jump_if_counted,  ///< counter >= expected
};
inline constexpr const char* kNames[] = {"load", "store", "add", "exchange", "compare_exchange", "lock",
    "try_lock", "lock_shared", "try_lock_shared", "unlock", "load_both", "store_both", "yield",
    "look_at_clock", "wait", "notify_one", "notify_all", "count_down", "wait_for_latch", "try_latch",
    "arrive_and_wait", "acquire", "try_acquire", "release", "destroy", "raise", "look_at_flag", "lock_both",
    "read", "write", "count", "clear", "jump", "jump_if", "jump_unless", "jump_if_counted"};

struct Command {
  Do what = Do::yield;
  std::uint8_t object = 0;  ///< of its kind
  std::uint8_t where = 0;   ///< the register
  std::uint8_t value = 0;
  std::uint8_t expected = 0;
  std::uint8_t target = 0;
  bool is_in_retry = false;   ///< of a loop that changes something in each round
  bool begins_retry = false;  ///< its first step
};

inline constexpr unsigned kThreads = 5;
inline constexpr unsigned kAtomics = 2;
inline constexpr unsigned kMutexes = 2;
inline constexpr unsigned kBarriers = 2;    ///< a std::barrier and a pthread_barrier_t
inline constexpr unsigned kSemaphores = 2;  ///< a sem_t and a std::counting_semaphore
inline constexpr unsigned kFlags = 3;       ///< a future, a stop token and a weak_ptr
inline constexpr unsigned kRegisters = 2;
inline constexpr std::uint8_t kOwnRegister = kRegisters;  ///< of what is spelt out; not part of the outcome
inline constexpr std::uint8_t kMember =
    kOwnRegister + 1;  ///< a plain variable in memory that is not the thread's
inline constexpr std::uint8_t kMostCounted = 3;
inline constexpr std::chrono::nanoseconds kDeadlines[] = {2us, 1ms};  ///< since the beginning

enum class LockKind : std::uint8_t { mutex, recursive_mutex, shared_mutex, rwlock };
inline constexpr const char* kLockKinds[] = {"mutex", "recursive_mutex", "shared_mutex", "rwlock"};
inline constexpr bool can_be_shared(LockKind kind) {
  return kind == LockKind::shared_mutex || kind == LockKind::rwlock;
}

struct Polling {
  std::vector<std::vector<Command>> threads;
  std::array<LockKind, kMutexes> locks{};
  std::uint8_t latch = 1;                              ///< how often it is to be counted down
  std::array<std::uint8_t, kBarriers> barriers{1, 1};  ///< how many threads have to arrive
  std::array<std::uint8_t, kSemaphores> semaphores{};  ///< permits at the beginning
  bool retries = false;  ///< there are loops that change something in each round

  [[nodiscard]] bool has(Do what) const {
    return std::any_of(threads.begin(), threads.end(), [what](const std::vector<Command>& code) {
      return std::any_of(code.begin(), code.end(), [what](const Command& c) { return c.what == what; });
    });
  }
  [[nodiscard]] std::string text() const {
    std::string text = "latch " + std::to_string(latch) + ", barriers " + std::to_string(barriers[0]) + " " +
                       std::to_string(barriers[1]) + ", semaphores " + std::to_string(semaphores[0]) + " " +
                       std::to_string(semaphores[1]) + "\n";
    for (const LockKind kind : locks) text += std::string(kLockKinds[static_cast<unsigned>(kind)]) + "\n";
    for (const std::vector<Command>& code : threads) {
      text += "thread\n";
      for (std::size_t n = 0; n < code.size(); ++n) {
        const Command& c = code[n];
        text += "  " + std::to_string(n) + ": " + kNames[static_cast<unsigned>(c.what)] + " object " +
                std::to_string(c.object) + " register " + std::to_string(c.where) + " value " +
                std::to_string(c.value) + " expected " + std::to_string(c.expected) + " target " +
                std::to_string(c.target) + "\n";
      }
    }
    return text;
  }
};

/// Loops have no effect but in the round that leaves them, or a first one. Others may go on for ever without
/// waiting, which is for fair scheduling and not for these programs.
class Writer {
 public:
  explicit Writer(std::mt19937& random) : random_(random) {}

  /// With locks of all kinds, accesses to both atomics at once, and polls that keep what they read in memory.
  Polling program_of_all_kinds() {
    is_of_all_kinds_ = true;
    for (LockKind& kind : locks_) kind = static_cast<LockKind>(below(std::size(kLockKinds)));
    Polling result = program();
    result.locks = locks_;
    return result;
  }

  /// Threads that take both mutexes by std::lock, and others that try to take one meanwhile.
  Polling program_with_standard_locks() {
    Polling program;
    program.threads.resize(2 + below(2));
    for (std::vector<Command>& code : program.threads) {
      code_.clear();
      const bool is_first = &code == program.threads.data();
      for (unsigned blocks = 1 + below(2); blocks != 0; --blocks) {
        if (is_first || below(2) == 0) {
          lock_both();
        } else {
          try_one();
        }
      }
      code = code_;
    }
    return program;
  }

  Polling program() {
    Polling program;
    program.threads.resize(2 + below(2));
    for (std::vector<Command>& code : program.threads) {
      code_.clear();
      const bool is_short = program.threads.size() > 2;
      plain(below(is_short ? 2 : 3));
      if (&code == program.threads.data() || below(2) == 0) {
        loop(below(4) == 0 ? 1 : 0);
        plain(below(2));
        if (!is_short && below(4) == 0) loop(0);
      } else {
        plain(1 + below(is_short ? 2 : 3));
      }
      for (std::uint8_t m = 0; m < kMutexes; ++m) emit({Do::unlock, m});
      code = code_;
    }
    return program;
  }

 private:
  std::uint8_t below(unsigned n) { return static_cast<std::uint8_t>(random_() % n); }
  std::uint8_t here() const { return static_cast<std::uint8_t>(code_.size()); }
  void emit(Command command) { code_.push_back(command); }
  /// Where there are programs of all kinds: yes in one of so many cases.
  bool is_special(unsigned one_of) { return is_of_all_kinds_ && below(one_of) == 0; }

  void lock(std::uint8_t m) {
    emit({can_be_shared(locks_[m]) && is_special(2) ? Do::lock_shared : Do::lock, m});
  }
  void try_lock(std::uint8_t m, std::uint8_t r) {
    emit({can_be_shared(locks_[m]) && is_special(3) ? Do::try_lock_shared : Do::try_lock, m, r});
  }

  /// As the standard allows it, and libstdc++ does it.
  void lock_both() {
    const std::uint8_t first = below(kMutexes);
    const auto second = static_cast<std::uint8_t>(1 - first);
    std::vector<std::size_t> leaves;
    const std::uint8_t head = here();
    leaves.push_back(head);
    emit({Do::lock_both, first});
    for (const std::uint8_t waited_for : {first, second}) {
      emit({Do::lock, waited_for});
      emit({Do::try_lock, static_cast<std::uint8_t>(1 - waited_for), kOwnRegister});
      leaves.push_back(code_.size());
      emit({Do::jump_if, 0, kOwnRegister, 0, 1});
      emit({Do::unlock, waited_for});
    }
    emit({Do::jump, 0, 0, 0, 0, static_cast<std::uint8_t>(head + 1)});
    for (const std::size_t n : leaves) code_[n].target = here();
    const std::uint8_t m = below(kMutexes);
    const std::uint8_t r = below(kRegisters);
    emit({Do::read, m, r});
    emit({Do::write, m, r, static_cast<std::uint8_t>(1 + below(2))});
    emit({Do::unlock, m});
    if (below(3) == 0) emit({Do::load, below(kAtomics), r});
    emit({Do::unlock, static_cast<std::uint8_t>(1 - m)});
  }

  void try_one() {
    const std::uint8_t m = below(kMutexes);
    const std::uint8_t r = below(kRegisters);
    switch (below(4)) {
      case 0:
        emit({Do::lock, m});
        emit({Do::write, m, r, static_cast<std::uint8_t>(1 + below(2))});
        if (below(2) == 0) emit({Do::store, below(kAtomics), r, 1});
        break;
      case 1:
        emit({Do::try_lock, m, static_cast<std::uint8_t>(1 - r)});
        emit({Do::unlock, m});
        [[fallthrough]];
      default:
        emit({Do::try_lock, m, r});
        if (below(2) == 0) {
          emit({Do::unlock, m});
          emit({Do::try_lock, static_cast<std::uint8_t>(1 - m), static_cast<std::uint8_t>(1 - r)});
        }
        break;
    }
    for (std::uint8_t n = 0; n < kMutexes; ++n) emit({Do::unlock, n});
  }

  void plain(unsigned count) {
    while (count-- > 0) {
      const std::uint8_t x = below(kAtomics);
      const std::uint8_t r = below(kRegisters);
      switch (below(12)) {
        case 11:
          emit({Do::notify_all, x});
          break;
        case 9:
        case 10: {
          const std::uint8_t m = below(kMutexes);
          lock(m);
          emit({Do::read, m, r});
          emit({Do::write, m, r, static_cast<std::uint8_t>(1 + below(2))});
          emit({Do::unlock, m});
          break;
        }
        case 0:
        case 1:
        case 2:
          emit({is_special(4) ? Do::store_both : Do::store, x, r,
              static_cast<std::uint8_t>(below(4) == 0 ? 0 : 1 + below(2)),
              is_special(2) ? below(3) : std::uint8_t{0}});
          break;
        case 3:
          emit({is_special(2) ? Do::load_both : Do::load, x, r});
          break;
        case 4:
          emit({Do::add, x, r, 1});
          break;
        case 5:
          emit({Do::compare_exchange, x, r, below(3), below(2)});
          break;
        case 6: {
          const std::uint8_t m = below(kMutexes);
          lock(m);
          emit({Do::store, x, r, below(3)});
          emit({Do::unlock, m});
          break;
        }
        case 7: {
          const std::uint8_t m = below(kMutexes);
          try_lock(m, r);
          emit({Do::load, x, static_cast<std::uint8_t>(1 - r)});
          emit({Do::unlock, m});
          break;
        }
        default:
          emit({Do::yield});
          break;
      }
    }
  }

  /// With so many loops in it. In an inner one there are no tries: after one that has succeeded, the round of
  /// the outer loop is not silent.
  void loop(unsigned inner, bool is_inner = false) {
    const std::uint8_t head = here();
    std::vector<std::size_t> leaves;
    const auto leave = [&](Command command) {
      leaves.push_back(code_.size());
      emit(command);
    };
    const unsigned looks = 1 + (below(3) == 0 || is_special(3) ? 1 : 0);
    const unsigned yield_at = below(4);
    bool may_act = false;  // in a round that stays
    for (unsigned n = 0; n < looks; ++n) {
      if (yield_at == n) emit({Do::yield});
      const std::uint8_t x = below(kAtomics);
      const std::uint8_t r = below(kRegisters);
      unsigned kind = below(15);
      if (is_inner && kind == 2) ++kind;
      switch (kind) {
        case 0:
          if (below(3) == 0) {  // as long as it is so, and writes what is there
            const std::uint8_t value = below(2);
            emit({Do::compare_exchange, x, r, value, value});
            leave({Do::jump_unless, 0, r, 0, 1});
            break;
          }
          emit({Do::compare_exchange, x, r, static_cast<std::uint8_t>(1 + below(2)), 0});
          leave({Do::jump_if, 0, r, 0, 1});
          break;
        case 1:
          emit({Do::exchange, x, r, 1});
          leave({Do::jump_unless, 0, r, 0, 1});
          break;
        case 2:
          try_lock(below(kMutexes), r);
          leave({Do::jump_if, 0, r, 0, 1});
          break;
        case 3:
          emit({Do::load, x, r});
          leave({Do::jump_unless, 0, r, 0, below(2)});
          break;
        case 4:
          may_act = true;
          emit({Do::exchange, static_cast<std::uint8_t>(1 - x), static_cast<std::uint8_t>(1 - r), 1});
          emit({Do::add, x, r, 0});
          leave({Do::jump_if, 0, r, 0, static_cast<std::uint8_t>(1 + below(2))});
          break;
        case 14:  // returns at once as long as it is something else
          may_act = true;
          emit({Do::wait, static_cast<std::uint8_t>(1 - x), 0, static_cast<std::uint8_t>(1 + below(2))});
          emit({Do::load, x, r});
          leave({Do::jump_if, 0, r, 0, static_cast<std::uint8_t>(1 + below(2))});
          break;
        case 5:
        case 6:
        case 7:
        case 8:
        case 9:
          section(x, r, !is_inner, leave);
          break;
        default: {
          const std::uint8_t found = is_special(2) ? kMember : r;
          emit({found == r && is_special(4) ? Do::load_both : Do::load, x, found});
          leave({Do::jump_if, 0, found, 0, static_cast<std::uint8_t>(1 + below(2))});
          break;
        }
      }
      if (inner != 0 && n == 0) loop(inner - 1, true);
    }
    if (yield_at == looks) emit({Do::yield});
    if (below(4) == 0) emit({Do::clear});
    // Time passes only by rounds that are silent. With one look beside that at the clock, which changes
    // nothing, all are that stay.
    if (!is_inner && inner == 0 && looks == 1 && !may_act && below(3) == 0) {
      const std::uint8_t r = below(kRegisters);
      emit({Do::look_at_clock, 0, r, below(std::size(kDeadlines))});
      leave({Do::jump_if, 0, r, 0, 1});
    } else if (below(5) == 0) {
      emit({Do::count});
      leave({Do::jump_if_counted, 0, 0, 0, static_cast<std::uint8_t>(1 + below(kMostCounted))});
    }
    emit({Do::jump, 0, 0, 0, 0, head});
    for (const std::size_t n : leaves) code_[n].target = here();
  }

  /// A look under a lock, or under two.
  template <class Leave>
  void section(std::uint8_t x, std::uint8_t r, bool may_try, Leave& leave) {
    const std::uint8_t outer = below(kMutexes);
    const bool is_nested = below(3) == 0;
    const std::uint8_t m = is_nested ? static_cast<std::uint8_t>(1 - outer) : outer;
    lock(outer);
    const bool tries = is_nested && may_try && below(4) == 0;
    if (tries) {
      try_lock(m, r);
    } else {
      if (is_nested) lock(m);
      emit(below(3) == 0 ? Command{Do::load, x, r} : Command{Do::read, m, r});
    }
    const bool leaves_with_locks = below(2) == 0;
    // A round whose try succeeds is not silent.
    const Command leaving{Do::jump_if, 0, r, 0, static_cast<std::uint8_t>(tries ? 1 : 1 + below(2))};
    if (leaves_with_locks) leave(leaving);
    emit({Do::unlock, m});
    if (is_nested) emit({Do::unlock, outer});
    if (!leaves_with_locks) leave(leaving);
  }

  std::mt19937& random_;
  std::vector<Command> code_;
  bool is_of_all_kinds_ = false;
  std::array<LockKind, kMutexes> locks_{};
};

/// What is left of the program: the atomics, the plain data, and the registers of each thread.
using Outcome = std::array<std::uint8_t, kAtomics + kMutexes + kThreads * kRegisters>;

inline std::uint64_t hash(const Outcome& outcome) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::uint8_t byte : outcome) hash = (hash ^ byte) * 0x100000001b3U;
  return hash;
}

}  // namespace unmodified::polling
