// Guards for what a search takes over in the process and gives back at its end.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/platform/os_thread.hpp"

namespace hocket {

/// Makes a search the owner of the process's execution: there is one search at a time, on one OS thread.
class SearchGuard {
 public:
  SearchGuard() {
    std::uintptr_t nobody = 0;
    std::atomic_ref searching(runtime::searching_os_thread);
    if (!searching.compare_exchange_strong(nobody, runtime::platform::os_thread_id())) {
      throw std::logic_error(
          "hocket: explore() was called while another search runs in this process; run one after the other");
    }
    runtime::execution.forget_search();
    runtime::execution.actions.forget_weaker_orders();
    previous_terminate_ = std::set_terminate([] {
      if (runtime::is_controlled()) runtime::execution.verdict.terminated();
      std::abort();
    });
  }
  ~SearchGuard() {
    std::set_terminate(previous_terminate_);
    runtime::execution.forget_search();
    std::atomic_ref(runtime::searching_os_thread).store(0);
  }
  SearchGuard(const SearchGuard&) = delete;
  SearchGuard& operator=(const SearchGuard&) = delete;

 private:
  std::terminate_handler previous_terminate_;
};

}  // namespace hocket
