// Random programs, and the simpler variants of a given one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/oracle/memory_model/program.hpp"

namespace hocket::memory_model {

/// Two to four threads that do something of everything: accesses of all kinds and orders, fences, mutexes,
/// waits and notifications, plain data that is mostly handed over correctly, threads that start others.
Program mixed_program(std::uint64_t seed);

/// Two to four threads with two or more atomics, which access them and put up fences mostly in seq_cst order.
/// Mixed programs almost never come to a choice that seq_cst forbids; of these many do.
Program seq_cst_program(std::uint64_t seed);

/// Two or three threads with an atomic that one of them constructs and publishes. Those to which it has come
/// use it, and the last one that drops it, or one that has joined the others, may destroy it; all that with
/// orders that are strong enough in some programs and not in others.
Program lived_program(std::uint64_t seed);

/// Whether the program uses registers, mutexes and threads as it must: no two threads use one register; a
/// mutex is locked only by a thread that does not hold it, unlocked and slept with by one that does, and not
/// held at the end. A thread is started once, by an earlier one, and joined only by that. What skips skip
/// changes nothing of this.
bool is_sound(const Program& program);

/// Sound programs that are a little simpler, the simplest first.
std::vector<Program> simpler_than(const Program& program);

struct Counterexample {
  std::uint64_t seed = 0;  ///< of the program as it was generated
  Program program;         ///< simplified as far as possible
  std::string contradiction;

  [[nodiscard]] std::string to_text() const;
};

using Generator = std::function<Program(std::uint64_t seed)>;
/// Describes what is wrong with the program, if anything is.
using Property = std::function<std::optional<std::string>(const Program&)>;

/// Tries the programs of `count` seeds, from `seed` on, and moves `seed` on to the next one.
std::optional<Counterexample> first_counterexample(
    const Generator& generator, std::uint64_t& seed, std::uint64_t count, const Property& property);

}  // namespace hocket::memory_model
