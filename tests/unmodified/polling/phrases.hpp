// Random programs made of compiled phrases. Each phrase is a small function as people write it, so that
// frames, registers and what is inlined differ; its meaning is a piece of a program of polling_program.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <random>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unmodified/polling/polling_program.hpp"
#include "tests/unmodified/polling/polling_searches.hpp"

namespace unmodified::polling {

/// What the threads of such a program share.
struct Things {
  explicit Things(const Polling& program) : shared(program) {}

  Shared shared;
  std::promise<void> promise;
  std::shared_future<void> future{promise.get_future()};
  std::stop_source stop;
  std::stop_token token = stop.get_token();
  std::shared_ptr<int> owner = std::make_shared<int>(1);
  std::weak_ptr<int> watched{owner};
};

/// One use of a phrase.
struct Use {
  unsigned phrase = 0;      ///< its number
  std::uint8_t object = 0;  ///< the atomic, lock or flag
  std::uint8_t value = 0;   ///< that it stores, or waits for
  std::uint8_t where = 0;   ///< the register for what it returns
  std::uint8_t thread = 0;  ///< that uses it
};

using Phrase = int (*)(Things&, const Use&);

enum class Say : unsigned {
  load,
  load_both,
  store,
  add,
  write_under_lock,
  raise,
  // polls
  poll,
  poll_and_yield,
  poll_through_functions,
  poll_two,
  poll_a_half,
  poll_into_member,
  poll_by_exchange,
  poll_a_few_times,
  poll_under_lock,
  poll_under_shared_lock,
  poll_under_two_locks,
  poll_by_try,
  poll_shared_then_try,
  poll_flag,
  poll_flag_and_yield,
  poll_by_equal_exchange,
  poll_clock_rarely,
  // loops that retry
  retry_claim,
  retry_blink,
  retry_by_try,
  retry_under_lock,
};
inline constexpr unsigned kPhrases = static_cast<unsigned>(Say::retry_under_lock) + 1;

constexpr bool retries(Say what) {
  return what >= Say::retry_claim;
}
constexpr bool returns_something(Say what) {
  return what != Say::store && what != Say::write_under_lock && what != Say::raise &&
         what != Say::poll_into_member && what != Say::retry_claim && what != Say::retry_blink &&
         what != Say::retry_under_lock;
}
/// How often a thread looks elsewhere between two looks at the clock.
inline constexpr int kRarely = 20;

/// The same phrases, compiled with optimisation and without; by Say.
extern const std::array<Phrase, kPhrases> kOptimizedPhrases;
extern const std::array<Phrase, kPhrases> kUnoptimizedPhrases;

struct PhraseProgram {
  Polling meaning;
  std::vector<std::vector<Use>> threads;
};

class PhraseWriter {
 public:
  /// `waits`: the first of the phrases that wait in such programs.
  explicit PhraseWriter(std::mt19937& random, Say waits = Say::poll)
      : random_(random), waits_(static_cast<unsigned>(waits)) {}

  PhraseProgram program() {
    program_ = {};
    for (LockKind& kind : program_.meaning.locks) kind = static_cast<LockKind>(below(std::size(kLockKinds)));
    const auto threads = static_cast<std::uint8_t>(2 + below(2));
    for (std::uint8_t t = 0; t < threads; ++t) {
      code_.clear();
      uses_.clear();
      has_counted_ = false;
      for (unsigned left = 1 + below(threads == 2 ? 3 : 2); left != 0; --left) say(t);
      program_.meaning.threads.push_back(code_);
      program_.threads.push_back(uses_);
    }
    return program_;
  }

 private:
  std::uint8_t below(unsigned n) { return static_cast<std::uint8_t>(random_() % n); }
  std::uint8_t here() const { return static_cast<std::uint8_t>(code_.size()); }
  void emit(Command command) { code_.push_back(command); }

  /// A loop that ends where the register holds the value after `look`.
  template <class Look>
  void loop(std::uint8_t where, std::uint8_t value, Look&& look) {
    const std::uint8_t head = here();
    look();
    emit({Do::jump_if, 0, where, 0, value, static_cast<std::uint8_t>(here() + 2)});
    emit({Do::jump, 0, 0, 0, 0, head});
  }

