// Shrinking: every part of a program can be removed or made simpler.
#include <algorithm>
#include <utility>

#include "tests/oracle/programs/generator.hpp"

namespace hocket::oracle {

namespace {

bool names_a_thread(const Instruction& instruction) {
  return instruction.verb == Verb::start || instruction.verb == Verb::join;
}
void close_the_gap(std::uint8_t& number, unsigned gone) {
  if (number > gone && number != kOutside) --number;
}

Program without_thread(Program program, unsigned gone) {
  program.threads.erase(program.threads.begin() + gone);
  for (Thread& thread : program.threads) {
    if (thread.parent == gone) thread.parent = 0;  // no thread starts it any more
    close_the_gap(thread.parent, gone);
    std::erase_if(thread.code, [&](const Instruction& i) { return names_a_thread(i) && i.object == gone; });
    for (Instruction& instruction : thread.code) {
      if (names_a_thread(instruction)) close_the_gap(instruction.object, gone);
    }
  }
  for (Object& object : program.objects) {
    if (object.maker == gone) object.maker = kOutside;
    close_the_gap(object.maker, gone);
  }
  return program;
}

Program without_object(Program program, unsigned gone) {
  program.objects.erase(program.objects.begin() + gone);
  for (Thread& thread : program.threads) {
    std::erase_if(thread.code, [&](const Instruction& i) {
      return (names_an_object(i.verb) && i.object == gone) || (has_a_mutex(i.verb) && i.mutex == gone);
    });
    for (Instruction& instruction : thread.code) {
      if (names_an_object(instruction.verb)) close_the_gap(instruction.object, gone);
      if (has_a_mutex(instruction.verb)) close_the_gap(instruction.mutex, gone);
    }
  }
  return program;
}

/// A simpler verb with the same effect, or the same verb.
Verb plainer(Verb verb) {
  switch (verb) {
    case Verb::compare_exchange_weak:
      return Verb::compare_exchange;
    case Verb::compare_exchange:
    case Verb::exchange:
    case Verb::add:
      return Verb::store;
    case Verb::try_lock_for:
      return Verb::try_lock;
    case Verb::try_lock_shared_for:
      return Verb::try_lock_shared;
    case Verb::try_acquire_for:
      return Verb::try_acquire;
    case Verb::try_lock:
      return Verb::lock;
    case Verb::try_lock_shared:
      return Verb::lock_shared;
    case Verb::try_acquire:
      return Verb::acquire;
    case Verb::wait_for:
      return Verb::wait;
    case Verb::await_either:
      return Verb::await_values;
    case Verb::notify_all:
      return Verb::notify_one;
    case Verb::wake_all:
      return Verb::wake_one;
    case Verb::sleep:
      return Verb::yield;
    default:
      return verb;
  }
}

}  // namespace

std::vector<Program> simpler_than(const Program& program) {
  std::vector<Program> simpler;
  const auto changed = [&](auto&& change) {
    Program copy = program;
    change(copy);
    simpler.push_back(std::move(copy));
  };
  for (unsigned t = 1; t < program.threads.size(); ++t) simpler.push_back(without_thread(program, t));
  for (unsigned o = 0; o < program.objects.size(); ++o) simpler.push_back(without_object(program, o));
  // Remove runs of instructions, the longest first.
  for (unsigned length = 4; length != 0; length /= 2) {
    for (unsigned t = 0; t < program.threads.size(); ++t) {
      const std::size_t size = program.threads[t].code.size();
      for (std::size_t at = 0; at + length <= size; ++at) {
        changed([&](Program& p) {
          const auto first = p.threads[t].code.begin() + static_cast<std::ptrdiff_t>(at);
          p.threads[t].code.erase(first, first + length);
        });
      }
    }
  }
  if (program.is_late) changed([](Program& p) { p.is_late = false; });
  if (program.has_seals) changed([](Program& p) { p.has_seals = false; });
  if (program.spurious_wakeups) changed([](Program& p) { p.spurious_wakeups = false; });
  if (program.spurious_failures) changed([](Program& p) { p.spurious_failures = false; });
  for (unsigned t = 1; t < program.threads.size(); ++t) {
    if (program.threads[t].parent == 0) continue;
    changed([&](Program& p) {  // started by the main thread instead of another thread
      p.threads[t].parent = 0;
      p.threads[0].code.push_back({Verb::start, static_cast<std::uint8_t>(t)});
    });
  }
  for (unsigned o = 0; o < program.objects.size(); ++o) {
    if (program.objects[o].maker != kOutside) changed([&](Program& p) { p.objects[o].maker = kOutside; });
    if (program.objects[o].initial != 0) changed([&](Program& p) { p.objects[o].initial = 0; });
  }
  for (unsigned t = 0; t < program.threads.size(); ++t) {
    for (std::size_t n = 0; n < program.threads[t].code.size(); ++n) {
      const Instruction& instruction = program.threads[t].code[n];
      const auto change = [&](auto&& what) { changed([&](Program& p) { what(p.threads[t].code[n]); }); };
      if (plainer(instruction.verb) != instruction.verb)
        change([](Instruction& i) { i.verb = plainer(i.verb); });
      if (instruction.order != std::memory_order_seq_cst ||
          instruction.failure != std::memory_order_seq_cst) {
        change([](Instruction& i) { i.order = i.failure = std::memory_order_seq_cst; });
      }
      if (instruction.from >= 0 && !is_skip(instruction.verb)) change([](Instruction& i) { i.from = -1; });
      if (instruction.is_sealed) change([](Instruction& i) { i.is_sealed = false; });
      if (instruction.value > 0) change([](Instruction& i) { --i.value; });
      if (instruction.expected > 0) change([](Instruction& i) { --i.expected; });
    }
  }
  return simpler;
}

}  // namespace hocket::oracle
