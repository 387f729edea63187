// Programs about memory orders in a few words, as papers write them.
//
// `||` stands between threads and `;` between instructions:
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
//   lock m; unlock m       a mutex
//   start 1; join 1        threads count from 0. One that is started nowhere begins with the program
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
#include <string_view>
#include <vector>

#include "tests/oracle/programs/program.hpp"

namespace hocket::oracle {

inline constexpr std::string_view kObjectNames = "xyzwvumncd";
inline constexpr std::uint8_t kLived = 3;      ///< the number of w among the names
inline constexpr std::uint8_t kMutex = 6;      ///< of m
inline constexpr std::uint8_t kCondition = 8;  ///< of c

/// Throws std::invalid_argument with the part that it does not understand.
Program parse(std::string_view text);

/// The program of these threads, numbered from 0 on, whose objects are numbered as their names are. Its main
/// thread starts those that no other starts.
Program with_names(std::vector<Code> threads);

}  // namespace hocket::oracle
