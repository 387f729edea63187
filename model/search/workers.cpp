#include "workers.hpp"

#include "model_calls.hpp"

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace hocket::model {

void run_workers(
    unsigned count, const std::function<void(unsigned)>& work, const std::function<void()>& on_error) {
  std::mutex mutex;
  std::exception_ptr error;
  const auto work_safely = [&](unsigned number) noexcept {
    try {
      const WatchedCalls watched;
      work(number);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
      on_error();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned n = 1; n < count; ++n) threads.emplace_back(work_safely, n);
    work_safely(0);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace hocket::model
