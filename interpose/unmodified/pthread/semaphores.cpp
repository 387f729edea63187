// POSIX semaphores (sem_t).
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <vector>

#include <fcntl.h>
#include <semaphore.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/locking.hpp"
#include "../hooks/polling.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../libc/time.hpp"
#include "../libstdcxx/library_call.hpp"
#include "../restore/kept_states.hpp"
#include "../restore/shared_maps.hpp"
#include "../shadow/models.hpp"

namespace hocket::unmodified {

namespace {
using runtime::execution;
using runtime::Operation;
using runtime::Semaphore;
using runtime::Where;

Semaphore& model_of(sem_t* semaphore) {
  return models().semaphores.find(semaphore, [semaphore](auto& pool, runtime::FoundAt place) -> Semaphore& {
    int count = 0;
    HOCKET_REAL(sem_getvalue)(semaphore, &count);
    return pool.make(count, SEM_VALUE_MAX, place);
  });
}

int take_or_fail(Semaphore& model, Operation operation, int error) {
  return runtime::take_or_fail(model, operation) ? 0 : fail_with(error);
}

int try_wait(Semaphore& model, int error) {
  Look look;
  if (!runtime::step::arrive(model, Operation::semaphore_try_acquire, true, Where{})) return 0;
  const int result = take_or_fail(model, Operation::semaphore_try_acquire, error);
  look.found(model, model.kind->fingerprint(model), result != 0);
  return result;
}

int wait_until(sem_t* semaphore, clockid_t clock, const timespec* time) {
  if (!is_valid(time)) return fail_with(EINVAL);
  Semaphore& model = model_of(semaphore);
  const std::int64_t left = nanoseconds_until(clock, *time);
  if (left == 0) return try_wait(model, ETIMEDOUT);
  if (!runtime::step::arrive_timed(model, Operation::semaphore_try_acquire_for, left, Where{})) return 0;
  return take_or_fail(model, Operation::semaphore_try_acquire_for, ETIMEDOUT);
}

/// Those that the running execution has opened, as often as it has. Not a local static: a body may be the
/// first to come by, and the guard would then be the body's.
constinit std::vector<sem_t*>* open_ones = nullptr;

}  // namespace

void close_semaphores_of_body(const runtime::ExecutionOptions& options) {
  if (open_ones == nullptr || options.own_process) return;
  if (is_to_be_given_back(options)) {
    for (sem_t* const semaphore : *open_ones) HOCKET_REAL(sem_close)(semaphore);
  }
  open_ones->clear();
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside
using hocket::runtime::execution;
using hocket::runtime::Operation;
using hocket::runtime::Semaphore;
using hocket::runtime::Where;

extern "C" {

int sem_init(sem_t* semaphore, int shared, unsigned count) noexcept {
  if (is_from_body()) models().semaphores.forget(semaphore);
  return HOCKET_REAL(sem_init)(semaphore, shared, count);
}
/// libc lists the open semaphores in memory that it allocates here. That memory must outlive the body.
sem_t* sem_open(const char* name, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const bool creates = (static_cast<unsigned>(flags) & O_CREAT) != 0;
  const mode_t mode = creates ? va_arg(list, mode_t) : 0;
  const unsigned count = creates ? va_arg(list, unsigned) : 0;
  va_end(list);
  const bool is_of_body = is_from_body();
  const hocket::runtime::OwnMemory own;
  sem_t* const semaphore = HOCKET_REAL(sem_open)(name, flags, mode, count);
  if (semaphore == SEM_FAILED) return semaphore;
  hocket::unmodified::note_named_semaphore(semaphore, sizeof *semaphore, name);
  if (!is_of_body) return semaphore;
  // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new)
  if (open_ones == nullptr) open_ones = new std::vector<sem_t*>;
  open_ones->push_back(semaphore);
  return semaphore;
}
int sem_close(sem_t* semaphore) {
  HOCKET_ENTRY_WITHOUT_STEP(sem_close, semaphore);
  const hocket::runtime::OwnMemory own;
  if (open_ones != nullptr) {
    const auto known = std::find(open_ones->begin(), open_ones->end(), semaphore);
    if (known != open_ones->end()) open_ones->erase(known);
  }
  return HOCKET_REAL(sem_close)(semaphore);
}
int sem_destroy(sem_t* semaphore) noexcept {
  HOCKET_ENTRY(sem_destroy, semaphore);
  models().semaphores.destroy(semaphore, model_of(semaphore));
  return 0;
}
int sem_wait(sem_t* semaphore) {
  HOCKET_ENTRY(sem_wait, semaphore);
  Semaphore& model = model_of(semaphore);
  if (hocket::runtime::arrive_to_take(model, Operation::semaphore_acquire, Where{}))
    hocket::runtime::acquire(model, Operation::semaphore_acquire);
  return 0;
}
int sem_trywait(sem_t* semaphore) noexcept {
  HOCKET_ENTRY(sem_trywait, semaphore);
  return try_wait(model_of(semaphore), EAGAIN);
}
int sem_timedwait(sem_t* semaphore, const timespec* time) {
  HOCKET_ENTRY(sem_timedwait, semaphore, time);
  return wait_until(semaphore, CLOCK_REALTIME, time);
}
int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  HOCKET_ENTRY(sem_clockwait, semaphore, clock, time);
  return wait_until(semaphore, clock, time);
}
int sem_post(sem_t* semaphore) noexcept {
  HOCKET_ENTRY(sem_post, semaphore);
  Semaphore& model = model_of(semaphore);
  if (model.state.count == model.most) return fail_with(EOVERFLOW);
  if (hocket::runtime::step::arrive(model, Operation::semaphore_release, true, Where{}))
    hocket::runtime::release(model, 1);
  return 0;
}
int sem_getvalue(sem_t* semaphore, int* count) noexcept {
  HOCKET_ENTRY(sem_getvalue, semaphore, count);
  Semaphore& model = model_of(semaphore);
  if (hocket::runtime::step::arrive(model, Operation::semaphore_value, true, Where{}))
    hocket::runtime::step::act(model, Operation::semaphore_value, hocket::runtime::Access::read);
  *count = static_cast<int>(model.state.count);
  hocket::unmodified::note_result(__builtin_return_address(0), count);
  return 0;
}

}  // extern "C"
