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
// Where there is a Host, which restores memory, all threads are abandoned at once instead: nothing is
// lost, and no destructor runs on what other threads have left half done.
//
// An execution that is cut short because what follows is known could continue. Its threads run on by the
// default schedule, unobserved, because that costs less than unwinding them. If they come to a failure, a
// deadlock or a limit of steps, they are ended as above; the failure does not count.
#include "verdict.hpp"

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

void Verdict::note_failure(
    FailureKind kind, const std::string& message, Where where, std::uint64_t signature) {
  if (!is_wanted(run.options.detect, kind)) return;
  of_execution_.failed_running_out |= run.running_out && !run.ending;
  if (run.verdict_is_final() || of_execution_.outcome == Outcome::failed) return;
  of_execution_.outcome = Outcome::failed;
  Failure& failure = run.cold->failure;
  failure.kind = kind;
  const OwnMemory own;  // the message outlives the body's memory
  failure.message.assign(message);
  failure.where = run.recording ? platform::user_call_site(where) : where;
  failure.position = run.position;
  failure.thread = run.current->index;
  failure.signature = signature != 0 ? signature : mix(static_cast<std::uint64_t>(kind), where);
  if (where.line() == 0 && run.current->instrumented.caller != nullptr)
    failure.signature =
        mix(failure.signature, reinterpret_cast<std::uintptr_t>(run.current->instrumented.caller));
  failure.stacks.clear();
  if (!run.recording) return;
  failure.stacks = stacks_of(failure, execution);
  const bool was_thrown = kind == FailureKind::exception && !failure.stacks.empty();
  if (was_thrown) failure.where = platform::user_code_on(failure.stacks.front().addresses);
  run.options.trace->failed(failure);
}

void Verdict::fail(FailureKind kind, const std::string& message, Where where) {
  if (!run.ending) give_up(kind, message, where);
  end_here();
}

void Verdict::fail_in_destructor(FailureKind kind, const std::string& message, Where where) {
  if (!run.ending) give_up(kind, message, where);
  end_later();
}

void Verdict::give_up(FailureKind kind, const std::string& message, Where where, std::uint64_t signature) {
  note_failure(kind, message, where, signature);
  passes_over_failures_ |= of_execution_.outcome != Outcome::failed && !run.running_out;
  begin_ending(of_execution_.outcome == Outcome::failed ? Outcome::failed : Outcome::dropped);
}

void Verdict::drop() {
  if (!run.ending) begin_ending(Outcome::dropped);
  end_here();
}

void Verdict::begin_ending(Outcome outcome) {
  assert(!run.ending);
  if (!run.running_out) settle(outcome);
  run.ending = true;
  Pace::leave_common_path();
  of_execution_.ending_operations = 0;
}

void Verdict::end_with_body() {
  of_execution_.left_waiting = threads_.live();
  run.counts_objects = false;  // those of the threads that are left are no leaks
  if (run.host != nullptr) {
    __builtin_unwind_init();  // as in end_with_all_threads()
    run.current->context = const_cast<void*>(end_of_callers_stack());
  } else {
    run.counts_memory = false;  // nobody knows what is on their stacks
  }
  end_checks::look_for_leaks(execution);
  begin_ending(of_execution_.outcome);
}

void Verdict::settle(Outcome outcome) {
  if (run.options.observer != nullptr) run.options.observer->over(true);
  of_execution_.outcome = outcome;
  of_execution_.end_position = run.position;
  of_execution_.end_hash = run.hash;
}

namespace {

/// Takes the default everywhere.
class TakesDefaults final : public Chooser {
 public:
  TakesDefaults() { consult_at = kNever; }
  Code choose(const ChoicePoint& point) override { return point.entry.code; }
} takes_defaults;

}  // namespace

void Verdict::drop_observer() {
  if (run.options.observer == nullptr) return;
  run.options.observer = nullptr;
  run.attention = run.attention_without_observer;
  pace_.drop_reason();
}

void Verdict::end_interrupted() {
  run.running_out = false;
  begin_ending(Outcome::interrupted);
}

void Verdict::end_interrupted_here() {
  end_interrupted();
  end_here();
}

bool Verdict::run_out() {
  // Abandoning the threads costs less than running them. A recording must not contain further steps.
  if (run.host != nullptr || run.recording) return false;
  settle(Outcome::pruned);
  run.running_out = true;
  drop_observer();
  run.counts_objects = run.counts_memory = false;
  run.chooser = &takes_defaults;
  pace_.limit(std::min(run.options.max_steps, run.position + kMostStepsRunOut));
  return true;
}

namespace {

/// Takes any of the candidates, the same in each process.
class TakesChances final : public Chooser {
 public:
  TakesChances() { consult_at = 0; }
  Code choose(const ChoicePoint& point) override {
    const LogEntry& entry = point.entry;
    if (entry.kind != LogEntry::wide) return entry.code;
    state_ = mix(state_, point.position);
    const auto count = static_cast<std::uint32_t>(entry.what >> 32U);
    return point.log->candidates[static_cast<std::uint32_t>(entry.what) + state_ % count].code;
  }

 private:
  std::uint64_t state_ = 1;
} takes_chances;

}  // namespace

bool Verdict::look_again(FailureKind first) {
  constexpr std::uint32_t kLeastSteps = 2'000;
  const std::uint32_t limit = std::min(kMaxPositions, run.position + std::max(run.position, kLeastSteps));
  if (run.recording || limit < run.position + kLeastSteps) return false;
  settle(Outcome::unfair);
  drop_observer();
  run.running_out = of_execution_.is_looking_again = true;
  of_execution_.first_look = first;
  run.chooser = &takes_chances;
  pace_.limit(limit);
  return true;
}

