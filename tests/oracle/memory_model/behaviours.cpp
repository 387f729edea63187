#include "tests/oracle/memory_model/behaviours.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

namespace hocket::memory_model {

namespace {

bool writes(Verb verb) {
  switch (verb) {
    case Verb::store:
    case Verb::add:
    case Verb::exchange:
    case Verb::compare_exchange:
    case Verb::compare_exchange_weak:
    case Verb::write_plainly:
      return true;
    default:
      return false;
  }
}

bool skips(Verb verb) {
  return verb == Verb::skip_if_equal || verb == Verb::skip_if_different;
}

std::set<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::set<std::string> words;
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

}  // namespace

std::string outcome_text(const Program& program, std::span<const std::int8_t, kRegisters> registers,
    std::span<const std::int8_t, kLocations> memory) {
  std::array<bool, kRegisters> sets{};
  std::array<bool, kLocations> is_written{};
  for (const Code& code : program.threads) {
    for (const Instruction& instruction : code) {
      if (instruction.into >= 0 && !skips(instruction.verb)) {
        sets[static_cast<std::size_t>(instruction.into)] = true;
      }
      if (writes(instruction.verb)) is_written[instruction.object] = true;
    }
  }
  std::string result;
  const auto add = [&](const std::string& name, int value) {
    if (!result.empty()) result += ' ';
    result += name + "=" + std::to_string(value);
  };
  for (std::size_t i = 0; i < kRegisters; ++i) {
    if (sets[i]) add("r" + std::to_string(i), registers[i]);
  }
  for (std::size_t i = 0; i < kLocations; ++i) {
    if (is_written[i]) add(std::string(1, kLocationNames[i]), memory[i]);
  }
  return result;
}

bool shows(const Behaviours& behaviours, std::string_view values) {
  const std::set<std::string> wanted = words_of(values);
  return std::any_of(behaviours.outcomes.begin(), behaviours.outcomes.end(), [&](const std::string& outcome) {
    const std::set<std::string> words = words_of(outcome);
    return std::includes(words.begin(), words.end(), wanted.begin(), wanted.end());
  });
}

}  // namespace hocket::memory_model
