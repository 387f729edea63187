// The rules of an execution as fields of a schedule file: a row for each, from which the reader, the writer
// and `hocket show` take what they have to know.
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

  std::string_view name;       ///< in the file
  Member member;               ///< where the value is
  bool is_optional = false;    ///< the file leaves it out where it is false or says nothing
  std::uint64_t least = 0;     ///< of a number
  std::uint64_t most = 0;      ///< of a number
  std::string_view said = {};  ///< of a flag: what `hocket show` says where it is true

  [[nodiscard]] bool is_flag() const { return std::holds_alternative<bool Rules::*>(member); }
  [[nodiscard]] bool is_number() const {
    return std::holds_alternative<std::uint32_t Rules::*>(member) ||
           std::holds_alternative<std::size_t Rules::*>(member);
  }
};

/// In the order in which the file has them.
std::span<const RuleField> rule_fields();

}  // namespace hocket
