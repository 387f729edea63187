// State that the kernel keeps for the process and that is restored after an execution that has changed it:
// the working directory, the umask, signal dispositions, timers, file positions.
#include "kept_states.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../host/next_symbol.hpp"

namespace hocket::unmodified {

namespace {

struct Disposition {
  int number;
  struct sigaction action;
};
struct Position {
  int descriptor;
  off_t position;  ///< negative if it has none
};
struct Descriptor {
  int number;
  int copy;  ///< refers to what the descriptor referred to
};
struct Interval {
  __itimer_which_t which;
  itimerval value;
};

/// The states from before the running execution changed them.
struct Changed {
  int folder = -1;  ///< a descriptor, or -1 if it has not been changed
  bool has_umask = false;
  mode_t umask = 0;
  bool has_stack = false;
  stack_t stack{};
  std::vector<Disposition> dispositions;
  std::vector<Interval> intervals;
  std::vector<timer_t> timers;  ///< that the execution has created
  std::vector<Position> positions;
  std::vector<Descriptor> descriptors;
};

// Not a local static: a body may be the first to call this, and the guard would then be the body's.
constinit Changed* all_changed = nullptr;

Changed& changed() {
  const runtime::OwnMemory own;
  if (all_changed == nullptr) all_changed = new Changed;
  return *all_changed;
}

void note_folder() {
  if (!is_to_be_undone()) return;
  Changed& c = changed();
  if (c.folder < 0) c.folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void note_interval(__itimer_which_t which) {
  if (!is_to_be_undone()) return;
  Changed& c = changed();
  const bool is_known = std::any_of(
      c.intervals.begin(), c.intervals.end(), [which](const Interval& i) { return i.which == which; });
  itimerval value{};
  if (is_known || getitimer(which, &value) != 0) return;
  const runtime::OwnMemory own;
  c.intervals.push_back({which, value});
}

/// Writes to the pages of an alternate signal stack. The first write to a watched page is detected by a
/// fault, and the kernel cannot enter a signal handler on a stack that it cannot write to.
void write_to_pages_of(const stack_t& stack) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const bytes = static_cast<volatile char*>(stack.ss_sp);
  for (std::size_t n = 0; n < stack.ss_size; n += page) bytes[n] = bytes[n];
  if (stack.ss_size != 0) bytes[stack.ss_size - 1] = bytes[stack.ss_size - 1];
}

}  // namespace

void note_disposition(int number) {
  if (!is_to_be_undone()) return;
  Changed& c = changed();
  const bool is_known = std::any_of(c.dispositions.begin(), c.dispositions.end(),
      [number](const Disposition& d) { return d.number == number; });
  struct sigaction action {};
  if (is_known || HOCKET_REAL(sigaction)(number, nullptr, &action) != 0) return;
  const runtime::OwnMemory own;
  c.dispositions.push_back({number, action});
}

void note_descriptor(int descriptor) {
  if (!is_to_be_undone()) return;
  Changed& c = changed();
  const bool is_known = std::any_of(c.descriptors.begin(), c.descriptors.end(),
      [descriptor](const Descriptor& d) { return d.number == descriptor; });
  if (is_known) return;
  const int user_errno = errno;
  constexpr int kLeast = 100;  // above the descriptors that the program opens
  const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, kLeast);
  errno = user_errno;
  if (copy < 0) return;
  const runtime::OwnMemory own;
  c.descriptors.push_back({descriptor, copy});
}

void note_timer(timer_t timer) {
  if (!is_to_be_undone()) return;
  Changed& c = changed();
  const runtime::OwnMemory own;
  c.timers.push_back(timer);
}
void note_deleted_timer(timer_t timer) {
  if (is_to_be_undone()) std::erase(changed().timers, timer);
}

void note_position(int descriptor) {
  // The position of printed output is not reset.
  if (!is_to_be_undone() || descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO) return;
  Changed& c = changed();
  const bool is_known = std::any_of(c.positions.begin(), c.positions.end(),
      [descriptor](const Position& p) { return p.descriptor == descriptor; });
  if (is_known) return;
  const int user_errno = errno;
  const off_t position = HOCKET_REAL(lseek)(descriptor, 0, SEEK_CUR);
  errno = user_errno;
  const runtime::OwnMemory own;
  c.positions.push_back({descriptor, position});
}

