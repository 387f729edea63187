#include "execution.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <new>
#include <string>
#include <system_error>

#include <sys/mman.h>

#include "../diagnosis/misuse.hpp"
#include "../diagnosis/trace.hpp"
#include "../platform/sanitizer_fiber.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"

namespace hocket::runtime {

constinit Execution execution;
constinit std::uintptr_t searching_os_thread = 0;
constinit volatile int real_stderr = STDERR_FILENO;

namespace {

void* map_log() {
  // Reserved once, for the longest possible execution: a crash handler can read it, and pages that no
  // execution reaches are never committed.
  void* memory = mmap(nullptr, Execution::kLogBytes, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "hocket: no memory for the log of choices");
  }
  return memory;
}

}  // namespace

ColdState& Execution::cold_state() {
  if (cold_state_ == nullptr) {
    cold_state_ = new ColdState;
    races_ = &cold_state_->races;
    cold_state_->log_memory = map_log();
    log = static_cast<LogEntry*>(cold_state_->log_memory);
    so_far_.entries = log;
    driver_ = new Thread;
    sanitized = platform::address_sanitizer_is_linked();
    switches_with_care = sanitized || host != nullptr;
  }
  return *cold_state_;
}

void Execution::write_log_to(void* memory) {
  log = static_cast<LogEntry*>(memory != nullptr ? memory : cold_state().log_memory);
  so_far_.entries = log;
}

// ---------------------------------------------------------------------------------------------------------------------
// One execution

ExecutionResult Execution::run(
    const std::function<void()>& body, Chooser& chooser, const ExecutionOptions& options) {
  assert(!running_);
  ColdState& m = cold_state();
  chooser_ = &chooser;
  options_ = options;
  options_.max_steps = std::min(options.max_steps, kMaxPositions);
  life = static_cast<Life>(static_cast<std::uint64_t>(life) + 1);
  position = 0;
  hash = {};
  enabled.clear();
  recording = options.trace != nullptr;
  keeps_stores = options.keeps_stores;
  attention_without_observer_ = recording || options.plain_steps ? Attention::to_all : Attention::none;
  attention = options.observer != nullptr ? Attention::to_all : attention_without_observer_;
  ending = running_out = failed_running_out = false;
  looks_for_races_ = false;
  accesses_are_simple = false;
  ignoring_races_ = 0;
  last_ = 0;
  last_yielded_ = true;  // no step has been made yet: the first choice is free
  names_in_order_ = true;
  threads_ = 0;
  live_ = 0;
  special_waits_ = 0;
  slow_path_reasons_ = (recording || options.observer != nullptr ? 1U : 0U) + (options.fair ? 1U : 0U);
  common_end_ = LastSteps::first(options_.max_steps);
  granted_steps_ = 0;
  is_interrupted_ = false;
  m.last_steps.clear();
  m.fairness.begin();
  m.took_unfair_turn = m.left_out_unfair = m.priced_yield = m.held_late_waits = false;
  at_yield_.clear();
  guarded_.clear();
  expirable_.clear();
  wakable_.clear();
  handles_closed_ = 0;
  any_detached_ = false;
  own_memory = 1;  // until the body begins
  counts_objects = options.detect.contains(Detector::leaked_objects);
  counts_memory = options.detect.contains(Detector::leaked_memory);
  if (counts_objects || counts_memory) m.forget_what_was_made();
  if (options.observer != nullptr) {  // its memory is not the body's
    m.own_memory_observer = with_own_memory(*options.observer);
    options_.observer = m.own_memory_observer.get();
  }
  if (!m.ghosts.empty()) m.ghosts.clear();
  if (options.notes_callers) std::fill(std::begin(noted_orders), std::end(noted_orders), 0);
  m.candidates.clear();
  m.passed_races.clear();
  now_ = 0;
  outcome_ = Outcome::completed;
  abandoned_ = false;
  m.body = &body;
  common_until = slow_path_reasons_ == 0 ? common_end_ : 0;
  stop = 0;
  m.clock.life = life;
  m.clock.version = 0;
  exception_state = platform::exception_state();

  running_ = true;
  os_thread = platform::os_thread_id();
  current = driver_;
  if (host != nullptr) {
    driver_->control_block = os_thread;
    host->begin();
  }
  Thread& first = add_thread(nullptr, 0);
  if (keeps_stores) begin_to_keep_stores();
  first.task.call = [](Task&) { (*execution.cold_state_->body)(); };
  if (recording) {
    options_.trace->begin(*this);
    m.race_record.begin();
  }
  if (options_.observer != nullptr) options_.observer->begin(first);
  set_going(first, Mode::run);
  enabled.insert(first.index);
  own_memory = 0;
  switch_to(first);
  os_thread = 0;
  running_ = false;
  if (host != nullptr) host->end();

  if (outcome_ == Outcome::failed && m.failure.kind == FailureKind::data_race) {
    m.failure.signature = signature_of_race();
  }
  restore_outside_objects();
  ExecutionResult result;
  result.outcome = outcome_;
  result.threads = threads_;
  result.abandoned = abandoned_;
  result.left_out_unfair = m.left_out_unfair;
  result.priced_yield = m.priced_yield;
  result.held_late_waits = m.held_late_waits;
  result.yields_at = m.yields_at;
  result.passed_races = static_cast<std::uint32_t>(m.passed_races.size());
  result.hash = verdict_is_final() ? end_hash_ : hash;
  result.log = {log, m.candidates.data(), verdict_is_final() ? end_position_ : position};
  result.ran_on = running_out && !ending;
  result.failed_on = failed_running_out;
  result.hash_at_end = hash;
  if (recording) {
    options_.trace->end(*this);
    m.forget_the_recorded();
  }
  if (options.notes_callers) m.weaker_orders.forget_names();
  ending = running_out = false;
  return result;
}

