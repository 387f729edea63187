// The steps of a program's sealed instructions, as a program that runs for real tells them.
#pragma once

#include <array>

#include "runtime/execution/run.hpp"
#include "runtime/execution/sealed_steps.hpp"

#include "tests/oracle/programs/program.hpp"

namespace hocket::oracle {

class SealedInstructions final : public runtime::SealedSteps {
 public:
  /// The current thread begins with an instruction.
  static void begin(const Instruction& instruction) {
    is_sealed_.at(runtime::run.current->index) = instruction.is_sealed;
  }

  [[nodiscard]] bool include_next() override { return is_sealed_.at(runtime::run.current->index); }

 private:
  static inline std::array<bool, kMostThreads> is_sealed_{};  ///< by index of the thread
};

}  // namespace hocket::oracle
