// How an execution that cannot continue is ended: after a failure, a deadlock, assume(false).
//
// Every thread is stopped somewhere in the middle, and holds heap memory and locks. Each is ended in turn,
// children before their creators, because a creator's frame often owns what its children use. If the creator
// failed, and so unwinds first, a child is ended when the creator's frame destroys its handle. A thread is:
//  - unwound, by an exception thrown at its operation, so that destructors run; or,
//  - if the exception would meet a noexcept function (which would terminate the process), drained: it keeps
//    running, and operations do nothing and never block, until it has left that function or ended; or,
//  - if it does not end that way, abandoned and counted. Its stack is reused; what it held is lost.
//
// Where there is a ThreadHost, which restores memory, all threads are abandoned at once instead: nothing is
// lost, and no destructor runs on what other threads have left half done.
//
// An execution that is cut short because what follows is known could continue. Its threads run on by the
// default schedule, unobserved, because that costs less than unwinding them. If they come to a failure, a
// deadlock or a limit of steps, they are ended as above; the failure does not count.
#include <cxxabi.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#include "../diagnosis/end_checks.hpp"
#include "../diagnosis/failure_stacks.hpp"
#include "../diagnosis/source_text.hpp"
#include "../diagnosis/trace.hpp"
#include "../platform/exception_text.hpp"
#include "../platform/noexcept_barrier.hpp"
#include "../platform/symbols/call_site.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"
#include "execution.hpp"

