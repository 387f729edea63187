#include "tests/oracle/programs/generator.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <utility>

#include "tests/oracle/programs/dice.hpp"

namespace hocket::oracle {

namespace {

/// Writes one program. The code of its threads is composed of meaningful phrases, such as a lock together
/// with what it protects. The mistakes of real programs occur in these programs, too.
class Author {
 public:
  explicit Author(const rc::Random& random) : dice_(random) {}

  Program write() {
    const unsigned threads = dice_.one_of({2U, 3U, 3U, 3U, 4U});
    program_.threads.resize(threads + 1);
    choose_objects();
    choose_parents();
    begin_main();
    // More threads get shorter code, because the number of states grows with both.
    const unsigned longest = threads == 2 ? 8 : threads == 3 ? 5 : 3;
    for (unsigned t = 1; t <= threads; ++t) {
      append(program_.threads[t].code, code_of(1 + dice_.below(longest)));
      if (dice_.chance(12)) expect_something_in(program_.threads[t].code);
    }
    write_main();
    add_own_objects();
    program_.spurious_wakeups = has(Kind::condition) && dice_.chance(20);
    program_.spurious_failures = has(Kind::atomic) && dice_.chance(30);
    program_.is_late = waits_for_a_time() && dice_.chance(50);
    return std::move(program_);
  }

 private:
  // -- what there is

  void choose_objects() {
    const std::uint8_t maker = dice_.chance(40) ? 0 : kOutside;
    const auto add = [&](Kind kind, int initial = 0) {
      program_.objects.push_back({kind, static_cast<std::int8_t>(initial), maker});
    };
    // Use few kinds, so that threads use the same objects.
    const unsigned subject = dice_.below(100);
    if (subject < 34) {
      for (unsigned n = 1 + dice_.below(2); n != 0; --n) add(Kind::atomic, static_cast<int>(dice_.below(2)));
    } else if (subject < 39) {
      for (unsigned n = 1 + dice_.below(2); n != 0; --n) add(Kind::mutex);
    } else if (subject < 57) {
      add(Kind::shared_mutex);
    } else if (subject < 88) {
      add(dice_.chance(75) ? Kind::mutex : Kind::shared_mutex);
      add(Kind::condition);
      if (dice_.chance(35)) add(Kind::atomic);  // the value that is waited for
    } else {
      add(Kind::semaphore, static_cast<int>(dice_.below(2)));
    }
    if (dice_.chance(55)) {
      switch (dice_.below(5)) {
        case 0:
        case 1:
          add(Kind::atomic, static_cast<int>(dice_.below(2)));
          break;
        case 2:
          add(Kind::mutex);
          break;
        case 3:
          add(Kind::shared_mutex);
          break;
        default:
          add(Kind::semaphore, static_cast<int>(dice_.below(2)));
      }
    }
  }

  void choose_parents() {
    // A thread may be started by another thread instead of the main thread.
    for (unsigned t = 2; t < program_.threads.size(); ++t) {
      if (dice_.chance(12)) program_.threads[t].parent = static_cast<std::uint8_t>(1 + dice_.below(t - 1));
    }
  }

  void begin_main() {
    Code& code = program_.threads[0].code;
    for (unsigned o = 0; o < program_.objects.size(); ++o) {
      if (program_.objects[o].maker == 0) code.push_back({Verb::make, static_cast<std::uint8_t>(o)});
    }
    for (unsigned t = 1; t < program_.threads.size(); ++t) {
      const unsigned parent = program_.threads[t].parent;
      if (parent == 0) {
        code.push_back({Verb::start, static_cast<std::uint8_t>(t)});
      } else {
        Code& start = program_.threads[parent].code;
        if (dice_.chance(50)) append(start, phrase());
        start.push_back({Verb::start, static_cast<std::uint8_t>(t)});
      }
    }
  }

  /// The main thread may take part, or wait for one of the other threads first.
  void write_main() {
    Code& code = program_.threads[0].code;
    if (dice_.chance(15)) {
      const auto thread =
          static_cast<std::uint8_t>(1 + dice_.below(static_cast<unsigned>(program_.threads.size()) - 1));
      code.push_back({Verb::join, thread});
    }
    if (dice_.chance(20)) append(code, code_of(1 + dice_.below(2)));
  }

