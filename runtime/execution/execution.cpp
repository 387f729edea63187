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
#include "../threads/host.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"

namespace hocket::runtime {

constinit Run run;
constinit Execution execution;
constinit std::uintptr_t searching_os_thread = 0;
constinit volatile int real_stderr = STDERR_FILENO;

namespace {

void* map_log() {
  // Reserved once, for the longest possible execution: a crash handler can read it, and pages that no
  // execution reaches are never committed.
  void* memory = mmap(
      nullptr, Run::kLogBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "hocket: no memory for the log of choices");
  }
  return memory;
}

}  // namespace

void Execution::make_cold_state() {
  run.cold = new ColdState;
  races.keep_in(run.cold->races);
  run.cold->log_memory = map_log();
  run.log = static_cast<LogEntry*>(run.cold->log_memory);
  run.driver = new Thread;
  run.sanitized = platform::address_sanitizer_is_linked();
  run.switches_with_care = run.sanitized || run.host != nullptr;
}

Object& clock_object() {
  return run.cold->clock;
}

void Execution::write_log_to(void* memory) {
  run.log = static_cast<LogEntry*>(memory != nullptr ? memory : cold_state().log_memory);
}

namespace {

/// Has the pages of `run` be those of `memory`, which may be shared. `size`: 0 for shared memory, which stays
/// where it is as well.
bool keep_run_in(void* memory, std::size_t size) {
  std::memcpy(memory, static_cast<const void*>(&run), sizeof run);
  return mremap(memory, size, sizeof run, MREMAP_MAYMOVE | MREMAP_FIXED, static_cast<void*>(&run)) !=
         MAP_FAILED;
}

}  // namespace

bool Execution::move_run_to(void* memory) {
  return keep_run_in(memory, 0);
}

void Execution::move_run_back() {
  void* const memory = mmap(nullptr, sizeof run, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) keep_run_in(memory, sizeof run);
}

// ---------------------------------------------------------------------------------------------------------------------
// One execution

inline void Run::begin(Chooser& by, const ExecutionOptions& asked) {
  static_cast<OfExecution&>(*this) = cold->fresh_execution;
  life = static_cast<Life>(static_cast<std::uint64_t>(life) + 1);
  options = asked;
  options.max_steps = std::min(asked.max_steps, kMaxPositions);
  chooser = &by;
  recording = asked.trace != nullptr;
  keeps_stores = asked.keeps_stores;
  attention_without_observer =
      recording || asked.plain_steps || asked.sealed_steps != nullptr ? Attention::to_all : Attention::none;
  attention = asked.observer != nullptr ? Attention::to_all : attention_without_observer;
  counts_objects = asked.detect.contains(Detector::leaked_objects);
  counts_memory = asked.detect.contains(Detector::leaked_memory);
  notes_lives = counts_objects || recording || asked.watches_lives;
  exception_state = platform::exception_state();
}

void Execution::begin(const std::function<void()>& body, Chooser& chooser, const ExecutionOptions& options) {
  ColdState& m = cold_state();
  run.begin(chooser, options);
  run.own_memory = 1;  // until the body begins
  threads.begin();
  pace.begin((run.recording || options.observer != nullptr ? 1U : 0U) + (options.fair ? 1U : 0U) +
             (options.sealed_steps != nullptr ? 1U : 0U));
  time.begin();
  verdict.begin();
  races.begin();
  enabled_threads.begin();
  scheduling.begin();
  retries.begin();
  if (options.notes_callers) step::noted_orders.clear();
  if (run.counts_objects || run.counts_memory) m.counted.clear();
  if (options.observer != nullptr) {  // its memory is not the body's
    m.own_memory_observer = with_own_memory(*options.observer);
    run.options.observer = m.own_memory_observer.get();
  }
  m.begin(body);

  run.os_thread = platform::os_thread_id();
  run.current = run.driver;
  if (run.host != nullptr) {
    run.driver->control_block = run.os_thread;
    run.host->searches.begin();
  }
}

inline ExecutionResult Execution::end() {
  ColdState& m = *run.cold;
  if (verdict.has_failed() && m.failure.kind == FailureKind::data_race) {
    m.failure.signature = races.signature();
  }
  ObjectLives::restore_outside_objects();
  const bool is_looking_again = verdict.is_looking_again();
  const ExecutionResult result{.outcome = verdict.outcome(),
      .passed_races = static_cast<std::uint32_t>(m.passed_races.size()),
      .hash = verdict.end_hash(),
      .log = {run.log, m.scheduling.candidates.data(), verdict.end_position()},
      .threads = threads.count(),
      .left_waiting = verdict.left_waiting(),
      .abandoned = verdict.has_abandoned(),
      .left_out_unfair = m.scheduling.left_out_unfair,
      .left_out_sealed = m.scheduling.left_out_sealed,
      .priced_yield = m.scheduling.priced_yield,
      .held_late_waits = m.scheduling.held_late_waits,
      .yields_at = m.scheduling.yields_at,
      .ran_on = run.running_out && !run.ending && !is_looking_again,
      .failed_on = verdict.failed_running_out() && !is_looking_again,
      .hash_at_end = run.hash};
  if (run.recording) {
    run.trace()->end();
    m.recorded = {};
  }
  if (run.options.notes_callers) m.weaker_orders.forget_names();
  run.ending = run.running_out = false;
  return result;
}