namespace hocket::runtime {

namespace {

constexpr std::uint32_t kMostEndingOperations = 100'000;
/// About as many steps as take the time in which a few threads are unwound.
constexpr std::uint32_t kMostStepsRunOut = 1'000;

[[gnu::noinline]] const void* end_of_callers_stack() {
  return __builtin_frame_address(0);
}

}  // namespace

void Ending::note_failure(
    FailureKind kind, const std::string& message, Where where, std::uint64_t signature) {
  if (!is_wanted(options_.detect, kind)) return;
  failed_running_out |= running_out && !ending;
  if (verdict_is_final() || outcome_ == Outcome::failed) return;
  outcome_ = Outcome::failed;
  Failure& failure = cold_state_->failure;
  failure.kind = kind;
  const OwnMemory own;  // the message outlives the body's memory
  failure.message.assign(message);
  failure.where = recording ? platform::user_call_site(where) : where;
  failure.position = position;
  failure.thread = current->index;
  failure.signature = signature != 0 ? signature : mix(static_cast<std::uint64_t>(kind), where);
  if (where.line() == 0 && current->caller != nullptr)
    failure.signature = mix(failure.signature, reinterpret_cast<std::uintptr_t>(current->caller));
  failure.stacks.clear();
  if (!recording) return;
  failure.stacks = stacks_of(failure, execution);
  const bool was_thrown = kind == FailureKind::exception && !failure.stacks.empty();
  if (was_thrown) failure.where = platform::user_code_on(failure.stacks.front().addresses);
  options_.trace->failed(execution, failure);
}

void Ending::fail(FailureKind kind, const std::string& message, Where where) {
  if (!ending) give_up(kind, message, where);
  end_here();
}

void Ending::fail_in_destructor(FailureKind kind, const std::string& message, Where where) {
  if (!ending) give_up(kind, message, where);
  end_later();
}

void Ending::give_up(FailureKind kind, const std::string& message, Where where, std::uint64_t signature) {
  note_failure(kind, message, where, signature);
  passes_over_failures_ |= outcome_ != Outcome::failed && !running_out;
  begin_ending(outcome_ == Outcome::failed ? Outcome::failed : Outcome::dropped);
}

void Ending::drop() {
  if (!ending) begin_ending(Outcome::dropped);
  end_here();
}

void Ending::begin_ending(Outcome outcome) {
  assert(!ending);
  if (!running_out) settle(outcome);
  ending = true;
  leave_common_path();
  ending_operations_ = 0;
}

void Ending::settle(Outcome outcome) {
  if (options_.observer != nullptr) options_.observer->over(true);
  outcome_ = outcome;
  end_position_ = position;
  end_hash_ = hash;
}

namespace {

/// Takes the default everywhere.
class TakesDefaults final : public Chooser {
 public:
  TakesDefaults() { consult_at = kNever; }
  Code choose(const ChoicePoint& point) override { return point.entry.code; }
} takes_defaults;

}  // namespace

bool Ending::run_out() {
  // Abandoning the threads costs less than running them. A recording must not contain further steps.
  if (host != nullptr || recording) return false;
  settle(Outcome::pruned);
  running_out = true;
  if (options_.observer != nullptr) {
    options_.observer = nullptr;
    attention = attention_without_observer_;
    --slow_path_reasons_;
  }
  counts_objects = counts_memory = false;
  chooser_ = &takes_defaults;
  options_.max_steps = std::min(options_.max_steps, position + kMostStepsRunOut);
  common_end_ = LastSteps::first(options_.max_steps);
  common_until = slow_path_reasons_ == 0 ? common_end_ : 0;
  return true;
}

// The limit of steps is lowered because whatever looks for a reason to leave the common path respects it,
// also if the signal comes in the middle of a step.
void Ending::interrupt() {
  if (!running_ || !options_.may_be_interrupted) return;
  is_interrupted_ = true;
  options_.max_steps = common_end_ = 0;
  leave_common_path();
}

void Ending::end_later() {
  Thread& self = *current;
  if (host != nullptr) abandon_all();
  self.ending = true;
  if (++ending_operations_ > kMostEndingOperations) abandon(self);
}

void Ending::end_here() {
  end_later();
  if (std::uncaught_exceptions() != 0 || platform::would_terminate()) return;
  throw Cut{};
}

// Returns the next thread to end: one that waits for this thread's end, or else the youngest that is left.
Thread& Ending::next_to_end() {
  if (host != nullptr) abandon_all();
  if (Thread* ender = std::exchange(current->ender, nullptr); ender != nullptr) return *ender;
  for (unsigned t = threads_; t-- > 0;) {
    Thread& thread = *thread_slots_[t];
    if (thread.state != Thread::State::ended && !thread.ending) {
      thread.ending = true;
      return thread;
    }
  }
  assert(live_ == 0);
  return *driver_;
}

void Ending::end_first(Thread& thread) {
  if (thread.state == Thread::State::ended || thread.ending) return;
  thread.ending = true;
  thread.ender = current;
  switch_to(thread);
}

void Ending::abandon(Thread& self) {
  abandoned_ = true;
  ++abandoned_in_all_;
  self.usable_stack = 0;
  self.state = Thread::State::ended;
  --live_;
  switch_to(next_to_end());
  std::abort();  // not reached: nothing switches to an ended thread, and its stack is prepared again
}

void Ending::end_with_all_threads(const void* end_of_stack) {
  assert(host != nullptr);
  if (counts_memory && outcome_ == Outcome::completed && !ending) {
    const OwnMemory own;
    __builtin_unwind_init();  // spills the registers to the stack, where the scan looks for pointers
    current->context = const_cast<void*>(end_of_stack != nullptr ? end_of_stack : end_of_callers_stack());
    end_checks::look_for_leaked_memory(execution);
  }
  if (options_.observer != nullptr) options_.observer->over(false);
  abandon_all();
}

void Ending::abandon_all() {
  for (unsigned t = 0; t < threads_; ++t) {
    thread_slots_[t]->usable_stack = 0;
    thread_slots_[t]->state = Thread::State::ended;
  }
  live_ = 0;
  own_memory = 0;
  switch_to(*driver_);
  std::abort();  // not reached
}

// The destructor of a std::thread, which is not Hocket's, does not give its reason.
std::string Ending::describe_open_threads() const {
  std::string open;
  for (unsigned t = 1; t < threads_; ++t) {
    if (thread_slots_[t]->handle == Thread::Handle::open)
      open += (open.empty() ? "" : ", ") + describe(*thread_slots_[t]);
  }
  if (open.empty()) return {};
  return "; neither joined nor detached: " + open +
         ". The program terminates when the std::thread of such a thread is destroyed or assigned to";
}

void Ending::terminated() {
  if (!ending) {
    const OwnMemory own;
    std::string message = "std::terminate was called in " + describe(*current);
    if (const std::exception_ptr exception = std::current_exception()) {
      try {
        std::rethrow_exception(exception);
      } catch (const std::exception& e) {
        message += ", after an exception " + platform::type_name(typeid(e)) + ": " + e.what();
      } catch (...) {
        const std::type_info* type = abi::__cxa_current_exception_type();
        message += ", after an exception";
        if (type != nullptr) message += " of type " + platform::type_name(*type);
      }
    }
    if (host != nullptr && !std::current_exception()) message += describe_open_threads();
    message += last_operation(*current, true);
    give_up(FailureKind::terminate, message, Where{});
  }
  if (host != nullptr) abandon_all();
  // Exceptions caught on the way here would be leaked with the stack.
  while (abi::__cxa_current_exception_type() != nullptr) abi::__cxa_end_catch();
  Thread& self = *current;
  self.ending = true;
  abandon(self);
}

// "; its last operation was mutex.lock on the queue at queue.cpp:7", or empty if that is not recorded. It is
// needed because an exception knows where it was caught, not where it was thrown.
std::string Ending::last_operation(const Thread& thread, bool of_destructors) const {
  return recording ? options_.trace->last_operation(thread, of_destructors) : std::string{};
}

void Ending::note_skipping(std::string_view reason, Where where) {
  const OwnMemory own;
  cold_state_->skipping = std::make_unique<Skipping>(Skipping{std::string(reason), where});
}

void Ending::forget_skipping() {
  if (cold_state_ != nullptr) cold_state_->skipping.reset();
}

bool Ending::resume_while_ending() {
  end_here();
  return false;
}

}  // namespace hocket::runtime
