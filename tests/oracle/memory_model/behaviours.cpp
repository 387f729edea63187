#include "tests/oracle/memory_model/behaviours.hpp"

#include <algorithm>
#include <map>
#include <sstream>

namespace hocket::memory_model {

namespace {

bool writes(oracle::Verb verb) {
  using oracle::Verb;
  switch (verb) {
    case Verb::store:
    case Verb::add:
    case Verb::exchange:
    case Verb::compare_exchange:
    case Verb::compare_exchange_weak:
    case Verb::write_var:
      return true;
    default:
      return false;
  }
}

std::set<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::set<std::string> words;
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

}  // namespace

std::string outcome_text(const oracle::Program& program,
    std::span<const oracle::Frame, oracle::kMostThreads> threads,
    std::span<const std::int8_t, oracle::kMostObjects> memory) {
  std::map<int, int> registers;
  std::map<unsigned, int> written;
  for (unsigned t = 0; t < program.threads.size(); ++t) {
    for (const oracle::Instruction& instruction : program.threads[t].code) {
      const std::int8_t into = instruction.into;
      if (into >= 0) registers[into] = threads[t].registers[static_cast<std::size_t>(into)];
      if (writes(instruction.verb)) written[instruction.object] = memory[instruction.object];
    }
  }
  std::string result;
  const auto add = [&](const std::string& name, int value) {
    if (!result.empty()) result += ' ';
    result += name + "=" + std::to_string(value);
  };
  for (const auto& [number, value] : registers) add("r" + std::to_string(number), value);
  for (const auto& [object, value] : written) add(name_of(program, object), value);
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
