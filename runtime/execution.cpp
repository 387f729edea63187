#include <hocket/runtime/execution.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

#include <hocket/runtime/machinery.hpp>
#include <hocket/runtime/platform/call_site.hpp>
#include <hocket/runtime/platform/exception_text.hpp>
#include <hocket/runtime/platform/sanitizer_fiber.hpp>
#include <hocket/runtime/trace.hpp>

namespace hocket::runtime {

constinit Execution execution;
constinit std::uintptr_t searching_os_thread = 0;
constinit volatile int real_stderr = STDERR_FILENO;

namespace {

void* map_log() {
  // Set aside once, for the longest execution there may be: a crash handler can read it, and pages that no
  // execution reaches are never committed.
  void* memory = mmap(nullptr, (std::size_t{kMaxPositions} + 1) * sizeof(LogEntry), PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "hocket: no memory for the log of choices");
  }
  return memory;
}

}  // namespace

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

Execution::Machinery& Execution::machinery() {
  if (machinery_ == nullptr) {
    machinery_ = new Machinery;
    machinery_->log_memory = map_log();
    log = static_cast<LogEntry*>(machinery_->log_memory);
    so_far_.entries = log;
    driver_ = new Thread;
    sanitized = platform::address_sanitizer_is_linked();
  }
  return *machinery_;
}

const Failure& Execution::failure() const {
  return machinery_->failure;
}
const Candidate* Execution::candidates() const {
  return machinery_->candidates.data();
}

const Object& Execution::clock() const {
  return machinery_->clock;
}

// ---------------------------------------------------------------------------------------------------------------------
// One execution

ExecutionResult Execution::run(
    const std::function<void()>& body, Chooser& chooser, const ExecutionOptions& options) {
  assert(!running_);
  Machinery& m = machinery();
  chooser_ = &chooser;
  options_ = options;
  options_.max_steps = std::min(options.max_steps, kMaxPositions);
  life = static_cast<Life>(static_cast<std::uint64_t>(life) + 1);
  position = 0;
  hash = {};
  enabled.clear();
  recording = options.trace != nullptr;
  attentive = recording || options.observer != nullptr;
  ending = false;
  last_ = 0;
  last_yielded_ = true;  // nobody has made a step yet: who begins is free
  names_in_order_ = true;
  threads_ = 0;
  live_ = 0;
  special_waits_ = 0;
  irregularities_ = attentive ? 1 : 0;
  at_yield_.clear();
  expirable_.clear();
  wakable_.clear();
  m.candidates.clear();
  now_ = 0;
  outcome_ = Outcome::completed;
  abandoned_ = false;
  m.body = &body;
  regular_until = attentive ? 0 : options_.max_steps;
  stop = 0;
  m.clock.life = life;
  m.clock.version = 0;
  exception_state = platform::exception_state();

  running_ = true;
  os_thread = platform::os_thread_id();
  current = driver_;
  Thread& first = add_thread(nullptr, 0);
  first.task.call = [](Task&) { (*execution.machinery_->body)(); };
  if (recording) options_.trace->begin(*this);
  if (options_.observer != nullptr) options_.observer->begin(first);
  set_going(first, Mode::run);
  enabled.insert(first.index);
  switch_to(first);
  os_thread = 0;
  running_ = false;

  restore_outside_objects();
  ExecutionResult result;
  result.outcome = outcome_;
  result.threads = threads_;
  result.abandoned = abandoned_;
  result.hash = ending ? end_hash_ : hash;
  result.log = {log, m.candidates.data(), ending ? end_position_ : position};
  if (recording) options_.trace->end(*this);
  ending = false;
  return result;
}

