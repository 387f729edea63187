// Random programs about the memory model.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "tests/oracle/programs/dice.hpp"
#include "tests/oracle/programs/generator.hpp"
#include "tests/oracle/programs/notation.hpp"

namespace hocket::oracle {

namespace {

using std::memory_order;

constexpr memory_order kOfStores[] = {memory_order::relaxed, memory_order::release, memory_order::seq_cst};
constexpr memory_order kOfLoads[] = {memory_order::relaxed, memory_order::acquire, memory_order::seq_cst};
constexpr memory_order kOfUpdates[] = {memory_order::relaxed, memory_order::acquire, memory_order::release,
    memory_order::acq_rel, memory_order::seq_cst};

class WeakAuthor {
 public:
  explicit WeakAuthor(std::uint64_t seed) : dice_(rc::Random(seed)) {}

  Program mixed() {
    const unsigned threads = 2 + dice_.below(3);
    locations_ = 1 + dice_.below(3);
    is_relaxed_ = dice_.chance(25);
    has_locks_ = dice_.chance(40);
    has_waits_ = dice_.chance(25);
    has_plain_ = dice_.chance(30);
    threads_.resize(threads);
    const unsigned most = threads == 2 ? 4 : threads == 3 ? 3 : 2;
    for (code_ = 0; code_ < threads; ++code_) {
      for (unsigned left = 1 + dice_.below(most); left != 0 && registers_ + 3 <= kMostRegisters; --left)
        something();
    }
    if (dice_.chance(25)) let_threads_start_others();
    return with_names(std::move(threads_));
  }

  Program seq_cst() {
    const unsigned threads = 2 + dice_.below(3);
    locations_ = threads == 4 ? 2 : 2 + dice_.below(2);
    const bool has_fences = dice_.chance(50);
    threads_.resize(threads);
    for (code_ = 0; code_ < threads; ++code_) {
      const unsigned count = threads == 2   ? 2 + dice_.below(3)
                             : threads == 3 ? 2 + dice_.below(2)
                                            : 1 + dice_.below(2);
      for (unsigned i = 0; i < count; ++i) {
        is_seq_cst_ = dice_.chance(75) && !(has_fences && dice_.chance(50));
        atomic_access();
        if (has_fences && i + 1 < count && dice_.chance(67)) {
          add({.verb = Verb::fence,
              .order = dice_.chance(75) ? memory_order::seq_cst : memory_order::acq_rel});
        }
      }
    }
    return with_names(std::move(threads_));
  }

  Program lives() {
    const unsigned threads = 2 + dice_.below(2);
    threads_.resize(threads);
    is_strong_ = dice_.chance(40);
    const bool joins = dice_.chance(25);
    const bool drops = !joins && dice_.chance(75);
    const bool maker_drops = threads == 2 || dice_.chance(50);
    const auto last = static_cast<std::int8_t>(threads - (maker_drops ? 1 : 2));
    if (joins) let_all_threads_be_started();
    add({.verb = Verb::write_var, .object = kLived, .value = some_value()});
    if (dice_.chance(25)) fence();
    add({.verb = Verb::store, .object = kPointer, .value = 1, .order = one_of(kOfStores)});
    if (dice_.chance(50)) use();
    if (drops && maker_drops) drop(last);
    if (joins) join_and_destroy();
    for (code_ = 1; code_ < threads; ++code_) {
      const std::int8_t found = new_register();
      add({.verb = Verb::load, .object = kPointer, .order = one_of(kOfLoads), .into = found});
      if (dice_.chance(25)) fence();
      for (unsigned left = 1 + dice_.below(2); left != 0; --left) {
        if_it_is_there(found);
        use();
      }
      if (!drops) continue;
      if (dice_.chance(15)) {
        if_it_is_there(found);
        fence();
      }
      if_it_is_there(found);
      drop(last);
    }
    return with_names(std::move(threads_));
  }

 private:
  template <std::size_t kCount>
  memory_order one_of(const memory_order (&orders)[kCount]) {
    const memory_order order = is_strong_ ? orders[kCount - 1 - dice_.below(2)] : orders[dice_.below(kCount)];
    return is_seq_cst_ ? memory_order::seq_cst : is_relaxed_ ? memory_order::relaxed : order;
  }

