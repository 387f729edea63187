// The papers that Hocket implements: what each of them numbers, what reproduces it, and what came of that.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace papers {

/// Something that a paper numbers, or one line of it.
struct Row {
  const char* what;     ///< "Table 1, snoopy"
  const char* command;  ///< that reproduces it; of the folder build/release
  const char* paper;    ///< the figure there
  /// Ours, counted: the same on every machine. nullptr: the command has it.
  std::string (*ours)();
  const char* ours_in_words;  ///< before the counted figure, or in its place
  const char* difference;     ///< one sentence, or empty
};

struct Paper {
  const char* name;   ///< for --paper
  const char* title;  ///< and who wrote it, and where
  std::span<const Row> rows;
};

Paper iterative_context_bounding();
Paper reduction_with_bounds();
Paper bounded_switches_in_spin();
Paper depth_bounds();
Paper reduction_on_the_fly();

/// "1, 22, 333".
std::string in_a_row(const std::vector<std::uint64_t>& numbers);

}  // namespace papers
