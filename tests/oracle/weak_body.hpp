// Runs a program about the memory model (memory_model/program.hpp) with hocket:: objects, as the body of a
// search.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
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

  /// Whether a thread has come to an operation on the atomic at kLived that was never constructed. Such a
  /// program shows nothing.
  [[nodiscard]] bool has_used_nothing() const { return has_used_nothing_; }

 private:
  /// The atomic at kLived.
  struct Lived {
    alignas(hocket::atomic<int>) std::byte bytes[sizeof(hocket::atomic<int>)];
    bool has_been_made = false;
    bool is_alive = false;
    std::int8_t left = 0;  ///< the value with which it was destroyed

    hocket::atomic<int>& get() { return *std::launder(reinterpret_cast<hocket::atomic<int>*>(bytes)); }
    void begin_or_end(int value);
    [[nodiscard]] int value_at_end();
  };
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
  Lived lived_;
  bool has_lives_ = false;  ///< of the atomic at kLived; otherwise it is one of the locations
  bool has_used_nothing_ = false;
  std::array<hocket::mutex, kMutexes> mutexes_;
  std::array<hocket::condition_variable, kConditions> conditions_;
  std::array<std::int8_t, kRegisters> registers_{};
};

}  // namespace hocket::memory_model
