#include "tests/oracle/memory_model/partial_execution.hpp"

#include <algorithm>
#include <utility>

namespace hocket::memory_model {

std::int8_t PartialExecution::value_of(const Operand& operand) const {
  const int base = operand.from < 0 ? 0 : registers[static_cast<std::size_t>(operand.from)];
  return static_cast<std::int8_t>(base + operand.number);
}

bool PartialExecution::is_free(unsigned mutex) const {
  const auto& order = execution.locks[mutex];
  return order.empty() || execution.at(order.back()).kind != EventKind::lock;
}

std::vector<unsigned> PartialExecution::sleepers(unsigned queue) const {
  std::vector<unsigned> result;
  for (const EventIndex index : execution.queues[queue]) {
    const Event& event = execution.at(index);
    const Progress& progress = threads[static_cast<std::size_t>(event.thread)];
    if (progress.is_asleep && event.number + 1 == progress.events) {
      result.push_back(static_cast<unsigned>(event.thread));
    }
  }
  return result;
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

void PartialExecution::append_to_mutex(unsigned thread, EventKind kind, unsigned mutex) {
  append(thread, kind, mutex);
  execution.locks[mutex].push_back(last_event());
}

void PartialExecution::append_to_queue(unsigned thread, unsigned queue) {
  append(thread, EventKind::notice, queue);
  execution.queues[queue].push_back(last_event());
}

void PartialExecution::append_access(
    unsigned thread, const Instruction& instruction, const Event& access, std::size_t place) {
  Event& event = append(thread, EventKind::access, instruction.object);
  const Event named = std::exchange(event, access);
  event.thread = named.thread;
  event.number = named.number;
  event.object = named.object;
  event.woken_by = named.woken_by;
  if (access.writes) {
    auto& writes = execution.modifications[instruction.object];
    writes.insert(writes.begin() + static_cast<std::ptrdiff_t>(place), last_event());
  }
  if (access.reads && instruction.into >= 0) {
    registers[static_cast<std::size_t>(instruction.into)] = value_of(access.from);
  }
}

void PartialExecution::fall_asleep(unsigned queue) {
  execution.queues[queue].push_back(last_event());
  threads[static_cast<std::size_t>(execution.events.back().thread)].is_asleep = true;
}

void PartialExecution::wake(unsigned sleeper) {
  threads[sleeper].is_asleep = false;
  threads[sleeper].woken_by = last_event();
}

std::vector<Access> readings(
    const PartialExecution& partial, const Instruction& instruction, EventIndex from) {
  Access access;
  Event& event = access.event;
  event.is_plain = instruction.verb == Verb::read_plainly;
  event.order = instruction.order;
  event.reads = true;
  event.from = from;
  const std::int8_t read = partial.value_of(from);
  const std::int8_t operand = partial.value_of(instruction.value);
  const bool is_weak = instruction.verb == Verb::compare_exchange_weak;
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
      if (read != partial.value_of(instruction.expected)) return {failed};
      failed.fails_for_no_reason = true;
      event.writes = true;
      event.value = operand;
      return is_weak ? std::vector<Access>{access, failed} : std::vector<Access>{access};
    }
    default:
      return {access};
  }
}

Event writing(const PartialExecution& partial, const Instruction& instruction) {
  Event event;
  event.is_plain = instruction.verb == Verb::write_plainly;
  event.order = instruction.order;
  event.writes = true;
  event.value = partial.value_of(instruction.value);
  return event;
}

PartialExecution beginning_of(const Program& program) {
  PartialExecution result;
  for (unsigned location = 0; location < kLocations; ++location) {
    Event event;
    event.kind = EventKind::first;
    event.object = static_cast<std::uint8_t>(location);
    event.writes = true;
    result.execution.events.push_back(event);
    result.execution.modifications[location].push_back(result.last_event());
  }
  for (unsigned thread = 0; thread < program.threads.size(); ++thread) {
    result.threads[thread].has_begun = !is_started(program, thread);
  }
  return result;
}

const Instruction* next_of(const Program& program, PartialExecution& partial, unsigned thread) {
  Progress& progress = partial.threads[thread];
  const Code& code = program.threads[thread];
  while (progress.place < code.size()) {
    const Instruction& instruction = code[progress.place];
    const bool skips_equal = instruction.verb == Verb::skip_if_equal;
    if (!skips_equal && instruction.verb != Verb::skip_if_different) return &instruction;
    const bool is_equal =
        partial.registers[static_cast<std::size_t>(instruction.into)] == partial.value_of(instruction.value);
    progress.place =
        static_cast<std::uint8_t>(progress.place + 1 + (is_equal == skips_equal ? instruction.object : 0));
  }
  return nullptr;
}

bool has_ended(const Program& program, PartialExecution& partial, unsigned thread) {
  return partial.threads[thread].has_begun && next_of(program, partial, thread) == nullptr;
}

bool have_all_ended(const Program& program, PartialExecution& partial) {
  for (unsigned thread = 0; thread < program.threads.size(); ++thread) {
    if (partial.threads[thread].has_begun && !has_ended(program, partial, thread)) return false;
  }
  return true;
}

std::string graph_of(const Program& program, const PartialExecution& partial) {
  const Execution& execution = partial.execution;
  const auto name = [&](EventIndex index) {
    return EventName(execution.at(index).thread, execution.at(index).number);
  };
  std::vector<EventIndex> events;
  for (std::size_t i = kLocations; i < execution.events.size(); ++i) {
    events.push_back(static_cast<EventIndex>(i));
  }
  std::sort(events.begin(), events.end(),
      [&](EventIndex one, EventIndex other) { return name(one) < name(other); });
  GraphText text;
  for (const EventIndex index : events) {
    const Event& event = execution.at(index);
    if (event.from != kNoEvent) text.reads(name(index), name(event.from));
    if (event.woken_by != kNoEvent) text.is_woken(name(index), name(event.woken_by));
  }
  const auto add_order = [&](char kind, unsigned object, const std::vector<EventIndex>& order) {
    text.begin_order(kind, object);
    for (const EventIndex index : order) {
      if (execution.at(index).kind != EventKind::first) text.next_in_order(name(index));
    }
  };
  for (unsigned i = 0; i < kLocations; ++i) add_order('x', i, execution.modifications[i]);
  for (unsigned i = 0; i < kMutexes; ++i) add_order('m', i, execution.locks[i]);
  for (unsigned i = 0; i < kQueues; ++i) add_order('q', i, execution.queues[i]);
  std::string result = text.text();
  for (unsigned thread = 0; thread < program.threads.size(); ++thread) {
    result += " " + std::to_string(partial.threads[thread].events);
    if (const EventIndex by = partial.threads[thread].woken_by; by != kNoEvent) {
      result += "!" + std::to_string(name(by).first) + "." + std::to_string(name(by).second);
    }
  }
  return result;
}

std::string outcome_of(const Program& program, const PartialExecution& partial) {
  std::array<std::int8_t, kLocations> memory{};
  for (unsigned i = 0; i < kLocations; ++i) memory[i] = partial.value_of(partial.newest(i));
  return outcome_text(program, partial.registers, memory);
}

}  // namespace hocket::memory_model
