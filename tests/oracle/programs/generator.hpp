// Random programs, and the simpler variants of a given program. Each seed makes one program.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/oracle/programs/program.hpp"

namespace hocket::oracle {

/// Two to four threads that do something meaningful and are mostly small enough for the brute force.
Program ordinary_program(std::uint64_t seed);

/// Two to five threads with short code, dense in what reductions treat specially: chosen values, chains of
/// creation, permits and notifications from threads that begin late, waits that expire, guards.
Program dense_program(std::uint64_t seed);

/// An ordinary program with seals before many of its steps.
Program sealed_program(std::uint64_t seed);

/// Two or three threads that share plain data and mostly do something to order the accesses.
Program program_with_plain_data(std::uint64_t seed);

// -- About the memory model

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

/// Programs that are a little simpler than `program`, the simplest first.
std::vector<Program> simpler_than(const Program& program);

}  // namespace hocket::oracle