  /// Some threads make an object of their own in the middle of their code.
  void add_own_objects() {
    for (unsigned t = 1; t < program_.threads.size(); ++t) {
      if (!dice_.chance(15) || program_.objects.size() == kMostObjects) continue;
      const auto o = static_cast<std::uint8_t>(program_.objects.size());
      const bool is_atomic = dice_.chance(50);
      program_.objects.push_back({is_atomic ? Kind::atomic : Kind::mutex, 0, static_cast<std::uint8_t>(t)});
      Code& code = program_.threads[t].code;
      const auto at = static_cast<std::ptrdiff_t>(dice_.below(static_cast<unsigned>(code.size()) + 1));
      const Code own{{Verb::make, o}, {is_atomic ? Verb::add : Verb::lock, o, 1}};
      code.insert(code.begin() + at, own.begin(), own.end());
    }
  }

  [[nodiscard]] bool waits_for_a_time() const {
    const auto takes_time = [](const Instruction& instruction) {
      constexpr std::array kTimed{
          Verb::sleep, Verb::wait_for, Verb::try_lock_for, Verb::try_lock_shared_for, Verb::try_acquire_for};
      return instruction.value > 0 &&
             std::find(kTimed.begin(), kTimed.end(), instruction.verb) != kTimed.end();
    };
    return any_instruction(program_, takes_time);
  }
  [[nodiscard]] bool has(Kind kind) const {
    return std::any_of(program_.objects.begin(), program_.objects.end(),
        [&](const Object& object) { return object.kind == kind; });
  }
  std::uint8_t any(std::initializer_list<Kind> kinds) {
    std::vector<std::uint8_t> those;
    for (unsigned o = 0; o < program_.objects.size(); ++o) {
      const bool is_one = std::find(kinds.begin(), kinds.end(), program_.objects[o].kind) != kinds.end();
      if (is_one) those.push_back(static_cast<std::uint8_t>(o));
    }
    return those[dice_.below(static_cast<unsigned>(those.size()))];
  }

  // -- what they do

  static void append(Code& code, const Code& more) { code.insert(code.end(), more.begin(), more.end()); }

  Code code_of(unsigned length) {
    Code code;
    while (code.size() < length) append(code, phrase());
    return code;
  }

  /// Some threads expect a value of what they read, mostly of the last read.
  void expect_something_in(Code& code) {
    const Instruction opinion{
        dice_.one_of({Verb::assume, Verb::assume, Verb::check, Verb::check, Verb::check}), 0, 0, small()};
    const bool is_late = dice_.chance(70);
    const auto at = is_late ? code.size() : dice_.below(static_cast<unsigned>(code.size()) + 1);
    code.insert(code.begin() + static_cast<std::ptrdiff_t>(at), opinion);
  }

  /// Makes a phrase. A few phrases must not be preempted, mostly; that includes phrases that wait.
  Code phrase() {
    if (!dice_.chance(4)) return plain_phrase();
    Code code{{Verb::forbid_preemption}};
    for (unsigned n = 1 + dice_.below(2); n != 0; --n) append(code, plain_phrase());
    if (dice_.chance(80)) code.push_back({Verb::allow_preemption});
    return code;
  }

  Code plain_phrase() {
    const unsigned what = dice_.below(100);
    if (what < 6) return {{Verb::yield}};
    if (what < 9) return {{Verb::sleep, 0, small()}};
    if (what < 12) return {{Verb::read_clock}};
    if (what < 16) {  // a choice, and sometimes code that depends on it
      Code code{{Verb::choose, 0, static_cast<std::int8_t>(1 + dice_.below(3))}};
      if (dice_.chance(60)) {
        code.push_back({Verb::skip_if, 0, 1, static_cast<std::int8_t>(dice_.below(2))});
        append(code, about_an_object());
      }
      return code;
    }
    return about_an_object();
  }

