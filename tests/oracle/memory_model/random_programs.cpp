#include "tests/oracle/memory_model/random_programs.hpp"

#include <algorithm>
#include <initializer_list>
#include <random>
#include <utility>

namespace hocket::memory_model {

namespace {

constexpr Order kOfStores[] = {Order::relaxed, Order::release, Order::seq_cst};
constexpr Order kOfLoads[] = {Order::relaxed, Order::acquire, Order::seq_cst};
constexpr Order kOfUpdates[] = {
    Order::relaxed, Order::acquire, Order::release, Order::acq_rel, Order::seq_cst};

class Author {
 public:
  explicit Author(std::uint64_t seed) : random_(seed) {}

  Program mixed() {
    const unsigned threads = 2 + below(3);
    locations_ = 1 + below(3);
    is_relaxed_ = chance(25);
    has_locks_ = chance(40);
    has_waits_ = chance(25);
    has_plain_ = chance(30);
    program_.threads.resize(threads);
    const unsigned most = threads == 2 ? 4 : threads == 3 ? 3 : 2;
    for (code_ = 0; code_ < threads; ++code_) {
      for (unsigned left = 1 + below(most); left != 0 && registers_ + 3 <= kRegisters; --left) something();
    }
    if (chance(25)) let_threads_start_others();
    return std::move(program_);
  }

  Program seq_cst() {
    const unsigned threads = 2 + below(3);
    locations_ = threads == 4 ? 2 : 2 + below(2);
    const bool has_fences = chance(50);
    program_.threads.resize(threads);
    for (code_ = 0; code_ < threads; ++code_) {
      const unsigned count = threads == 2 ? 2 + below(3) : threads == 3 ? 2 + below(2) : 1 + below(2);
      for (unsigned i = 0; i < count; ++i) {
        is_seq_cst_ = chance(75) && !(has_fences && chance(50));
        atomic_access();
        if (has_fences && i + 1 < count && chance(67)) {
          add({.verb = Verb::fence, .order = chance(75) ? Order::seq_cst : Order::acq_rel});
        }
      }
    }
    return std::move(program_);
  }

  Program lives() {
    const unsigned threads = 2 + below(2);
    program_.threads.resize(threads);
    is_strong_ = chance(40);
    const bool joins = chance(25);
    const bool drops = !joins && chance(75);
    const bool maker_drops = threads == 2 || chance(50);
    const auto last = static_cast<std::int8_t>(threads - (maker_drops ? 1 : 2));
    if (joins) let_all_threads_be_started();
    add({.verb = Verb::write_plainly, .object = kLived, .value = some_value()});
    if (chance(25)) fence();
    add({.verb = Verb::store, .object = kPointer, .value = {1}, .order = one_of(kOfStores)});
    if (chance(50)) use();
    if (drops && maker_drops) drop(last);
    if (joins) join_and_destroy();
    for (code_ = 1; code_ < threads; ++code_) {
      const std::int8_t found = new_register();
      add({.verb = Verb::load, .object = kPointer, .into = found, .order = one_of(kOfLoads)});
      if (chance(25)) fence();
      for (unsigned left = 1 + below(2); left != 0; --left) {
        if_it_is_there(found);
        use();
      }
      if (!drops) continue;
      if (chance(15)) {
        if_it_is_there(found);
        fence();
      }
      if_it_is_there(found);
      drop(last);
    }
    return std::move(program_);
  }

