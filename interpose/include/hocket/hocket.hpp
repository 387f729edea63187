// Hocket: systematic concurrency testing. Include this one header.
//
//   hocket::Report report = hocket::explore("counter", [] {
//     hocket::atomic<int> x{0};
//     hocket::thread t([&] { x = x + 1; });
//     x = x + 1;
//     t.join();
//     hocket::check(x == 2, "an increment was lost");
//   });
//
// In C++14 and C++17 the header has the functions for bodies and explore(), for code that is instrumented,
// and no types.
#pragma once

#if __cplusplus < 202002L
#include "../../older/body.hpp"     // IWYU pragma: export
#include "../../older/explore.hpp"  // IWYU pragma: export
#else
#include "../../../scheduler/api/explore.hpp"  // IWYU pragma: export
#include "../../types/atomic.hpp"              // IWYU pragma: export
#include "../../types/atomic_ref.hpp"          // IWYU pragma: export
#include "../../types/body.hpp"                // IWYU pragma: export
#include "../../types/clock.hpp"               // IWYU pragma: export
#include "../../types/condition_variable.hpp"  // IWYU pragma: export
#include "../../types/memory.hpp"              // IWYU pragma: export
#include "../../types/mutex.hpp"               // IWYU pragma: export
#include "../../types/semaphore.hpp"           // IWYU pragma: export
#include "../../types/thread.hpp"              // IWYU pragma: export
#include "../../types/var.hpp"                 // IWYU pragma: export
#endif
