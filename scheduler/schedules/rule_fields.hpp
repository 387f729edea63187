// The rules of an execution as fields of a schedule file. The reader, the writer and `hocket show` are all
// driven by this table, which has one row per rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "../../runtime/execution/execution_options.hpp"

namespace hocket {

struct RuleField {
  using Rules = runtime::ExecutionRules;
  using Member =
      std::variant<bool Rules::*, std::uint32_t Rules::*, std::size_t Rules::*, runtime::Detectors Rules::*>;

  std::string_view name;       ///< name in the file
  Member member;               ///< the member that holds the value
  bool is_optional = false;    ///< omitted from the file if it is false or has no value
  std::uint64_t least = 0;     ///< of a number
  std::uint64_t most = 0;      ///< of a number
  std::string_view said = {};  ///< for a flag: what `hocket show` prints if it is true
  std::string_view text = {};  ///< for a flag: the text that stands for true in the file; empty: true
  unsigned format = 1;         ///< the first one that has the field

  [[nodiscard]] bool is_flag() const { return std::holds_alternative<bool Rules::*>(member); }
  [[nodiscard]] bool is_number() const {
    return std::holds_alternative<std::uint32_t Rules::*>(member) ||
           std::holds_alternative<std::size_t Rules::*>(member);
  }
};

/// In the order in which the file has them.
std::span<const RuleField> rule_fields();

}  // namespace hocket
