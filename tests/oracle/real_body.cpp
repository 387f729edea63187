#include "tests/oracle/real_body.hpp"

#include <array>
#include <chrono>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "tests/oracle/memory_model/behaviours.hpp"

namespace hocket::oracle {

template <class Library>
struct BodyOf<Library>::Belongings {
  std::array<std::unique_ptr<Box>, kMostObjects> objects;
  std::array<typename Library::Thread, kMostThreads> threads;
  std::vector<std::unique_ptr<typename Library::Guard>> guards;
};

template <class Library>
BodyOf<Library>::BodyOf(const Program& program) : program_(program), boxes_(program.objects.size()) {
  for (std::size_t o = 0; o < program.objects.size(); ++o) {
    if (program.objects[o].maker != kOutside) continue;
    outside_.push_back(make(program.objects[o]));
    boxes_[o] = outside_.back().get();
  }
}

template <class Library>
std::unique_ptr<typename BodyOf<Library>::Box> BodyOf<Library>::make(const Object& object) {
  switch (object.kind) {
    case Kind::atomic:
      return std::make_unique<Box>(std::in_place_type<Atomic>, object.initial);
    case Kind::mutex:
      return std::make_unique<Box>(std::in_place_type<Mutex>);
    case Kind::shared_mutex:
      return std::make_unique<Box>(std::in_place_type<SharedMutex>);
    case Kind::condition:
      return std::make_unique<Box>(std::in_place_type<Condition>);
    case Kind::var:
      return std::make_unique<Box>(std::in_place_type<Var>, object.initial);
    case Kind::lived:
      return std::make_unique<Box>(std::in_place_type<LivedAtomic>);
    default:
      return std::make_unique<Box>(std::in_place_type<Semaphore>, object.initial);
  }
}

template <class Library>
void BodyOf<Library>::run() {
  notes_.clear();
  for (const std::unique_ptr<Box>& box : outside_) {
    if (auto* const lived = std::get_if<LivedAtomic>(box.get())) lived->forget();
  }
  run_thread(0, first_frame(program_));
}

template <class Library>
std::string BodyOf<Library>::outcome() {
  std::array<std::int8_t, kMostObjects> memory{};
  for (unsigned o = 0; o < program_.objects.size(); ++o) {
    int value = 0;
    if (program_.objects[o].kind == Kind::atomic) value = get<Atomic>(o).load();
    if (program_.objects[o].kind == Kind::var) value = get<Var>(o);
    if (program_.objects[o].kind == Kind::lived) value = get<LivedAtomic>(o).value_at_end();
    memory[o] = static_cast<std::int8_t>(value);
  }
  return memory_model::outcome_text(program_, frames_, memory);
}

template <class Library>
void BodyOf<Library>::run_thread(unsigned number, Frame frame) {
  Belongings mine;
  while (const std::optional<Instruction> instruction = next(program_, number, frame)) {
    const unsigned o = instruction->object;
    int result = 0;
    Library::begin(*instruction);
    switch (instruction->verb) {
      case Verb::make:
        mine.objects[o] = make(program_.objects[o]);
        boxes_[o] = mine.objects[o].get();
        break;
      case Verb::destroy:
        mine.objects[o].reset();
        break;
      case Verb::start:
        mine.threads[o] =
            typename Library::Thread([this, o, child = child_frame(frame)] { run_thread(o, child); });
        break;
      case Verb::join:
        mine.threads[o].join();
        break;
      case Verb::forbid_preemption:
        mine.guards.push_back(std::make_unique<typename Library::Guard>());
        break;
      case Verb::allow_preemption:
        mine.guards.pop_back();
        break;
      case Verb::assume:
        Library::assume(frame.seen == instruction->expected);
        break;
      case Verb::check:
        Library::check(frame.seen == instruction->expected);
        break;
      default:
        result = perform(*instruction, frame);
    }
    if (Library::is_ending()) return;
    complete(frame, *instruction, result);
    notes_.add({number, *instruction, result});
  }
  frames_[number] = frame;
}

/// Calls `wait` with a lock of the same kind as the one by which the thread holds the mutex of a wait.
template <class Library>
template <class Wait>
int BodyOf<Library>::with_lock(const Instruction& instruction, const Frame& frame, Wait wait) {
  const auto wait_with = [&](auto lock) {
    const int result = wait(get<Condition>(instruction.object), lock);
    lock.release();
    return result;
  };
  if (!is_shared_mutex(instruction.mutex)) {
    return wait_with(std::unique_lock(get<Mutex>(instruction.mutex), std::adopt_lock));
  }
  auto& mutex = get<SharedMutex>(instruction.mutex);
  if ((frame.holds_shared >> instruction.mutex & 1U) != 0) {
    return wait_with(std::shared_lock(mutex, std::adopt_lock));
  }
  return wait_with(std::unique_lock(mutex, std::adopt_lock));
}

template <class Library>
template <class AnyAtomic>
int BodyOf<Library>::perform_on(AnyAtomic&& atomic, const Instruction& instruction, int value) {
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
    case Verb::compare_exchange_weak: {
      const bool succeeds = instruction.verb == Verb::compare_exchange
                                ? atomic.compare_exchange_strong(expected, value, order, instruction.failure)
                                : atomic.compare_exchange_weak(expected, value, order, instruction.failure);
      return instruction.into >= 0 ? expected : succeeds ? 1 : 0;
    }
    case Verb::await_change:
      return atomic.wait(expected, order), 0;
    case Verb::wake_one:
      return atomic.notify_one(), 0;
    default:
      return atomic.notify_all(), 0;
  }
}