void Verdict::give_up_after_all(Where where) {
  const std::uint32_t position = of_execution_.end_position;
  const ClassHash hash = of_execution_.end_hash;
  run.running_out = false;
  give_up(of_execution_.first_look, "", where);  // the recorded execution has the message
  of_execution_.end_position = run.cold->failure.position = position;
  of_execution_.end_hash = hash;
}

void Verdict::interrupt() {
  if (run.os_thread == 0 || !run.options.may_be_interrupted) return;
  of_execution_.is_interrupted = true;
  pace_.limit_now();
}

void Verdict::end_later() {
  Thread& self = *run.current;
  if (run.host != nullptr) abandon_all();
  self.ending = true;
  if (++of_execution_.ending_operations > kMostEndingOperations) abandon(self);
}

void Verdict::end_here() {
  end_later();
  if (std::uncaught_exceptions() != 0 || platform::would_terminate()) return;
  throw Cut{};
}

// Returns the next thread to end: one that waits for this thread's end, or else the youngest that is left.
Thread& Verdict::next_to_end() {
  if (run.host != nullptr) abandon_all();
  if (Thread* ender = std::exchange(run.current->ender, nullptr); ender != nullptr) return *ender;
  for (unsigned t = threads_.count(); t-- > 0;) {
    Thread& thread = threads_[t];
    if (thread.state != Thread::State::ended && !thread.ending) {
      thread.ending = true;
      return thread;
    }
  }
  assert(threads_.live() == 0);
  return *run.driver;
}

void Verdict::end_first(Thread& thread) {
  if (thread.state == Thread::State::ended || thread.ending) return;
  thread.ending = true;
  thread.ender = run.current;
  switch_to(thread);
}

void Verdict::abandon(Thread& self) {
  of_execution_.abandoned = true;
  self.usable_stack = 0;
  self.state = Thread::State::ended;
  threads_.one_has_ended();
  switch_to(next_to_end());
  std::abort();  // not reached: nothing switches to an ended thread, and its stack is prepared again
}

void Verdict::end_with_all_threads(const void* end_of_stack) {
  assert(run.host != nullptr);
  if (run.counts_memory && of_execution_.outcome == Outcome::completed && !run.ending) {
    const OwnMemory own;
    __builtin_unwind_init();  // spills the registers to the stack, where the scan looks for pointers
    run.current->context = const_cast<void*>(end_of_stack != nullptr ? end_of_stack : end_of_callers_stack());
    end_checks::look_for_leaked_memory(execution);
  }
  if (run.options.observer != nullptr) run.options.observer->over(false);
  abandon_all();
}

void Verdict::abandon_all() {
  for (unsigned t = 0; t < threads_.count(); ++t) {
    threads_[t].usable_stack = 0;
    threads_[t].state = Thread::State::ended;
  }
  threads_.all_have_ended();
  run.own_memory = 0;
  switch_to(*run.driver);
  std::abort();  // not reached
}

// The destructor of a std::thread, which is not Hocket's, does not give its reason.
std::string Verdict::describe_open_threads() const {
  const auto is_being_joined = [this](const Thread& thread) {
    for (unsigned t = 0; t < threads_.count(); ++t) {
      if (threads_[t].joins == &thread) return true;
    }
    return false;
  };
  std::string open;
  for (unsigned t = 1; t < threads_.count(); ++t) {
    const Thread& thread = threads_[t];
    if (thread.handle == Thread::Handle::open && &thread != run.current && !is_being_joined(thread))
      open += (open.empty() ? "" : ", ") + describe(thread);
  }
  if (open.empty()) return {};
  return "; neither joined nor detached: " + open +
         ". The program terminates when the std::thread of such a thread is destroyed or assigned to";
}

void Verdict::terminated() {
  if (!run.ending) {
    const OwnMemory own;
    std::string message = "std::terminate was called in " + describe(*run.current);
    const bool was_caught = static_cast<bool>(std::current_exception());
    catch_exception_that_leaves(*run.current);
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
    if (run.host != nullptr && !was_caught) message += describe_open_threads();
    message += last_operation(*run.current, true);
    give_up(FailureKind::terminate, message, Where{});
  }
  if (run.host != nullptr) abandon_all();
  // Exceptions caught on the way here would be leaked with the stack.
  while (abi::__cxa_current_exception_type() != nullptr) abi::__cxa_end_catch();
  Thread& self = *run.current;
  self.ending = true;
  abandon(self);
}

std::string last_operation(const Thread& thread, bool of_destructors) {
  return run.recording ? run.trace()->last_operation(thread, of_destructors) : std::string{};
}

void Verdict::note_skipping(std::string_view reason, Where where) {
  const OwnMemory own;
  run.cold->skipping = std::make_unique<Skipping>(Skipping{std::string(reason), where});
}

void Verdict::forget_skipping() {
  if (run.cold != nullptr) run.cold->skipping.reset();
}

bool step::resume_while_ending() {
  execution.verdict.end_here();
  return false;
}

void Verdict::stop_running_out(bool has_failed) {
  of_execution_.failed_running_out |= has_failed;
  begin_ending(of_execution_.outcome);
}

void Verdict::explain_by_exception(const Thread& self, const std::string& exception) const {
  Failure& failure = run.cold->failure;
  const bool is_reason =
      has_failed() && failure.kind == FailureKind::joinable_destroyed && failure.thread == self.index;
  if (is_reason) failure.message += "\nIt is the " + exception;
}

}  // namespace hocket::runtime
