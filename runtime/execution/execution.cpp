#include "execution.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <string>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

#include "../diagnosis/trace.hpp"
#include "../platform/sanitizer_fiber.hpp"
#include "../terms/sabotage.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"

namespace hocket::runtime {

constinit Execution execution;
constinit std::uintptr_t searching_os_thread = 0;
constinit volatile int real_stderr = STDERR_FILENO;

namespace {

void* map_log() {
  // Set aside once, for the longest execution there may be: a crash handler can read it, and pages that no
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

void Execution::note_skipping(std::string_view reason, Where where) {
  const OwnMemory own;
  cold_state_->skipping = std::make_unique<Skipping>(Skipping{std::string(reason), where});
}
void Execution::forget_skipping() {
  if (cold_state_ != nullptr) cold_state_->skipping.reset();
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
  attention =
      recording || options.observer != nullptr || options.plain_steps ? Attention::to_all : Attention::none;
  ending = false;
  looks_for_races_ = false;
  accesses_are_simple = false;
  ignoring_races_ = 0;
  last_ = 0;
  last_yielded_ = true;  // nobody has made a step yet: who begins is free
  names_in_order_ = true;
  threads_ = 0;
  live_ = 0;
  special_waits_ = 0;
  slow_path_reasons_ = (recording || options.observer != nullptr ? 1U : 0U) + (options.fair ? 1U : 0U);
  common_end_ = LastSteps::first(options_.max_steps);
  m.last_steps.clear();
  m.fairness.begin();
  m.took_unfair_turn = m.left_out_unfair = m.priced_yield = false;
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
  if (options.observer != nullptr) {  // its memory and its time are not the body's
    m.own_memory_observer = with_own_memory(*options.observer);
    options_.observer = m.own_memory_observer.get();
  }
  if (!m.ghosts.empty()) m.ghosts.clear();
  if (options.notes_callers) std::fill(std::begin(noted_orders), std::end(noted_orders), 0);
  m.candidates.clear();
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
  result.yields_at = m.yields_at;
  result.hash = ending ? end_hash_ : hash;
  result.log = {log, m.candidates.data(), ending ? end_position_ : position};
  if (recording) {
    options_.trace->end(*this);
    m.forget_the_recorded();
  }
  if (options.notes_callers) m.weaker_orders.forget_names();
  ending = false;
  return result;
}

// ---------------------------------------------------------------------------------------------------------------------
// Actions

void Execution::act_alone(Operation operation, std::uint64_t outcome) {
  hash.add(current->next_action, outcome_word(operation, outcome));
  current->next_action += kActionStride;
}

void Execution::attend_to_all(Object& object, Operation operation, Access access, std::memory_order order) {
  assert(is_as_stated(object, operation, access));
  const OwnMemory own;
  Thread& self = *current;
  if (looks_for_races_) {
    const void* const code = self.caller != nullptr ? self.caller : __builtin_return_address(0);
    const Race* const race =
        races_->acted(self, object, synchronization_of(object, operation, access), order, code);
    if (race != nullptr) {
      fail_by_race(*race);
    } else if (recording) {
      record_order(object, operation, access, order);
    }
  }
  if (options_.observer != nullptr) options_.observer->acted(object, access);
  if (!self.parts_touched.empty() && &object != &cold_state_->clock) act_on_parts(self, access);
  if (self.is_evaluating) {
    const auto known = std::find_if(self.awaited.begin(), self.awaited.end(),
        [&](const Thread::Read& read) { return read.object == &object; });
    if (known == self.awaited.end()) {
      self.awaited.push_back({&object, object.version});
    } else if ((access == Access::write && known->version + 1 == object.version) ||
               is_sabotaged(Sabotage::awaits_see_last_versions)) {
      known->version = object.version;  // nobody else has changed it so far
    }
  }
  if (!self.has_yielded) return;
  if (access == Access::write) {
    self.wrote_since_yield = true;
  } else if (!self.wrote_since_yield) {
    self.reads_since_yield.push_back({&object, object.version});
  }
}

// The parts are objects themselves, each of which is the same for every thread.
void Execution::act_on_parts(Thread& self, Access access) {
  const Operation operation = operation_on_part(access);
  std::vector<Object*> parts;
  parts.swap(self.parts_touched);
  for (Object* const part : parts) act(*part, operation, access);
  parts.swap(self.parts_touched);
}

void Execution::note_order_newly(const Object* object, std::uint64_t asked, Where where, std::uint64_t key) {
  const OwnMemory own;
  cold_state_->weaker_orders.note(AskedOrder::unpacked(asked), key, where, current->caller, object);
  // Else the next caller of library code would go by unseen.
  if (!options_.notes_callers) noted_orders[key >> (64 - kBitsOfPlace)] = key;
}

bool Execution::resume_while_ending() {
  end_here();
  return false;
}

}  // namespace hocket::runtime
