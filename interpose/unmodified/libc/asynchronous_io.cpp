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
#include "../libstdcxx/library_call.hpp"
#include "../memory/watched_pages.hpp"
#include "../pthread/signal_delivery.hpp"
#include "exit_handlers.hpp"
#include "file_calls.hpp"
#include "regular_files.hpp"
#include "time.hpp"

namespace hocket::unmodified {

namespace {

using runtime::execution;
using runtime::run;
using runtime::Thread;
using runtime::Where;

/// What one call of lio_listio() has asked for.
struct Batch {
  std::size_t left = 0;  ///< requests that are not done
  std::optional<sigevent> event;
};

struct Request {
  enum class State : std::uint8_t { queued, runs, done };

  const char* function;
  const aiocb* block;
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
/// A change of the request; the last one of a batch tells of all of them.
template <class Change>
auto change(const Request& request, Order order, const Change& makes) {
  const bool is_single = request.batch == nullptr;
  return change_files(request.function, is_single ? order : Order::takes_and_gives,
      is_single ? thing_of(request) : KeptThing{}, makes);
}

void finish(Request& request, int error, ssize_t result) {
  request.state = Request::State::done;
  request.error = error;
  request.result = result;
  if (request.batch != nullptr) --request.batch->left;
}

// ---------------------------------------------------------------------------------------------------------------------
// In the thread of a request

ssize_t transfer(const Request& request) {
  const int descriptor = request.descriptor;
  void* const buffer = request.buffer;
  const std::size_t size = request.size;
  const LibraryCall call{request.caller};
  if (request.operation == LIO_READ) {
    WatchedPages::will_be_written(buffer, size);
    ssize_t count = 0;
    if (is_inner_call(descriptor)) {
      count = take_in(request.function, descriptor, true,
          [&](int file) { return HOCKET_REAL(read)(file, buffer, size); });
    } else {
      step_on_file(request.function, descriptor, OnFile::looks, request.caller);
      count = HOCKET_REAL(pread)(descriptor, buffer, size, request.offset);
    }
    if (count > 0) call.writes(buffer, static_cast<std::size_t>(count));
    return count;
  }
  call.reads(buffer, size);
  if (is_inner_call(descriptor)) {
    const iovec part{buffer, size};
    return give_out(
        request.function, descriptor, true, {&part, 1}, [](int file, std::span<const iovec> rest) {
          return HOCKET_REAL(write)(file, rest.front().iov_base, rest.front().iov_len);
        });
  }
  step_on_file(request.function, descriptor, OnFile::changes, request.caller);
  return HOCKET_REAL(pwrite)(descriptor, buffer, size, request.offset);
}

/// Waits for the requests of the same file that were made before.
ssize_t wait_for_earlier(const Request& request) {
  return wait_for_files(request.function, {}, runtime::Blocking::kForever, EINPROGRESS, EAGAIN, [&](int) {
    const bool are_done = std::all_of(requests->begin(), requests->end(), [&](const Request& one) {
      return one.number >= request.number || one.descriptor != request.descriptor ||
             one.state == Request::State::done;
    });
    return are_done ? 0 : fail_with(EINPROGRESS);
  });
}

void tell(const sigevent& event) {
  if (event.sigev_notify == SIGEV_SIGNAL) signals::send_to_process(event.sigev_signo);
  if (event.sigev_notify == SIGEV_THREAD) event.sigev_notify_function(event.sigev_value);
}

void* perform(void* which) {
  Request& request = *static_cast<Request*>(which);
  run.current->instrumented.caller = request.caller;
  const bool begins = change(request, Order::takes, [&] {
    if (request.state == Request::State::done) return 0;  // it was cancelled
    request.state = Request::State::runs;
    return 1;
  }) == 1;
  if (begins) {
    const bool transfers = request.operation != LIO_NOP;
    const ssize_t result = transfers ? transfer(request) : wait_for_earlier(request);
    const int error = result < 0 ? errno : 0;
    LibraryCall{request.caller}.reads(request.block, sizeof *request.block);  // it must still be there
    change(request, Order::gives, [&] {
      finish(request, error, result);
      return 0;
    });
  }
  if (run.ending) return nullptr;
  Batch* const batch = request.batch;
  const bool is_last = batch != nullptr && batch->left == 0;
  const std::optional<sigevent> of_all = is_last ? std::exchange(batch->event, std::nullopt) : std::nullopt;
  tell(request.event);
  if (of_all) tell(*of_all);
  return nullptr;
}

// ---------------------------------------------------------------------------------------------------------------------
// In the thread that makes requests

/// What has ended is joined, since the program cannot; what has not is told as a thread that still runs.
void end_requests(void* /*nothing*/) {
  if (!is_from_body()) return;
  for (const Request& request : *requests) {
    run.current->instrumented.caller = request.caller;
    if (request.state == Request::State::done) {
      execution.lives.join(*request.thread, Where{});
    } else {
      execution.lives.detach(*request.thread, Where{});
    }
  }
}

int submit(const char* function, aiocb* block, int operation, Batch* batch, const void* caller) {
  LibraryCall{caller}.reads(block, sizeof *block);
  if (requests == nullptr) {
    const runtime::OwnMemory own;
    requests = new std::deque<Request>;
  }
  if (requests->empty() && end_whole_program == nullptr) add_exit_handler(&end_requests, nullptr);
  {
    const runtime::OwnMemory own;
    requests->push_back({function, block, caller, static_cast<int>(requests->size()), operation});
  }
  Request& request = requests->back();
  request.batch = batch;
  request.thread = make_thread(&perform, &request);
  if (request.thread == nullptr) return fail_with(EAGAIN);
  if (run.recording) runtime::recording::name(*request.thread, function);
  execution.lives.start(*request.thread);
  return 0;
}

/// A step that looks at the request.
template <class Result>
Result look(const char* function, const Request& request, Result Request::*member) {
  return change_files(function, Order::takes, thing_of(request), [&] { return request.*member; });
}

int suspend(std::span<const aiocb* const> blocks, const timespec* time) {
  const std::int64_t nanoseconds_left = time == nullptr ? runtime::Blocking::kForever : nanoseconds(*time);
  return wait_for_files("aio_suspend", {}, nanoseconds_left, EINPROGRESS, EAGAIN, [&](int) {
    const bool is_any_done = std::any_of(blocks.begin(), blocks.end(), [](const aiocb* block) {
      const Request* const request = block != nullptr ? find(block) : nullptr;
      return request != nullptr && request->state == Request::State::done;
    });
    return is_any_done ? 0 : fail_with(EINPROGRESS);
  });
}

int cancel(int descriptor, const aiocb* block) {
  if (block != nullptr && block->aio_fildes != descriptor) return fail_with(EINVAL);
  if (HOCKET_REAL(fcntl)(descriptor, F_GETFD) == -1) return fail_with(EBADF);
  return change_files("aio_cancel", Order::takes_and_gives, {}, [&] {
    int outcome = AIO_ALLDONE;
    if (requests == nullptr) return outcome;
    for (Request& request : *requests) {
      const bool is_meant = request.descriptor == descriptor && (block == nullptr || request.block == block);
      if (!is_meant || request.state == Request::State::done) continue;
      if (request.state == Request::State::runs) {
        outcome = AIO_NOTCANCELED;
        continue;
      }
      finish(request, ECANCELED, -1);
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
  if (batches == nullptr) {
    const runtime::OwnMemory own;
    batches = new std::deque<Batch>;
  }
  {
    const runtime::OwnMemory own;
    batches->emplace_back();
  }
  Batch& batch = batches->back();
  if (mode == LIO_NOWAIT && event != nullptr) batch.event = *event;
  for (const aiocb* const block : blocks) batch.left += is_asked_for(block) && is_known(block) ? 1 : 0;
  bool has_failed = false;
  const std::size_t first = requests != nullptr ? requests->size() : 0;
  for (aiocb* const block : blocks) {
    if (!is_asked_for(block)) continue;
    has_failed |= !is_known(block) || submit("lio_listio", block, block->aio_lio_opcode, &batch, caller) != 0;
  }
  if (mode == LIO_NOWAIT) return has_failed ? fail_with(EIO) : 0;
  wait_for_files("lio_listio", {}, runtime::Blocking::kForever, EINPROGRESS, EAGAIN,
      [&](int) { return batch.left == 0 ? 0 : fail_with(EINPROGRESS); });
  if (requests != nullptr) {
    has_failed |= std::any_of(requests->begin() + static_cast<std::ptrdiff_t>(first), requests->end(),
        [&](const Request& request) { return request.batch == &batch && request.error != 0; });
  }
  return has_failed ? fail_with(EIO) : 0;
}

}  // namespace

void forget_requests() {
  if (requests != nullptr) requests->clear();
  if (batches != nullptr) batches->clear();
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
  const Request* const request = find(block);
  return request != nullptr ? look("aio_error", *request, &Request::error) : EINVAL;
}
ssize_t aio_return(aiocb* block) noexcept {
  HOCKET_ENTRY(aio_return, block);
  const Request* const request = find(block);
  return request != nullptr ? look("aio_return", *request, &Request::result) : fail_with(EINVAL);
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
