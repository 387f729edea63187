// Hocket: systematic concurrency testing. Include this one header.
//
//   hocket::Report report = hocket::explore("counter", [] {
//     hocket::atomic<int> x{0};
//     hocket::thread t([&] { x = x + 1; });
//     x = x + 1;
//     t.join();
//     hocket::check(x == 2, "an increment was lost");
//   });
#pragma once

#include <hocket/interpose/atomic.hpp>              // IWYU pragma: export
#include <hocket/interpose/atomic_ref.hpp>          // IWYU pragma: export
#include <hocket/interpose/body.hpp>                // IWYU pragma: export
#include <hocket/interpose/clock.hpp>               // IWYU pragma: export
#include <hocket/interpose/condition_variable.hpp>  // IWYU pragma: export
#include <hocket/interpose/memory.hpp>              // IWYU pragma: export
#include <hocket/interpose/mutex.hpp>               // IWYU pragma: export
#include <hocket/interpose/semaphore.hpp>           // IWYU pragma: export
#include <hocket/interpose/thread.hpp>              // IWYU pragma: export
#include <hocket/interpose/var.hpp>                 // IWYU pragma: export
#include <hocket/scheduler/explore.hpp>             // IWYU pragma: export