 private:
  unsigned below(unsigned count) { return static_cast<unsigned>(random_() % count); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <std::size_t kCount>
  Order one_of(const Order (&orders)[kCount]) {
    const Order order = is_strong_ ? orders[kCount - 1 - below(2)] : orders[below(kCount)];
    return is_seq_cst_ ? Order::seq_cst : is_relaxed_ ? Order::relaxed : order;
  }

  Code& code() { return program_.threads[code_]; }
  void add(const Instruction& instruction) { code().push_back(instruction); }
  std::int8_t new_register() { return static_cast<std::int8_t>(registers_++); }
  std::uint8_t some_location() { return static_cast<std::uint8_t>(below(locations_)); }
  Operand some_value() { return {static_cast<std::int8_t>(1 + below(3))}; }

  // -- Lives --

  static constexpr std::uint8_t kPointer = 0;  ///< says 1 when the atomic has been published
  static constexpr std::uint8_t kDropped = 1;  ///< so many threads have dropped it

  void let_all_threads_be_started() {
    for (unsigned thread = 1; thread < program_.threads.size(); ++thread)
      add({.verb = Verb::start, .object = static_cast<std::uint8_t>(thread)});
  }
  void if_it_is_there(std::int8_t found) {
    add({.verb = Verb::skip_if_different, .object = 1, .into = found, .value = {1}});
  }
  void use() {
    const unsigned which = below(4);
    which < 2 ? update(kLived) : which == 2 ? load(kLived) : store(kLived);
  }
  void destroy() { add({.verb = Verb::write_plainly, .object = kLived, .value = {100}}); }
  /// The thread that finds that `last` others have dropped it destroys it.
  void drop(std::int8_t last) {
    const std::int8_t others = new_register();
    add({.verb = Verb::add, .object = kDropped, .into = others, .value = {1}, .order = one_of(kOfUpdates)});
    const bool has_fence = chance(25);
    const auto skipped = static_cast<std::uint8_t>(has_fence ? 2 : 1);
    add({.verb = Verb::skip_if_different, .object = skipped, .into = others, .value = {last}});
    if (has_fence) fence();
    destroy();
  }
  void join_and_destroy() {
    for (unsigned thread = 1; thread < program_.threads.size(); ++thread) {
      if (!chance(15)) add({.verb = Verb::join, .object = static_cast<std::uint8_t>(thread)});
    }
    destroy();
  }

  // -- Accesses --

  void load(std::uint8_t location) {
    add({.verb = Verb::load, .object = location, .into = new_register(), .order = one_of(kOfLoads)});
  }
  void store(std::uint8_t location) {
    const bool of_register = chance(15) && !code().empty() && code().back().verb == Verb::load;
    add({.verb = Verb::store,
        .object = location,
        .value = of_register ? Operand{0, code().back().into} : some_value(),
        .order = one_of(kOfStores)});
  }
  void update(std::uint8_t location) {
    add({.verb = chance(50) ? Verb::add : Verb::exchange,
        .object = location,
        .into = new_register(),
        .value = some_value(),
        .order = one_of(kOfUpdates)});
  }
  void compare_exchange(std::uint8_t location) {
    add({.verb = chance(25) ? Verb::compare_exchange_weak : Verb::compare_exchange,
        .object = location,
        .into = new_register(),
        .value = some_value(),
        .expected = {static_cast<std::int8_t>(below(3))},
        .order = one_of(kOfUpdates),
        .failure = one_of(kOfLoads)});
  }
  void atomic_access() {
    const std::uint8_t location = some_location();
    if (has_plain_ && location == kOwned && code_ != 0) return load(location);
    const unsigned which = below(20);
    if (which < 8) return load(location);
    if (which < 16) return store(location);
    if (which < 18) return update(location);
    compare_exchange(location);
  }
  void fence() { add({.verb = Verb::fence, .order = kOfUpdates[1 + below(4)]}); }

  // -- Things to do --

  void something() {
    if (has_plain_ && chance(30)) return hand_over();
    const unsigned which = below(100);
    if (which < 55) return atomic_access();
    if (which < 65) return fence();
    if (which < 72 && is_there_a_load()) return skip_if();
    if (which < 84 && has_locks_) return chance(45) ? sleep_or_wake() : critical_section();
    if (which < 90 && has_waits_) return wait_or_notify();
    atomic_access();
  }

  [[nodiscard]] bool is_there_a_load() { return !code().empty() && code().back().verb == Verb::load; }
  void skip_if() {
    const std::int8_t read = code().back().into;
    add({.verb = chance(50) ? Verb::skip_if_equal : Verb::skip_if_different,
        .object = 1,
        .into = read,
        .value = {static_cast<std::int8_t>(below(2))}});
    atomic_access();
  }

  void critical_section() {
    const auto mutex = static_cast<std::uint8_t>(below(kMutexes));
    const bool is_nested = chance(15);
    const auto other = static_cast<std::uint8_t>(1 - mutex);
    add({.verb = Verb::lock, .object = mutex});
    if (is_nested) add({.verb = Verb::lock, .object = other});
    chance(40) ? access_plainly() : atomic_access();
    if (is_nested) add({.verb = Verb::unlock, .object = other});
    add({.verb = Verb::unlock, .object = mutex});
  }
  void sleep_or_wake() {
    if (chance(50)) return add({.verb = chance(50) ? Verb::wake_one : Verb::wake_all});
    add({.verb = Verb::lock});
    add({.verb = Verb::load, .into = new_register()});
    add({.verb = Verb::skip_if_different, .object = 1, .into = code().back().into});
    add({.verb = Verb::sleep});
    add({.verb = Verb::unlock});
  }
  void wait_or_notify() {
    const std::uint8_t location = some_location();
    if (chance(50)) {
      add({.verb = Verb::wait, .object = location, .into = new_register(), .order = one_of(kOfLoads)});
      return;
    }
    if (chance(75) && !(has_plain_ && location == kOwned && code_ != 0)) store(location);
    add({.verb = chance(50) ? Verb::notify_one : Verb::notify_all, .object = location});
  }

  static constexpr std::uint8_t kOwned = 0;  ///< with plain data: only the first thread writes to this atomic
  static constexpr std::uint8_t kPlain = kLocations - 1;
  void access_plainly() {
    if (chance(50)) {
      add({.verb = Verb::write_plainly, .object = kPlain, .value = some_value()});
    } else {
      add({.verb = Verb::read_plainly, .object = kPlain, .into = new_register()});
    }
  }
  /// Plain data through an atomic that says when it is there.
  void hand_over() {
    constexpr std::uint8_t kReady = kLocations - 2;
    if (chance(25)) return access_plainly();
    if (chance(50)) return read_own_atomic();
    if (code_ == 0) {
      add({.verb = Verb::write_plainly, .object = kPlain, .value = some_value()});
      add({.verb = Verb::store, .object = kReady, .value = {1}, .order = Order::release});
      return;
    }
    add({.verb = Verb::load, .object = kReady, .into = new_register(), .order = Order::acquire});
    add({.verb = Verb::skip_if_different, .object = 1, .into = code().back().into, .value = {1}});
    add({.verb = Verb::read_plainly, .object = kPlain, .into = new_register()});
  }

  /// An atomic may be read plainly by the only thread that writes to it. Others that learn in another way
  /// that it has been written may still read it as it was.
  void read_own_atomic() {
    constexpr std::uint8_t kOther = 1;
    if (code_ != 0) {
      load(kOther);
      load(kOwned);
      return;
    }
    store(kOwned);
    add({.verb = Verb::read_plainly, .object = kOwned, .into = new_register()});
    store(kOther);
  }

  /// The first thread starts some of the others, and joins some of these.
  void let_threads_start_others() {
    Code& first = program_.threads[0];
    for (unsigned thread = 1; thread < program_.threads.size(); ++thread) {
      if (chance(40)) continue;
      insert(first, 0, {.verb = Verb::start, .object = static_cast<std::uint8_t>(thread)});
      if (chance(50)) continue;
      const auto started = std::find_if(first.begin(), first.end(), [&](const Instruction& instruction) {
        return instruction.verb == Verb::start && instruction.object == thread;
      });
      const auto behind = static_cast<std::size_t>(started - first.begin()) + 1;
      insert(first, behind, {.verb = Verb::join, .object = static_cast<std::uint8_t>(thread)});
    }
  }
  /// Puts the instruction somewhere from `from` on where no skip skips it.
  void insert(Code& into, std::size_t from, const Instruction& instruction) {
    std::size_t place = from + below(static_cast<unsigned>(into.size() - from + 1));
    const auto skips = [](Verb verb) {
      return verb == Verb::skip_if_equal || verb == Verb::skip_if_different;
    };
    while (place > 0 && place < into.size() && skips(into[place - 1].verb)) ++place;
    into.insert(into.begin() + static_cast<std::ptrdiff_t>(place), instruction);
  }

  std::mt19937_64 random_;
  Program program_;
  unsigned code_ = 0;
  unsigned locations_ = 1;
  unsigned registers_ = 0;
  bool is_relaxed_ = false;
  bool is_strong_ = false;  ///< what is read is acquired, and what is written is released
  bool is_seq_cst_ = false;
  bool has_locks_ = false;
  bool has_waits_ = false;
  bool has_plain_ = false;
};

bool is_skip(const Instruction& instruction) {
  return instruction.verb == Verb::skip_if_equal || instruction.verb == Verb::skip_if_different;
}

/// What a skip may skip.
bool is_optional(const Instruction& instruction) {
  switch (instruction.verb) {
    case Verb::lock:
    case Verb::unlock:
    case Verb::start:
    case Verb::join:
    case Verb::skip_if_equal:
    case Verb::skip_if_different:
      return false;
    default:
      return true;
  }
}

/// Follows one thread's code and notices what is unsound.
bool is_sound(const Code& code, unsigned self, std::vector<bool>& started) {
  unsigned held = 0;
  std::vector<bool> joinable(kMostThreads);
  for (std::size_t i = 0; i < code.size(); ++i) {
    const Instruction& instruction = code[i];
    const unsigned object = instruction.object;
    switch (instruction.verb) {
      case Verb::lock:
        if ((held >> object & 1U) != 0) return false;
        held |= 1U << object;
        break;
      case Verb::unlock:
        if ((held >> object & 1U) == 0) return false;
        held &= ~(1U << object);
        break;
      case Verb::sleep:
        if ((held >> instruction.mutex & 1U) == 0) return false;
        break;
      case Verb::start:
        if (object <= self || started[object]) return false;
        started[object] = joinable[object] = true;
        break;
      case Verb::join:
        if (!joinable[object]) return false;
        joinable[object] = false;
        break;
      default:
        break;
    }
    if (!is_skip(instruction)) continue;
    if (i + object >= code.size()) return false;
    for (std::size_t k = 1; k <= object; ++k) {
      if (!is_optional(code[i + k])) return false;
    }
  }
  return held == 0;
}

bool do_threads_share_registers(const Program& program) {
  unsigned of_others = 0;
  for (const Code& code : program.threads) {
    unsigned own = 0;
    for (const Instruction& instruction : code) {
      for (const int used : {instruction.into, instruction.value.from, instruction.expected.from}) {
        if (used >= 0) own |= 1U << static_cast<unsigned>(used);
      }
    }
    if ((own & of_others) != 0) return true;
    of_others |= own;
  }
  return false;
}

Program without_thread(Program program, unsigned gone) {
  program.threads.erase(program.threads.begin() + static_cast<std::ptrdiff_t>(gone));
  for (Code& code : program.threads) {
    const auto names_thread = [](const Instruction& instruction) {
      return instruction.verb == Verb::start || instruction.verb == Verb::join;
    };
    std::erase_if(code, [&](const Instruction& instruction) {
      return names_thread(instruction) && instruction.object == gone;
    });
    for (Instruction& instruction : code) {
      if (names_thread(instruction) && instruction.object > gone) --instruction.object;
    }
  }
  return program;
}

}  // namespace

Program mixed_program(std::uint64_t seed) {
  return Author(seed).mixed();
}

Program seq_cst_program(std::uint64_t seed) {
  return Author(seed).seq_cst();
}

Program lived_program(std::uint64_t seed) {
  return Author(seed).lives();
}

bool is_sound(const Program& program) {
  if (do_threads_share_registers(program)) return false;
  std::vector<bool> started(kMostThreads);
  for (unsigned thread = 0; thread < program.threads.size(); ++thread) {
    if (!is_sound(program.threads[thread], thread, started)) return false;
  }
  return true;
}

std::vector<Program> simpler_than(const Program& program) {
  std::vector<Program> simpler;
  const auto keep = [&](Program candidate) {
    if (candidate != program && is_sound(candidate)) simpler.push_back(std::move(candidate));
  };
  for (unsigned thread = 0; program.threads.size() > 1 && thread < program.threads.size(); ++thread) {
    keep(without_thread(program, thread));
  }
  const auto each_change = [&](const auto& change) {
    for (std::size_t thread = 0; thread < program.threads.size(); ++thread) {
      for (std::size_t i = 0; i < program.threads[thread].size(); ++i) {
        Program candidate = program;
        change(candidate.threads[thread], i);
        keep(std::move(candidate));
      }
    }
  };
  for (std::size_t length = 3; length != 0; --length) {
    each_change([&](Code& code, std::size_t i) {
      if (i + length > code.size()) return;
      const auto first = code.begin() + static_cast<std::ptrdiff_t>(i);
      code.erase(first, first + static_cast<std::ptrdiff_t>(length));
    });
  }
  each_change([&](Code& code, std::size_t i) {  // both ends of a critical section
    if (code[i].verb != Verb::lock) return;
    const auto end = std::find_if(
        code.begin() + static_cast<std::ptrdiff_t>(i), code.end(), [&](const Instruction& other) {
          return other.verb == Verb::unlock && other.object == code[i].object;
        });
    if (end == code.end()) return;
    code.erase(end);
    code.erase(code.begin() + static_cast<std::ptrdiff_t>(i));
  });
  each_change([](Code& code, std::size_t i) { code[i].order = code[i].failure = Order::relaxed; });
  each_change([](Code& code, std::size_t i) {
    if (code[i].verb == Verb::exchange || code[i].verb == Verb::compare_exchange_weak) {
      code[i].verb = code[i].verb == Verb::exchange ? Verb::add : Verb::compare_exchange;
    }
  });
  return simpler;
}

std::string Counterexample::to_text() const {
  return "The program of seed " + std::to_string(seed) + ", simplified:\n" + memory_model::to_text(program) +
         "\n" + contradiction + "\n";
}

std::optional<Counterexample> first_counterexample(
    const Generator& generator, std::uint64_t& seed, std::uint64_t count, const Property& property) {
  for (; count != 0; --count) {
    Counterexample found{.seed = seed, .program = generator(seed), .contradiction = {}};
    ++seed;
    std::optional<std::string> contradiction = property(found.program);
    if (!contradiction) continue;
    for (bool is_simplest = false; !is_simplest;) {
      found.contradiction = std::move(*contradiction);
      is_simplest = true;
      for (Program& simpler : simpler_than(found.program)) {
        std::optional<std::string> still = property(simpler);
        if (!still) continue;
        contradiction = std::move(still);
        found.program = std::move(simpler);
        is_simplest = false;
        break;
      }
    }
    return found;
  }
  return {};
}

}  // namespace hocket::memory_model