template <class Library>
int BodyOf<Library>::perform_on_memory(const Instruction& instruction, int value) {
  Box& box = *boxes_[instruction.object];
  if (auto* const lived = std::get_if<LivedAtomic>(&box)) {
    if (instruction.verb == Verb::write_var) return lived->begin_or_end(value), 0;
    if (lived->has_been_made()) return perform_on(lived->get(), instruction, value);
    has_used_nothing_ = true;
    return 0;
  }
  auto* const variable = std::get_if<Var>(&box);
  if (variable == nullptr) return perform_on(std::get<Atomic>(box), instruction, value);
  if (instruction.verb == Verb::read_var) return *variable;
  if (instruction.verb == Verb::write_var) return *variable = {value}, 0;
  return perform_on(Library::ref(*variable), instruction, value);
}

template <class Library>
template <class AnyMutex>
int BodyOf<Library>::perform_on_mutex(AnyMutex& mutex, Verb verb, typename Library::Time time) {
  switch (verb) {
    case Verb::lock:
      return mutex.lock(), 1;
    case Verb::try_lock:
      return mutex.try_lock() ? 1 : 0;
    case Verb::try_lock_for:
      return mutex.try_lock_for(time) ? 1 : 0;
    default:
      return mutex.unlock(), 0;
  }
}

template <class Library>
int BodyOf<Library>::perform(const Instruction& instruction, const Frame& frame) {
  const unsigned o = instruction.object;
  const int value = value_of(frame, instruction);
  const typename Library::Time time(value);
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
    case Verb::read_var:
    case Verb::write_var:
      return perform_on_memory(instruction, value);
    case Verb::await_values:
    case Verb::await_either:
      Library::await([&] {
        const bool is_so = get<Atomic>(o).load() == instruction.expected;
        if (is_so == (instruction.verb == Verb::await_either)) return is_so;
        return get<Atomic>(instruction.mutex).load() == instruction.value;
      });
      return 0;
    case Verb::fence:
      return Library::fence(instruction.order), 0;

    case Verb::lock:
    case Verb::try_lock:
    case Verb::try_lock_for:
    case Verb::unlock:
      return is_shared_mutex(o) ? perform_on_mutex(get<SharedMutex>(o), instruction.verb, time)
                                : perform_on_mutex(get<Mutex>(o), instruction.verb, time);
    case Verb::lock_shared:
      return get<SharedMutex>(o).lock_shared(), 1;
    case Verb::try_lock_shared:
      return get<SharedMutex>(o).try_lock_shared() ? 1 : 0;
    case Verb::try_lock_shared_for:
      return get<SharedMutex>(o).try_lock_shared_for(time) ? 1 : 0;
    case Verb::unlock_shared:
      return get<SharedMutex>(o).unlock_shared(), 0;

    case Verb::wait:
      return with_lock(
          instruction, frame, [](auto& condition, auto& lock) { return condition.wait(lock), 0; });
    case Verb::wait_for:
      return with_lock(instruction, frame, [&](auto& condition, auto& lock) {
        return condition.wait_for(lock, time) == Library::CvStatus::timeout ? 1 : 0;
      });
    case Verb::notify_one:
      return get<Condition>(o).notify_one(), 0;
    case Verb::notify_all:
      return get<Condition>(o).notify_all(), 0;

    case Verb::acquire:
      return get<Semaphore>(o).acquire(), 1;
    case Verb::try_acquire:
      return get<Semaphore>(o).try_acquire() ? 1 : 0;
    case Verb::try_acquire_for:
      return get<Semaphore>(o).try_acquire_for(time) ? 1 : 0;
    case Verb::release:
      return get<Semaphore>(o).release(value), 0;

    case Verb::yield:
      return Library::yield(), 0;
    case Verb::sleep:
      return Library::sleep_for(time), 0;
    case Verb::read_clock:
      return Library::look_at_clock(), 0;
    case Verb::choose:
      return Library::choose(value);
    default:
      return 0;
  }
}

template class BodyOf<HocketLibrary>;
template class BodyOf<StandardLibrary>;

}  // namespace hocket::oracle