ExecutionResult Execution::run_body(
    const std::function<void()>& body, Chooser& chooser, const ExecutionOptions& options) {
  assert(run.os_thread == 0);
  begin(body, chooser, options);
  Thread& first = lives.add_thread(nullptr, 0);
  if (run.keeps_stores) stores.begin();
  if (options.watches_lives && !races.is_looking()) races.begin_to_look();
  first.task.call = [](Task&) { (*run.cold->body)(); };
  if (run.recording) {
    run.trace()->begin();
    run.cold->race_record.begin();
  }
  if (run.options.observer != nullptr) run.options.observer->begin(first);
  Scheduling::set_going(first, Mode::run);
  run.enabled.insert(first.index);
  run.own_memory = 0;
  switch_to(first);
  run.os_thread = 0;
  if (run.host != nullptr) run.host->searches.end();
  return end();
}

void Execution::forget_search() {
  if (run.host != nullptr) run.host->searches.begin_search();
  static_cast<void>(cold_state());
  ObjectLives::forget_outside_objects();
  verdict.begin_search();
  races.begin_search();
  objects.begin_search();
  scheduling.begin_search();
  stores.begin_search();
  run.cold->retries.found.clear();
}

// ---------------------------------------------------------------------------------------------------------------------
// What can be seen

const Failure& Execution::failure() {
  return run.cold->failure;
}

const Race& Execution::race() const {
  return races.races().race();
}

WeakerOperations Execution::weaker_operations(bool kept_stores) {
  return run.cold != nullptr ? run.cold->weaker_orders.in_words(kept_stores) : WeakerOperations{};
}

const Skipping* Execution::skipping() {
  return run.cold != nullptr ? run.cold->skipping.get() : nullptr;
}

const Candidate* Execution::candidates() {
  return run.cold->scheduling.candidates.data();
}

bool Execution::keeps(std::uintptr_t address) const {
  if (address - reinterpret_cast<std::uintptr_t>(run.log) < Run::kLogBytes) return true;
  for (unsigned t = 0; t < kMaxThreads && threads.addresses()[t] != nullptr; ++t) {
    if (address - reinterpret_cast<std::uintptr_t>(threads.addresses()[t]) < sizeof(Thread)) return true;
  }
  return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// The end of an object

void step::destroy(Object& object, Where where) {
  if (!is_controlled()) {
    outside_operation();
  } else if (!ObjectLives::is_from_earlier_execution(object) &&
             step::arrive(object, Operation::destroy, true, where)) {
    const char* objection = object.kind->objection_to_destruction != nullptr
                                ? object.kind->objection_to_destruction(object)
                                : nullptr;
    if (objection != nullptr) {
      misuse::ended_while(object, misuse::End::destruction, objection, where);
    } else if (execution.objects.note_destruction(); !execution.races.is_ended_in_race(object, where)) {
      // How many newest values an atomic has had is no part of the class: some may have been stored early.
      if (run.keeps_stores && object.kind->keeps_stores) object.version = 0;
      step::act(object, Operation::destroy, Access::write);
      if (run.recording) step::note_end_of(object, where);
      if (execution.threads.live() > 1) execution.forget_uses_of(object, where);
    }
  }
  step::forget(object);
}

void Execution::forget_uses_of(const Object& object, Where where) {
  forget_reads_of(object);
  if (!misuse::ended_in_use(object, misuse::End::destruction, where)) keep_remains_of(object);
}

// The object's memory may be gone when a thread that has read it yields again.
void Execution::forget_reads_of(const Object& object) {
  for (unsigned t = 0; t < threads.count(); ++t) {
    Thread& thread = threads[t];
    for (std::vector<Thread::Read>* reads : {&thread.reads_since_yield, &thread.awaited}) {
      for (Thread::Read& read : *reads) {
        if (read.object == &object) read.object = nullptr;
      }
    }
    if (thread.is_guarded && thread.state == Thread::State::stopped) enabled_threads.refresh(thread);
  }
}

// A notified waiter without a mutex must still continue from its wait, which is an action on the condition
// variable. A waiter whose time runs out stops once more, and that stop names what it waited for.
void Execution::keep_remains_of(const Object& object) {
  Object* remains = nullptr;
  for (unsigned t = 0; t < threads.count(); ++t) {
    Pending& pending = threads[t].pending;
    const bool waits = threads[t].state == Thread::State::stopped && pending.object == &object &&
                       pending.operation == Operation::condition_reacquire &&
                       (pending.second == nullptr || pending.timed);
    if (!waits) continue;
    if (remains == nullptr) {
      const OwnMemory own;
      std::byte* const bytes = run.cold->objects.remains.emplace_back().bytes;
      std::memcpy(bytes, &object, sizeof(Object));
      remains = std::launder(reinterpret_cast<Object*>(bytes));
      if (run.recording) run.options.trace->object_outlived(object, *remains);
    }
    pending.object = remains;
  }
}

}  // namespace hocket::runtime