// ---------------------------------------------------------------------------------------------------------------------
// Actions

void Execution::destroy(Object& object, Where where) {
  if (!is_controlled()) {
    outside_operation();
  } else if (!is_from_earlier_execution(object) && arrive(object, Operation::destroy, true, where)) {
    const char* objection = object.kind->objection_to_destruction != nullptr
                                ? object.kind->objection_to_destruction(object)
                                : nullptr;
    if (objection != nullptr) {
      misuse::ended_while(*this, object, misuse::End::destruction, objection, where);
    } else {
      // How many newest values an atomic has had is no part of the class: some may have been stored early.
      if (keeps_stores && object.kind->keeps_stores) object.version = 0;
      act(object, Operation::destroy, Access::write);
      if (recording) note_end_of(object, where);
      if (live_ > 1) {
        forget_reads_of(object);
        if (!misuse::ended_in_use(*this, object, misuse::End::destruction, where)) leave_ghost_of(object);
      }
    }
  }
  forget(object);
}

// The object's memory may be gone when a thread that has read it yields again.
void Execution::forget_reads_of(const Object& object) {
  for (unsigned t = 0; t < threads_; ++t) {
    Thread& thread = *thread_slots_[t];
    for (std::vector<Thread::Read>* reads : {&thread.reads_since_yield, &thread.awaited}) {
      for (Thread::Read& read : *reads) {
        if (read.object == &object) read.object = nullptr;
      }
    }
    if (thread.is_guarded && thread.state == Thread::State::stopped) refresh(thread);
  }
}

// A notified waiter without a mutex must still continue from its wait, which is an action on the condition
// variable. A waiter whose time runs out stops once more, and that stop names what it waited for.
void Execution::leave_ghost_of(const Object& object) {
  Object* ghost = nullptr;
  for (unsigned t = 0; t < threads_; ++t) {
    Pending& pending = thread_slots_[t]->pending;
    const bool waits = thread_slots_[t]->state == Thread::State::stopped && pending.object == &object &&
                       pending.operation == Operation::condition_reacquire &&
                       (pending.second == nullptr || pending.timed);
    if (!waits) continue;
    if (ghost == nullptr) {
      const OwnMemory own;
      std::byte* const bytes = cold_state_->ghosts.emplace_back().bytes;
      std::memcpy(bytes, &object, sizeof(Object));
      ghost = std::launder(reinterpret_cast<Object*>(bytes));
      if (recording) options_.trace->object_outlived(object, *ghost);
    }
    pending.object = ghost;
  }
}

void Execution::forget_outside_objects() {
  if (host != nullptr) host->begin_search();
  ColdState& m = cold_state();
  for (const auto& [object, saved] : m.outside_objects) {
    if (object == nullptr) continue;
    object->outsider = 0;
    object->kind->discard(saved);
  }
  m.outside_objects.clear();
  passes_over_races_ = false;
  passes_over_stores_ = false;
  left_out_stale_ = left_out_rereads_ = false;
  passes_over_failures_ = false;
  priced_poll_ = met_attempt_ = nullptr;
  has_lone_attempts_ = false;
}

}  // namespace hocket::runtime
