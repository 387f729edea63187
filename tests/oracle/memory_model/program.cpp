#include "tests/oracle/memory_model/program.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <stdexcept>
#include <utility>

namespace hocket::memory_model {

namespace {

constexpr std::string_view kMutexNames = "mn";
constexpr std::string_view kConditionNames = "cd";

constexpr std::array<std::string_view, 5> kOrderNames = {"rlx", "acq", "rel", "acq_rel", "sc"};

/// The instructions that are written as a word, a name, and no more.
constexpr std::array<std::pair<std::string_view, Verb>, 6> kNotices = {
    {{"lock", Verb::lock}, {"unlock", Verb::unlock}, {"notify_one", Verb::notify_one},
        {"notify_all", Verb::notify_all}, {"wake_one", Verb::wake_one}, {"wake_all", Verb::wake_all}}};

/// Those that change what they read, or wait for a change.
constexpr std::array<std::pair<std::string_view, Verb>, 5> kUpdates = {
    {{"add", Verb::add}, {"swap", Verb::exchange}, {"cas", Verb::compare_exchange},
        {"cas_weak", Verb::compare_exchange_weak}, {"wait", Verb::wait}}};

std::string_view names_of(Verb verb) {
  switch (verb) {
    case Verb::lock:
    case Verb::unlock:
      return kMutexNames;
    case Verb::sleep:
    case Verb::wake_one:
    case Verb::wake_all:
      return kConditionNames;
    default:
      return kLocationNames;
  }
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words = split(text, " ");
  std::erase(words, std::string_view());
  return words;
}

class Words {
 public:
  explicit Words(std::string_view text) : text_(text), words_(split_words(text)) {}

  [[nodiscard]] bool is_empty() const { return words_.empty(); }

  Instruction instruction() {
    Instruction result;
    if (words_.size() > 1 && words_[1] == "=") {
      assignment(result);
    } else {
      statement(result);
    }
    if (place_ != words_.size()) fail();
    return result;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::invalid_argument("not an instruction: '" + std::string(text_) + "'");
  }

  std::string_view next() {
    if (place_ == words_.size()) fail();
    return words_[place_++];
  }

  std::int8_t number(std::string_view word) {
    std::int8_t value = 0;
    const char* const end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc() || rest != end) fail();
    return value;
  }

  static bool is_register(std::string_view word) { return word.size() > 1 && word.front() == 'r'; }

  std::int8_t register_named(std::string_view word) {
    if (!is_register(word)) fail();
    const std::int8_t value = number(word.substr(1));
    if (value < 0 || value >= static_cast<int>(kRegisters)) fail();
    return value;
  }

  Operand operand(std::string_view word) {
    if (!is_register(word)) return {number(word)};
    const std::vector<std::string_view> parts = split(word, "+");
    if (parts.size() > 2) fail();
    return {parts.size() == 2 ? number(parts[1]) : std::int8_t{0}, register_named(parts[0])};
  }

  std::uint8_t index(std::string_view word, std::string_view names) {
    const std::size_t found = word.size() == 1 ? names.find(word.front()) : std::string_view::npos;
    if (found == std::string_view::npos) fail();
    return static_cast<std::uint8_t>(found);
  }

  Order order(std::string_view word) {
    const auto* const found = std::find(kOrderNames.begin(), kOrderNames.end(), word);
    if (found == kOrderNames.end()) fail();
    return static_cast<Order>(found - kOrderNames.begin());
  }

  void assignment(Instruction& result) {
    const std::string_view to = next();
    next();  // =
    if (!is_register(to)) {
      result.object = index(to, kLocationNames);
      result.value = operand(next());
      access(result, Verb::store, Verb::write_plainly);
      return;
    }
    result.into = register_named(to);
    const std::string_view what = next();
    const auto* const update = std::find_if(
        kUpdates.begin(), kUpdates.end(), [&](const auto& candidate) { return candidate.first == what; });
    if (update == kUpdates.end()) {
      result.object = index(what, kLocationNames);
      access(result, Verb::load, Verb::read_plainly);
      return;
    }
    result.verb = update->second;
    result.object = index(next(), kLocationNames);
    const bool compares = result.verb == Verb::compare_exchange || result.verb == Verb::compare_exchange_weak;
    if (compares) result.expected = operand(next());
    result.value = operand(next());
    result.order = order(next());
    if (compares) result.failure = order(next());
  }

  void access(Instruction& result, Verb atomic, Verb plain) {
    const std::string_view how = next();
    result.verb = how == "na" ? plain : atomic;
    if (how != "na") result.order = order(how);
  }

