#include "tests/oracle/memory_model/partial_execution.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tests/oracle/memory_model/behaviours.hpp"

namespace hocket::memory_model {

// ---------------------------------------------------------------------------------------------------------------------
// What is no access

bool PartialExecution::is_free(unsigned mutex) const {
  const auto& order = execution.orders[mutex];
  return order.empty() || execution.at(order.back()).kind != EventKind::lock;
}

bool PartialExecution::is_blocked(const Program& program, unsigned thread, const Instruction& next) {
  if (threads[thread].must_lock_again) return !is_free(next.mutex);
  if (next.verb == Verb::lock) return !is_free(next.object);
  if (next.verb != Verb::join) return false;
  return threads[next.object].is_asleep || next_of(program, *this, next.object).has_value();
}

std::vector<std::vector<unsigned>> PartialExecution::ways_to_wake(const Instruction& instruction) const {
  const bool is_for_one = instruction.verb == Verb::wake_one || instruction.verb == Verb::notify_one;
  if (!is_for_one && instruction.verb != Verb::wake_all && instruction.verb != Verb::notify_all) return {{}};
  std::vector<unsigned> asleep;  // those whose last event is in the queue
  for (const EventIndex index : execution.queues[instruction.object]) {
    const Event& event = execution.at(index);
    const Progress& progress = threads[static_cast<std::size_t>(event.thread)];
    if (progress.is_asleep && event.number + 1 == progress.events) {
      asleep.push_back(static_cast<unsigned>(event.thread));
    }
  }
  if (!is_for_one || asleep.size() < 2) return {asleep};
  std::vector<std::vector<unsigned>> ways;
  for (const unsigned sleeper : asleep) ways.push_back({sleeper});
  return ways;
}

Event& PartialExecution::append(unsigned thread, EventKind kind, unsigned object) {
  Progress& progress = threads[thread];
  Event event;
  event.kind = kind;
  event.thread = static_cast<std::int8_t>(thread);
  event.number = progress.events++;
  event.object = static_cast<std::uint8_t>(object);
  event.woken_by = std::exchange(progress.woken_by, kNoEvent);
  execution.events.push_back(event);
  return execution.events.back();
}

void PartialExecution::perform(
    unsigned thread, const Instruction& instruction, const std::vector<unsigned>& woken) {
  Progress& progress = threads[thread];
  const unsigned object = instruction.object;
  const auto append_to_mutex = [&](EventKind kind, unsigned mutex) {
    append(thread, kind, mutex);
    execution.orders[mutex].push_back(last_event());
  };
  switch (instruction.verb) {
    case Verb::fence:
      append(thread, EventKind::fence, 0).order = instruction.order;
      break;
    case Verb::lock:
      append_to_mutex(EventKind::lock, object);
      break;
    case Verb::unlock:
      append_to_mutex(EventKind::unlock, object);
      break;
    case Verb::wait:
      if (!std::exchange(progress.must_lock_again, false)) {
        append_to_mutex(EventKind::sleep, instruction.mutex);
        fall_asleep(object);
        progress.must_lock_again = true;
        return;
      }
      append_to_mutex(EventKind::lock, instruction.mutex);
      break;
    case Verb::start:
      append(thread, EventKind::start, object);
      threads[object].has_begun = true;
      threads[object].frame = child_frame(progress.frame);
      break;
    case Verb::join:
      append(thread, EventKind::join, object);
      break;
    default:
      append(thread, EventKind::notice, object);
      execution.queues[object].push_back(last_event());
      for (const unsigned sleeper : woken) {
        threads[sleeper].is_asleep = false;
        threads[sleeper].woken_by = last_event();
      }
      break;
  }
  complete(progress.frame, instruction, 0);
}

void PartialExecution::fall_asleep(unsigned object) {
  execution.queues[object].push_back(last_event());
  threads[static_cast<std::size_t>(execution.events.back().thread)].is_asleep = true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Accesses

bool is_access(Verb verb) {
  switch (verb) {
    case Verb::load:
    case Verb::store:
    case Verb::add:
    case Verb::exchange:
    case Verb::compare_exchange:
    case Verb::compare_exchange_weak:
    case Verb::await_change:
    case Verb::read_var:
    case Verb::write_var:
      return true;
    default:
      return false;
  }
}

void PartialExecution::append_access(
    unsigned thread, const Instruction& instruction, const Event& access, std::size_t place) {
  Event& event = append(thread, EventKind::access, instruction.object);
  const Event named = std::exchange(event, access);
  event.thread = named.thread;
  event.number = named.number;
  event.object = named.object;
  event.woken_by = named.woken_by;
  if (!access.writes) return;
  auto& writes = execution.modifications[instruction.object];
  writes.insert(writes.begin() + static_cast<std::ptrdiff_t>(place), last_event());
}

void PartialExecution::complete_access(unsigned thread, const Instruction& instruction) {
  const EventIndex from = execution.events.back().from;
  complete(threads[thread].frame, instruction, from == kNoEvent ? 0 : value_of(from));
  threads[thread].refused = kNoEvent;
}

std::vector<Access> readings(
    const PartialExecution& partial, unsigned thread, const Instruction& instruction, EventIndex from) {
  Access access;
  Event& event = access.event;
  event.is_plain = instruction.verb == Verb::read_var;
  event.order = instruction.order;
  event.reads = true;
  event.from = from;
  const std::int8_t read = partial.value_of(from);
  const auto operand = static_cast<std::int8_t>(value_of(partial.threads[thread].frame, instruction));
  switch (instruction.verb) {
    case Verb::add:
    case Verb::exchange:
      event.writes = true;
      event.value = static_cast<std::int8_t>(instruction.verb == Verb::add ? read + operand : operand);
      return {access};
    case Verb::compare_exchange:
    case Verb::compare_exchange_weak: {
      Access failed = access;
      failed.event.order = instruction.failure;
      if (read != instruction.expected) return {failed};
      failed.fails_for_no_reason = true;
      event.writes = true;
      event.value = operand;
      if (instruction.verb == Verb::compare_exchange) return {access};
      return {access, failed};
    }
    default:
      return {access};
  }
}

Event writing(const PartialExecution& partial, unsigned thread, const Instruction& instruction) {
  Event event;
  event.is_plain = instruction.verb == Verb::write_var;
  event.order = instruction.order;
  event.writes = true;
  event.value = static_cast<std::int8_t>(value_of(partial.threads[thread].frame, instruction));
  return event;
}

// ---------------------------------------------------------------------------------------------------------------------
// The course of an execution

PartialExecution beginning_of(const Program& program) {
  PartialExecution result;
  for (unsigned o = 0; o < program.objects.size(); ++o) {
    const Object& object = program.objects[o];
    if (object.kind != Kind::atomic && object.kind != Kind::var && object.kind != Kind::lived) continue;
    Event event;
    event.kind = EventKind::first;
    event.object = static_cast<std::uint8_t>(o);
    event.writes = true;
    event.value = object.initial;
    result.execution.events.push_back(event);
    result.execution.modifications[o].push_back(result.last_event());
  }
  for (const Instruction& instruction : program.threads[0].code) {
    if (instruction.verb != Verb::start) continue;
    Progress& progress = result.threads[instruction.object];
    progress.frame = first_frame(program);
    progress.has_begun = true;
  }
  return result;
}

std::optional<Instruction> next_of(const Program& program, PartialExecution& partial, unsigned thread) {
  Progress& progress = partial.threads[thread];
  if (!progress.has_begun || progress.is_asleep) return {};
  return next(program, thread, progress.frame);
}

bool have_all_ended(const Program& program, PartialExecution& partial) {
  for (unsigned thread = 0; thread < program.threads.size(); ++thread) {
    if (partial.threads[thread].is_asleep || next_of(program, partial, thread)) return false;
  }
  return true;
}

std::string graph_of(const Program& program, const PartialExecution& partial) {
  const Execution& execution = partial.execution;
  const auto name = [&](EventIndex index) {
    const Event& event = execution.at(index);
    if (event.thread < 0) return std::string("-");
    return std::to_string(event.thread) + "." + std::to_string(event.number);
  };
  std::string text;
  const auto add_order = [&](char kind, unsigned object, const std::vector<EventIndex>& order) {
    if (order.empty()) return;
    (text += kind) += std::to_string(object);
    for (const EventIndex index : order) text += ":" + name(index);
  };
  for (unsigned o = 0; o < program.objects.size(); ++o) {
    add_order('x', o, execution.modifications[o]);
    add_order('m', o, execution.orders[o]);
    add_order('q', o, execution.queues[o]);
  }
  std::vector<std::string> read;  // events of different threads have no order in the graph
  for (std::size_t i = 0; i < execution.events.size(); ++i) {
    const Event& event = execution.events[i];
    if (event.from == kNoEvent && event.woken_by == kNoEvent) continue;
    std::string& line = read.emplace_back(" " + name(static_cast<EventIndex>(i)));
    if (event.from != kNoEvent) line += "<" + name(event.from);
    if (event.woken_by != kNoEvent) line += "!" + name(event.woken_by);
  }
  std::sort(read.begin(), read.end());
  for (const std::string& line : read) text += line;
  for (const Progress& progress : partial.threads) {
    text += " " + std::to_string(progress.events);
    if (progress.woken_by != kNoEvent) text += "!" + name(progress.woken_by);
  }
  return text;
}

std::string outcome_of(const Program& program, const PartialExecution& partial) {
  std::array<oracle::Frame, kMostThreads> frames;
  std::array<std::int8_t, kMostObjects> memory{};
  for (unsigned thread = 0; thread < kMostThreads; ++thread) frames[thread] = partial.threads[thread].frame;
  for (unsigned o = 0; o < kMostObjects; ++o) {
    if (!partial.execution.modifications[o].empty()) memory[o] = partial.value_of(partial.newest(o));
  }
  return outcome_text(program, frames, memory);
}

}  // namespace hocket::memory_model
