#include "asynchronous_io.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <deque>
#include <optional>
#include <span>
#include <utility>

#include <aio.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/recording.hpp"
#include "../host/call_origin.hpp"
#include "../host/logical_threads.hpp"
#include "../host/next_symbol.hpp"
#include "../host/refusal.hpp"
#include "../libstdcxx/library_call.hpp"
#include "../memory/watched_pages.hpp"
#include "../pthread/signal_delivery.hpp"
#include "../pthread/signals.hpp"
#include "file_calls.hpp"
#include "regular_files.hpp"
#include "time.hpp"
#include "timer_files.hpp"

namespace hocket::unmodified {

namespace {

using runtime::run;
using runtime::Thread;
using runtime::Where;

/// What one call of lio_listio() has asked for.
struct Batch {
  int number;
  std::size_t left = 0;             ///< requests that are not done
  std::optional<sigevent> event{};  ///< to be told when none is left
};

struct Request {
  enum class State : std::uint8_t { queued, runs, done };

  const char* function;
  aiocb* block;
  const void* caller;  ///< the code that has made the request
  int number;
  int operation;  ///< LIO_READ, LIO_WRITE, or LIO_NOP: it waits for those of the file that came before
  // As they were in the block.
  int descriptor = block->aio_fildes;
  void* buffer = const_cast<void*>(block->aio_buf);
  std::size_t size = block->aio_nbytes;
  off_t offset = block->aio_offset;
  sigevent event = block->aio_sigevent;
  Batch* batch = nullptr;
  Thread* thread = nullptr;
  State state = State::queued;
  int error = EINPROGRESS;
  ssize_t result = -1;
  std::optional<sigevent> of_batch{};  ///< it was cancelled as the last one of a batch
};

// Not a local static: a body may be the first to come by, and the guard would then be the body's.
constinit std::deque<Request>* requests = nullptr;
constinit std::deque<Batch>* batches = nullptr;

/// The latest one that the block was used for, or nullptr.
Request* find(const aiocb* block) {
  if (requests == nullptr) return nullptr;
  const auto found = std::find_if(
      requests->rbegin(), requests->rend(), [block](const Request& one) { return one.block == block; });
  return found != requests->rend() ? &*found : nullptr;
}

KeptThing thing_of(const Request& request) {
  return numbered("asynchronous request", request.number);
}
KeptThing thing_of(const Batch& batch) {
  return numbered("batch", batch.number);
}

/// Part of a step: the request is done, as those that look at it learn. Returns what is to be told if it was
/// the last one of a batch.
std::optional<sigevent> finish(Request& request, int error, ssize_t result) {
  request.state = Request::State::done;
  request.error = error;
  request.result = result;
  put_in_order(thing_of(request), Order::gives);
  if (request.batch == nullptr) return std::nullopt;
  put_in_order(thing_of(*request.batch), Order::takes_and_gives);
  if (--request.batch->left != 0) return std::nullopt;
  return std::exchange(request.batch->event, std::nullopt);
}

// ---------------------------------------------------------------------------------------------------------------------
// In the thread of a request

bool is_for_one_at_a_time(int descriptor) {
  const auto flags = static_cast<unsigned>(HOCKET_REAL(fcntl)(descriptor, F_GETFL));
  return (flags & O_APPEND) != 0 || HOCKET_REAL(lseek)(descriptor, 0, SEEK_CUR) < 0;
}

/// Waits for the requests of the same file that were made before.
void wait_for_earlier(const Request& request) {
  wait_for_files(request.function, {thing_of(request)}, runtime::kForever, EINPROGRESS, EAGAIN, [&](int) {
    for (const Request& one : *requests) {
      if (one.number >= request.number || one.descriptor != request.descriptor) continue;
      if (one.state != Request::State::done) return fail_with(EINPROGRESS);
      put_in_order(thing_of(one), Order::takes);
    }
    return 0;
  });
}

ssize_t read_for(const Request& request) {
  const int descriptor = request.descriptor;
  const iovec part{request.buffer, request.size};
  WatchedPages::will_be_written(part.iov_base, part.iov_len);
  const auto call = [&](int file) {
    return read_timer(file, {&part, 1}, HOCKET_REAL(read)(file, part.iov_base, part.iov_len));
  };
  if (is_inner_call(descriptor)) return take_in(request.function, descriptor, true, call);
  step_on_file(request.function, descriptor, OnFile::looks, request.caller);
  const ssize_t size = HOCKET_REAL(pread)(descriptor, part.iov_base, part.iov_len, request.offset);
  return size < 0 && errno == ESPIPE ? call(descriptor) : size;
}

ssize_t write_for(const Request& request) {
  const int descriptor = request.descriptor;
  const iovec part{request.buffer, request.size};
  const auto call = [](int file, std::span<const iovec> rest) {
    return HOCKET_REAL(write)(file, rest.front().iov_base, rest.front().iov_len);
  };
  if (is_inner_call(descriptor)) return give_out(request.function, descriptor, true, {&part, 1}, call, false);
  step_on_file(request.function, descriptor, OnFile::changes, request.caller);
  const ssize_t size = HOCKET_REAL(pwrite)(descriptor, part.iov_base, part.iov_len, request.offset);
  return size < 0 && errno == ESPIPE ? call(descriptor, {&part, 1}) : size;
}

ssize_t transfer(const Request& request) {
  const LibraryCall call{request.caller};
  if (request.operation == LIO_NOP) {
    wait_for_earlier(request);
    return 0;
  }
  if (is_for_one_at_a_time(request.descriptor)) wait_for_earlier(request);
  if (request.operation == LIO_READ) {
    const ssize_t size = read_for(request);
    if (size > 0) call.writes(request.buffer, static_cast<std::size_t>(size));
    return size;
  }
  call.reads(request.buffer, request.size);
  return write_for(request);
}

/// A call of a function that was asked for.
struct Notification {
  sigevent event;
  const void* caller;
  Thread* thread = nullptr;
};
// As `requests`.
constinit std::deque<Notification>* notifications = nullptr;

void* call_function(void* which) {
  const Notification& of = *static_cast<const Notification*>(which);
  run.current->instrumented.caller = of.caller;
  of.event.sigev_notify_function(of.event.sigev_value);
  return nullptr;
}

void tell(const sigevent& event, const void* caller) {
  if (event.sigev_notify == SIGEV_THREAD_ID)
    refuse("aio_read", "with SIGEV_THREAD_ID; use SIGEV_THREAD, or SIGEV_SIGNAL");
  const int number = event.sigev_signo;
  if (event.sigev_notify == SIGEV_SIGNAL && signals::is_valid_signal(number) &&
      !signals::is_of_system(number)) {
    if (event.sigev_value.sival_ptr != nullptr)
      refuse("aio_read", "with a value for its signal; hand it over in a variable");
    signals::send_to_process(number);
  }
  if (event.sigev_notify != SIGEV_THREAD) return;
  {
    const runtime::OwnMemory own;
    if (notifications == nullptr) notifications = new std::deque<Notification>;
    notifications->push_back({event, caller});
  }
  Notification& notification = notifications->back();
  notification.thread = make_thread(&call_function, &notification);
  if (notification.thread == nullptr) return;
  if (run.recording) runtime::recording::name(*notification.thread, "function of a request");
  runtime::step::start(*notification.thread);
}

void* perform(void* which) {
  Request& request = *static_cast<Request*>(which);
  run.current->instrumented.caller = request.caller;
  if (are_signals_in_use) signals::set_mask(~signals::SignalSet{0});  // as those of the C library do
  std::optional<sigevent> of_batch;
  const bool begins = change_files(request.function, Order::takes, thing_of(request), [&] {
    if (request.state == Request::State::done) {  // it was cancelled
      of_batch = std::exchange(request.of_batch, std::nullopt);
      return 0;
    }
    request.state = Request::State::runs;
    return 1;
  }) == 1;
  if (begins) {
    const ssize_t result = transfer(request);
    const int error = result < 0 ? errno : 0;
    if (run.ending) return nullptr;
    LibraryCall{request.caller}.reads(request.block, sizeof *request.block);  // it must still be there
    change_files(request.function, Order::gives, thing_of(request), [&] {
      request.block->__error_code = error;
      request.block->__return_value = result;
      of_batch = finish(request, error, result);
      return 0;
    });
  }
  if (run.ending) return nullptr;
  tell(request.event, request.caller);
  if (of_batch) tell(*of_batch, request.caller);
  return nullptr;
}

// ---------------------------------------------------------------------------------------------------------------------
// In the thread that makes requests

int submit(const char* function, aiocb* block, int operation, Batch* batch, const void* caller) {
  LibraryCall{caller}.reads(block, sizeof *block);
  {
    const runtime::OwnMemory own;
    if (requests == nullptr) requests = new std::deque<Request>;
    requests->push_back({function, block, caller, static_cast<int>(requests->size()), operation});
  }
  block->__error_code = EINPROGRESS;
  LibraryCall{caller}.writes(&block->__error_code, sizeof block->__error_code);
  Request& request = requests->back();
  request.batch = batch;
  request.thread = make_thread(&perform, &request);
  if (request.thread == nullptr) return fail_with(EAGAIN);
  if (run.recording) runtime::recording::name(*request.thread, function);
  runtime::step::start(*request.thread);
  return 0;
}

/// A step that looks at the request.
template <class Value>
Value look(const char* function, const Request& request, Value Request::*member) {
  Value found{};
  make({function, runtime::kForever, Order::takes, thing_of(request), false},
      [&](std::span<pollfd> /*files*/) {
        found = request.*member;
        return Tried::done;
      });
  return found;
}

/// Waits until `attempt` is 0, with no order but that of what it looks at.
template <class Attempt>
int wait_until(const char* function, std::int64_t nanoseconds_left, const Attempt& attempt) {
  const KeptThing mine = numbered("waiting thread", static_cast<int>(run.current->index));
  return wait_for_files(function, {mine}, nanoseconds_left, EINPROGRESS, EAGAIN, attempt);
}

int suspend(std::span<const aiocb* const> blocks, const timespec* time) {
  const std::int64_t limit = time == nullptr ? runtime::kForever : nanoseconds(*time);
  return wait_until("aio_suspend", limit, [&](int) {
    bool is_any_in_progress = false;
    bool is_any_done = false;
    for (const aiocb* const block : blocks) {
      if (block == nullptr) continue;
      const Request* const request = find(block);
      const bool is_done =
          request != nullptr ? request->state == Request::State::done : block->__error_code != EINPROGRESS;
      if (request != nullptr && is_done) put_in_order(thing_of(*request), Order::takes);
      (is_done ? is_any_done : is_any_in_progress) = true;
    }
    return is_any_done || !is_any_in_progress ? 0 : fail_with(EINPROGRESS);
  });
}

int cancel(int descriptor, const aiocb* block) {
  if (block != nullptr && block->aio_fildes != descriptor) return fail_with(EINVAL);
  if (HOCKET_REAL(fcntl)(descriptor, F_GETFD) == -1) return fail_with(EBADF);
  const KeptThing mine = numbered("waiting thread", static_cast<int>(run.current->index));
  return change_files("aio_cancel", Order::takes, mine, [&] {
    int outcome = AIO_ALLDONE;
    for (std::size_t n = 0; requests != nullptr && n < requests->size(); ++n) {
      Request& request = (*requests)[n];
      if (request.descriptor != descriptor || (block != nullptr && request.block != block)) continue;
      put_in_order(thing_of(request), Order::takes);
      if (request.state == Request::State::runs) outcome = AIO_NOTCANCELED;
      if (request.state != Request::State::queued) continue;
      request.block->__error_code = ECANCELED;
      request.block->__return_value = -1;
      request.of_batch = finish(request, ECANCELED, -1);
      if (outcome == AIO_ALLDONE) outcome = AIO_CANCELED;
    }
    return outcome;
  });
}

int submit_list(int mode, std::span<aiocb* const> blocks, const sigevent* event, const void* caller) {
  if (mode != LIO_WAIT && mode != LIO_NOWAIT) return fail_with(EINVAL);
  const auto is_asked_for = [](const aiocb* block) {
    return block != nullptr && block->aio_lio_opcode != LIO_NOP;
  };
  const auto is_known = [](const aiocb* block) {
    return block->aio_lio_opcode == LIO_READ || block->aio_lio_opcode == LIO_WRITE;
  };
  {
    const runtime::OwnMemory own;
    if (batches == nullptr) batches = new std::deque<Batch>;
    batches->push_back({static_cast<int>(batches->size())});
  }
  Batch& batch = batches->back();
  for (const aiocb* const block : blocks) batch.left += is_asked_for(block) && is_known(block) ? 1 : 0;
  if (mode == LIO_NOWAIT && event != nullptr) {
    if (batch.left == 0) {
      tell(*event, caller);
    } else {
      batch.event = *event;
    }
  }
  bool has_failed = false;
  for (aiocb* const block : blocks) {
    if (!is_asked_for(block)) continue;
    has_failed |= !is_known(block) || submit("lio_listio", block, block->aio_lio_opcode, &batch, caller) != 0;
  }
  if (mode == LIO_NOWAIT) return has_failed ? fail_with(EIO) : 0;
  wait_until("lio_listio", runtime::kForever, [&](int) {
    if (batch.left != 0) return fail_with(EINPROGRESS);
    put_in_order(thing_of(batch), Order::takes);
    for (const Request& request : *requests) has_failed |= request.batch == &batch && request.error != 0;
    return 0;
  });
  return has_failed ? fail_with(EIO) : 0;
}

}  // namespace

// What has ended is joined, since the program cannot; what has not is told as a thread that still runs.
// Functions come first, as they may make requests, and wait for them.
void end_requests() {
  std::size_t called = 0;
  std::size_t ended = 0;
  for (;;) {
    if (notifications != nullptr && called < notifications->size()) {
      const Notification& notification = (*notifications)[called++];
      run.current->instrumented.caller = notification.caller;
      if (notification.thread != nullptr) join_if_open(*notification.thread);
    } else if (requests != nullptr && ended < requests->size()) {
      const Request& request = (*requests)[ended++];
      if (request.thread == nullptr) continue;
      run.current->instrumented.caller = request.caller;
      if (look(request.function, request, &Request::state) == Request::State::done) {
        join_if_open(*request.thread);
      } else {
        runtime::step::detach(*request.thread, Where{});
      }
    } else {
      return;
    }
  }
}

void forget_requests() {
  if (requests != nullptr) requests->clear();
  if (batches != nullptr) batches->clear();
  if (notifications != nullptr) notifications->clear();
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

#define HOCKET_CALLER __builtin_return_address(0)

extern "C" {

int aio_read(aiocb* block) noexcept {
  HOCKET_ENTRY(aio_read, block);
  return submit("aio_read", block, LIO_READ, nullptr, HOCKET_CALLER);
}
int aio_write(aiocb* block) noexcept {
  HOCKET_ENTRY(aio_write, block);
  return submit("aio_write", block, LIO_WRITE, nullptr, HOCKET_CALLER);
}
int aio_fsync(int operation, aiocb* block) noexcept {
  HOCKET_ENTRY(aio_fsync, operation, block);
  if (operation != O_SYNC && operation != O_DSYNC) return fail_with(EINVAL);
  if (HOCKET_REAL(fcntl)(block->aio_fildes, F_GETFD) == -1) return fail_with(EBADF);
  return submit("aio_fsync", block, LIO_NOP, nullptr, HOCKET_CALLER);
}
int lio_listio(int mode, aiocb* const* blocks, int count, sigevent* event) noexcept {
  HOCKET_ENTRY(lio_listio, mode, blocks, count, event);
  return submit_list(mode, {blocks, static_cast<std::size_t>(std::max(count, 0))}, event, HOCKET_CALLER);
}

int aio_error(const aiocb* block) noexcept {
  HOCKET_ENTRY(aio_error, block);
  LibraryCall{HOCKET_CALLER}.reads(block, sizeof *block);
  const Request* const request = find(block);
  return request != nullptr ? look("aio_error", *request, &Request::error) : HOCKET_REAL(aio_error)(block);
}
ssize_t aio_return(aiocb* block) noexcept {
  HOCKET_ENTRY(aio_return, block);
  LibraryCall{HOCKET_CALLER}.reads(block, sizeof *block);
  const Request* const request = find(block);
  return request != nullptr ? look("aio_return", *request, &Request::result) : HOCKET_REAL(aio_return)(block);
}
int aio_suspend(const aiocb* const* blocks, int count, const timespec* time) {
  HOCKET_ENTRY(aio_suspend, blocks, count, time);
  if (count < 0 || (time != nullptr && !is_valid(time))) return fail_with(EINVAL);
  return suspend({blocks, static_cast<std::size_t>(count)}, time);
}
int aio_cancel(int descriptor, aiocb* block) noexcept {
  HOCKET_ENTRY(aio_cancel, descriptor, block);
  return cancel(descriptor, block);
}

// Those for large files: on x86-64 their blocks are the same.
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wattribute-alias"
#endif
[[gnu::alias("aio_read")]] int aio_read64(aiocb64* block) noexcept;
[[gnu::alias("aio_write")]] int aio_write64(aiocb64* block) noexcept;
[[gnu::alias("aio_fsync")]] int aio_fsync64(int operation, aiocb64* block) noexcept;
[[gnu::alias("lio_listio")]] int lio_listio64(
    int mode, aiocb64* const* blocks, int count, sigevent* event) noexcept;
[[gnu::alias("aio_error")]] int aio_error64(const aiocb64* block) noexcept;
[[gnu::alias("aio_return")]] ssize_t aio_return64(aiocb64* block) noexcept;
[[gnu::alias("aio_suspend")]] int aio_suspend64(
    const aiocb64* const* blocks, int count, const timespec* time);
[[gnu::alias("aio_cancel")]] int aio_cancel64(int descriptor, aiocb64* block) noexcept;
#pragma GCC diagnostic pop

}  // extern "C"
