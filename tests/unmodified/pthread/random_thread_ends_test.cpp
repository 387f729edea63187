// Code at the ends of threads: random programs with thread_local objects, keys and promises that are kept at
// thread exit have the outcomes of a brute force that knows the order of what happens then: thread_local
// objects are destroyed in the reverse order of their construction ([basic.start.term]), after that promises
// are kept ([futures.promise]) and destructors of keys called, which may set a value again
// (pthread_key_create(3p)), and then the thread can be joined.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <future>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>

#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/libc/random_programs.hpp"

namespace unmodified::thread_ends {

namespace {

using random_calls::Answer;

constexpr std::size_t kCounters = 2;
constexpr std::size_t kObjects = 3;  ///< thread_local
constexpr std::size_t kThreads = 3;

struct Call {
  enum class Kind : unsigned char { add, load, construct, set_key, promise, await };
  Kind kind;
  unsigned char which = 0;   ///< counter; of await: thread
  unsigned char object = 0;  ///< that is constructed
  bool adds = false;         ///< construct, set_key: at the end; else it loads
  unsigned char again = 0;   ///< set_key: so often its destructor sets it again
};
using Kind = Call::Kind;
using Program = random_calls::Threads<Call>;

/// What a thread does, in its order, as calls of the kinds add, load, promise (it is kept) and await.
std::vector<Call> in_order(const std::vector<Call>& calls) {
  std::vector<Call> all;
  std::vector<Call> at_end;
  const Call* key = nullptr;
  const Call* promise = nullptr;
  std::array<bool, kObjects> is_constructed{};
  const auto effect = [](const Call& call) { return Call{call.adds ? Kind::add : Kind::load, call.which}; };
  for (const Call& call : calls) {
    if (call.kind == Kind::set_key) {
      key = &call;
    } else if (call.kind == Kind::promise) {
      promise = &call;
    } else if (call.kind != Kind::construct) {
      all.push_back(call);
    } else if (!std::exchange(is_constructed.at(call.object), true)) {
      at_end.insert(at_end.begin(), effect(call));
    }
  }
  all.insert(all.end(), at_end.begin(), at_end.end());
  if (promise != nullptr) all.push_back(*promise);
  for (unsigned n = 0; key != nullptr && n <= key->again; ++n) all.push_back(effect(*key));
  return all;
}

struct Shared {
  std::array<unsigned, kCounters> counters{};
  std::array<bool, kThreads> is_kept{};
  auto operator<=>(const Shared&) const = default;
};

Answer answer_of(const Program& program) {
  Program sequences;
  for (const std::vector<Call>& calls : program) sequences.push_back(in_order(calls));
  const auto make = [](const Call& call, std::size_t thread, Shared& shared, std::vector<unsigned>& found) {
    switch (call.kind) {
      case Kind::add:
        found.push_back(shared.counters.at(call.which)++ & 7U);
        return true;
      case Kind::load:
        found.push_back(shared.counters.at(call.which) & 7U);
        return true;
      case Kind::promise:
        shared.is_kept.at(thread) = true;
        return true;
      default:
        return static_cast<bool>(shared.is_kept.at(call.which));
    }
  };
  return random_calls::answer_of(sequences, Shared{}, make);
}

// -- The same with threads

/// What there is to do at the end of a thread.
struct AtEnd {
  std::atomic<unsigned>* counter = nullptr;
  std::vector<unsigned>* found = nullptr;
  bool adds = false;
  unsigned again = 0;

