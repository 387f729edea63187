// Runs a program about the memory model (memory_model/program.hpp) with hocket:: objects, as the body of a
// search.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include <hocket/hocket.hpp>

#include "tests/oracle/memory_model/program.hpp"

namespace hocket::memory_model {

class WeakBody {
 public:
  /// The program must be sound (is_sound()).
  explicit WeakBody(const Program& program);
  WeakBody(const WeakBody&) = delete;
  WeakBody& operator=(const WeakBody&) = delete;

  /// Runs one execution, in the search's first logical thread, which starts and joins the program's threads
  /// and does nothing else. Returns the outcome as outcome_text() writes it.
  std::string run();

 private:
  /// A location with plain accesses is a var.
  using Location = std::variant<hocket::atomic<int>, hocket::var<int>>;
  using Threads = std::array<hocket::thread, kMostThreads>;

  void run_thread(unsigned number, Threads& threads);
  void perform(const Instruction& instruction, Threads& threads);
  template <class Atomic>
  int access(Atomic&& atomic, const Instruction& instruction);
  [[nodiscard]] int value_of(const Operand& operand) const;

  const Program& program_;
  std::array<Location, kLocations> locations_;
  std::array<hocket::mutex, kMutexes> mutexes_;
  std::array<hocket::condition_variable, kConditions> conditions_;
  std::array<std::int8_t, kRegisters> registers_{};
};

}  // namespace hocket::memory_model
