// Random programs with plain data: they contain code that prevents data races and code that only seems to.
#include <initializer_list>
#include <utility>

#include "tests/oracle/programs/dice.hpp"
#include "tests/oracle/programs/generator.hpp"

namespace hocket::oracle {

namespace {

using std::memory_order;

class RaceAuthor {
 public:
  explicit RaceAuthor(const rc::Random& random) : dice_(random) {}

  Program write() {
    const std::uint8_t maker = dice_.chance(50) ? 0 : kOutside;
    choose_objects(maker);
    const unsigned threads = dice_.one_of({2U, 2U, 3U});
    program_.threads.resize(threads + 1);
    Code& main = program_.threads[0].code;
    if (maker == 0) {
      const auto objects = static_cast<std::uint8_t>(program_.objects.size());
      for (std::uint8_t o = 0; o < objects; ++o) main.push_back({Verb::make, o});
    }
    for (std::uint8_t t = 1; t <= threads; ++t) {
      main.push_back({Verb::start, t});
      append(program_.threads[t].code, code_of(threads == 2 ? 1 + dice_.below(3) : 1 + dice_.below(2)));
      if (t > 1 && dice_.chance(15)) {  // started by another thread
        main.pop_back();
        program_.threads[t].parent = 1;
        insert(program_.threads[1].code, {{Verb::start, t}});
      }
    }
    if (dice_.chance(8)) append(main, plain());
    if (dice_.chance(40)) {
      const auto joined = static_cast<std::uint8_t>(1 + dice_.below(threads));
      main.push_back({Verb::join, joined});
      append(main, plain());
    }
    program_.spurious_failures = dice_.chance(10);
    return std::move(program_);
  }

 private:
  void choose_objects(std::uint8_t maker) {
    const auto add = [&](Kind kind) { program_.objects.push_back({kind, 0, maker}); };
    add(Kind::var);
    if (dice_.chance(30)) add(Kind::var);
    vars_ = static_cast<unsigned>(program_.objects.size());
    if (dice_.chance(65)) {
      add(Kind::atomic);
      if (dice_.chance(15)) add(Kind::atomic);
    }
    if (dice_.chance(45)) {
      add(dice_.one_of({Kind::mutex, Kind::shared_mutex, Kind::semaphore}));
      const bool is_mutex = program_.objects.back().kind == Kind::mutex;
      if (is_mutex && dice_.chance(40)) add(dice_.one_of({Kind::mutex, Kind::condition}));
    }
  }

  static void append(Code& code, const Code& more) { code.insert(code.end(), more.begin(), more.end()); }
  void insert(Code& code, const Code& more) {
    const auto at = static_cast<std::ptrdiff_t>(dice_.below(static_cast<unsigned>(code.size()) + 1));
    code.insert(code.begin() + at, more.begin(), more.end());
  }

  Code code_of(unsigned phrases) {
    Code code;
    for (; phrases != 0; --phrases) append(code, phrase());
    return code;
  }

  Code phrase() {
    // Rarely access data without any synchronisation: most programs would race at once.
    const auto count = static_cast<unsigned>(program_.objects.size());
    const unsigned first = count == vars_ || dice_.chance(10) ? 0 : vars_;
    const auto o = static_cast<std::uint8_t>(first + dice_.below(count - first));
    switch (program_.objects[o].kind) {
      case Kind::var:
        return dice_.chance(50) ? about_an_atomic(o) : plain();
      case Kind::atomic:
        return about_an_atomic(o);
      case Kind::mutex:
        return about_a_mutex(o);
      case Kind::shared_mutex:
        return about_a_shared_mutex(o);
      case Kind::condition:
        return {{dice_.one_of({Verb::notify_one, Verb::notify_all}), o}};
      default:
        return about_a_semaphore(o);
    }
  }

  Code plain() {
    const auto o = static_cast<std::uint8_t>(dice_.below(vars_));
    if (dice_.chance(60)) return {{Verb::read_var, o}};
    if (dice_.chance(15)) return {{Verb::read_var, o}, {Verb::write_var, o, 1}};
    return {{Verb::write_var, o, small()}};
  }

