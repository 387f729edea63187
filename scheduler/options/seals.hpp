// Code in which no thread is preempted, by patterns of functions and files: see Options::seal.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../../runtime/execution/sealed_steps.hpp"
#include "../../runtime/platform/symbols/stack_frames.hpp"

namespace hocket {

/// A step is that of the innermost function of the user's code which has called the operation. It is sealed
/// if a pattern of `seal` matches the function or its file, or if there are patterns of `open` and none of
/// them does. A step of which neither is known matches none.
class Seals final : public runtime::SealedSteps {
 public:
  /// Patterns as in suppressions (matches_pattern()), with commas between them; empty: none. Throws
  /// std::invalid_argument, with one sentence, if one is empty or has too many asterisks.
  Seals(std::string_view seal, std::string_view open);

  [[nodiscard]] bool empty() const { return patterns_.empty(); }
  [[nodiscard]] bool include_next() override;

  /// Where no thread is preempted: "in Cache::get or log.cpp", "outside queue.cpp".
  [[nodiscard]] std::string in_words() const;
  /// The patterns that have not matched the code of any step so far.
  [[nodiscard]] std::vector<std::string> unmatched() const;

 private:
  struct Pattern {
    std::string text;
    bool opens = false;
    bool has_matched = false;
  };

  void add(std::string_view patterns, bool opens);
  [[nodiscard]] bool seals(const runtime::platform::StackFrame* function);
  [[nodiscard]] std::string listed(bool opens) const;

  std::vector<Pattern> patterns_;
  std::unordered_map<const runtime::platform::StackFrame*, bool> known_;  ///< whether steps of it are sealed
};

}  // namespace hocket
