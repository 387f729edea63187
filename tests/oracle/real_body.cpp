#include "tests/oracle/real_body.hpp"

#include <array>
#include <chrono>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

namespace hocket::oracle {

struct RealBody::Belongings {
  std::array<std::unique_ptr<Box>, kMostObjects> objects;
  std::array<hocket::thread, kMostThreads> threads;
  std::vector<std::unique_ptr<no_preemption>> guards;
};

RealBody::RealBody(const Program& program) : program_(program), boxes_(program.objects.size()) {
  for (std::size_t o = 0; o < program.objects.size(); ++o) {
    if (program.objects[o].maker != kOutside) continue;
    outside_.push_back(make(program.objects[o]));
    boxes_[o] = outside_.back().get();
  }
}

std::unique_ptr<RealBody::Box> RealBody::make(const Object& object) {
  switch (object.kind) {
    case Kind::atomic:
      return std::make_unique<Box>(std::in_place_type<atomic<int>>, object.initial);
    case Kind::mutex:
      return std::make_unique<Box>(std::in_place_type<timed_mutex>);
    case Kind::shared_mutex:
      return std::make_unique<Box>(std::in_place_type<shared_timed_mutex>);
    case Kind::condition:
      return std::make_unique<Box>(std::in_place_type<condition_variable_any>);
    case Kind::var:
      return std::make_unique<Box>(std::in_place_type<var<int>>, object.initial);
    default:
      return std::make_unique<Box>(std::in_place_type<counting_semaphore<>>, object.initial);
  }
}

void RealBody::run() {
  observed_.clear();
  run_thread(0, first_frame(program_));
}

void RealBody::run_thread(unsigned number, Frame frame) {
  Belongings mine;
  while (const std::optional<Instruction> instruction = next(program_, number, frame)) {
    const unsigned o = instruction->object;
    int result = 0;
    switch (instruction->verb) {
      case Verb::make:
        mine.objects[o] = make(program_.objects[o]);
        boxes_[o] = mine.objects[o].get();
        break;
      case Verb::destroy:
        mine.objects[o].reset();
        break;
      case Verb::start:
        mine.threads[o] = hocket::thread([this, o, child = child_frame(frame)] { run_thread(o, child); });
        break;
      case Verb::join:
        mine.threads[o].join();
        break;
      case Verb::forbid_preemption:
        mine.guards.push_back(std::make_unique<no_preemption>());
        break;
      case Verb::allow_preemption:
        mine.guards.pop_back();
        break;
      case Verb::assume:
        assume(frame.seen == instruction->expected);
        break;
      case Verb::check:
        check(frame.seen == instruction->expected, "a check of the program");
        break;
      default:
        result = perform(*instruction, frame);
    }
    if (runtime::execution.ending) return;  // cut short, while in a destructor, which could not be left
    complete(frame, *instruction, result);
    observed_.push_back({number, *instruction, result});
  }
}

/// Calls `wait` with a lock of the kind with which the thread holds the mutex of a wait.
template <class Wait>
int RealBody::with_lock(const Instruction& instruction, const Frame& frame, Wait wait) {
  const auto wait_with = [&](auto lock) {
    const int result = wait(get<condition_variable_any>(instruction.object), lock);
    lock.release();
    return result;
  };
  if (!is_shared_mutex(instruction.mutex)) {
    return wait_with(std::unique_lock(get<timed_mutex>(instruction.mutex), std::adopt_lock));
  }
  auto& mutex = get<shared_timed_mutex>(instruction.mutex);
  if ((frame.holds_shared >> instruction.mutex & 1U) != 0) {
    return wait_with(std::shared_lock(mutex, std::adopt_lock));
  }
  return wait_with(std::unique_lock(mutex, std::adopt_lock));
}

template <class Atomic>
int RealBody::perform_on(Atomic&& atomic, const Instruction& instruction) {
  const int value = instruction.value;
  const std::memory_order order = instruction.order;
  int expected = instruction.expected;
  switch (instruction.verb) {
    case Verb::load:
      return atomic.load(order);
    case Verb::store:
      return atomic.store(value, order), 0;
    case Verb::add:
      return atomic.fetch_add(value, order);
    case Verb::exchange:
      return atomic.exchange(value, order);
    case Verb::compare_exchange:
      return atomic.compare_exchange_strong(expected, value, order, instruction.failure) ? 1 : 0;
    case Verb::compare_exchange_weak:
      return atomic.compare_exchange_weak(expected, value, order, instruction.failure) ? 1 : 0;
    case Verb::await_change:
      return atomic.wait(expected, order), 0;
    case Verb::wake_one:
      return atomic.notify_one(), 0;
    default:
      return atomic.notify_all(), 0;
  }
}

int RealBody::perform(const Instruction& instruction, const Frame& frame) {
  const unsigned o = instruction.object;
  const int value = instruction.value;
  const std::chrono::milliseconds time(value);
  const bool is_shared = is_shared_mutex(o);
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
      return program_.objects[o].kind == Kind::var ? perform_on(atomic_ref(get<var<int>>(o)), instruction)
                                                   : perform_on(get<atomic<int>>(o), instruction);
    case Verb::await_values:
      await([&] {
        return get<atomic<int>>(o).load() == instruction.expected &&
               get<atomic<int>>(instruction.mutex).load() == instruction.value;
      });
      return 0;
    case Verb::await_either:
      await([&] {
        return get<atomic<int>>(o).load() == instruction.expected ||
               get<atomic<int>>(instruction.mutex).load() == instruction.value;
      });
      return 0;
    case Verb::read_var:
      return get<var<int>>(o);
    case Verb::write_var:
      return get<var<int>>(o) = value, 0;
    case Verb::fence:
      return hocket::atomic_thread_fence(instruction.order), 0;

    case Verb::lock:
      is_shared ? get<shared_timed_mutex>(o).lock() : get<timed_mutex>(o).lock();
      return 1;
    case Verb::try_lock:
      return (is_shared ? get<shared_timed_mutex>(o).try_lock() : get<timed_mutex>(o).try_lock()) ? 1 : 0;
    case Verb::try_lock_for:
      return (is_shared ? get<shared_timed_mutex>(o).try_lock_for(time)
                        : get<timed_mutex>(o).try_lock_for(time))
                 ? 1
                 : 0;
    case Verb::unlock:
      return is_shared ? get<shared_timed_mutex>(o).unlock() : get<timed_mutex>(o).unlock(), 0;
    case Verb::lock_shared:
      return get<shared_timed_mutex>(o).lock_shared(), 1;
    case Verb::try_lock_shared:
      return get<shared_timed_mutex>(o).try_lock_shared() ? 1 : 0;
    case Verb::try_lock_shared_for:
      return get<shared_timed_mutex>(o).try_lock_shared_for(time) ? 1 : 0;
    case Verb::unlock_shared:
      return get<shared_timed_mutex>(o).unlock_shared(), 0;

    case Verb::wait:
      return with_lock(
          instruction, frame, [](auto& condition, auto& lock) { return condition.wait(lock), 0; });
    case Verb::wait_for:
      return with_lock(instruction, frame, [&](auto& condition, auto& lock) {
        return condition.wait_for(lock, time) == cv_status::timeout ? 1 : 0;
      });
    case Verb::notify_one:
      return get<condition_variable_any>(o).notify_one(), 0;
    case Verb::notify_all:
      return get<condition_variable_any>(o).notify_all(), 0;

    case Verb::acquire:
      return get<counting_semaphore<>>(o).acquire(), 1;
    case Verb::try_acquire:
      return get<counting_semaphore<>>(o).try_acquire() ? 1 : 0;
    case Verb::try_acquire_for:
      return get<counting_semaphore<>>(o).try_acquire_for(time) ? 1 : 0;
    case Verb::release:
      return get<counting_semaphore<>>(o).release(value), 0;

    case Verb::yield:
      return hocket::yield(), 0;
    case Verb::sleep:
      return hocket::this_thread::sleep_for(time), 0;
    case Verb::read_clock:
      return static_cast<void>(hocket::steady_clock::now()), 0;
    case Verb::choose:
      return static_cast<int>(hocket::choose(static_cast<unsigned>(value)));
    default:
      return 0;
  }
}

}  // namespace hocket::oracle