  memory_order of_load() {
    return dice_.one_of({memory_order::relaxed, memory_order::relaxed, memory_order::acquire,
        memory_order::acquire, memory_order::consume, memory_order::seq_cst});
  }
  memory_order of_store() {
    return dice_.one_of({memory_order::relaxed, memory_order::relaxed, memory_order::release,
        memory_order::release, memory_order::seq_cst});
  }
  memory_order of_update() {
    return dice_.one_of({memory_order::relaxed, memory_order::relaxed, memory_order::acquire,
        memory_order::release, memory_order::acq_rel, memory_order::seq_cst});
  }
  Instruction on(Verb verb, std::uint8_t o, int value, int expected, memory_order order) {
    return {
        verb, o, static_cast<std::int8_t>(value), static_cast<std::int8_t>(expected), 0, order, of_load()};
  }
  Code maybe_fence() {
    if (!dice_.chance(30)) return {};
    return {{Verb::fence, 0, 0, 0, 0,
        dice_.one_of({memory_order::acquire, memory_order::release, memory_order::acq_rel,
            memory_order::seq_cst, memory_order::relaxed})}};
  }

  Code about_an_atomic(std::uint8_t o) {
    Code code;
    switch (dice_.below(8)) {
      case 0:
      case 1:  // announces that there is data
        if (dice_.chance(60)) append(code, plain());
        append(code, maybe_fence());
        code.push_back(on(Verb::store, o, 1, 0, of_store()));
        return code;
      case 2:
      case 3: {  // checks whether there is data
        code.push_back(on(Verb::load, o, 0, 0, of_load()));
        Code then = maybe_fence();
        append(then, plain());
        if (dice_.chance(90)) code.push_back({Verb::skip_if, 0, static_cast<std::int8_t>(then.size()), 0});
        append(code, then);
        return code;
      }
      case 4:
        if (dice_.chance(30)) append(code, plain());
        append(code, maybe_fence());
        code.push_back(on(dice_.one_of({Verb::add, Verb::exchange}), o, 1, 0, of_update()));
        append(code, maybe_fence());
        return code;
      case 5:
        code.push_back(on(dice_.one_of({Verb::compare_exchange, Verb::compare_exchange_weak}), o, 1 + small(),
            small(), of_update()));
        if (dice_.chance(40)) append(code, {{Verb::skip_if, 0, 1, 0}});
        if (dice_.chance(50)) append(code, plain());
        return code;
      case 6:
        code.push_back(on(Verb::await_change, o, 0, 0, of_load()));
        append(code, maybe_fence());
        append(code, plain());
        return code;
      default:
        if (dice_.chance(40)) append(code, plain());
        append(code, maybe_fence());
        code.push_back(on(Verb::store, o, 1, 0, of_store()));
        code.push_back({dice_.one_of({Verb::wake_one, Verb::wake_all}), o});
        return code;
    }
  }

  Code about_a_mutex(std::uint8_t m) {
    const Verb verb = dice_.one_of({Verb::lock, Verb::lock, Verb::lock, Verb::try_lock, Verb::try_lock_for});
    Code code{{verb, m, 1}};
    Code inside = plain();
    const auto objects = static_cast<std::uint8_t>(program_.objects.size());
    for (std::uint8_t o = 0; o < objects; ++o) {
      if (program_.objects[o].kind != Kind::condition || !dice_.chance(40)) continue;
      append(inside, {{dice_.one_of({Verb::wait, Verb::wait_for}), o, 1, 0, m}});
      append(inside, plain());
    }
    if (verb != Verb::lock) code.push_back({Verb::skip_if, 0, static_cast<std::int8_t>(inside.size()), 0});
    append(code, inside);
    if (dice_.chance(80)) code.push_back({Verb::unlock, m});
    return code;
  }

  Code about_a_shared_mutex(std::uint8_t m) {
    if (dice_.chance(45)) return about_a_mutex(m);
    Code code{{dice_.one_of({Verb::lock_shared, Verb::lock_shared, Verb::try_lock_shared}), m}};
    if (dice_.chance(80)) append(code, plain());
    code.push_back({Verb::unlock_shared, m});
    if (dice_.chance(10)) append(code, plain());
    return code;
  }

  Code about_a_semaphore(std::uint8_t o) {
    Code code;
    if (dice_.chance(50)) {
      append(code, plain());
      code.push_back({Verb::release, o, 1});
      return code;
    }
    const Verb verb = dice_.one_of({Verb::acquire, Verb::try_acquire, Verb::try_acquire_for});
    code.push_back({verb, o, 1});
    if (verb != Verb::acquire && dice_.chance(70)) code.push_back({Verb::skip_if, 0, 1, 0});
    append(code, {{dice_.one_of({Verb::read_var, Verb::write_var}), 0}});
    return code;
  }

  std::int8_t small() { return static_cast<std::int8_t>(dice_.below(2)); }

  Dice dice_;
  Program program_;
  unsigned vars_ = 0;
};

}  // namespace

Program program_with_plain_data(std::uint64_t seed) {
  return RaceAuthor(rc::Random(seed)).write();
}

}  // namespace hocket::oracle
