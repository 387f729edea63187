#include "tests/oracle/weak_body.hpp"

#include <atomic>
#include <mutex>

#include "runtime/execution/step.hpp"

#include "tests/oracle/memory_model/behaviours.hpp"

namespace hocket::memory_model {

namespace {

std::memory_order order_of(Order order) {
  switch (order) {
    case Order::relaxed:
      return std::memory_order_relaxed;
    case Order::acquire:
      return std::memory_order_acquire;
    case Order::release:
      return std::memory_order_release;
    case Order::acq_rel:
      return std::memory_order_acq_rel;
    case Order::seq_cst:
      break;
  }
  return std::memory_order_seq_cst;
}

bool is_plain(Verb verb) {
  return verb == Verb::read_plainly || verb == Verb::write_plainly;
}

}  // namespace

WeakBody::WeakBody(const Program& program) : program_(program) {
  for (const Code& code : program.threads) {
    for (const Instruction& instruction : code) {
      if (!is_plain(instruction.verb)) continue;
      has_lives_ |= instruction.object == kLived;
      locations_[instruction.object].emplace<hocket::var<int>>(0);
    }
  }
}

void WeakBody::Lived::begin_or_end(int value) {
  if (is_alive) {
    is_alive = false;
    left = static_cast<std::int8_t>(value);
    get().~atomic();
  } else {
    new (bytes) hocket::atomic<int>(value);
    has_been_made = is_alive = true;
  }
}

int WeakBody::Lived::value_at_end() {
  if (!is_alive) return left;
  const int value = get().load();
  begin_or_end(value);
  return value;
}

std::string WeakBody::run() {
  registers_ = {};
  lived_ = {};
  {
    Threads threads;
    for (unsigned number = 0; number < program_.threads.size(); ++number) {
      if (is_started(program_, number)) continue;
      threads[number] = hocket::thread([this, number, &threads] { run_thread(number, threads); });
    }
    for (hocket::thread& thread : threads) {
      if (thread.joinable()) thread.join();
    }
  }
  std::array<std::int8_t, kLocations> memory{};
  for (unsigned i = 0; i < kLocations; ++i) {
    const auto* const variable = std::get_if<hocket::var<int>>(&locations_[i]);
    const int value = has_lives_ && i == kLived ? lived_.value_at_end()
                      : variable != nullptr     ? int{*variable}
                                                : std::get<hocket::atomic<int>>(locations_[i]).load();
    memory[i] = static_cast<std::int8_t>(value);
  }
  return outcome_text(program_, registers_, memory);
}

void WeakBody::run_thread(unsigned number, Threads& threads) {
  const Code& code = program_.threads[number];
  for (std::size_t place = 0; place < code.size(); ++place) {
    const Instruction& instruction = code[place];
    if (instruction.verb == Verb::skip_if_equal || instruction.verb == Verb::skip_if_different) {
      const bool is_equal =
          registers_[static_cast<std::size_t>(instruction.into)] == value_of(instruction.value);
      if (is_equal == (instruction.verb == Verb::skip_if_equal)) place += instruction.object;
      continue;
    }
    perform(instruction, threads);
    if (runtime::run.ending) return;
  }
}

int WeakBody::value_of(const Operand& operand) const {
  return operand.number + (operand.from < 0 ? 0 : registers_[static_cast<std::size_t>(operand.from)]);
}

void WeakBody::perform(const Instruction& instruction, Threads& threads) {
  const unsigned object = instruction.object;
  switch (instruction.verb) {
    case Verb::fence:
      return hocket::atomic_thread_fence(order_of(instruction.order));
    case Verb::lock:
      return mutexes_[object].lock();
    case Verb::unlock:
      return mutexes_[object].unlock();
    case Verb::start:
      threads[object] = hocket::thread([this, object, &threads] { run_thread(object, threads); });
      return;
    case Verb::join:
      return threads[object].join();
    case Verb::sleep: {
      std::unique_lock lock(mutexes_[instruction.mutex], std::adopt_lock);
      conditions_[object].wait(lock);
      lock.release();
      return;
    }
    case Verb::wake_one:
      return conditions_[object].notify_one();
    case Verb::wake_all:
      return conditions_[object].notify_all();
    case Verb::write_plainly:
      if (has_lives_ && object == kLived) return lived_.begin_or_end(value_of(instruction.value));
      std::get<hocket::var<int>>(locations_[object]) = value_of(instruction.value);
      return;
    default:
      break;
  }
  int result = 0;
  if (has_lives_ && object == kLived) {
    if (!lived_.has_been_made) {
      has_used_nothing_ = true;
      return;
    }
    result = access(lived_.get(), instruction);
  } else if (instruction.verb == Verb::read_plainly) {
    result = std::get<hocket::var<int>>(locations_[object]);
  } else if (std::holds_alternative<hocket::var<int>>(locations_[object])) {
    result = access(hocket::atomic_ref(std::get<hocket::var<int>>(locations_[object])), instruction);
  } else {
    result = access(std::get<hocket::atomic<int>>(locations_[object]), instruction);
  }
  if (instruction.into >= 0 && !runtime::run.ending) {
    registers_[static_cast<std::size_t>(instruction.into)] = static_cast<std::int8_t>(result);
  }
}

template <class Atomic>
int WeakBody::access(Atomic&& atomic, const Instruction& instruction) {
  const int value = value_of(instruction.value);
  const std::memory_order order = order_of(instruction.order);
  int expected = value_of(instruction.expected);
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
      atomic.compare_exchange_strong(expected, value, order, order_of(instruction.failure));
      return expected;
    case Verb::compare_exchange_weak:
      atomic.compare_exchange_weak(expected, value, order, order_of(instruction.failure));
      return expected;
    case Verb::wait:
      atomic.wait(value, order);
      return 0;
    case Verb::notify_one:
      return atomic.notify_one(), 0;
    default:
      return atomic.notify_all(), 0;
  }
}

}  // namespace hocket::memory_model