  void say(std::uint8_t thread) {
    // Half of what is said is said to be waited for.
    const auto plain = static_cast<unsigned>(Say::poll);
    const unsigned phrase = below(2) == 0 ? below(plain) : waits_ + below(kPhrases - waits_);
    Use use{phrase, below(2), static_cast<std::uint8_t>(1 + below(2)), below(kRegisters), thread};
    const Say what = static_cast<Say>(phrase);
    if (what == Say::raise || what == Say::poll_flag || what == Say::poll_flag_and_yield) {
      use.object = below(kFlags);
      if (what == Say::raise && std::exchange(is_raised_[use.object], true)) return;
    }
    const bool shares = what == Say::poll_under_shared_lock || what == Say::poll_shared_then_try;
    if (shares && !can_be_shared(program_.meaning.locks[use.object])) return;
    if (what == Say::poll_a_few_times && std::exchange(has_counted_, true)) return;
    program_.meaning.retries |= retries(what);
    uses_.push_back(use);
    const auto begin = static_cast<std::ptrdiff_t>(code_.size());
    mean(what, use);
    if (!retries(what)) return;
    std::for_each(code_.begin() + begin, code_.end(), [](Command& command) { command.is_in_retry = true; });
    code_[static_cast<std::size_t>(begin)].begins_retry = true;
  }

  void mean(Say what, const Use& use) {
    const std::uint8_t x = use.object;
    const auto other = static_cast<std::uint8_t>(1 - use.object);
    const std::uint8_t r = use.where;
    const auto section = [&](Do takes) {
      emit({takes, x});
      emit({Do::read, x, r});
      emit({Do::unlock, x});
    };
    switch (what) {
      case Say::load:
        return emit({Do::load, x, r});
      case Say::load_both:
        return emit({Do::load_both});
      case Say::store:
        return emit({Do::store, x, r, use.value});
      case Say::add:
        return emit({Do::add, x, r, 1});
      case Say::write_under_lock:
        emit({Do::lock, x});
        emit({Do::write, x, r, use.value});
        return emit({Do::unlock, x});
      case Say::raise:
        return emit({Do::raise, x});
      case Say::poll:
      case Say::poll_through_functions:
      case Say::poll_a_half:
        return loop(r, use.value, [&] { emit({Do::load, x, r}); });
      case Say::poll_and_yield: {
        const std::uint8_t head = here();
        emit({Do::load, x, r});
        emit({Do::jump_if, 0, r, 0, use.value, static_cast<std::uint8_t>(here() + 3)});
        emit({Do::yield});
        return emit({Do::jump, 0, 0, 0, 0, head});
      }
      case Say::poll_two: {
        const std::uint8_t head = here();
        emit({Do::load, x, r});
        emit({Do::jump_if, 0, r, 0, use.value, static_cast<std::uint8_t>(here() + 4)});
        emit({Do::load, other, r});
        emit({Do::jump_if, 0, r, 0, use.value, static_cast<std::uint8_t>(here() + 2)});
        return emit({Do::jump, 0, 0, 0, 0, head});
      }
      case Say::poll_into_member: {
        const std::uint8_t head = here();
        emit({Do::jump_if, 0, kMember, 0, use.value, static_cast<std::uint8_t>(here() + 3)});
        emit({Do::load, x, kMember});
        return emit({Do::jump, 0, 0, 0, 0, head});
      }
      case Say::poll_by_exchange:
        return loop(r, 1, [&] { emit({Do::compare_exchange, x, r, use.value, 0}); });
      case Say::poll_a_few_times: {
        const std::uint8_t head = here();
        emit({Do::load, x, r});
        emit({Do::jump_if, 0, r, 0, use.value, static_cast<std::uint8_t>(here() + 4)});
        emit({Do::count});
        emit({Do::jump_if_counted, 0, 0, 0, kMostCounted, static_cast<std::uint8_t>(here() + 2)});
        return emit({Do::jump, 0, 0, 0, 0, head});
      }
      case Say::poll_under_lock:
        return loop(r, use.value, [&] { section(Do::lock); });
      case Say::poll_under_shared_lock:
        return loop(r, use.value, [&] { section(Do::lock_shared); });
      case Say::poll_under_two_locks:
        return loop(r, use.value, [&] {
          emit({Do::lock, other});
          section(can_be_shared(program_.meaning.locks[x]) ? Do::lock_shared : Do::lock);
          emit({Do::unlock, other});
        });
      case Say::poll_by_try:
        loop(r, 1, [&] { emit({Do::try_lock, x, r}); });
        emit({Do::write, x, r, use.value});
        return emit({Do::unlock, x});
      case Say::poll_shared_then_try: {
        const std::uint8_t head = here();
        section(Do::lock_shared);
        emit({Do::jump_if, 0, r, 0, use.value, static_cast<std::uint8_t>(here() + 6)});
        emit({Do::try_lock, x, r});
        emit({Do::jump_unless, 0, r, 0, 1, head});
        emit({Do::write, x, r, use.value});
        emit({Do::unlock, x});
        return emit({Do::jump, 0, 0, 0, 0, head});
      }
      case Say::poll_by_equal_exchange:
        return loop(r, 0, [&] { emit({Do::compare_exchange, x, r, 0, 0}); });
      case Say::poll_clock_rarely: {
        const std::uint8_t head = here();
        const auto end = static_cast<std::uint8_t>(head + 2 * kRarely + 3);
        for (int n = 0; n < kRarely; ++n) {
          emit({Do::load, x, r});
          emit({Do::jump_if, 0, r, 0, use.value, end});
        }
        emit({Do::look_at_clock, 0, kOwnRegister, 0});
        emit({Do::jump_if, 0, kOwnRegister, 0, 1, end});
        return emit({Do::jump, 0, 0, 0, 0, head});
      }
      case Say::retry_claim: {
        const std::uint8_t head = here();
        emit({Do::store, x, r, 1});
        emit({Do::load, other, kOwnRegister});
        emit({Do::jump_if, 0, kOwnRegister, 0, 0, static_cast<std::uint8_t>(here() + 3)});
        emit({Do::store, x, r, 0});
        emit({Do::jump, 0, 0, 0, 0, head});
        return emit({Do::store, x, r, 0});
      }
      case Say::retry_blink: {
        const std::uint8_t head = here();
        emit({Do::store, x, r, 1});
        emit({Do::store, x, r, 2});
        emit({Do::load, other, kOwnRegister});
        return emit({Do::jump_if, 0, kOwnRegister, 0, 0, head});
      }
      case Say::retry_by_try: {
        const std::uint8_t head = here();
        emit({Do::store, x, r, use.value});
        emit({Do::try_lock, x, r});
        emit({Do::jump_if, 0, r, 0, 1, static_cast<std::uint8_t>(here() + 3)});
        emit({Do::store, x, r, 0});
        emit({Do::jump, 0, 0, 0, 0, head});
        return emit({Do::unlock, x});
      }
      case Say::retry_under_lock: {
        const std::uint8_t head = here();
        for (const std::uint8_t value : std::array<std::uint8_t, 2>{1, 2}) {
          emit({Do::lock, x});
          emit({Do::write, x, r, value});
          emit({Do::unlock, x});
        }
        emit({Do::load, other, kOwnRegister});
        return emit({Do::jump_if, 0, kOwnRegister, 0, 0, head});
      }
      case Say::poll_flag:
        return loop(r, 1, [&] { emit({Do::look_at_flag, x, r}); });
      case Say::poll_flag_and_yield: {
        const std::uint8_t head = here();
        emit({Do::look_at_flag, x, r});
        emit({Do::jump_if, 0, r, 0, 1, static_cast<std::uint8_t>(here() + 3)});
        emit({Do::yield});
        return emit({Do::jump, 0, 0, 0, 0, head});
      }
    }
  }

