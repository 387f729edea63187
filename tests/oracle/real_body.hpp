// Runs a program for real: with hocket:: objects as a test body, or with the objects of the standard library
// on OS threads. Notes the result of each instruction.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <ratio>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <hocket/hocket.hpp>

#include "tests/oracle/programs/program.hpp"
#include "tests/oracle/sealed_instructions.hpp"

namespace hocket::oracle {

/// One instruction that a thread completed.
struct Observation {
  unsigned thread = 0;
  Instruction instruction;
  int result = 0;

  friend bool operator==(const Observation&, const Observation&) = default;
};

/// All observations in the order in which they were made.
class Observations {
 public:
  void clear() { all_.clear(); }
  void add(const Observation& observation) { all_.push_back(observation); }
  [[nodiscard]] const std::vector<Observation>& all() const { return all_; }

 private:
  std::vector<Observation> all_;
};

/// The observations of each thread separately, because the threads run at the same time.
class ObservationsByThread {
 public:
  void clear() { by_thread_ = {}; }
  void add(const Observation& observation) { by_thread_[observation.thread].push_back(observation); }
  [[nodiscard]] const std::vector<Observation>& of(unsigned thread) const { return by_thread_[thread]; }

 private:
  std::array<std::vector<Observation>, kMostThreads> by_thread_;
};

/// The types and functions that a program uses when it runs under Hocket.
struct HocketLibrary {
  using Atomic = atomic<int>;
  using Mutex = timed_mutex;
  using SharedMutex = shared_timed_mutex;
  using Condition = condition_variable_any;
  using Semaphore = counting_semaphore<>;
  using Var = var<int>;
  using Thread = hocket::thread;
  using Guard = no_preemption;
  using CvStatus = cv_status;
  using Notes = Observations;

  static auto ref(Var& variable) { return atomic_ref(variable); }
  static void await(const auto& predicate) { hocket::await(predicate); }
  static void fence(std::memory_order order) { hocket::atomic_thread_fence(order); }
  static void yield() { hocket::yield(); }
  using Time = std::chrono::milliseconds;
  static void sleep_for(Time time) { hocket::this_thread::sleep_for(time); }
  static void look_at_clock() { static_cast<void>(hocket::steady_clock::now()); }
  static int choose(int count) { return static_cast<int>(hocket::choose(static_cast<unsigned>(count))); }
  static void assume(bool condition) { hocket::assume(condition); }
  static void check(bool condition) { hocket::check(condition, "a check of the program"); }
  /// Called before each instruction.
  static void begin(const Instruction& instruction) { SealedInstructions::begin(instruction); }
  /// Whether the execution is being cut short while the thread is in a destructor, which it could not leave.
  static bool is_ending() { return runtime::run.ending; }
};

/// The same for the standard library. It is for programs without guards and plain data in which no assumption
/// and no check can fail.
struct StandardLibrary {
  using Atomic = std::atomic<int>;
  using Mutex = std::timed_mutex;
  using SharedMutex = std::shared_timed_mutex;
  using Condition = std::condition_variable_any;
  using Semaphore = std::counting_semaphore<>;
  struct Var {
    int value;
    Var(int initial) : value(initial) {}    // NOLINT(google-explicit-constructor)
    operator int() const { return value; }  // NOLINT(google-explicit-constructor): as of hocket::var
  };
  using Thread = std::thread;
  struct Guard {};
  using CvStatus = std::cv_status;
  using Notes = ObservationsByThread;

  static auto ref(Var& variable) { return std::atomic_ref(variable.value); }
  static void await(const auto& predicate) {
    while (!predicate()) std::this_thread::yield();
  }
  static void fence(std::memory_order order) { std::atomic_thread_fence(order); }
  static void yield() { std::this_thread::yield(); }
  using Time = std::chrono::duration<int, std::ratio<1, 5'000>>;  ///< short, so that it passes soon
  static void sleep_for(Time time) { std::this_thread::sleep_for(time); }
  static void look_at_clock() { static_cast<void>(std::chrono::steady_clock::now()); }
  static int choose(int count) { return static_cast<int>(random_below(static_cast<unsigned>(count))); }
  static void assume(bool condition) { check(condition); }
  static void check(bool condition) {
    if (!condition) throw std::logic_error("the program was not to be run with these");
  }
  /// Lets threads overtake each other that otherwise would not, because most threads end before the next one
  /// runs.
  static void begin(const Instruction& /*instruction*/) {
    constexpr std::chrono::microseconds kLong{50};
    switch (random_below(8)) {
      case 0:
        return std::this_thread::sleep_for(kLong);
      case 1:
      case 2:
        return std::this_thread::yield();
      default:
        return;
    }
  }
  static bool is_ending() { return false; }