  Code& code() { return threads_[code_]; }
  void add(const Instruction& instruction) { code().push_back(instruction); }
  std::int8_t new_register() { return static_cast<std::int8_t>(registers_++); }
  std::uint8_t some_location() { return static_cast<std::uint8_t>(dice_.below(locations_)); }
  std::int8_t small() { return static_cast<std::int8_t>(dice_.below(2)); }
  void skip_unless(std::int8_t from, std::int8_t expected, std::int8_t count = 1) {
    add({.verb = Verb::skip_unless, .value = count, .expected = expected, .from = from});
  }
  std::int8_t some_value() { return static_cast<std::int8_t>(1 + dice_.below(3)); }

  // -- Lives --

  static constexpr std::uint8_t kPointer = 0;  ///< says 1 when the atomic has been published
  static constexpr std::uint8_t kDropped = 1;  ///< so many threads have dropped it

  void let_all_threads_be_started() {
    for (unsigned thread = 1; thread < threads_.size(); ++thread)
      add({.verb = Verb::start, .object = static_cast<std::uint8_t>(thread)});
  }
  void if_it_is_there(std::int8_t found) { skip_unless(found, 1); }
  void use() {
    const unsigned which = dice_.below(4);
    which < 2 ? update(kLived) : which == 2 ? load(kLived) : store(kLived);
  }
  void destroy() { add({.verb = Verb::write_var, .object = kLived, .value = 100}); }
  /// The thread that finds that `last` others have dropped it destroys it.
  void drop(std::int8_t last) {
    const std::int8_t others = new_register();
    add({.verb = Verb::add, .object = kDropped, .value = 1, .order = one_of(kOfUpdates), .into = others});
    const bool has_fence = dice_.chance(25);
    skip_unless(others, last, has_fence ? 2 : 1);
    if (has_fence) fence();
    destroy();
  }
  void join_and_destroy() {
    for (unsigned thread = 1; thread < threads_.size(); ++thread) {
      if (!dice_.chance(15)) add({.verb = Verb::join, .object = static_cast<std::uint8_t>(thread)});
    }
    destroy();
  }

  // -- Accesses --

  void load(std::uint8_t location) {
    add({.verb = Verb::load, .object = location, .order = one_of(kOfLoads), .into = new_register()});
  }
  void store(std::uint8_t location) {
    const bool of_register = dice_.chance(15) && !code().empty() && code().back().verb == Verb::load;
    const std::int8_t from = of_register ? code().back().into : std::int8_t{-1};
    add({.verb = Verb::store,
        .object = location,
        .value = of_register ? std::int8_t{0} : some_value(),
        .order = one_of(kOfStores),
        .from = from});
  }
  void update(std::uint8_t location) {
    add({.verb = dice_.chance(50) ? Verb::add : Verb::exchange,
        .object = location,
        .value = some_value(),
        .order = one_of(kOfUpdates),
        .into = new_register()});
  }
  void compare_exchange(std::uint8_t location) {
    add({.verb = dice_.chance(25) ? Verb::compare_exchange_weak : Verb::compare_exchange,
        .object = location,
        .value = some_value(),
        .expected = static_cast<std::int8_t>(dice_.below(3)),
        .order = one_of(kOfUpdates),
        .failure = one_of(kOfLoads),
        .into = new_register()});
  }
  void atomic_access() {
    const std::uint8_t location = some_location();
    if (has_plain_ && location == kOwned && code_ != 0) return load(location);
    const unsigned which = dice_.below(20);
    if (which < 8) return load(location);
    if (which < 16) return store(location);
    if (which < 18) return update(location);
    compare_exchange(location);
  }
  void fence() { add({.verb = Verb::fence, .order = kOfUpdates[1 + dice_.below(4)]}); }

  // -- Things to do --

  void something() {
    if (has_plain_ && dice_.chance(30)) return hand_over();
    const unsigned which = dice_.below(100);
    if (which < 55) return atomic_access();
    if (which < 65) return fence();
    if (which < 72 && is_there_a_load()) return skip_if();
    if (which < 84 && has_locks_) return dice_.chance(45) ? sleep_or_wake() : critical_section();
    if (which < 90 && has_waits_) return wait_or_notify();
    atomic_access();
  }

  [[nodiscard]] bool is_there_a_load() { return !code().empty() && code().back().verb == Verb::load; }
  void skip_if() {
    const std::int8_t read = code().back().into;
    add({.verb = dice_.chance(50) ? Verb::skip_if : Verb::skip_unless,
        .value = 1,
        .expected = small(),
        .from = read});
    atomic_access();
  }

