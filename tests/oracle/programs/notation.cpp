#include "tests/oracle/programs/notation.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <string>
#include <utility>

namespace hocket::oracle {

namespace {

constexpr std::array<std::pair<std::string_view, std::memory_order>, 5> kOrders = {
    {{"rlx", std::memory_order_relaxed}, {"acq", std::memory_order_acquire},
        {"rel", std::memory_order_release}, {"acq_rel", std::memory_order_acq_rel},
        {"sc", std::memory_order_seq_cst}}};

/// The instructions that are written as a word, a name, and no more.
constexpr std::array<std::pair<std::string_view, Verb>, 6> kNotices = {
    {{"lock", Verb::lock}, {"unlock", Verb::unlock}, {"notify_one", Verb::wake_one},
        {"notify_all", Verb::wake_all}, {"wake_one", Verb::notify_one}, {"wake_all", Verb::notify_all}}};

/// Those that change what they read, or wait for a change.
constexpr std::array<std::pair<std::string_view, Verb>, 5> kUpdates = {
    {{"add", Verb::add}, {"swap", Verb::exchange}, {"cas", Verb::compare_exchange},
        {"cas_weak", Verb::compare_exchange_weak}, {"wait", Verb::await_change}}};

/// What has this word, or nullptr.
template <class Table>
const auto* find_word(const Table& table, std::string_view word) {
  const auto* const found =
      std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.first == word; });
  return found == table.end() ? nullptr : &found->second;
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
    if (value < 0 || value >= static_cast<int>(kMostRegisters)) fail();
    return value;
  }

  /// A number, or a register plus a number.
  void value(std::string_view word, Instruction& result) {
    if (!is_register(word)) {
      result.value = number(word);
      return;
    }
    const std::vector<std::string_view> parts = split(word, "+");
    if (parts.size() > 2) fail();
    result.from = register_named(parts[0]);
    result.value = parts.size() == 2 ? number(parts[1]) : std::int8_t{0};
  }

  std::uint8_t name(std::string_view word) {
    const std::size_t found = word.size() == 1 ? kObjectNames.find(word.front()) : std::string_view::npos;
    if (found == std::string_view::npos) fail();
    return static_cast<std::uint8_t>(found);
  }

  std::memory_order order(std::string_view word) {
    const auto* const found = find_word(kOrders, word);
    if (found == nullptr) fail();
    return *found;
  }

  void assignment(Instruction& result) {
    const std::string_view to = next();
    next();  // =
    if (!is_register(to)) {
      result.object = name(to);
      value(next(), result);
      access(result, Verb::store, Verb::write_var);
      return;
    }
    result.into = register_named(to);
    const std::string_view what = next();
    const auto* const update = find_word(kUpdates, what);
    if (update == nullptr) {
      result.object = name(what);
      access(result, Verb::load, Verb::read_var);
      return;
    }
    result.verb = *update;
    result.object = name(next());
    const bool compares = is_compare_exchange(result.verb);
    if (compares || result.verb == Verb::await_change) result.expected = number(next());
    if (result.verb != Verb::await_change) value(next(), result);
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
      result.verb = Verb::fence;
      result.order = order(next());
    } else if (what == "start" || what == "join") {
      result.verb = what == "start" ? Verb::start : Verb::join;
      result.object = static_cast<std::uint8_t>(number(next()));
    } else if (what == "sleep") {
      result.verb = Verb::wait;
      result.object = name(next());
      result.mutex = name(next());
    } else if (what == "skip") {
      result.value = number(next());
      if (next() != "if") fail();
      result.from = register_named(next());
      const std::string_view comparison = next();
      if (comparison != "==" && comparison != "!=") fail();
      result.verb = comparison == "==" ? Verb::skip_if : Verb::skip_unless;
      result.expected = number(next());
    } else {
      const auto* const notice = find_word(kNotices, what);
      if (notice == nullptr) fail();
      result.verb = *notice;
      result.object = name(next());
    }
  }

  std::string_view text_;
  std::vector<std::string_view> words_;
  std::size_t place_ = 0;
};

/// How the threads use what has a name.
struct Uses {
  std::array<bool, kObjectNames.size()> any{};
  std::array<bool, kObjectNames.size()> plain{};

  explicit Uses(const std::vector<Code>& threads) {
    for (const Code& code : threads) {
      for (const Instruction& instruction : code) {
        const Verb verb = instruction.verb;
        if (names_an_object(verb)) any[instruction.object] = true;
        if (has_a_mutex(verb)) any[instruction.mutex] = true;
        if (verb == Verb::read_var || verb == Verb::write_var) plain[instruction.object] = true;
      }
    }
  }

  [[nodiscard]] Kind kind(unsigned name) const {
    if (name >= kCondition) return Kind::condition;
    if (name >= kMutex) return Kind::mutex;
    if (!plain[name]) return Kind::atomic;
    return name == kLived ? Kind::lived : Kind::var;
  }
};

}  // namespace

Program with_names(std::vector<Code> threads) {
  const Uses uses(threads);
  std::array<std::uint8_t, kObjectNames.size()> numbers{};
  std::vector<Object> objects;
  for (unsigned name = 0; name < kObjectNames.size(); ++name) {
    numbers[name] = static_cast<std::uint8_t>(objects.size());
    if (uses.any[name]) objects.push_back({.kind = uses.kind(name), .name = kObjectNames[name]});
  }
  if (objects.size() > kMostObjects) throw std::invalid_argument("too many objects");
  Program program = in_parallel(std::move(objects), std::move(threads));
  for (std::uint8_t t = 1; t < program.threads.size(); ++t) {
    for (Instruction& instruction : program.threads[t].code) {
      if (names_an_object(instruction.verb)) instruction.object = numbers[instruction.object];
      if (has_a_mutex(instruction.verb)) instruction.mutex = numbers[instruction.mutex];
      if (instruction.verb != Verb::start && instruction.verb != Verb::join) continue;
      if (++instruction.object >= program.threads.size()) {
        throw std::invalid_argument("there is no thread " + std::to_string(instruction.object - 1));
      }
      if (instruction.verb == Verb::join) continue;
      program.threads[instruction.object].parent = t;
      std::erase(program.threads[0].code, Instruction{Verb::start, instruction.object});
    }
  }
  return program;
}

Program parse(std::string_view text) {
  std::vector<Code> threads;
  for (const std::string_view thread : split(text, "||")) {
    Code code;
    for (const std::string_view part : split(thread, ";")) {
      if (Words words(part); !words.is_empty()) code.push_back(words.instruction());
    }
    threads.push_back(std::move(code));
  }
  if (threads.size() >= kMostThreads) throw std::invalid_argument("too many threads");
  return with_names(std::move(threads));
}

}  // namespace hocket::oracle