// The next thread of this execution: the `ordinal`-th of its creator, or the body's own.
Thread& Execution::add_thread(Thread* creator, std::uint32_t ordinal) {
  Thread* thread = thread_slots_[threads_];
  if (thread == nullptr || thread->usable_stack < options_.stack_size) [[unlikely]]
    thread = &prepare_slot(threads_);
  static_cast<ThreadState&>(*thread) = {};
  thread->reads_since_yield.clear();
  thread->float_control = current->float_control;
  thread->creator = creator;
  thread->ordinal = ordinal;
  thread->key = creator != nullptr ? mix(creator->key, ordinal) : mix(1, 1);
  thread->next_action = thread->key;
  thread->seen_clock = creator != nullptr ? creator->seen_clock : 0;
  ++threads_;
  ++live_;
  return *thread;
}

namespace {
// Stacks begin on pages. If all began at the same place of a page, the processor would take what one fiber
// has just pushed for what the next one pops: it compares the low twelve bits of addresses.
constexpr std::size_t kStackShift = 464;
constexpr std::size_t kStackShifts = 8;
constexpr std::size_t kMostStackShift = kStackShift * kStackShifts;
}  // namespace

Thread& Execution::prepare_slot(unsigned index) {
  Thread*& thread = thread_slots_[index];
  if (thread == nullptr) {
    thread = new Thread;
    thread->index = static_cast<std::uint16_t>(index);
  }
  if (thread->stack.size() < options_.stack_size + kMostStackShift) {
    platform::unmap_stack(thread->stack);
    thread->stack = platform::map_stack(options_.stack_size + kMostStackShift);
  }
  if (sanitized) __asan_unpoison_memory_region(thread->stack.bottom, thread->stack.size());
  thread->usable_stack = thread->stack.size() - kMostStackShift;
  thread->exceptions = {};
  thread->sanitizer_stack = nullptr;
  const std::size_t shift = index % kStackShifts * kStackShift;
  thread->context =
      platform::make_context(thread->stack.top - shift, thread->stack.size() - shift, &Execution::fiber_main);
  return *thread;
}

void Execution::fiber_main() {
  Execution& e = execution;
  Thread& self = *e.current;
  if (e.sanitized) e.sanitizer_after_switch(self);
  for (;;) {  // a fiber lives on and picks up a task in each execution
    try {
      self.task.call(self.task);
    } catch (...) {
      e.caught_at_the_end(self);
    }
    e.switch_to(e.finish_thread(self));
  }
}

// In a catch clause: what left a thread.
void Execution::caught_at_the_end(Thread& self) {
  try {
    throw;
  } catch (const Cut&) {
    return;  // the execution is being ended, and this stack has been unwound
  } catch (const std::exception& exception) {
    note_failure(FailureKind::exception,
        "exception " + platform::type_name(typeid(exception)) + " left " + describe(self) + ": " +
            exception.what(),
        Where{});
  } catch (...) {
    const std::type_info* type = abi::__cxa_current_exception_type();
    note_failure(FailureKind::exception,
        "exception" + (type != nullptr ? " of type " + platform::type_name(*type) : std::string{}) +
            " left " + describe(self),
        Where{});
  }
  if (!ending) begin_ending(Outcome::failed);
}

Thread& Execution::finish_thread(Thread& self) {
  if (attentive && options_.observer != nullptr && !ending) [[unlikely]]
    options_.observer->over(false);
  self.state = Thread::State::ended;
  self.pending = {};
  enabled.erase(self.index);
  if (self.preemption_forbidden != 0) --irregularities_;
  self.preemption_forbidden = 0;
  --live_;
  if (ending) return next_to_end();
  end_short_way();
  if (self.starter != nullptr) {
    if (options_.observer != nullptr) options_.observer->started(self);
    return *self.starter;
  }
  if (self.joiner != nullptr) {
    if (options_.observer != nullptr) options_.observer->joined(*self.joiner, self);
    self.joiner->state = Thread::State::running;
    enabled.insert(self.joiner->index);
    return *self.joiner;
  }
  if (live_ == 0) return *driver_;
  Thread& next = choose_next();
  return ending ? next_to_end() : next;
}

void Execution::sanitizer_before_switch(Thread& self, const Thread& next) {
  sanitized_from_ = &self;
  __sanitizer_start_switch_fiber(&self.sanitizer_stack, next.stack.bottom, next.stack.size());
}