  Code about_an_object() {
    const auto o = static_cast<std::uint8_t>(dice_.below(static_cast<unsigned>(program_.objects.size())));
    switch (program_.objects[o].kind) {
      case Kind::atomic:
        return about_an_atomic(o);
      case Kind::mutex:
        return has(Kind::condition) ? about_a_condition(o) : about_a_mutex(o);
      case Kind::shared_mutex:
        return has(Kind::condition) ? about_a_condition(o) : about_a_shared_mutex(o);
      case Kind::condition:
        return about_a_condition(any({Kind::mutex, Kind::shared_mutex}));
      default:
        return about_a_semaphore(o);
    }
  }

  Code about_an_atomic(std::uint8_t o) {
    switch (dice_.below(19)) {
      case 0:
        return {{Verb::load, o}};
      case 1:
      case 2:
        return {{Verb::store, o, small()}};
      case 3:
        return {{Verb::add, o, 1}};
      case 4:
        return {{Verb::exchange, o, small()}};
      case 6:
        return {{Verb::compare_exchange, o, small(), small()}};
      case 7:
        return {{dice_.one_of({Verb::compare_exchange, Verb::exchange}), o, small(), small()}};
      case 8:
      case 9:
        return {{Verb::compare_exchange_weak, o, small(), small()}};
      case 10:
      case 11:
        return {{Verb::await_change, o, 0, small()}};
      case 15:
      case 16:
      case 18:  // awaits a value of one or two atomics
        return {{dice_.one_of({Verb::await_values, Verb::await_either}), o, value_awaited(), value_awaited(),
            dice_.chance(50) ? o : any({Kind::atomic})}};
      case 12:
        return {{dice_.one_of({Verb::wake_one, Verb::wake_one, Verb::wake_all, Verb::wake_all}), o}};
      case 5:
      case 13:
        return {{Verb::store, o, small()}, {dice_.one_of({Verb::wake_one, Verb::wake_all}), o}};
      case 14: {  // acts only if it reads a certain value
        Code code{{Verb::load, o}, {Verb::skip_if, 0, 1, small()}};
        append(code, {{dice_.one_of({Verb::store, Verb::add}), o, small()}});
        return code;
      }
      default: {  // spins for a value, with a yield, for one or two rounds
        const auto awaited = small();
        Code code{{Verb::load, o}, {Verb::skip_if, 0, 2, awaited}, {Verb::yield}, {Verb::load, o}};
        if (dice_.chance(50)) append(code, {{Verb::skip_if, 0, 2, awaited}, {Verb::yield}, {Verb::load, o}});
        return code;
      }
    }
  }

  Code about_a_mutex(std::uint8_t m) {
    const Verb verb = dice_.one_of({Verb::lock, Verb::lock, Verb::try_lock, Verb::try_lock_for});
    Code code{{verb, m, small()}};
    if (verb != Verb::lock && dice_.chance(50)) code.push_back({Verb::skip_if, 0, 1, 0});
    if (dice_.chance(60)) append(code, protected_by(m));
    if (dice_.chance(75)) code.push_back({Verb::unlock, m});  // otherwise it is released at the end
    return code;
  }

  Code about_a_shared_mutex(std::uint8_t m) {
    if (dice_.chance(25)) return about_a_mutex(m);
    const Verb verb = dice_.one_of({Verb::lock_shared, Verb::try_lock_shared, Verb::try_lock_shared,
        Verb::try_lock_shared_for, Verb::try_lock_shared_for});
    Code code{{verb, m, small()}};
    if (dice_.chance(30)) append(code, protected_by(m));
    if (dice_.chance(75)) code.push_back({Verb::unlock_shared, m});
    return code;
  }

  /// One step while `held` is held, such as taking another lock, in any order.
  Code protected_by(std::uint8_t held) {
    const auto o = static_cast<std::uint8_t>(dice_.below(static_cast<unsigned>(program_.objects.size())));
    if (o == held) return {};
    switch (program_.objects[o].kind) {
      case Kind::atomic:
        return {{dice_.one_of({Verb::load, Verb::store, Verb::add}), o, 1}};
      case Kind::mutex:
        return {{Verb::lock, o}, {Verb::unlock, o}};
      case Kind::shared_mutex:
        return {{Verb::lock_shared, o}, {Verb::unlock_shared, o}};
      case Kind::condition:
        return {{dice_.one_of({Verb::notify_one, Verb::notify_all}), o}};
      default:
        return {{dice_.one_of({Verb::acquire, Verb::release}), o, 1}};
    }
  }