  void critical_section() {
    const auto mutex = static_cast<std::uint8_t>(kMutex + dice_.below(2));
    const bool is_nested = dice_.chance(15);
    const auto other = static_cast<std::uint8_t>(2 * kMutex + 1 - mutex);
    add({.verb = Verb::lock, .object = mutex});
    if (is_nested) add({.verb = Verb::lock, .object = other});
    dice_.chance(40) ? access_plainly() : atomic_access();
    if (is_nested) add({.verb = Verb::unlock, .object = other});
    add({.verb = Verb::unlock, .object = mutex});
  }
  void sleep_or_wake() {
    if (dice_.chance(50))
      return add({.verb = dice_.chance(50) ? Verb::notify_one : Verb::notify_all, .object = kCondition});
    add({.verb = Verb::lock, .object = kMutex});
    add({.verb = Verb::load, .order = memory_order::relaxed, .into = new_register()});
    skip_unless(code().back().into, 0);
    add({.verb = Verb::wait, .object = kCondition, .mutex = kMutex});
    add({.verb = Verb::unlock, .object = kMutex});
  }
  void wait_or_notify() {
    const std::uint8_t location = some_location();
    // What a wait has read, std::atomic does not tell.
    if (dice_.chance(50))
      return add({.verb = Verb::await_change, .object = location, .order = one_of(kOfLoads)});
    if (dice_.chance(75) && !(has_plain_ && location == kOwned && code_ != 0)) store(location);
    add({.verb = dice_.chance(50) ? Verb::wake_one : Verb::wake_all, .object = location});
  }

  static constexpr std::uint8_t kOwned = 0;  ///< with plain data: only the first thread writes to this atomic
  static constexpr std::uint8_t kReady = 4;
  static constexpr std::uint8_t kPlain = 5;
  void access_plainly() {
    if (dice_.chance(50)) {
      add({.verb = Verb::write_var, .object = kPlain, .value = some_value()});
    } else {
      add({.verb = Verb::read_var, .object = kPlain, .into = new_register()});
    }
  }
  /// Plain data through an atomic that says when it is there.
  void hand_over() {
    if (dice_.chance(25)) return access_plainly();
    if (dice_.chance(50)) return read_own_atomic();
    if (code_ == 0) {
      add({.verb = Verb::write_var, .object = kPlain, .value = some_value()});
      add({.verb = Verb::store, .object = kReady, .value = 1, .order = memory_order::release});
      return;
    }
    add({.verb = Verb::load, .object = kReady, .order = memory_order::acquire, .into = new_register()});
    skip_unless(code().back().into, 1);
    add({.verb = Verb::read_var, .object = kPlain, .into = new_register()});
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
    add({.verb = Verb::read_var, .object = kOwned, .into = new_register()});
    store(kOther);
  }

  /// The first thread starts some of the others, and joins some of these.
  void let_threads_start_others() {
    Code& first = threads_[0];
    for (unsigned thread = 1; thread < threads_.size(); ++thread) {
      if (dice_.chance(40)) continue;
      insert(first, 0, {.verb = Verb::start, .object = static_cast<std::uint8_t>(thread)});
      if (dice_.chance(50)) continue;
      const auto started = std::find_if(first.begin(), first.end(), [&](const Instruction& instruction) {
        return instruction.verb == Verb::start && instruction.object == thread;
      });
      const auto behind = static_cast<std::size_t>(started - first.begin()) + 1;
      insert(first, behind, {.verb = Verb::join, .object = static_cast<std::uint8_t>(thread)});
    }
  }
  /// Puts the instruction somewhere from `from` on where no skip skips it.
  void insert(Code& into, std::size_t from, const Instruction& instruction) {
    std::size_t place = from + dice_.below(static_cast<unsigned>(into.size() - from + 1));
    while (place > 0 && place < into.size() && is_skip(into[place - 1].verb)) ++place;
    into.insert(into.begin() + static_cast<std::ptrdiff_t>(place), instruction);
  }

  Dice dice_;
  std::vector<Code> threads_;
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

}  // namespace

Program mixed_program(std::uint64_t seed) {
  return WeakAuthor(seed).mixed();
}

Program seq_cst_program(std::uint64_t seed) {
  return WeakAuthor(seed).seq_cst();
}

Program lived_program(std::uint64_t seed) {
  return WeakAuthor(seed).lives();
}

}  // namespace hocket::oracle