  void statement(Instruction& result) {
    const std::string_view what = next();
    if (what == "fence") {
      result.order = order(next());
    } else if (what == "start" || what == "join") {
      result.verb = what == "start" ? Verb::start : Verb::join;
      result.object = static_cast<std::uint8_t>(number(next()));
    } else if (what == "sleep") {
      result.verb = Verb::sleep;
      result.object = index(next(), kConditionNames);
      result.mutex = index(next(), kMutexNames);
    } else if (what == "skip") {
      result.object = static_cast<std::uint8_t>(number(next()));
      if (next() != "if") fail();
      result.into = register_named(next());
      const std::string_view comparison = next();
      if (comparison != "==" && comparison != "!=") fail();
      result.verb = comparison == "==" ? Verb::skip_if_equal : Verb::skip_if_different;
      result.value = operand(next());
    } else {
      const auto* const notice = std::find_if(
          kNotices.begin(), kNotices.end(), [&](const auto& candidate) { return candidate.first == what; });
      if (notice == kNotices.end()) fail();
      result.verb = notice->second;
      result.object = index(next(), names_of(result.verb));
    }
  }

  std::string_view text_;
  std::vector<std::string_view> words_;
  std::size_t place_ = 0;
};

std::string to_text(const Operand& operand) {
  if (operand.from < 0) return std::to_string(operand.number);
  std::string result = "r" + std::to_string(operand.from);
  if (operand.number != 0) result += "+" + std::to_string(operand.number);
  return result;
}

std::string to_text(const Instruction& instruction) {
  const std::string order = " " + std::string(kOrderNames[static_cast<unsigned>(instruction.order)]);
  const auto object = [&] { return std::string(1, names_of(instruction.verb)[instruction.object]); };
  const std::string into = "r" + std::to_string(instruction.into);
  const std::string count = std::to_string(instruction.object);
  switch (instruction.verb) {
    case Verb::load:
      return into + " = " + object() + order;
    case Verb::read_plainly:
      return into + " = " + object() + " na";
    case Verb::store:
      return object() + " = " + to_text(instruction.value) + order;
    case Verb::write_plainly:
      return object() + " = " + to_text(instruction.value) + " na";
    case Verb::fence:
      return "fence" + order;
    case Verb::start:
      return "start " + count;
    case Verb::join:
      return "join " + count;
    case Verb::sleep:
      return "sleep " + object() + " " + kMutexNames[instruction.mutex];
    case Verb::skip_if_equal:
    case Verb::skip_if_different:
      return "skip " + count + " if " + into + (instruction.verb == Verb::skip_if_equal ? " == " : " != ") +
             to_text(instruction.value);
    default:
      break;
  }
  for (const auto& [word, verb] : kNotices) {
    if (verb == instruction.verb) return std::string(word) + " " + object();
  }
  std::string result = into + " = ";
  for (const auto& [word, verb] : kUpdates) {
    if (verb == instruction.verb) result += word;
  }
  result += " " + object();
  const bool compares =
      instruction.verb == Verb::compare_exchange || instruction.verb == Verb::compare_exchange_weak;
  if (compares) result += " " + to_text(instruction.expected);
  result += " " + to_text(instruction.value) + order;
  if (compares) result += " " + std::string(kOrderNames[static_cast<unsigned>(instruction.failure)]);
  return result;
}

}  // namespace

Program parse(std::string_view text) {
  Program result;
  for (const std::string_view thread : split(text, "||")) {
    Code code;
    for (const std::string_view part : split(thread, ";")) {
      if (Words words(part); !words.is_empty()) code.push_back(words.instruction());
    }
    result.threads.push_back(std::move(code));
  }
  if (result.threads.size() > kMostThreads) throw std::invalid_argument("too many threads");
  for (const Code& code : result.threads) {
    for (const Instruction& instruction : code) {
      const bool names_thread = instruction.verb == Verb::start || instruction.verb == Verb::join;
      if (names_thread && instruction.object >= result.threads.size()) {
        throw std::invalid_argument("there is no thread " + std::to_string(instruction.object));
      }
    }
  }
  return result;
}

std::string to_text(const Program& program) {
  std::string result;
  for (const Code& code : program.threads) {
    if (&code != program.threads.data()) result += " || ";
    for (const Instruction& instruction : code) {
      if (&instruction != code.data()) result += "; ";
      result += to_text(instruction);
    }
  }
  return result;
}

bool is_started(const Program& program, unsigned thread) {
  return std::any_of(program.threads.begin(), program.threads.end(), [&](const Code& code) {
    return std::any_of(code.begin(), code.end(), [&](const Instruction& instruction) {
      return instruction.verb == Verb::start && instruction.object == thread;
    });
  });
}

}  // namespace hocket::memory_model
