// Logical threads: their names, the fibers they run on, how they begin and end.
#include <cxxabi.h>

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
#include "allocations.hpp"
#include "cold_state.hpp"
#include "execution.hpp"

namespace hocket::runtime {

bool named_before(const Thread& a, const Thread& b) {
  const auto depth = [](const Thread* t) {
    unsigned n = 0;
    while ((t = t->creator) != nullptr) ++n;
    return n;
  };
  const unsigned depth_a = depth(&a);
  const unsigned depth_b = depth(&b);
  const Thread* x = &a;
  const Thread* y = &b;
  for (unsigned n = depth_a; n > depth_b; --n) x = x->creator;
  for (unsigned n = depth_b; n > depth_a; --n) y = y->creator;
  if (x == y) return depth_a < depth_b;
  while (x->creator != y->creator) {
    x = x->creator;
    y = y->creator;
  }
  return x->ordinal < y->ordinal;
}

Thread* ThreadLives::create_thread(Where where) {
  if (ending) return nullptr;
  if (threads_ == kMaxThreads) {
    fail(FailureKind::misuse,
        "an execution can have at most " + std::to_string(kMaxThreads) + " threads, and one more was created",
        where);
    return nullptr;
  }
  Thread& self = *current;
  const Thread& before = *thread_slots_[threads_ - 1];
  Thread& thread = add_thread(&self, ++self.threads_created);
  if (names_in_order_ && before.creator != &self) names_in_order_ = named_before(before, thread);
  if (threads_ == 65) add_slow_path_reason();  // the log's narrow entries hold one word of enabled threads
  if (recording) options_.trace->thread_created(thread, where);
  if (options_.observer != nullptr) options_.observer->created(thread);
  if (looks_for_races_) {
    const OwnMemory own;
    races_->add(thread, true);
    see_whether_accesses_are_simple();
  }
  return &thread;
}

// Adds the next thread of this execution: the `ordinal`-th of its creator, or the body's own.
Thread& ThreadLives::add_thread(Thread* creator, std::uint32_t ordinal) {
  Thread* thread = thread_slots_[threads_];
  if (thread == nullptr || thread->usable_stack < options_.stack_size) [[unlikely]]
    thread = &prepare_slot(threads_);
  static_cast<ThreadState&>(*thread) = cold_state_->fresh_thread;
  thread->float_control = current->float_control;
  thread->creator = creator;
  thread->ordinal = ordinal;
  thread->key = creator != nullptr ? mix(creator->key, ordinal) : mix(1, 1);
  thread->next_action = thread->key;
  thread->epoch = epoch_of(thread->index, 1);
  thread->seen_clock = creator != nullptr ? creator->seen_clock : 0;
  ++threads_;
  ++live_;
  if (host != nullptr) [[unlikely]]
    host->created(*thread);
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
  void* const top = execution.host != nullptr ? execution.host->top_of_stack(thread.index) : nullptr;
  thread.stack = platform::map_stack(bytes + kMostStackShift, top);
}

unsigned ThreadLives::prepare_stacks(std::size_t bytes) {
  unsigned count = 0;
  for (; count < kMaxThreads && thread_slots_[count] != nullptr; ++count)
    give_stack(*thread_slots_[count], bytes);
  return count;
}

void ThreadLives::forget_stacks_from(unsigned index) {
  for (unsigned n = 0; n < kMaxThreads && thread_slots_[n] != nullptr; ++n) {
    if (n >= index) thread_slots_[n]->stack = {};
    thread_slots_[n]->usable_stack = 0;  // its fiber is where the child has left it
  }
}

Thread& ThreadLives::prepare_slot(unsigned index) {
  const OwnMemory own;
  Thread*& thread = thread_slots_[index];
  if (thread == nullptr) {
    thread = new Thread;
    thread->index = static_cast<std::uint16_t>(index);
  }
  give_stack(*thread, options_.stack_size);
  if (sanitized) __asan_unpoison_memory_region(thread->stack.bottom, thread->stack.size());
  if (host != nullptr) thread->control_block = host->control_block(index);
  thread->usable_stack = thread->stack.size() - kMostStackShift;
  thread->exceptions = {};
  thread->sanitizer_stack = nullptr;
  const std::size_t shift = index % kStackShifts * kStackShift;
  thread->context = platform::make_context(
      thread->stack.top - shift, thread->stack.size() - shift, &ThreadLives::fiber_main);
  return *thread;
}

namespace {

/// Called where an exception is thrown that leaves a thread.
void note_throw() {
  if (!execution.recording || execution.ending) return;
  const OwnMemory own;
  explain_next_failure_by(
      {stack_title("throw", execution.current->index, execution.position, execution), stack_to_show()},
      execution);
}

void call_task_of(Thread& thread) {
  platform::call_watched(
      [](void* of) {
        Task& task = static_cast<Thread*>(of)->task;
        task.call(task);
      },
      &thread, &note_throw);
}

}  // namespace

void ThreadLives::fiber_main() {
#if defined(__x86_64__) && defined(__linux__)
  // The return address, which is register 16 there, is not known: nothing called this function. A debugger
  // would else look for the frame of a caller beyond the stack.
  asm volatile(".cfi_undefined 16");
#endif
  Execution& e = execution;
  Thread& self = *e.current;
  if (e.sanitized) e.sanitizer_after_switch(self);
  for (;;) {  // a fiber outlives an execution and picks up a task in each one
    try {
      call_task_of(self);
      if (e.host != nullptr) [[unlikely]]
        e.host->returned(self);
    } catch (...) {
      e.caught_at_the_end(self);
    }
    e.switch_to(e.finish_thread(self));
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
  } catch (const Cut&) {
    return;  // the execution is being ended, and this stack has been unwound
  } catch (const std::exception& exception) {
    what = "exception " + platform::type_name(typeid(exception));
    says = exception.what();
  } catch (const std::string& text) {
    what = "exception of type std::string";
    says = text;
  } catch (const char* text) {
    what = "exception of type const char*";
    if (text != nullptr) says = text;
  } catch (const abi::__forced_unwind&) {  // leaving this clause with it would end the process
    if (!ending) {
      give_up(FailureKind::terminate,
          describe(self) + " called pthread_exit(): a thread of a test has to return" + last_operation(self),
          Where{});
    }
    self.ending = true;
    abandon(self);
  } catch (...) {
    what = "exception";
    if (type != nullptr) what += " of type " + platform::type_name(*type);
  }
  if (!says.empty()) says.insert(0, ": ");
  if (ending) {
    explain_by_exception(self, what + says);
    return;
  }
  // The same exception from two places of the program is two failures.
  const std::uint64_t place = mix(
      static_cast<std::uint64_t>(FailureKind::exception), reinterpret_cast<std::uintptr_t>(self.task.call));
  std::string left = what;
  left += " left " + describe(self) + says + last_operation(self);
  note_failure(FailureKind::exception, left, Where{}, mix(place, type != nullptr ? type->hash_code() : 0));
  begin_ending(Outcome::failed);
}

// A thread whose exception destroyed the handle of a joinable thread during unwinding has failed because of
// that. The exception is the reason.
void ThreadLives::explain_by_exception(const Thread& self, const std::string& exception) {
  Failure& failure = cold_state_->failure;
  const bool is_reason = outcome_ == Outcome::failed && failure.kind == FailureKind::joinable_destroyed &&
                         failure.thread == self.index;
  if (is_reason) failure.message += "\nIt is the " + exception;
}

Thread& ThreadLives::finish_thread(Thread& self) {
  if (self.locks_held != 0) [[unlikely]]
    end_checks::look_for_held_locks(execution, self);
  if (any_detached_ && self.index == 0) [[unlikely]]
    end_checks::look_for_detached_threads(execution);
  if (options_.observer != nullptr && !ending) [[unlikely]]
    options_.observer->over(false);
  self.state = Thread::State::ended;
  self.pending = {};
  enabled.erase(self.index);
  if (self.preemption_forbidden != 0) --slow_path_reasons_;
  self.preemption_forbidden = 0;
  --live_;
  if (ending) return next_to_end();
  leave_fast_path();
  if (self.starter != nullptr) {
    if (options_.observer != nullptr) options_.observer->started(self);
    return *self.starter;
  }
  if (self.joiner != nullptr) {
    if (options_.observer != nullptr) options_.observer->joined(*self.joiner, self);
    if (recording) options_.trace->thread_joined(*self.joiner, self);
    if (looks_for_races_) order_by_join(*self.joiner, self);
    self.joiner->state = Thread::State::running;
    enabled.insert(self.joiner->index);
    return *self.joiner;
  }
  if (live_ == 0) {
    const bool something_may_be_left = handles_closed_ + 1 != threads_ || counts_objects || counts_memory;
    if (something_may_be_left && outcome_ == Outcome::completed) [[unlikely]]
      end_checks::look_for_leaks(execution);
    return *driver_;
  }
  Thread& next = choose_next();
  return ending ? next_to_end() : next;
}

void ThreadLives::detach(Thread& thread, Where where) {
  ++handles_closed_;
  any_detached_ = true;
  thread.handle = Thread::Handle::detached;
  if (!recording) return;
  const OwnMemory own;
  std::vector<Where>& places = cold_state_->detached_at;
  if (places.size() <= thread.index) places.resize(thread.index + std::size_t{1});
  places[thread.index] = platform::user_call_site(where);
}

Thread& ThreadLives::stop_to_join(Thread& thread, Where where) {
  Thread& self = *current;
  if (thread.joiner != nullptr) {
    misuse::joined_by_two(execution, thread, where);
    return self;
  }
  self.pending = {Operation::none, nullptr, nullptr, where};
  self.joins = &thread;
  thread.joiner = &self;
  enabled.erase(self.index);
  return after_stop(self);
}

void ThreadLives::joined_at_once(const Thread& thread) {
  if (ending) return;
  if (options_.observer != nullptr) options_.observer->joined(*current, thread);
  if (recording) options_.trace->thread_joined(*current, thread);
  if (looks_for_races_) order_by_join(*current, thread);
}

void ThreadLives::join_while_ending(Thread& thread) {
  end_here();
  // This thread must keep running (see ending.cpp), and what follows may rely on the other one being gone.
  end_first(thread);
}

}  // namespace hocket::runtime
