#include "fork_server.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/platform/fiber_switch.hpp"
#include "../../../runtime/platform/symbols/call_site.hpp"
#include "../../../runtime/platform/symbols/debug_info.hpp"
#include "../host/control_blocks.hpp"
#include "../host/next_symbol.hpp"
#include "../memory/heap.hpp"
#include "../memory/own_heap.hpp"
#include "own_data.hpp"

namespace hocket::unmodified {

namespace {

using runtime::execution;

constexpr std::size_t kStack = std::size_t{8} << 20U;  ///< bytes for the search's stack
constexpr std::size_t kGuard = std::size_t{64} * 1024;

using Ended = void (*)(const runtime::platform::Ending& ending);

enum class ForkRequest { to_begin_child, to_end_child, to_end };

/// State of the running search that parent and child share.
struct ForkSession {
  const std::function<void()>& search;
  std::byte* data;   ///< Hocket's global variables, as the last child left them
  std::byte* state;  ///< the state of the execution that runs, or ran last, in a child
  bool child_came_to_its_end = false;
  ForkRequest request = ForkRequest::to_end;
  int error = 0;                   ///< why no child could be created
  std::exception_ptr exception{};  ///< with which the search ended
  unsigned stacks = 0;             ///< number before the child began, as is the next
  std::size_t control_blocks = 0;
  bool is_cleared = false;  ///< whether the body's memory has been cleared
};

std::size_t size_of_own_data() {
  std::size_t size = 0;
  for (const AddressRange& range : own_data()) size += range.end - range.begin;
  return size;
}

constinit ForkSession* sharing = nullptr;
constinit void* search_context = nullptr;  ///< on the shared stack
constinit void* process_context =
    nullptr;  ///< on the stack from which the search was begun: each process has its own

/// The memory that a search shares with its children besides the own heap: its stack, with a guard area below
/// it; the log of choices; the state of the execution that runs; and the data passed between the processes.
class SharedMemory {
 public:
  SharedMemory() {
    void* const mapped =
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
      throw std::system_error(
          errno, std::generic_category(), "hocket: no memory that the child process of an execution shares");
    }
    begin_ = static_cast<std::byte*>(mapped);
    mprotect(begin_, kGuard, PROT_NONE);
  }
  ~SharedMemory() { munmap(begin_, size_); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  [[nodiscard]] void* top_of_stack() const { return sharing(); }
  [[nodiscard]] std::byte* sharing() const { return begin_ + kGuard + kStack; }
  [[nodiscard]] std::byte* log() const { return sharing() + kPage; }
  [[nodiscard]] std::byte* state() const {
    return begin_ + (kGuard + kStack + kPage + runtime::Run::kLogBytes + kPage - 1) / kPage * kPage;
  }
  [[nodiscard]] std::byte* data() const { return state() + sizeof(runtime::Run); }

 private:
  static constexpr std::size_t kPage = 4096;
  static_assert(sizeof(ForkSession) <= kPage);

  std::size_t size_ =
      kGuard + kStack + kPage + runtime::Run::kLogBytes + kPage + sizeof(runtime::Run) + size_of_own_data();
  std::byte* begin_ = nullptr;
};

[[noreturn]] void run_search() {
  try {
    sharing->search();
  } catch (...) {
    sharing->exception = std::current_exception();
  }
  sharing->request = ForkRequest::to_end;
  for (;;) runtime::platform::jump(search_context, process_context);
}

/// Copies only pages that differ. Most pages do not change, and writing to one would create a copy of it.
void copy_what_differs(std::byte* to, const std::byte* from, std::size_t size) {
  constexpr std::size_t kPage = 4096;
  for (std::size_t done = 0; done < size; done += kPage) {
    const std::size_t piece = std::min(kPage, size - done);
    if (std::memcmp(to + done, from + done, piece) != 0) std::memcpy(to + done, from + done, piece);
  }
}

/// Ends the child. No exit handlers run, because they belong to the program and the parent.
[[noreturn]] void leave_data_and_end() {
  std::byte* copy = sharing->data;
  for (const AddressRange& range : own_data()) {
    const std::size_t size = range.end - range.begin;
    copy_what_differs(copy, reinterpret_cast<const std::byte*>(range.begin), size);
    copy += size;
  }
  sharing->child_came_to_its_end = true;
  for (;;) HOCKET_REAL(syscall)(SYS_exit_group, 0);
}

void take_data() {
  const std::byte* copy = sharing->data;
  for (const AddressRange& range : own_data()) {
    const std::size_t size = range.end - range.begin;
    copy_what_differs(reinterpret_cast<std::byte*>(range.begin), copy, size);
    copy += size;
  }
}

/// Creates the child; returns twice, like fork(). It does not use fork(), which would treat the stacks of the
/// parked threads as free in the child, and would call the program's fork handlers. The child's end sends no
/// signal, because the program may have its own children and its own handler.
pid_t make_child() {
  const pid_t parent = getpid();
  const auto child = static_cast<pid_t>(HOCKET_REAL(syscall)(SYS_clone, 0UL, nullptr, nullptr, nullptr, 0UL));
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) HOCKET_REAL(syscall)(SYS_exit_group, 0);
  return 0;
}

/// Takes over how far the execution had come when its process ended, or no log if there was no execution.
void take_position() {
  const auto& of_child = *reinterpret_cast<const runtime::Run*>(sharing->state);
  if (of_child.os_thread == 0) runtime::run.log = nullptr;
  runtime::run.position = of_child.position;
}

/// Returns when the child has ended.
void await(pid_t child, Ended ended) {
  const runtime::platform::Ending ending = runtime::platform::await_ending(child);
  if (sharing->child_came_to_its_end) return;
  own_heap.leave_to_the_dead();
  take_position();
  ended(ending);
}

/// Switches between the process's stack and the search's stack, in this process and its children, until the
/// search is over.
void serve(Ended ended) {
  bool is_child = false;
  for (;;) {
    runtime::platform::jump(process_context, search_context);
    if (is_child) leave_data_and_end();
    if (sharing->request == ForkRequest::to_end) return;
    sharing->child_came_to_its_end = false;
    const pid_t child = make_child();
    sharing->error = child < 0 ? errno : 0;
    if (child == 0) {
      is_child = true;
      static_cast<void>(runtime::Execution::move_run_to(sharing->state));  // its parent sees how far it came
    } else if (child > 0) {
      await(child, ended);
      take_data();
    }
  }
}

/// Clears the body's thread control blocks and heaps, which are in the state that an earlier search in this
/// process has left.
void clear_what_is_the_bodys() {
  for (std::size_t n = 0; n < control_blocks_made(); ++n) reset_control_block(static_cast<unsigned>(n));
  heap().begin(false);
}

}  // namespace

