#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "tests/oracle/programs/dice.hpp"
#include "tests/oracle/programs/generator.hpp"

namespace hocket::oracle {

namespace {

/// Writes one program. Reductions treat some things specially: values that are chosen, perhaps before the
/// first step of a thread or before a guard begins; threads that are started or joined by other threads than
/// the main thread; permits and notifications that come from such threads; waits that can expire; yields and
/// guards. Nearly every phrase here has one of them. The code of each thread is short, so that several of
/// them meet in few states.
class DenseAuthor {
 public:
  explicit DenseAuthor(const rc::Random& random) : dice_(random) {}

  Program write() {
    const unsigned threads = dice_.one_of({2U, 3U, 3U, 3U, 4U, 4U, 4U, 5U});
    program_.threads.resize(threads + 1);
    choose_objects();
    if (threads >= 4 && dice_.chance(40)) {
      write_family();
    } else {
      write_any_threads();
    }
    program_.spurious_wakeups = condition_ != kNone && dice_.chance(15);
    program_.spurious_failures = dice_.chance(25);
    return std::move(program_);
  }

 private:
  static constexpr std::uint8_t kNone = 0xff;

  // -- what there is

  std::uint8_t add(Kind kind, int initial) {
    program_.objects.push_back({kind, static_cast<std::int8_t>(initial), kOutside});
    return static_cast<std::uint8_t>(program_.objects.size() - 1);
  }

  void choose_objects() {
    shared_ = add(Kind::atomic, 0);
    if (dice_.chance(30)) other_ = add(Kind::atomic, 0);
    if (dice_.chance(60)) permits_ = add(Kind::semaphore, 0);
    if (permits_ == kNone || dice_.chance(25)) mutex_ = add(Kind::mutex, 0);
    if (mutex_ != kNone && dice_.chance(60)) condition_ = add(Kind::condition, 0);
  }

  // -- what threads do

  static void append(Code& code, const Code& more) { code.insert(code.end(), more.begin(), more.end()); }

  void write_any_threads() {
    const auto threads = static_cast<unsigned>(program_.threads.size()) - 1;
    for (unsigned t = 2; t <= threads; ++t) {
      if (dice_.chance(50)) program_.threads[t].parent = static_cast<std::uint8_t>(1 + dice_.below(t - 1));
    }
    const unsigned most = threads == 2 ? 3 : threads == 3 ? 2 : 1;
    for (unsigned t = 1; t <= threads; ++t) write_thread(program_.threads[t].code, most);
    write_starts();
    if (dice_.chance(30)) write_end_of_main();
  }

  /// A thread starts a child, waits for something, perhaps starts another child, and joins the first one. Has
  /// that one ended before, the thread goes on at once; otherwise it goes on in the last step of the child.
  void write_family() {
    Code& parent = program_.threads[1].code;
    parent.push_back({Verb::start, 2});
    append(parent, dice_.chance(70) ? waiting() : deed());
    program_.threads[2].parent = 1;
    program_.threads[2].code = dice_.chance(60) ? waking() : deed();
    if (dice_.chance(60)) append(program_.threads[2].code, deed());
    if (dice_.chance(60)) {
      parent.push_back({Verb::start, 3});
      program_.threads[3].parent = 1;
    }
    program_.threads[3].code = deed();
    parent.push_back({Verb::join, 2});
    if (dice_.chance(20)) append(parent, choice());
    if (dice_.chance(35)) parent.push_back({Verb::forbid_preemption});
    append(parent, deed());
    for (unsigned t = 4; t < program_.threads.size(); ++t)
      program_.threads[t].code = dice_.chance(60) ? waking() : deed();
    for (unsigned t = static_cast<unsigned>(program_.threads.size()) - 1; t != 0; --t) {
      if (program_.threads[t].parent == 0)
        program_.threads[0].code.push_back({Verb::start, static_cast<std::uint8_t>(t)});
    }
    if (dice_.chance(50)) std::reverse(program_.threads[0].code.begin(), program_.threads[0].code.end());
  }

  void write_thread(Code& code, unsigned most) {
    if (dice_.chance(25)) append(code, choice());
    for (unsigned n = 1 + dice_.below(most); n != 0; --n) append(code, phrase());
    if (dice_.chance(6)) {
      code.push_back({dice_.one_of({Verb::check, Verb::assume}), 0, 0, small()});
    }
  }

  /// The main thread starts its threads in any order. Another thread starts its own ones first, or later.
  void write_starts() {
    std::vector<std::uint8_t> order;
    for (unsigned t = 1; t < program_.threads.size(); ++t) order.push_back(static_cast<std::uint8_t>(t));
    for (std::size_t n = order.size(); n > 1; --n)
      std::swap(order[n - 1], order[dice_.below(static_cast<unsigned>(n))]);
    for (const std::uint8_t t : order) {
      const unsigned parent = program_.threads[t].parent;
      Code& code = program_.threads[parent].code;
      if (parent == 0) {
        if (dice_.chance(8)) append(code, phrase());
        code.push_back({Verb::start, t});
        continue;
      }
      const bool is_first = dice_.chance(50);
      const std::size_t at = is_first ? 0 : dice_.below(static_cast<unsigned>(code.size()) + 1);
      const auto place = code.begin() + static_cast<std::ptrdiff_t>(at);
      code.insert(place, {Verb::start, t});
      if (dice_.chance(35)) write_join(code, at + 1, t);
    }
  }

