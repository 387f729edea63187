// Threads that search together.
#pragma once

#include <functional>

namespace hocket::model {

/// Calls `work` with the numbers below `count`: with 0 on this thread, and with each other one on a thread of
/// its own. When all have returned, throws what the first of them has thrown; `on_error` is called as soon as
/// one does.
void run_workers(
    unsigned count, const std::function<void(unsigned)>& work, const std::function<void()>& on_error);

}  // namespace hocket::model