 private:
  static unsigned random_below(unsigned count) {
    thread_local std::minstd_rand random{std::random_device()()};
    return static_cast<unsigned>(random() % count);
  }
};

/// An atomic in storage that outlives it.
template <class Atomic>
class Lived {
 public:
  /// No atomic has been there yet.
  void forget() { has_been_made_ = is_alive_ = false; }
  [[nodiscard]] bool has_been_made() const { return has_been_made_; }
  Atomic& get() { return *std::launder(reinterpret_cast<Atomic*>(bytes_)); }

  void begin_or_end(int value) {
    if (is_alive_) {
      is_alive_ = false;
      left_ = value;
      get().~Atomic();
    } else {
      new (bytes_) Atomic(value);
      has_been_made_ = is_alive_ = true;
    }
  }
  /// Ends it, too.
  int value_at_end() {
    if (is_alive_) begin_or_end(get().load());
    return has_been_made_ ? left_ : 0;
  }

 private:
  alignas(Atomic) std::byte bytes_[sizeof(Atomic)];
  bool has_been_made_ = false;
  bool is_alive_ = false;
  int left_ = 0;  ///< the value with which it was destroyed
};

/// Copies of a body refer to one program and to the same notes, so a body can be passed as a std::function.
template <class Library>
class BodyOf {
 public:
  explicit BodyOf(const Program& program);
  BodyOf(const BodyOf&) = delete;
  BodyOf& operator=(const BodyOf&) = delete;

  /// Runs one execution. Under Hocket this is the body, on the fiber of the first logical thread.
  void run();

  /// What the last execution has left, as outcome_text() writes it. The main thread calls it behind run().
  /// All objects must have been made outside.
  [[nodiscard]] std::string outcome();

  /// Whether a thread has come to an operation on an atomic that was never constructed. Such a program shows
  /// nothing.
  [[nodiscard]] bool has_used_nothing() const { return has_used_nothing_; }

  /// The instructions that were completed in the last execution.
  [[nodiscard]] const typename Library::Notes& notes() const { return notes_; }

 private:
  using Atomic = typename Library::Atomic;
  using Mutex = typename Library::Mutex;
  using SharedMutex = typename Library::SharedMutex;
  using Condition = typename Library::Condition;
  using Semaphore = typename Library::Semaphore;
  using Var = typename Library::Var;
  using LivedAtomic = Lived<Atomic>;
  using Box = std::variant<Atomic, Mutex, SharedMutex, Condition, Semaphore, Var, LivedAtomic>;
  /// What a thread owns. It is on the thread's stack, so that ending an execution early destroys it with the
  /// stack.
  struct Belongings;

  [[nodiscard]] static std::unique_ptr<Box> make(const Object& object);
  void run_thread(unsigned number, Frame frame);
  int perform(const Instruction& instruction, const Frame& frame);
  int perform_on_memory(const Instruction& instruction, int value);
  template <class AnyAtomic>
  static int perform_on(AnyAtomic&& atomic, const Instruction& instruction, int value);
  template <class AnyMutex>
  static int perform_on_mutex(AnyMutex& mutex, Verb verb, typename Library::Time time);
  template <class Wait>
  int with_lock(const Instruction& instruction, const Frame& frame, Wait wait);
  [[nodiscard]] bool is_shared_mutex(unsigned object) const {
    return object < program_.objects.size() && program_.objects[object].kind == Kind::shared_mutex;
  }
  template <class Face>
  Face& get(unsigned object) {
    return std::get<Face>(*boxes_[object]);
  }

  const Program& program_;
  std::vector<std::unique_ptr<Box>> outside_;
  std::vector<Box*> boxes_;  ///< every object that exists now
  typename Library::Notes notes_;
  std::array<Frame, kMostThreads> frames_;  ///< at the ends of the threads
  bool has_used_nothing_ = false;
};

using RealBody = BodyOf<HocketLibrary>;
using NativeBody = BodyOf<StandardLibrary>;

}  // namespace hocket::oracle
