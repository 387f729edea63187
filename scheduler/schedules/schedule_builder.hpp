// From the fields of a schedule file to a Schedule whose every index, code and number is in range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "../../runtime/terms/choice.hpp"
#include "schedule.hpp"
#include "schedule_fields.hpp"

namespace hocket {

/// Takes a file's parts in the order in which they are read; the header, whose fields are known at the end,
/// last. Each refuses, through the fields, what does not belong there.
class ScheduleBuilder {
 public:
  [[nodiscard]] std::size_t threads() const { return schedule_.threads.size(); }
  [[nodiscard]] std::size_t choices() const { return schedule_.choices.size(); }

  void add_thread(const Fields& fields);
  void add_step(const Fields& fields);
  void add_code(runtime::Code code);
  Schedule finish(const Fields& header);

 private:
  std::uint64_t chain_ = 0;                            ///< of step_check
  std::unordered_map<std::string, unsigned> threads_;  ///< places in schedule_.threads, by label
  Schedule schedule_;
};

}  // namespace hocket