  /// The thread is joined somewhere after `from`, and then something is done.
  void write_join(Code& code, std::size_t from, std::uint8_t thread) {
    const std::size_t at = from + dice_.below(static_cast<unsigned>(code.size() - from) + 1);
    Code join{{Verb::join, thread}};
    if (dice_.chance(20)) append(join, choice());
    if (dice_.chance(25)) join.push_back({Verb::forbid_preemption});
    if (at == code.size() || dice_.chance(40)) append(join, deed());
    code.insert(code.begin() + static_cast<std::ptrdiff_t>(at), join.begin(), join.end());
  }

  void write_end_of_main() {
    Code& code = program_.threads[0].code;
    if (dice_.chance(50)) {
      const unsigned threads = static_cast<unsigned>(program_.threads.size()) - 1;
      code.push_back({Verb::join, static_cast<std::uint8_t>(1 + dice_.below(threads))});
      if (dice_.chance(30)) append(code, choice());
    }
    append(code, phrase());
  }

  Code phrase() {
    switch (dice_.below(16)) {
      case 0:
        return choice();
      case 1:
      case 2:
        return guarded();
      case 3:
        return {{Verb::yield}, {Verb::yield}};
      case 4: {
        Code code = deed();
        code.push_back({Verb::yield});
        if (dice_.chance(60)) code.push_back({Verb::yield});
        return code;
      }
      case 5:
        return {{dice_.one_of({Verb::sleep, Verb::read_clock}), 0, small()}};
      case 6:
      case 7:
      case 8:
      case 9:
        return waiting();
      case 10:
      case 11:
      case 12:
        return waking();
      default:
        return deed();
    }
  }

  /// A value is chosen, and may decide what follows.
  Code choice() {
    Code code{{Verb::choose, 0, 2}};
    if (dice_.chance(40)) {
      code.push_back({Verb::skip_if, 0, 1, small()});
      append(code, deed());
    }
    return code;
  }

  /// The guard begins at once, after a step, or after a choice in a step.
  Code guarded() {
    Code code;
    if (dice_.chance(50)) append(code, deed());
    if (dice_.chance(25)) code.push_back({Verb::choose, 0, 2});
    code.push_back({Verb::forbid_preemption});
    append(code, dice_.chance(70) ? deed() : waiting());
    if (dice_.chance(30)) append(code, waking());
    if (dice_.chance(80)) code.push_back({Verb::allow_preemption});
    return code;
  }

  Code waiting() {
    const unsigned what = dice_.below(3);
    if (what == 0 || (permits_ == kNone && mutex_ == kNone))
      return {{dice_.one_of({Verb::await_values, Verb::await_either}), shared_, 1, small(), any_atomic()}};
    if (permits_ != kNone && (mutex_ == kNone || what == 1)) {
      return {{dice_.one_of(
                   {Verb::acquire, Verb::acquire, Verb::acquire, Verb::try_acquire, Verb::try_acquire_for}),
          permits_, small()}};
    }
    if (condition_ != kNone && dice_.chance(70)) {
      const Verb wait = dice_.one_of({Verb::wait, Verb::wait_for, Verb::wait_for});
      Code code{{Verb::lock, mutex_}, {wait, condition_, small(), 0, mutex_}};
      if (dice_.chance(30)) append(code, deed());
      code.push_back({Verb::unlock, mutex_});
      return code;
    }
    Code code{{dice_.one_of({Verb::lock, Verb::lock, Verb::try_lock, Verb::try_lock_for}), mutex_, small()}};
    if (dice_.chance(60)) append(code, deed());
    if (dice_.chance(80)) code.push_back({Verb::unlock, mutex_});
    return code;
  }

  Code waking() {
    if (condition_ != kNone && (permits_ == kNone || dice_.chance(60)))
      return {{dice_.one_of({Verb::notify_one, Verb::notify_one, Verb::notify_all}), condition_}};
    if (permits_ != kNone)
      return {{Verb::release, permits_, static_cast<std::int8_t>(dice_.chance(80) ? 1 : 2)}};
    return {{Verb::store, any_atomic(), 1}};
  }

  /// One step.
  Code deed() {
    const std::uint8_t o = any_atomic();
    switch (dice_.below(8)) {
      case 0:
      case 1:
        return {{Verb::load, o}};
      case 2:
        return {{Verb::add, o, 1}};
      case 3:
        return {{Verb::compare_exchange, o, small(), small()}};
      case 4:
        return {{Verb::compare_exchange_weak, o, small(), small()}};
      default:
        return {{Verb::store, o, small()}};
    }
  }

  std::uint8_t any_atomic() { return other_ != kNone && dice_.chance(50) ? other_ : shared_; }
  std::int8_t small() { return static_cast<std::int8_t>(dice_.below(2)); }

  Dice dice_;
  Program program_;
  std::uint8_t shared_ = kNone;
  std::uint8_t other_ = kNone;
  std::uint8_t permits_ = kNone;
  std::uint8_t mutex_ = kNone;
  std::uint8_t condition_ = kNone;
};

}  // namespace

Program dense_program(std::uint64_t seed) {
  return DenseAuthor(rc::Random(seed)).write();
}

}  // namespace hocket::oracle