void Execution::sanitizer_after_switch(Thread& self) {
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(self.sanitizer_stack, &bottom, &size);
  if (sanitized_from_ == driver_) {  // the OS thread's own stack: its place is known only to the sanitizer
    driver_->stack.bottom = static_cast<char*>(const_cast<void*>(bottom));
    driver_->stack.top = driver_->stack.bottom + size;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Stopping and choosing

Thread& Execution::stop_before(Object& object, Operation operation, bool ready, Where where) {
  Thread& self = *current;
  assert(ending || enabled.contains(self.index));
  self.pending.operation = operation;
  self.pending.object = &object;
  self.pending.where = where;
  if (!ready) [[unlikely]]
    enabled.erase(self.index);
  if (position >= regular_until || self.starter != nullptr) [[unlikely]]
    return after_stop(self);
  self.state = Thread::State::stopped;
  return choose_next();
}

Thread& Execution::after_stop(Thread& self) {
  if (ending) return self;
  if (attentive) [[unlikely]] {
    if (recording) options_.trace->stopped(self);
    if (options_.observer != nullptr && self.joins == nullptr) {
      options_.observer->stopped(self, enabled.contains(self.index));
    }
  }
  self.state = Thread::State::stopped;
  if (self.starter != nullptr) {
    Thread& starter = *self.starter;
    self.starter = nullptr;
    if (options_.observer != nullptr) options_.observer->started(self);
    end_short_way();
    return starter;
  }
  return choose_next();
}

unsigned Execution::least_named(const ThreadSet& set) const {
  if (names_in_order_ && set.low_word() != 0) return static_cast<unsigned>(std::countr_zero(set.low_word()));
  unsigned least = kMaxThreads;
  set.for_each([&](unsigned t) {
    if (least == kMaxThreads || (!names_in_order_ && named_before(*thread_slots_[t], *thread_slots_[least])))
      least = t;
  });
  return least;
}

namespace {

/// The members of every set of threads with indices below 8: an answer without a loop to "which is the
/// n-th?", whose number of rounds the processor could not predict.
struct SmallSets {
  static constexpr unsigned kThreads = 8;
  std::array<std::uint8_t, 1U << kThreads> size{};
  std::array<std::array<std::uint8_t, kThreads>, 1U << kThreads> member{};

  constexpr SmallSets() {
    for (unsigned set = 0; set < size.size(); ++set) {
      for (unsigned t = 0; t < kThreads; ++t) {
        if ((set >> t & 1U) != 0) member[set][size[set]++] = static_cast<std::uint8_t>(t);
      }
    }
  }
};
constexpr SmallSets kSmallSets;

}  // namespace

/// Writes the entry of the regular way at this position.
[[gnu::always_inline]] inline LogEntry& Execution::write_entry(unsigned chosen) {
  const std::uint64_t set = enabled.low_word();
  const bool switch_costs = (set >> last_ & 1) != 0 && !last_yielded_;
  LogEntry& entry = log[position];
  entry = {set, static_cast<std::uint32_t>(hash.low), static_cast<std::uint16_t>(thread_code(chosen)),
      static_cast<std::uint8_t>(last_), LogEntry::narrow, switch_costs, 0};
  return entry;
}

/// The end of the regular way.
[[gnu::always_inline]] inline Thread& Execution::step_by(unsigned chosen) {
  write_entry(chosen);
  Thread& next = *thread_slots_[chosen];
  ++position;
  last_ = chosen;
  last_yielded_ = false;
  plan_short_way();
  return set_going(next, Mode::run);
}

// The regular way: nothing is irregular, so the enabled threads are the candidates. Whatever it calls, it
// calls last, so that it needs no frame.
Thread& Execution::choose_next() {
  if (position >= regular_until) [[unlikely]]
    return choose_carefully();
  const std::uint64_t set = enabled.low_word();
  Chooser& chooser = *chooser_;
  if (position >= chooser.consult_at && enabled.has_several_low()) {
    if (chooser.draws.next == chooser.draws.end) return consult();
    if (set >= kSmallSets.size.size()) [[unlikely]]
      return draw_from_many();
    return step_by(kSmallSets.member[set][Chooser::pick(*chooser.draws.next++, kSmallSets.size[set])]);
  }
  if (set == 0) [[unlikely]]
    return deadlock();
  const bool last_is_enabled = (set >> last_ & 1) != 0;
  if (!last_is_enabled && !names_in_order_) [[unlikely]]
    return step_by_least_named();
  return step_by(last_is_enabled ? last_ : static_cast<unsigned>(std::countr_zero(set)));
}

/// The chooser decides.
Thread& Execution::consult() {
  const LogEntry& entry = write_entry(enabled.contains(last_) ? last_ : least_named(enabled));
  so_far_.size = position;
  const Code code = chooser_->choose({position, entry, &so_far_});
  const unsigned chosen = thread_of(code);
  if (code != thread_code(chosen % 64) || !enabled.contains(chosen)) [[unlikely]] {
    begin_ending(code == kPruned ? Outcome::pruned : Outcome::diverged);
    return *current;
  }
  return step_by(chosen);
}

Thread& Execution::draw_from_many() {
  std::uint64_t set = enabled.low_word();
  const std::uint32_t draw = *chooser_->draws.next++;
  for (auto n = Chooser::pick(draw, static_cast<std::uint32_t>(std::popcount(set))); n != 0; --n)
    set &= set - 1;
  return step_by(static_cast<unsigned>(std::countr_zero(set)));
}

Thread& Execution::step_by_least_named() {
  return step_by(least_named(enabled));
}

Thread& Execution::choose_carefully() {
  if (position >= options_.max_steps) [[unlikely]] {
    note_failure(FailureKind::step_limit, step_limit_message(), current->pending.where);
    begin_ending(Outcome::failed);
    return *current;
  }
  LogEntry entry{};
  entry.check = static_cast<std::uint32_t>(hash.low);
  entry.previous = static_cast<std::uint8_t>(last_);
  const Code code = choose_among_all(entry);
  if (code == kDiverged) return *current;  // being ended
  entry.code = static_cast<std::uint16_t>(code);
  Thread& next = *thread_slots_[thread_of(code)];
  if (attentive) [[unlikely]] {
    if (recording && !options_.trace->step(*this, next, code, entry)) {
      begin_ending(Outcome::diverged);
      return *current;
    }
    if (options_.observer != nullptr) options_.observer->chose_thread(next, mode_of(code));
  }
  log[position] = entry;
  ++position;
  last_ = next.index;
  last_yielded_ = false;
  set_going(next, mode_of(code));
  enabled.insert(next.index);
  regular_until = irregularities_ == 0 ? options_.max_steps : 0;
  plan_short_way();
  return next;
}

// The general way to choose: more than 64 threads, timed waits, yields, guards. Builds the list of candidates
// with their prices. Returns kDiverged when there is nothing to choose or the chooser strays.
Code Execution::choose_among_all(LogEntry& entry) {
  Machinery& m = *machinery_;
  ThreadSet futile;
  at_yield_.for_each([&](unsigned t) {
    if (enabled.contains(t) && is_futile(*thread_slots_[t])) futile.insert(t);
  });
  ThreadSet useful = enabled;
  useful -= futile;
  const bool last_counts = useful.contains(last_) && !last_yielded_;
  const auto first = static_cast<std::uint32_t>(m.candidates.size());

  if (enabled.contains(last_) && thread_slots_[last_]->preemption_forbidden != 0) {
    m.candidates.push_back({static_cast<std::uint16_t>(thread_code(last_)), 0});
  } else {
    ThreadSet all = enabled;
    all |= expirable_;
    all |= wakable_;
    all.for_each([&](unsigned t) {
      const auto switch_price = static_cast<std::uint16_t>(t != last_ && last_counts ? 1 : 0);
      const auto add = [&](Mode mode, unsigned price) {
        m.candidates.push_back({static_cast<std::uint16_t>(thread_code(t, mode)),
            static_cast<std::uint16_t>(switch_price + price)});
      };
      if (enabled.contains(t)) add(Mode::run, futile.contains(t) && !useful.empty() ? 1 : 0);
      // A thread at a futile yield is as good as not enabled here too; otherwise the clock would never move
      // for a body in which one thread spins until another one's timed wait is over.
      if (expirable_.contains(t)) add(Mode::expire, useful.empty() ? 0 : 1);
      if (wakable_.contains(t)) add(Mode::spurious, 1);
    });
  }

  Code code = kDiverged;
  if (useful.contains(last_)) {
    code = thread_code(last_);
  } else if (!useful.empty()) {
    code = thread_code(least_named(useful));
  } else if (!expirable_.empty()) {
    unsigned soonest = least_named(expirable_);
    expirable_.for_each([&](unsigned t) {
      if (thread_slots_[t]->pending.deadline < thread_slots_[soonest]->pending.deadline) soonest = t;
    });
    code = thread_code(soonest, Mode::expire);
  } else if (!futile.empty()) {
    // Everybody spins. Give each its turn, so that a loop that gives up after some rounds gets there.
    unsigned calmest = least_named(futile);
    futile.for_each([&](unsigned t) {
      if (thread_slots_[t]->futile_yields < thread_slots_[calmest]->futile_yields) calmest = t;
    });
    code = thread_code(calmest);
  } else {
    deadlock();
    return kDiverged;
  }

  const auto count = static_cast<std::uint64_t>(m.candidates.size() - first);
  entry.kind = LogEntry::wide;
  entry.switch_price = last_counts ? 1 : 0;
  entry.what = count << 32U | first;
  const bool is_asked = count > 1 || (options_.observer != nullptr && chooser_->wants_forced);
  if (position >= chooser_->consult_at && is_asked) {
    entry.code = static_cast<std::uint16_t>(code);
    so_far_.size = position;
    so_far_.candidates = m.candidates.data();
    code = chooser_->choose({position, entry, &so_far_});
    const bool known = std::any_of(m.candidates.begin() + first, m.candidates.end(),
        [&](const Candidate& candidate) { return candidate.code == code; });
    if (!known) {
      begin_ending(code == kPruned ? Outcome::pruned : Outcome::diverged);
      return kDiverged;
    }
  }
  return code;
}

std::string Execution::step_limit_message() const {
  return "the execution reached the limit of " + std::to_string(options_.max_steps) + " steps" +
         (recording ? options_.trace->repetition(*this) : std::string{});
}

std::uint32_t Execution::choose_value(
    Operation operation, std::uint32_t count, std::uint16_t price, Where where) {
  if (ending || count <= 1) return 0;
  if (position >= options_.max_steps) {
    fail(FailureKind::step_limit, step_limit_message(), where);
    return 0;
  }
  LogEntry entry{};
  entry.kind = LogEntry::value;
  entry.what = std::uint64_t{price} << 32U | count;
  entry.check = static_cast<std::uint32_t>(hash.low);
  entry.previous = static_cast<std::uint8_t>(last_);
  Code value = 0;
  if (options_.observer != nullptr) options_.observer->met_values(*current, operation, count, price);
  if (position >= chooser_->consult_at) {
    so_far_.size = position;
    value = chooser_->choose({position, entry, &so_far_});
    if (value >= count) {
      begin_ending(value == kPruned ? Outcome::pruned : Outcome::diverged);
      end_here();
      return 0;
    }
  }
  entry.code = static_cast<std::uint16_t>(value);
  if (recording && !options_.trace->value(*this, operation, value, count, price, where)) {
    begin_ending(Outcome::diverged);
    end_here();
    return 0;
  }
  if (options_.observer != nullptr) options_.observer->chose_value(*current, value);
  log[position] = entry;
  ++position;
  // The chooser may want to be asked elsewhere now. A stop that somebody forced stays: this may be a new
  // thread, which has to go back to its starter at its first operation, or one that has just yielded.
  if (stop != 0) plan_short_way();
  return value;
}

bool Execution::resume_badly(Operation operation, Where where) {
  if (!ending) {  // the object was destroyed while this thread was stopped before its operation
    fail(FailureKind::use_after_destruction,
        describe(*current) + " does " + std::string(to_string(operation)) +
            " on an object that was destroyed while it was about to",
        where);
    return false;
  }
  end_here();
  return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Actions

void Execution::act_alone(Operation operation, std::uint64_t outcome) {
  hash.add(current->next_action, outcome_word(operation, outcome));
  current->next_action += kActionStride;
}

void Execution::attend(Object& object, Access access) {
  if (options_.observer != nullptr) options_.observer->acted(object, access);
  Thread& self = *current;
  if (!self.has_yielded) return;
  if (access == Access::write) {
    self.wrote_since_yield = true;
  } else if (!self.wrote_since_yield) {
    self.reads_since_yield.push_back({&object, object.version});
  }
}

bool Execution::is_futile(const Thread& thread) const {
  if (!thread.has_yielded || thread.wrote_since_yield) return false;
  return std::all_of(
      thread.reads_since_yield.begin(), thread.reads_since_yield.end(), [](const Thread::Read& read) {
        return read.object != nullptr && read.object->version == read.version;
      });
}

// ---------------------------------------------------------------------------------------------------------------------
// Threads

Thread* Execution::create_thread(Where where) {
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
  if (threads_ == 65) add_irregularity();  // the log's short entries hold one word of enabled threads
  if (recording) options_.trace->thread_created(thread, where);
  if (options_.observer != nullptr) options_.observer->created(thread);
  return &thread;
}

// ---------------------------------------------------------------------------------------------------------------------
// Verdicts

std::uint32_t Execution::choose(std::uint32_t count, Where where) {
  if (count == 0 || count > kCodeLimit) {
    fail(FailureKind::misuse,
        "choose(" + std::to_string(count) + "): the number of values must be between 1 and " +
            std::to_string(kCodeLimit),
        where);
    return 0;
  }
  if (count == 1) return 0;  // nothing is decided
  const std::uint32_t value = choose_value(Operation::choose, count, 0, where);
  if (!ending) act_alone(Operation::choose, value);
  return value;
}

bool Execution::fails_spuriously(Where where) {
  if (!options_.spurious_failures) return false;
  const bool fails = choose_value(Operation::atomic_compare_exchange, 2, 1, where) != 0;
  if (fails && !ending) act_alone(Operation::atomic_compare_exchange, 1);
  return fails;
}

void Execution::note_failure(FailureKind kind, std::string message, Where where) {
  if (ending || outcome_ == Outcome::failed) return;
  outcome_ = Outcome::failed;
  Failure& failure = machinery_->failure;
  failure.kind = kind;
  failure.message = std::move(message);
  failure.where = recording ? platform::user_call_site(where) : where;
  failure.position = position;
  failure.thread = current->index;
  std::uint64_t signature = mix(static_cast<std::uint64_t>(kind), where.line());
  for (const char* c = where.file_name(); *c != '\0'; ++c)
    signature = mix(signature, static_cast<unsigned char>(*c));
  failure.signature = signature;
  if (recording) options_.trace->failed(*this, failure);
}

void Execution::fail(FailureKind kind, std::string message, Where where) {
  if (!ending) {
    note_failure(kind, std::move(message), where);
    begin_ending(Outcome::failed);
  }
  end_here();
}

void Execution::drop() {
  if (!ending) begin_ending(Outcome::dropped);
  end_here();
}

void Execution::forbid_preemption() {
  if (current->preemption_forbidden++ == 0) add_irregularity();
}

void Execution::allow_preemption() {
  if (current->preemption_forbidden != 0 && --current->preemption_forbidden == 0) --irregularities_;
}

}  // namespace hocket::runtime
