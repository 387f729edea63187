// Runs programs for real, one execution after another.
#pragma once

#include <cstddef>

#include "runtime/execution/execution.hpp"

#include "tests/oracle/programs/program.hpp"
#include "tests/oracle/sealed_instructions.hpp"

namespace hocket::oracle {

/// The execution object of the process, prepared for one search.
class OneSearch {
 public:
  OneSearch() { runtime::execution.forget_search(); }
  ~OneSearch() { runtime::execution.forget_search(); }
  OneSearch(const OneSearch&) = delete;
  OneSearch& operator=(const OneSearch&) = delete;
};

inline SealedInstructions sealed_instructions;

inline runtime::ExecutionOptions execution_options(const Program& program) {
  runtime::ExecutionOptions options;
  options.stack_size = std::size_t{64} * 1024;
  options.spurious_wakeups = program.spurious_wakeups;
  options.spurious_failures = program.spurious_failures;
  options.fair = program.is_fair;
  if (program.has_seals) options.sealed_steps = &sealed_instructions;
  options.late_from = program.is_late ? 1 : 0;
  return options;
}

}  // namespace hocket::oracle
