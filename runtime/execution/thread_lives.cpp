// Logical threads: their names, the fibers they run on, how they begin and end.
#include "thread_lives.hpp"

#include <cxxabi.h>

#include <cassert>
#include <cstdint>
#include <exception>
#include <string>
#include <typeinfo>
#include <vector>

#include "../diagnosis/end_checks.hpp"
#include "../diagnosis/failure_stacks.hpp"
#include "../diagnosis/misuse.hpp"
#include "../diagnosis/trace.hpp"
#include "../platform/exception_text.hpp"
#include "../platform/sanitizer_fiber.hpp"
#include "../platform/symbols/call_site.hpp"
#include "../platform/thread_control_block.hpp"
#include "../platform/watched_call.hpp"
#include "../threads/host.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"
#include "execution.hpp"

namespace hocket::runtime {

Thread* ThreadLives::create_thread(Where where) {
  if (run.ending) return nullptr;
  if (threads_.count() == kMaxThreads) {
    verdict_.fail(FailureKind::misuse,
        "an execution can have at most " + std::to_string(kMaxThreads) + " threads, and one more was created",
        where);
    return nullptr;
  }
  Thread& self = *run.current;
  Thread& thread = add_thread(&self, ++self.threads_created);
  threads_.named(self);
  if (threads_.count() == 65)
    pace_.add_reason();  // the log's narrow entries hold one word of enabled threads
  if (run.recording) run.options.trace->thread_created(thread, where);
  if (run.options.observer != nullptr) run.options.observer->created(thread);
  if (races_.is_looking()) races_.thread_created(thread);
  return &thread;
}

Thread& ThreadLives::add_thread(Thread* creator, std::uint32_t ordinal) {
  assert(threads_.count() < kMaxThreads);
  Thread* thread = threads_.slot(threads_.count());
  if (thread == nullptr || thread->usable_stack < run.options.stack_size) [[unlikely]]
    thread = &prepare_slot(threads_.count());
  static_cast<ThreadState&>(*thread) = run.cold->fresh_thread;
  thread->float_control.begin();
  thread->creator = creator;
  thread->ordinal = ordinal;
  thread->key = creator != nullptr ? mix(creator->key, ordinal) : mix(1, 1);
  thread->next_action = thread->key;
  thread->epoch = epoch_of(thread->index, 1);
  thread->seen_clock = creator != nullptr ? creator->seen_clock : 0;
  threads_.add();
  if (run.host != nullptr) [[unlikely]]
    run.host->threads.created(*thread);
  return *thread;
}

namespace {
// Stacks begin on page boundaries. If all began at the same offset in a page, the processor would mistake
// what one fiber has just pushed for what the next one pops, because it compares the low twelve bits of
// addresses.
constexpr std::size_t kStackShift = 464;
constexpr std::size_t kStackShifts = 8;
constexpr std::size_t kMostStackShift = kStackShift * kStackShifts;
}  // namespace

void ThreadLives::give_stack(Thread& thread, std::size_t bytes) {
  if (thread.stack.size() >= bytes + kMostStackShift) return;
  platform::unmap_stack(thread.stack);
  void* const top = run.host != nullptr ? run.host->threads.top_of_stack(thread.index) : nullptr;
  thread.stack = platform::map_stack(bytes + kMostStackShift, top);
}

unsigned ThreadLives::prepare_stacks(std::size_t bytes) {
  unsigned count = 0;
  for (; count < kMaxThreads && threads_.slot(count) != nullptr; ++count) give_stack(threads_[count], bytes);
  return count;
}

void ThreadLives::forget_stacks_from(unsigned index) {
  for (unsigned n = 0; n < kMaxThreads && threads_.slot(n) != nullptr; ++n) {
    if (n >= index) threads_[n].stack = {};
    threads_[n].usable_stack = 0;  // its fiber is where the child has left it
  }
}

Thread& ThreadLives::prepare_slot(unsigned index) {
  const OwnMemory own;
  Thread*& thread = threads_.slot(index);
  if (thread == nullptr) {
    thread = new Thread;
    thread->index = static_cast<std::uint16_t>(index);
  }
  give_stack(*thread, run.options.stack_size);
  if (run.sanitized) __asan_unpoison_memory_region(thread->stack.bottom, thread->stack.size());
  if (run.host != nullptr) thread->control_block = run.host->threads.control_block(index);
  thread->usable_stack = thread->stack.size() - kMostStackShift;
  thread->exceptions = {};
  thread->sanitizer_stack = nullptr;
  const std::size_t shift = index % kStackShifts * kStackShift;
  thread->context = platform::make_context(
      thread->stack.top - shift, thread->stack.size() - shift, &ThreadLives::fiber_main);
  return *thread;
}

namespace {

/// The last exception that nothing in its thread catches. While it is on its way, the destructor of a
/// std::thread may call std::terminate. Then nobody has caught the exception yet, so the library does not
/// tell which one it is.
constinit struct {
  unsigned thread = kNobody;
  _Unwind_Exception* exception = nullptr;
} leaving;

/// Called where an exception is thrown that leaves a thread.
void note_throw(_Unwind_Exception* exception) {
  leaving = {run.current->index, exception};
  if (!run.recording || run.ending) return;
  const OwnMemory own;
  explain_next_failure_by(
      {stack_title("throw", run.current->index, run.position, execution), stack_to_show()}, execution);
}

void call_task_of(Thread& thread) {
  if (leaving.thread == thread.index) leaving.thread = kNobody;  // that of an earlier execution is gone
  platform::call_watched(
      [](void* of) {
        Task& task = static_cast<Thread*>(of)->task;
        task.call(task);
      },
      &thread, &note_throw);
}

}  // namespace

void catch_exception_that_leaves(const Thread& self) {
  if (leaving.thread != self.index || std::uncaught_exceptions() == 0 || std::current_exception()) return;
  leaving.thread = kNobody;
  abi::__cxa_begin_catch(leaving.exception);
}

void ThreadLives::fiber_main() {
#if defined(__x86_64__) && defined(__linux__)
  // The return address, which is register 16 there, is not known: nothing called this function. A debugger
  // would else look for the frame of a caller beyond the stack.
  asm volatile(".cfi_undefined 16");
#endif
  ThreadLives& lives = execution.lives;
  Thread& self = *run.current;
  if (run.sanitized) fibers::sanitizer_after_switch(self);
  for (;;) {  // a fiber outlives an execution and picks up a task in each one
    try {
      call_task_of(self);
      if (run.host != nullptr) [[unlikely]]
        run.host->threads.returned(self);
    } catch (...) {
      lives.caught_at_the_end(self);
    }
    switch_to(lives.finish_thread(self));
  }
}

// Called in a catch clause: handles what left a thread. A forced unwinding is caught by a reference to
// nothing, which UndefinedBehaviorSanitizer would object to.
__attribute__((no_sanitize("null"))) void ThreadLives::caught_at_the_end(Thread& self) {
  std::string what;  // "exception std::runtime_error", followed by the text in `says`
  std::string says;
  const std::type_info* type = abi::__cxa_current_exception_type();
  try {
    throw;
  } catch (const Verdict::Cut&) {
    return;  // the execution is being ended, and this stack has been unwound
  } catch (const std::exception& exception) {
    const char* const text = exception.what();
    const OwnMemory own;
    what = "exception " + platform::type_name(typeid(exception));
    says = text;
  } catch (const std::string& text) {
    const OwnMemory own;
    what = "exception of type std::string";
    says = text;
  } catch (const char* text) {
    const OwnMemory own;
    what = "exception of type const char*";
    if (text != nullptr) says = text;
  } catch (const abi::__forced_unwind&) {  // leaving this clause with it would end the process
    if (!run.ending) {
      const OwnMemory own;
      verdict_.give_up(FailureKind::terminate,
          describe(self) + " called pthread_exit(): a thread of a test has to return" + last_operation(self),
          Where{});
    }
    self.ending = true;
    verdict_.abandon(self);
  } catch (...) {
    const OwnMemory own;
    what = "exception";
    if (type != nullptr) what += " of type " + platform::type_name(*type);
  }
  const OwnMemory own;
  if (!says.empty()) says.insert(0, ": ");
  if (run.ending) {
    verdict_.explain_by_exception(self, what + says);
    return;
  }
  // The same exception from two places of the program is two failures.
  const std::uint64_t place = mix(
      static_cast<std::uint64_t>(FailureKind::exception), reinterpret_cast<std::uintptr_t>(self.task.call));
  std::string left = what;
  left += " left " + describe(self) + says + last_operation(self);
  verdict_.note_failure(
      FailureKind::exception, left, Where{}, mix(place, type != nullptr ? type->hash_code() : 0));
  verdict_.begin_ending(Outcome::failed);
}

Thread& ThreadLives::finish_thread(Thread& self) {
  if (self.locks_held != 0) [[unlikely]]
    end_checks::look_for_held_locks(execution, self);
  if (threads_.any_detached() && self.index == 0) [[unlikely]]
    end_checks::look_for_detached_threads(execution);
  if (run.options.observer != nullptr && !run.ending) [[unlikely]]
    run.options.observer->over(false);
  self.state = Thread::State::ended;
  self.pending = {};
  run.enabled.erase(self.index);
  if (self.preemption_forbidden != 0) pace_.drop_reason();
  self.preemption_forbidden = 0;
  threads_.one_has_ended();
  if (run.ending) return verdict_.next_to_end();
  Pace::leave_fast_path();
  if (self.starter != nullptr) {
    if (run.options.observer != nullptr) run.options.observer->started(self);
    return *self.starter;
  }
  if (self.joiner != nullptr) {
    if (run.options.observer != nullptr) run.options.observer->joined(*self.joiner, self);
    if (run.recording) run.options.trace->thread_joined(*self.joiner, self);
    if (races_.is_looking()) races_.order_by_join(*self.joiner, self);
    self.joiner->state = Thread::State::running;
    run.enabled.insert(self.joiner->index);
    return *self.joiner;
  }
  if (threads_.live() == 0) {
    const bool something_may_be_left =
        !threads_.all_handles_closed() || run.counts_objects || run.counts_memory;
    if (something_may_be_left && verdict_.is_open()) [[unlikely]]
      end_checks::look_for_leaks(execution);
    return *run.driver;
  }
  Thread& next = Scheduling::choose_next();
  return run.ending ? verdict_.next_to_end() : next;
}

void ThreadLives::start(Thread& thread) {
  assert(thread.state == Thread::State::fresh && thread.starter == nullptr);
  thread.starter = run.current;
  thread.state = Thread::State::running;
  run.enabled.insert(thread.index);
  Pace::leave_fast_path();
  switch_to(thread);
  if (run.ending) [[unlikely]]
    verdict_.end_here();
}

void ThreadLives::join(Thread& thread, Where where) {
  threads_.close_handle(thread, Thread::Handle::joined);
  if (thread.state != Thread::State::ended && !run.ending) {
    switch_to(stop_to_join(thread, where));
    run.current->joins = nullptr;
  } else if (run.attention != Attention::none) [[unlikely]] {
    joined_at_once(thread);
  }
  if (run.ending) [[unlikely]]
    join_while_ending(thread);
}

void ThreadLives::detach(Thread& thread, Where where) {
  threads_.close_handle(thread, Thread::Handle::detached);
  if (!run.recording) return;
  const OwnMemory own;
  std::vector<Where>& places = run.cold->recorded.detached_at;
  if (places.size() <= thread.index) places.resize(thread.index + std::size_t{1});
  places[thread.index] = platform::user_call_site(where);
}

Thread& ThreadLives::stop_to_join(Thread& thread, Where where) {
  Thread& self = *run.current;
  if (thread.joiner != nullptr) {
    misuse::joined_by_two(thread, where);
    return self;
  }
  self.pending = {Operation::none, nullptr, nullptr, where};
  self.joins = &thread;
  thread.joiner = &self;
  run.enabled.erase(self.index);
  return scheduling_.after_stop(self);
}

void ThreadLives::joined_at_once(const Thread& thread) {
  if (run.ending) return;
  if (run.options.observer != nullptr) run.options.observer->joined(*run.current, thread);
  if (run.recording) run.options.trace->thread_joined(*run.current, thread);
  if (races_.is_looking()) races_.order_by_join(*run.current, thread);
}

void ThreadLives::join_while_ending(Thread& thread) {
  verdict_.end_here();
  // This thread must keep running (see verdict.cpp), and what follows may rely on the other one being gone.
  verdict_.end_first(thread);
}

}  // namespace hocket::runtime
