#include "body_guards.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#include "../../runtime/execution/recording.hpp"
#include "../../runtime/execution/step.hpp"
#include "../../runtime/platform/fault.hpp"
#include "../../runtime/platform/symbols/stack_walk.hpp"
#include "../../runtime/threads/host.hpp"
#include "../deaths/dying_process.hpp"

namespace hocket {

namespace {

constexpr std::array kSignals{
    SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL};  // in the order of the first enumerators of Death
constexpr std::array kWhat{" got SIGSEGV in an execution", " got SIGABRT in an execution",
    " got SIGFPE in an execution", " got SIGBUS in an execution", " got SIGILL in an execution"};
constexpr std::size_t kStack = std::size_t{64} * 1024;

std::array<struct sigaction, kSignals.size()> previous;
void* alternate_stack = nullptr;
stack_t previous_stack{};

/// Among kSignals.
std::size_t place_of(int signal) {
  std::size_t place = 0;
  while (place + 1 < kSignals.size() && kSignals[place] != signal) ++place;
  return place;
}

bool is_stack_overflow(int signal, const siginfo_t* info) {
  return (signal == SIGSEGV || signal == SIGBUS) && runtime::run.current->stack.guards(info->si_addr);
}

/// Whether the signal is a write that the host wanted to be notified of, and not a crash.
bool is_for_host(int signal, const siginfo_t* info, const void* context) {
  const runtime::Host* const host = runtime::run.host;
  return signal == SIGSEGV && host != nullptr && info->si_code > 0 &&
         runtime::platform::is_write_fault(context) && host->memory.faulted(info->si_addr);
}

void handle(int signal, siginfo_t* info, void* context) {
  runtime::platform::allow_unaligned_accesses();
  if (is_for_host(signal, info, context)) return;
  if (signal == SIGSEGV || signal == SIGBUS) runtime::platform::leave_faulty_walk();
  const std::size_t place = place_of(signal);
  // The report of a crash may crash, too. Then the process ends with the signal of the first crash. A signal
  // does not count as the first one if the program's own handler has recovered from it.
  static volatile std::sig_atomic_t first = 0;
  if (first == 0 || !DyingProcess::is_telling()) first = signal;
  const std::size_t first_place = place_of(first);
  if (runtime::is_controlled() && runtime::run.current->stack.bottom != nullptr) {
    if (is_stack_overflow(signal, info)) {
      DyingProcess::tell(Death::stack_overflow,
          ": stack overflow in a logical thread (see Options::stack_size), in an execution");
    } else {
      DyingProcess::tell(static_cast<Death>(first_place), kWhat[first_place]);
    }
    static volatile std::sig_atomic_t has_begun_anew = 0;  // a crash on the way would come here for ever
    if (has_begun_anew == 0) {
      has_begun_anew = 1;
      DyingProcess::leave_to_supervisor();
    }
  }
  sigaction(signal, &previous[place], nullptr);
  sigaction(first, &previous[first_place], nullptr);
  // A fault recurs when the instruction is repeated and then reaches the previous handler. Other signals have
  // to be raised again.
  if (first != signal || info->si_code <= 0 || signal == SIGABRT) raise(first);
}

}  // namespace

CrashSignals::CrashSignals(bool lets_host_fault) {
  alternate_stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t stack{};
  stack.ss_sp = alternate_stack;
  stack.ss_size = kStack;
  sigaltstack(&stack, &previous_stack);
  struct sigaction action {};
  action.sa_sigaction = &handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (std::size_t n = 0; n < kSignals.size(); ++n) sigaction(kSignals[n], &action, &previous[n]);
  if (lets_host_fault && runtime::run.host != nullptr) runtime::run.host->memory.catch_faults(true);
}

CrashSignals::~CrashSignals() {
  if (runtime::run.host != nullptr) runtime::run.host->memory.catch_faults(false);
  for (std::size_t n = 0; n < kSignals.size(); ++n) sigaction(kSignals[n], &previous[n], nullptr);
  sigaltstack(&previous_stack, nullptr);
  munmap(alternate_stack, kStack);
}

namespace {

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

Create real_create() {
  static const auto found = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return found;
}

}  // namespace

ThreadGuard::ThreadGuard() {
  real_create();
}

}  // namespace hocket

// Replaces the function of the C library. It is weak because hocket::unmodified has one that creates a
// logical thread.
extern "C" [[gnu::weak]] int pthread_create(
    pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) noexcept {
  using hocket::runtime::describe;

  using hocket::runtime::run;
  if (!hocket::runtime::is_controlled() || run.own_memory != 0)
    return hocket::real_create()(handle, attributes, function, argument);
  hocket::runtime::step::fail(hocket::runtime::FailureKind::misuse,
      describe(*run.current) +
          " starts a thread of the system (std::thread, pthread_create), which is not under control: use "
          "hocket::thread, or compile the code under test with hocket_instrument()",
      hocket::runtime::Where{});
  return EAGAIN;  // the execution is being ended
}
