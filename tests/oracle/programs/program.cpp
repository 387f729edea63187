#include "tests/oracle/programs/program.hpp"

#include <array>
#include <bit>
#include <utility>

namespace hocket::oracle {

namespace {

constexpr std::uint8_t bit(unsigned n) {
  return static_cast<std::uint8_t>(1U << n);
}
constexpr bool has(std::uint8_t set, unsigned n) {
  return (set >> n & 1U) != 0;
}
constexpr unsigned least(std::uint8_t set) {
  return static_cast<unsigned>(std::countr_zero(set));
}
constexpr unsigned greatest(std::uint8_t set) {
  return 7U - static_cast<unsigned>(std::countl_zero(set));
}

// A thread that holds a mutex knows the mutex.
bool applies(const Program& program, unsigned thread, const Frame& frame, const Instruction& instruction) {
  const unsigned o = instruction.object;
  const auto knows = [&](unsigned object, Kind kind) {
    return object < program.objects.size() && has(frame.knows, object) &&
           program.objects[object].kind == kind;
  };
  const bool is_held = has(frame.holds | frame.holds_shared, o);
  switch (instruction.verb) {
    case Verb::load:
    case Verb::store:
    case Verb::add:
    case Verb::exchange:
    case Verb::compare_exchange:
    case Verb::compare_exchange_weak:
    case Verb::await_change:
    case Verb::wake_one:
    case Verb::wake_all:
      return knows(o, Kind::atomic) || knows(o, Kind::var) || knows(o, Kind::lived);
    case Verb::await_values:
    case Verb::await_either:
      return knows(o, Kind::atomic) && knows(instruction.mutex, Kind::atomic);
    case Verb::read_var:
      return knows(o, Kind::var);
    case Verb::write_var:
      return knows(o, Kind::var) || knows(o, Kind::lived);
    case Verb::lock:
    case Verb::try_lock:
    case Verb::try_lock_for:
      return (knows(o, Kind::mutex) || knows(o, Kind::shared_mutex)) && !is_held;
    case Verb::unlock:
      return has(frame.holds, o);
    case Verb::lock_shared:
    case Verb::try_lock_shared:
    case Verb::try_lock_shared_for:
      return knows(o, Kind::shared_mutex) && !is_held;
    case Verb::unlock_shared:
      return has(frame.holds_shared, o);
    case Verb::wait:
    case Verb::wait_for:
      return knows(o, Kind::condition) && instruction.mutex < program.objects.size() &&
             has(frame.holds | frame.holds_shared, instruction.mutex);
    case Verb::notify_one:
    case Verb::notify_all:
      return knows(o, Kind::condition);
    case Verb::acquire:
    case Verb::try_acquire:
    case Verb::try_acquire_for:
    case Verb::release:
      return knows(o, Kind::semaphore);
    case Verb::yield:
    case Verb::sleep:
    case Verb::read_clock:
    case Verb::assume:
    case Verb::check:
    case Verb::fence:
      return true;
    case Verb::choose:
      return instruction.value > 0;
    case Verb::forbid_preemption:
      return frame.guards < 2;
    case Verb::allow_preemption:
      return frame.guards != 0;
    case Verb::make:
      return o < program.objects.size() && program.objects[o].maker == thread && !has(frame.knows, o);
    case Verb::start:
      return o != 0 && o < program.threads.size() && program.threads[o].parent == thread &&
             !has(frame.started, o);
    case Verb::join:
      return has(frame.started, o) && !has(frame.joined, o);
    case Verb::skip_if:
    case Verb::skip_unless:
    case Verb::destroy:
      return false;
  }
  return false;
}

/// The actions of a thread after its last instruction.
std::optional<Instruction> last_duties(const Frame& frame) {
  const auto on = [](Verb verb, unsigned object) {
    return Instruction{verb, static_cast<std::uint8_t>(object)};
  };
  if (frame.holds != 0) return on(Verb::unlock, least(frame.holds));
  if (frame.holds_shared != 0) return on(Verb::unlock_shared, least(frame.holds_shared));
  const auto to_join = static_cast<std::uint8_t>(frame.started & ~frame.joined);
  if (to_join != 0) return on(Verb::join, least(to_join));
  if (frame.made != 0) return on(Verb::destroy, greatest(frame.made));
  return {};
}

}  // namespace

Program in_parallel(std::vector<Object> objects, std::vector<Code> code) {
  Program program;
  program.objects = std::move(objects);
  program.threads.resize(1);
  for (Code& instructions : code) {
    const auto number = static_cast<std::uint8_t>(program.threads.size());
    program.threads[0].code.push_back({Verb::start, number});
    program.threads.push_back({0, std::move(instructions)});
  }
  return program;
}

Program with_starts_permuted(const Program& program, const std::vector<std::uint8_t>& order) {
  Program permuted = program;
  std::size_t nth = 0;
  for (Instruction& instruction : permuted.threads[0].code) {
    if (instruction.verb == Verb::start) instruction.object = order[nth++];
  }
  return permuted;
}

Program with_all_seq_cst(Program program) {
  for (Thread& thread : program.threads) {
    for (Instruction& instruction : thread.code) {
      instruction.order = instruction.failure = std::memory_order_seq_cst;
    }
  }
  return program;
}

Frame first_frame(const Program& program) {
  Frame frame;
  for (unsigned o = 0; o < program.objects.size(); ++o) {
    if (program.objects[o].maker == kOutside) frame.knows |= bit(o);
  }
  return frame;
}

Frame child_frame(const Frame& creator) {
  Frame frame;
  frame.knows = creator.knows;
  return frame;
}

int value_of(const Frame& frame, const Instruction& instruction) {
  return instruction.value +
         (instruction.from < 0 ? 0 : frame.registers[static_cast<std::size_t>(instruction.from)]);
}

std::optional<Instruction> next(const Program& program, unsigned thread, Frame& frame) {
  const Code& code = program.threads[thread].code;
  while (frame.place < code.size()) {
    const Instruction& instruction = code[frame.place];
    if (applies(program, thread, frame, instruction)) return instruction;
    ++frame.place;
    if (!is_skip(instruction.verb) || instruction.value <= 0) continue;
    const std::int8_t compared =
        instruction.from < 0 ? frame.seen : frame.registers[static_cast<std::size_t>(instruction.from)];
    if ((compared == instruction.expected) == (instruction.verb == Verb::skip_if)) {
      frame.place = static_cast<std::uint8_t>(frame.place + instruction.value);
    }
  }
  frame.place = static_cast<std::uint8_t>(code.size());
  return last_duties(frame);
}

void complete(Frame& frame, const Instruction& instruction, int result) {
  const unsigned o = instruction.object;
  ++frame.place;  // after the end of the code it means nothing
  if (instruction.into >= 0)
    frame.registers[static_cast<std::size_t>(instruction.into)] = static_cast<std::int8_t>(result);
  switch (instruction.verb) {
    case Verb::load:
    case Verb::read_var:
    case Verb::add:
    case Verb::exchange:
    case Verb::compare_exchange:
    case Verb::compare_exchange_weak:
    case Verb::try_acquire:
    case Verb::try_acquire_for:
    case Verb::wait_for:
    case Verb::choose:
      frame.seen = static_cast<std::int8_t>(result);
      break;
    case Verb::lock:
      frame.holds |= bit(o);
      break;
    case Verb::try_lock:
    case Verb::try_lock_for:
      frame.seen = static_cast<std::int8_t>(result);
      if (result != 0) frame.holds |= bit(o);
      break;
    case Verb::unlock:
      frame.holds &= static_cast<std::uint8_t>(~bit(o));
      break;
    case Verb::lock_shared:
      frame.holds_shared |= bit(o);
      break;
    case Verb::try_lock_shared:
    case Verb::try_lock_shared_for:
      frame.seen = static_cast<std::int8_t>(result);
      if (result != 0) frame.holds_shared |= bit(o);
      break;
    case Verb::unlock_shared:
      frame.holds_shared &= static_cast<std::uint8_t>(~bit(o));
      break;
    case Verb::make:
      frame.knows |= bit(o);
      frame.made |= bit(o);
      break;
    case Verb::destroy:
      frame.made &= static_cast<std::uint8_t>(~bit(o));
      break;
    case Verb::start:
      frame.started |= bit(o);
      break;
    case Verb::join:
      frame.joined |= bit(o);
      break;
    case Verb::forbid_preemption:
      ++frame.guards;
      break;
    case Verb::allow_preemption:
      --frame.guards;
      break;
    default:
      break;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Text

std::string_view to_string(Verb verb) {
  static constexpr std::array<std::string_view, kAllVerbs> kNames{"load", "store", "add", "exchange",
      "compare_exchange", "compare_exchange_weak", "await_change", "await_values", "await_either", "wake_one",
      "wake_all", "lock", "try_lock", "try_lock_for", "unlock", "lock_shared", "try_lock_shared",
      "try_lock_shared_for", "unlock_shared", "wait", "wait_for", "notify_one", "notify_all", "acquire",
      "try_acquire", "try_acquire_for", "release", "yield", "sleep", "read_clock", "choose",
      "forbid_preemption", "allow_preemption", "skip_if", "make", "start", "join", "assume", "check",
      "destroy", "read_var", "write_var", "fence", "skip_unless"};
  return kNames[static_cast<std::size_t>(verb)];
}

bool names_an_object(Verb verb) {
  switch (verb) {
    case Verb::start:
    case Verb::join:
    case Verb::skip_if:
    case Verb::skip_unless:
    case Verb::assume:
    case Verb::check:
    case Verb::choose:
    case Verb::forbid_preemption:
    case Verb::allow_preemption:
    case Verb::yield:
    case Verb::sleep:
    case Verb::read_clock:
    case Verb::fence:
      return false;
    default:
      return true;
  }
}

bool has_a_mutex(Verb verb) {
  return verb == Verb::wait || verb == Verb::wait_for || verb == Verb::await_values ||
         verb == Verb::await_either;
}

/// "atomic0", "mutex2": the kind, and the number among all objects.
std::string name_of(const Program& program, unsigned object) {
  static constexpr std::array<std::string_view, 7> kKinds{
      "atomic", "mutex", "shared_mutex", "condition", "semaphore", "var", "lived"};
  if (object >= program.objects.size()) return "nothing" + std::to_string(object);
  if (const char name = program.objects[object].name; name != 0) return std::string(1, name);
  return std::string(kKinds[static_cast<std::size_t>(program.objects[object].kind)]) + std::to_string(object);
}

namespace {

std::string in_order(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return " relaxed";
    case std::memory_order_consume:
      return " consume";
    case std::memory_order_acquire:
      return " acquire";
    case std::memory_order_release:
      return " release";
    case std::memory_order_acq_rel:
      return " acq_rel";
    default:
      return {};
  }
}

}  // namespace

std::string to_text(const Program& program, const Instruction& instruction) {
  const std::string verb(to_string(instruction.verb));
  const std::string from = instruction.from < 0 ? "" : "r" + std::to_string(instruction.from);
  const std::string value = (from.empty() ? "" : from + " + ") + std::to_string(instruction.value);
  const std::string expected = std::to_string(instruction.expected);
  const auto call = [&](const std::string& arguments) {
    return (instruction.into < 0 ? "" : "r" + std::to_string(instruction.into) + " = ") +
           name_of(program, instruction.object) + "." + verb + "(" + arguments + ")" +
           in_order(instruction.order);
  };
  switch (instruction.verb) {
    case Verb::store:
    case Verb::add:
    case Verb::exchange:
    case Verb::release:
    case Verb::write_var:
    case Verb::try_lock_for:
    case Verb::try_lock_shared_for:
    case Verb::try_acquire_for:
      return call(value);
    case Verb::compare_exchange:
    case Verb::compare_exchange_weak:
      return call(expected + ", " + value) + (instruction.failure != std::memory_order_seq_cst
                                                     ? " or" + in_order(instruction.failure)
                                                     : std::string{});
    case Verb::await_change:
      return call(expected);
    case Verb::await_values:
    case Verb::await_either:
      return call(expected + ", " + name_of(program, instruction.mutex) + ", " + value);
    case Verb::wait:
      return call(name_of(program, instruction.mutex));
    case Verb::wait_for:
      return call(name_of(program, instruction.mutex) + ", " + value);
    case Verb::sleep:
    case Verb::choose:
      return verb + "(" + value + ")";
    case Verb::skip_if:
    case Verb::skip_unless:
      return "if " + (from.empty() ? "last" : from) + (instruction.verb == Verb::skip_if ? " == " : " != ") +
             expected + " skip " + std::to_string(instruction.value);
    case Verb::assume:
    case Verb::check:
      return verb + " last == " + expected;
    case Verb::start:
    case Verb::join:
      return verb + " thread " + std::to_string(instruction.object);
    case Verb::make:
      return verb + " " + name_of(program, instruction.object);
    case Verb::yield:
    case Verb::read_clock:
    case Verb::fence:
    case Verb::forbid_preemption:
    case Verb::allow_preemption:
      return verb + "()" + in_order(instruction.order);
    default:
      return call("");
  }
}

bool is_of_var(const Program& program, const Instruction& instruction) {
  return instruction.object < program.objects.size() && program.objects[instruction.object].kind == Kind::var;
}

bool compares_plain_data(const Program& program) {
  return any_instruction(
      program, [&](const Instruction& i) { return is_compare_exchange(i.verb) && is_of_var(program, i); });
}

std::string to_text(const Program& program) {
  std::string text;
  for (unsigned o = 0; o < program.objects.size(); ++o) {
    const Object& object = program.objects[o];
    if (object.kind == Kind::lived) text += "lived ";
    text += name_of(program, o);
    if (object.kind == Kind::atomic || object.kind == Kind::var || object.kind == Kind::semaphore) {
      text += " = " + std::to_string(object.initial);
    }
    text += object.maker == kOutside ? ", outside\n" : ", of thread " + std::to_string(object.maker) + "\n";
  }
  if (program.is_late) text += "with late timeouts\n";
  if (program.has_seals) text += "with seals\n";
  if (program.spurious_wakeups) text += "with spurious wake-ups\n";
  if (program.spurious_failures) text += "with spurious failures\n";
  for (unsigned t = 0; t < program.threads.size(); ++t) {
    text += "thread " + std::to_string(t);
    if (t != 0) text += ", of thread " + std::to_string(program.threads[t].parent);
    text += ":\n";
    for (const Instruction& instruction : program.threads[t].code) {
      const bool is_sealed = program.has_seals && instruction.is_sealed;
      text += "  " + to_text(program, instruction) + (is_sealed ? "  (sealed)" : "") + "\n";
    }
  }
  return text;
}

}  // namespace hocket::oracle
