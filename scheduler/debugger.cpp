#include <hocket/scheduler/debugger.hpp>

#include <string>

#include <hocket/runtime/allocations.hpp>
#include <hocket/runtime/execution.hpp>

namespace {

using hocket::runtime::execution;
using hocket::runtime::Thread;

}  // namespace

extern "C" {

[[gnu::noinline]] void hocket_gdb_replay_begins() {
  __asm__ volatile("");  // or the call would be left out
}

unsigned hocket_gdb_threads() {
  return execution.os_thread != 0 ? execution.thread_count() : 0;
}

unsigned hocket_gdb_current() {
  return execution.current != nullptr ? execution.current->index : 0;
}

const char* hocket_gdb_name(unsigned index) {
  const hocket::runtime::OwnMemory own;
  static std::string name;
  name = execution.describe(execution.thread(index));
  return name.c_str();
}

const char* hocket_gdb_state(unsigned index) {
  switch (execution.thread(index).state) {
    case Thread::State::fresh:
      return "has not begun";
    case Thread::State::running:
      return index == hocket_gdb_current() ? "runs" : "waits for a thread that it has started, or joins";
    case Thread::State::stopped:
      return to_string(execution.thread(index).pending.operation).data();
    case Thread::State::ended:
      return "has ended";
  }
  return "";
}

const void* const* hocket_gdb_context(unsigned index) {
  const Thread& thread = execution.thread(index);
  const bool has_none = &thread == execution.current || thread.state == Thread::State::ended;
  return has_none ? nullptr : static_cast<const void* const*>(thread.context);
}

}  // extern "C"