  std::mt19937& random_;
  unsigned waits_;
  PhraseProgram program_;
  std::vector<Command> code_;
  std::vector<Use> uses_;
  std::array<bool, kFlags> is_raised_{};
  bool has_counted_ = false;
};

inline Outcome run(const PhraseProgram& program, const std::array<Phrase, kPhrases>& phrases) {
  Things things(program.meaning);
  Outcome outcome{};
  std::array<std::thread, kThreads> threads;
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    threads[t] = std::thread([&, t] {
      std::array<int, kRegisters> registers{};
      for (const Use& use : program.threads[t]) {
        const int found = phrases[use.phrase](things, use);
        if (static_cast<Say>(use.phrase) == Say::load_both) {
          registers = {found & 0xff, found >> 8};
        } else if (returns_something(static_cast<Say>(use.phrase))) {
          registers[use.where] = found;
        }
      }
      std::copy(registers.begin(), registers.end(), outcome.begin() + kAtomics + kMutexes + t * kRegisters);
    });
  }
  for (std::size_t t = 0; t < program.threads.size(); ++t) threads[t].join();
  finish(things.shared, outcome);
  return outcome;
}

/// Has all searches explore the program, with and without optimisation.
inline Compared compare(const PhraseProgram& program, const Answer& answer) {
  Compared all;
  for (const auto* const phrases : {&kOptimizedPhrases, &kUnoptimizedPhrases}) {
    const Compared one = compare(program.meaning, answer, [&] { return hash(run(program, *phrases)); });
    all.searches += one.searches;
    all.complete += one.complete;
    if (all.contradiction.empty() && !one.contradiction.empty()) {
      all.contradiction = phrases == &kOptimizedPhrases ? "optimized: " : "not optimized: ";
      all.contradiction += one.contradiction;
    }
  }
  return all;
}

}  // namespace unmodified::polling