  void operator()() const {
    if (counter != nullptr) found->push_back((adds ? counter->fetch_add(1) : counter->load()) & 7U);
  }
};

struct Object {
  AtEnd at_end;
  ~Object() { at_end(); }
};

template <std::size_t number>
Object& object() {
  thread_local Object its;
  return its;
}

pthread_key_t key;

void end_value(void* value) {
  auto& at_end = *static_cast<AtEnd*>(value);
  at_end();
  if (at_end.again != 0) {
    --at_end.again;
    pthread_setspecific(key, value);
  }
}

class World {
 public:
  World() {
    check(pthread_key_create(&key, end_value) == 0);
    for (std::size_t t = 0; t < kThreads; ++t) futures_.at(t) = promises_.at(t).get_future().share();
  }
  ~World() { pthread_key_delete(key); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void make(const Call& call, std::size_t thread, std::vector<unsigned>& found) {
    const AtEnd effect{&counters_.at(call.which % kCounters), &found, call.adds, call.again};
    switch (call.kind) {
      case Kind::add:
        found.push_back(effect.counter->fetch_add(1) & 7U);
        break;
      case Kind::load:
        found.push_back(effect.counter->load() & 7U);
        break;
      case Kind::construct: {
        Object& its = call.object == 0 ? object<0>() : call.object == 1 ? object<1>() : object<2>();
        if (its.at_end.counter == nullptr) its.at_end = effect;
        break;
      }
      case Kind::set_key:
        values_.at(thread) = effect;
        check(pthread_setspecific(key, &values_.at(thread)) == 0);
        break;
      case Kind::promise:
        promises_.at(thread).set_value_at_thread_exit();
        break;
      case Kind::await:
        futures_.at(call.which).wait();
        break;
    }
  }

 private:
  std::array<std::atomic<unsigned>, kCounters> counters_{};
  std::array<std::promise<void>, kThreads> promises_;
  std::array<std::shared_future<void>, kThreads> futures_;
  std::array<AtEnd, kThreads> values_;
};

std::string text_of(const Program& program) {
  static constexpr std::array kNames{"add", "load", "construct", "set_key", "promise", "await"};
  return random_calls::text_of(program, [](const Call& call) {
    std::string text = kNames.at(static_cast<std::size_t>(call.kind));
    text += "(" + std::to_string(call.which);
    if (call.kind == Kind::construct) text += ", object " + std::to_string(call.object);
    if (call.kind == Kind::construct || call.kind == Kind::set_key) text += call.adds ? ", adds" : ", loads";
    return text + (call.again != 0 ? ", " + std::to_string(call.again) + " times more)" : ")");
  });
}

Program random_program(std::mt19937& random) {
  const auto below = [&](std::size_t end) { return static_cast<unsigned char>(random() % end); };
  Program program(2 + below(2));
  for (std::vector<Call>& calls : program) {
    // The order of keys and promises is nowhere said.
    const Kind late = below(2) == 0 ? Kind::set_key : Kind::promise;
    bool is_promised = false;
    for (unsigned left = 1U + below(program.size() == 2 ? 3 : 2); left != 0; --left) {
      static constexpr std::array kKinds{
          Kind::add, Kind::load, Kind::construct, Kind::construct, Kind::set_key, Kind::await};
      Call call{kKinds.at(below(kKinds.size())), below(kCounters), below(kObjects), below(2) == 0};
      if (call.kind == Kind::set_key) call.kind = late;
      if (call.kind == Kind::promise && std::exchange(is_promised, true)) call.kind = Kind::add;
      if (call.kind == Kind::await) call.which = below(program.size());
      if (call.kind == Kind::set_key && below(3) == 0) call.again = 1 + below(2);
      calls.push_back(call);
    }
  }
  return program;
}

}  // namespace

random_calls::Compared compare_random_program(std::mt19937& random) {
  // The library makes a key for good when it is first asked to keep a promise at the end of a thread.
  std::thread([] { std::promise<void>().set_value_at_thread_exit(); }).join();
  const Program program = random_program(random);
  return random_calls::compare(program, answer_of(program), text_of(program), [] { return World(); });
}

TEST(RandomProgramsWithCodeAtTheEndsOfThreads, HaveAllOutcomesUnderEveryStrategy) {
  random_calls::compare_random_programs(20261202, false, compare_random_program);
}

}  // namespace unmodified::thread_ends