  Code about_a_condition(std::uint8_t m) {
    const std::uint8_t c = any({Kind::condition});
    const Verb notify = dice_.one_of({Verb::notify_one, Verb::notify_all});
    const bool in_shared_mode = program_.objects[m].kind == Kind::shared_mutex && dice_.chance(50);
    const Verb lock = in_shared_mode ? Verb::lock_shared : Verb::lock;
    const Verb unlock = in_shared_mode ? Verb::unlock_shared : Verb::unlock;
    if (has(Kind::atomic) && dice_.chance(30)) return about_what_is_waited_for(m, c, lock, unlock, notify);
    switch (dice_.below(16)) {
      case 0:
      case 1:
      case 11:
        return {{lock, m}, {Verb::wait, c, 0, 0, m}, {unlock, m}};
      case 2:
      case 3:
      case 4:
      case 12:
        return {{lock, m}, {Verb::wait_for, c, small(), 0, m}, {unlock, m}};
      case 5:
      case 6:
        return {{lock, m}, {notify, c}, {unlock, m}};
      case 7:
        return program_.objects[m].kind == Kind::mutex ? about_a_mutex(m) : about_a_shared_mutex(m);
      default:
        return {{notify, c}};
    }
  }

  /// A wait together with its purpose: one side reads the atomic if the time is over, or if it is not; the
  /// other side changes the atomic and notifies.
  Code about_what_is_waited_for(std::uint8_t m, std::uint8_t c, Verb lock, Verb unlock, Verb notify) {
    const std::uint8_t o = any({Kind::atomic});
    if (dice_.chance(50)) {
      const Instruction change{dice_.one_of({Verb::store, Verb::add}), o, 1};
      switch (dice_.below(3)) {
        case 0:
          return {{lock, m}, change, {notify, c}, {unlock, m}};
        case 1:
          return {{lock, m}, {notify, c}, change, {unlock, m}};
        default:
          return {{lock, m}, change, {unlock, m}, {notify, c}};
      }
    }
    const Verb wait = dice_.one_of({Verb::wait, Verb::wait_for, Verb::wait_for, Verb::wait_for});
    const Verb look = dice_.one_of({Verb::load, Verb::load, Verb::exchange});
    const Verb opinion = dice_.one_of({Verb::check, Verb::check, Verb::assume});
    return {{lock, m}, {wait, c, 1, 0, m}, {Verb::skip_if, 0, 2, small()}, {look, o, 0},
        {opinion, 0, 0, small()}, {unlock, m}};
  }

  Code about_a_semaphore(std::uint8_t o) {
    switch (dice_.below(5)) {
      case 0:
        return {{Verb::acquire, o}};
      case 1:
        return {{Verb::acquire, o}, {Verb::release, o, 1}};
      case 2:
        return {{Verb::try_acquire, o}};
      case 3:
        return {{Verb::try_acquire_for, o, small()}};
      default:
        return {{Verb::release, o, static_cast<std::int8_t>(1 + dice_.below(2))}};
    }
  }

  /// A value that occurs now and then; 2 results from adding.
  std::int8_t value_awaited() { return static_cast<std::int8_t>(dice_.one_of({0U, 1U, 1U, 2U})); }

  std::int8_t small() { return static_cast<std::int8_t>(dice_.below(2)); }

  Dice dice_;
  Program program_;
};

}  // namespace

Program ordinary_program(std::uint64_t seed) {
  return Author(rc::Random(seed)).write();
}

Program sealed_program(std::uint64_t seed) {
  Program program = ordinary_program(seed);
  Dice dice(rc::Random(seed).split());
  const unsigned percent = dice.one_of({20U, 50U, 80U});
  program.has_seals = true;
  for (Thread& thread : program.threads) {
    for (Instruction& instruction : thread.code) instruction.is_sealed = dice.chance(percent);
  }
  return program;
}

}  // namespace hocket::oracle