void put_process_states_back() {
  if (all_changed == nullptr) return;
  Changed& c = *all_changed;
  if (c.folder >= 0) {
    static_cast<void>(!HOCKET_REAL(fchdir)(c.folder));
    HOCKET_REAL(close)(c.folder);
    c.folder = -1;
  }
  if (c.has_umask) HOCKET_REAL(umask)(c.umask);
  c.has_umask = false;
  if (c.has_stack) HOCKET_REAL(sigaltstack)(&c.stack, nullptr);
  c.has_stack = false;
  for (const timer_t timer : c.timers) HOCKET_REAL(timer_delete)(timer);
  c.timers.clear();
  for (const Interval& interval : c.intervals)
    HOCKET_REAL(setitimer)(interval.which, &interval.value, nullptr);
  c.intervals.clear();
  for (const Disposition& disposition : c.dispositions)
    HOCKET_REAL(sigaction)(disposition.number, &disposition.action, nullptr);
  c.dispositions.clear();
  for (const Descriptor& descriptor : c.descriptors) {
    HOCKET_REAL(dup2)(descriptor.copy, descriptor.number);
    HOCKET_REAL(close)(descriptor.copy);
  }
  c.descriptors.clear();
  for (const Position& position : c.positions) {
    if (position.position >= 0) HOCKET_REAL(lseek)(position.descriptor, position.position, SEEK_SET);
  }
  c.positions.clear();
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

int chdir(const char* path) noexcept {
  note_folder();
  return HOCKET_REAL(chdir)(path);
}
int fchdir(int descriptor) noexcept {
  note_folder();
  return HOCKET_REAL(fchdir)(descriptor);
}

mode_t umask(mode_t mask) noexcept {
  const mode_t before = HOCKET_REAL(umask)(mask);
  if (is_to_be_undone() && !changed().has_umask) {
    changed().umask = before;
    changed().has_umask = true;
  }
  return before;
}

int sigaction(int number, const struct sigaction* action, struct sigaction* before) noexcept {
  if (action != nullptr) note_disposition(number);
  return HOCKET_REAL(sigaction)(number, action, before);
}
sighandler_t signal(int number, sighandler_t handler) noexcept {
  note_disposition(number);
  return HOCKET_REAL(signal)(number, handler);
}
// What signal() means in code that asks only for X/Open.
sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
  note_disposition(number);
  return HOCKET_REAL(__sysv_signal)(number, handler);
}
int siginterrupt(int number, int interrupts) noexcept {
  note_disposition(number);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  return HOCKET_REAL(siginterrupt)(number, interrupts);
#pragma GCC diagnostic pop
}
int sigaltstack(const stack_t* stack, stack_t* before) noexcept {
  if (stack != nullptr && is_to_be_undone()) {
    if (!changed().has_stack) changed().has_stack = HOCKET_REAL(sigaltstack)(nullptr, &changed().stack) == 0;
    if ((stack->ss_flags & SS_DISABLE) == 0) write_to_pages_of(*stack);
  }
  return HOCKET_REAL(sigaltstack)(stack, before);
}

int setitimer(__itimer_which_t which, const itimerval* value, itimerval* before) noexcept {
  note_interval(which);
  return HOCKET_REAL(setitimer)(which, value, before);
}
unsigned alarm(unsigned seconds) noexcept {
  note_interval(ITIMER_REAL);
  return HOCKET_REAL(alarm)(seconds);
}
useconds_t ualarm(useconds_t microseconds, useconds_t interval) noexcept {
  note_interval(ITIMER_REAL);
  return HOCKET_REAL(ualarm)(microseconds, interval);
}

off_t lseek(int descriptor, off_t offset, int whence) noexcept {
  note_position(descriptor);
  return HOCKET_REAL(lseek)(descriptor, offset, whence);
}
off64_t lseek64(int descriptor, off64_t offset, int whence) noexcept {
  note_position(descriptor);
  return HOCKET_REAL(lseek64)(descriptor, offset, whence);
}

}  // extern "C"