void share_with_children(const std::function<void()>& search, Ended ended) {
  if (!own_heap.is_open() && !runtime::Execution::is_untouched()) {
    throw std::logic_error(
        "hocket: a search with restore=fork must be the first of the process; set HOCKET_RESTORE=fork");
  }
  own_heap.open();
  own_heap.share();
  std::exception_ptr exception;
  try {
    const SharedMemory memory;
    sharing = ::new (memory.sharing()) ForkSession{search, memory.data(), memory.state()};
    static_cast<void>(execution.cold_state());
    execution.write_log_to(memory.log());
    search_context = runtime::platform::make_context(memory.top_of_stack(), kStack, &run_search);
    serve(ended);
    execution.write_log_to(nullptr);
    exception = std::move(sharing->exception);
    sharing->~ForkSession();
    sharing = nullptr;
  } catch (...) {
    exception = std::current_exception();
  }
  own_heap.unshare();
  if (exception != nullptr) std::rethrow_exception(exception);
}

void begin_child(const runtime::ExecutionOptions& options) {
  runtime::platform::stop_reading_debug_info();
  // Not done before the search begins, because Hocket's memory would then count as the program's.
  if (!sharing->is_cleared) clear_what_is_the_bodys();
  sharing->is_cleared = true;
  sharing->stacks = execution.lives.prepare_stacks(options.stack_size);
  if (sharing->stacks != 0) control_block_of(sharing->stacks - 1);
  sharing->control_blocks = control_blocks_made();
  sharing->request = ForkRequest::to_begin_child;
  runtime::platform::jump(search_context, process_context);
  if (sharing->error != 0) {
    throw std::system_error(
        sharing->error, std::generic_category(), "hocket: no child process for an execution");
  }
}

void end_child() {
  runtime::platform::stop_reading_debug_info();
  sharing->request = ForkRequest::to_end_child;
  runtime::platform::jump(search_context, process_context);
  // From here on in the parent.
  execution.lives.forget_stacks_from(sharing->stacks);
  forget_control_blocks_beyond(sharing->control_blocks);
  heap().reserve_as_child_did();
}

}  // namespace hocket::unmodified
