// From JSON to a Schedule, in one pass and without a tree in between: the parser reports each value as it
// comes, and each is checked where it stands. What a file may nest is fixed, so a deep one is refused at the
// first level too many, and memory grows with the steps and with nothing else.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include <hocket/scheduler/schedule_file.hpp>
#include <hocket/scheduler/step_check.hpp>
#include <hocket/scheduler/utf8.hpp>

namespace hocket {

namespace {

using nlohmann::json;
using runtime::Code;
using runtime::Mode;
using runtime::Operation;
using runtime::Trace;

constexpr std::string_view kGetAnother = "get another copy of it, or run the search again";
constexpr std::string_view kUndo = "undo what was changed in the file, or get another copy of it";

constexpr std::uint64_t kLeastStack = std::uint64_t{16} << 10U;  // bytes
constexpr std::uint64_t kMostStack = std::uint64_t{1} << 30U;    // bytes
constexpr int kMostSignal = 64;

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMostColumns = 60;
  return '"' + utf8::shortened(utf8::printable(text), kMostColumns) + '"';
}

using Strings = std::vector<std::string>;

/// The value of a field: one of the kinds that the format has, or an array that has been read elsewhere
/// already.
struct Array {};
using Value =
    std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Strings, Array>;

std::string_view kind_of(const Value& value) {
  constexpr std::array<std::string_view, 8> kKinds{"null", "true or false", "a negative number", "a number",
      "a number with a fraction", "text", "an array", "an array"};
  return kKinds[value.index()];
}

// The fields of the object that is being read. Every error names `place`, unless that is empty.
class Fields {
 public:
  /// `known`: the names that may occur.
  Fields(const std::string& file, std::string_view what, std::vector<std::string_view> known)
      : file_(file), what_(what), known_(std::move(known)) {}

  void clear(std::string place) {
    fields_.clear();
    place_ = std::move(place);
  }

  [[noreturn]] void refuse(const std::string& problem, std::string_view remedy = kUndo) const {
    throw ScheduleError(
        file_ + ": " + (place_.empty() ? "" : place_ + ": ") + problem + "; " + std::string(remedy));
  }
  [[noreturn]] void refuse_kind(
      std::string_view name, std::string_view wanted, std::string_view found) const {
    refuse(in_quotes(name) + " must be " + std::string(wanted) + ", not " + std::string(found));
  }

  void begin(const std::string& name) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
      refuse(std::string(what_) + " has no field " + in_quotes(name));
    }
    if (has(name)) refuse("the field " + in_quotes(name) + " comes twice");
    fields_.emplace_back(name, Value{});
  }
  /// The value of the field that began last.
  [[nodiscard]] const std::string& current() const { return fields_.back().first; }
  [[nodiscard]] bool is_empty() const { return fields_.empty(); }
  void set(Value value) { fields_.back().second = std::move(value); }
  Strings& set_strings() { return fields_.back().second.emplace<Strings>(); }
  Strings& strings() { return std::get<Strings>(fields_.back().second); }

  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }

  [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t least, std::uint64_t most) const {
    const Value& value = get(name);
    if (const auto* n = std::get_if<std::uint64_t>(&value); n != nullptr) {
      if (*n < least || *n > most) refuse_number(name, least, most, std::to_string(*n));
      return *n;
    }
    if (const auto* n = std::get_if<std::int64_t>(&value); n != nullptr) {
      refuse_number(name, least, most, std::to_string(*n));
    }
    refuse_kind(name, "a number", kind_of(value));
  }
  [[nodiscard]] std::uint64_t number_or(
      std::string_view name, std::uint64_t least, std::uint64_t most, std::uint64_t otherwise) const {
    return has(name) ? number(name, least, most) : otherwise;
  }
  [[nodiscard]] bool flag(std::string_view name) const {
    const Value& value = get(name);
    if (const auto* is_set = std::get_if<bool>(&value); is_set != nullptr) return *is_set;
    refuse_kind(name, "true or false", kind_of(value));
  }
  [[nodiscard]] std::string text(std::string_view name) const {
    const Value& value = get(name);
    if (const auto* text = std::get_if<std::string>(&value); text != nullptr) return *text;
    refuse_kind(name, "text", kind_of(value));
  }
  [[nodiscard]] std::string text_or_empty(std::string_view name) const {
    return has(name) ? text(name) : std::string{};
  }
  [[nodiscard]] Strings strings_or_empty(std::string_view name) const {
    if (!has(name)) return {};
    const Value& value = get(name);
    if (const auto* strings = std::get_if<Strings>(&value); strings != nullptr) return *strings;
    refuse_kind(name, "an array", kind_of(value));
  }
  void require(std::string_view name) const { static_cast<void>(get(name)); }
  void require_array(std::string_view name) const {
    if (!std::holds_alternative<Array>(get(name))) refuse_kind(name, "an array", kind_of(get(name)));
  }

 private:
  [[noreturn]] void refuse_number(
      std::string_view name, std::uint64_t least, std::uint64_t most, const std::string& found) const {
    if (most == std::numeric_limits<std::uint64_t>::max())
      refuse(in_quotes(name) + " must not be negative, but is " + found);
    refuse(in_quotes(name) + " must be from " + std::to_string(least) + " to " + std::to_string(most) +
           ", not " + found);
  }

  [[nodiscard]] const Value* find(std::string_view name) const {
    const auto field =
        std::find_if(fields_.begin(), fields_.end(), [&](const auto& f) { return f.first == name; });
    return field == fields_.end() ? nullptr : &field->second;
  }
  [[nodiscard]] const Value& get(std::string_view name) const {
    const Value* value = find(name);
    if (value == nullptr) refuse("the field " + in_quotes(name) + " is missing");
    return *value;
  }

  const std::string& file_;
  std::string place_;
  std::string_view what_;
  std::vector<std::string_view> known_;
  std::vector<std::pair<std::string, Value>> fields_;
};

class ScheduleReader : public nlohmann::json_sax<json> {
 public:
  ScheduleReader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Schedule read() {
    if (text_.empty()) refuse("the file is empty", kGetAnother);
    if (const auto at = utf8::first_invalid(text_); at != std::string_view::npos) {
      refuse("line " + std::to_string(line_of(at)) + ": this is not UTF-8 text", kGetAnother);
    }
    json::sax_parse(text_.begin(), text_.end(), this);
    finish();
    return std::move(schedule_);
  }

  // -- What the parser reports

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(std::int64_t value) override { return scalar(value); }
  bool number_unsigned(std::uint64_t value) override { return scalar(value); }
  bool number_float(double value, const std::string& /*text*/) override { return scalar(value); }
  bool string(std::string& value) override { return scalar(std::move(value)); }
  bool binary(json::binary_t& /*value*/) override { return false; }  // JSON has none

  bool key(std::string& name) override {
    if (in_ == In::header) {
      if (header_.is_empty() && name != "hocket_schedule") refuse_stranger();
      header_.begin(name);
    } else {
      entry().begin(name);
    }
    return true;
  }

  bool start_object(std::size_t /*size*/) override {
    switch (in_) {
      case In::document:
        in_ = In::header;
        break;
      case In::threads:
        in_ = In::thread;
        thread_.clear("entry " + std::to_string(schedule_.threads.size() + 1) + " of \"threads\"");
        if (schedule_.threads.size() == runtime::kMaxThreads) {
          thread_.refuse("an execution has at most " + std::to_string(runtime::kMaxThreads) + " threads");
        }
        break;
      case In::steps:
        in_ = In::step;
        step_.clear("step " + std::to_string(schedule_.choices.size() + 1));
        refuse_too_many_choices(step_);
        break;
      default:
        misplaced("an object");
    }
    return true;
  }

  bool end_object() override {
    switch (in_) {
      case In::thread:
        end_thread();
        in_ = In::threads;
        break;
      case In::step:
        end_step();
        in_ = In::steps;
        break;
      default:
        in_ = In::document;
    }
    return true;
  }

  bool start_array(std::size_t /*size*/) override {
    if (in_ == In::step && step_.current() == "notes") {
      in_ = In::notes;
      step_.set_strings();
      return true;
    }
    const std::string name = in_ == In::header ? header_.current() : std::string{};
    if (name == "threads" || name == "schedule") {
      if (header_.has("choices")) refuse_codes_and_steps();
      if (!header_.has("threads")) header_.refuse(R"("schedule" must come after "threads")");
      in_ = name == "threads" ? In::threads : In::steps;
    } else if (name == "choices") {
      if (header_.has("threads")) refuse_codes_and_steps();
      in_ = In::codes;
    } else {
      misplaced("an array");
    }
    header_.set(Array{});
    return true;
  }

  bool end_array() override {
    in_ = in_ == In::notes ? In::step : In::header;
    return true;
  }

  bool parse_error(
      std::size_t position, const std::string& /*token*/, const nlohmann::detail::exception& error) override {
    if (position > text_.size()) {
      refuse("line " + std::to_string(line_of(text_.size())) + ": the file ends in the middle", kGetAnother);
    }
    const std::size_t at = position == 0 ? 0 : position - 1;
    constexpr int kOutOfRange = 406;
    const std::string_view problem =
        error.id == kOutOfRange ? "this number is too large" : "this is not JSON";
    refuse("line " + std::to_string(line_of(at)) + ", column " + std::to_string(column_of(at)) + ": " +
               std::string(problem),
        kUndo);
  }

 private:
  enum class In : std::uint8_t { document, header, threads, thread, steps, step, notes, codes };

  [[noreturn]] void refuse(const std::string& problem, std::string_view remedy) const {
    throw ScheduleError(file_ + ": " + problem + "; " + std::string(remedy));
  }
  [[noreturn]] void refuse_stranger() const {
    refuse("this is not a Hocket schedule file, which would begin with the field \"hocket_schedule\"",
        "check the path");
  }
  [[noreturn]] void refuse_codes_and_steps() const {
    header_.refuse(R"(a file has either "choices" or "threads" and "schedule")");
  }
  void refuse_too_many_choices(const Fields& fields) const {
    if (schedule_.choices.size() < runtime::kMaxPositions) return;
    fields.refuse("an execution has at most " + std::to_string(runtime::kMaxPositions) + " steps");
  }

  [[nodiscard]] std::size_t line_of(std::size_t at) const {
    return 1 + static_cast<std::size_t>(
                   std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
  [[nodiscard]] std::size_t column_of(std::size_t at) const {
    const std::size_t line_end = text_.substr(0, at).rfind('\n');
    const std::size_t begin = line_end == std::string_view::npos ? 0 : line_end + 1;
    return 1 + utf8::columns(text_.substr(begin, at - begin));
  }

  Fields& entry() { return in_ == In::thread ? thread_ : step_; }

  // A value that is neither object nor array.
  bool scalar(Value value) {
    switch (in_) {
      case In::document:
        refuse_stranger();
      case In::header:
        header_.set(std::move(value));
        if (header_.current() == "hocket_schedule") check_format();
        break;
      case In::thread:
      case In::step:
        entry().set(std::move(value));
        break;
      case In::notes:
        if (!std::holds_alternative<std::string>(value)) {
          step_.refuse("\"notes\" must hold text, not " + std::string(kind_of(value)));
        }
        step_.strings().push_back(std::move(std::get<std::string>(value)));
        break;
      case In::codes:
        add_code(value);
        break;
      default:
        misplaced(kind_of(value));
    }
    return true;
  }

  // `found` stands where the format has something else.
  [[noreturn]] void misplaced(std::string_view found) const {
    const auto entry_of = [](std::string_view array, std::size_t n) {
      return "entry " + std::to_string(n + 1) + " of " + in_quotes(array);
    };
    const auto refuse_entry = [&](std::string_view array, std::size_t n, std::string_view wanted) {
      refuse(entry_of(array, n) + " must be " + std::string(wanted) + ", not " + std::string(found), kUndo);
    };
    switch (in_) {
      case In::threads:
        refuse_entry("threads", schedule_.threads.size(), "an object");
        break;
      case In::steps:
        refuse_entry("schedule", schedule_.choices.size(), "an object");
        break;
      case In::codes:
        refuse_entry("choices", schedule_.choices.size(), "a number");
        break;
      case In::notes:
        step_.refuse("\"notes\" must hold text, not " + std::string(found));
      case In::header:
        if (header_.current() == "hocket_schedule") refuse_format(std::string(found));
        header_.refuse_kind(header_.current(), wanted_in_header(header_.current()), found);
      case In::thread:
        thread_.refuse_kind(thread_.current(), thread_.current() == "ordinal" ? "a number" : "text", found);
      case In::step:
        step_.refuse_kind(step_.current(), wanted_in_step(step_.current()), found);
      default:
        break;
    }
    refuse_stranger();
  }

  static std::string_view wanted_in_header(std::string_view name) {
    for (const std::string_view flag : {"spurious_wakeups", "spurious_failures", "complete"}) {
      if (name == flag) return "true or false";
    }
    for (const std::string_view number :
        {"signal", "preemptions", "executions", "seed", "max_steps", "stack_size"}) {
      if (name == number) return "a number";
    }
    for (const std::string_view array : {"threads", "schedule", "choices"}) {
      if (name == array) return "an array";
    }
    return "text";
  }
  static std::string_view wanted_in_step(std::string_view name) {
    for (const std::string_view number : {"step", "chooses", "of", "preempts"}) {
      if (name == number) return "a number";
    }
    return name == "notes" ? "an array" : "text";
  }

  [[noreturn]] void refuse_format(const std::string& found) const {
    refuse("\"hocket_schedule\" must be " + std::to_string(Schedule::kFormat) + ", not " + found, kUndo);
  }
  // Before anything else is looked at: a newer format may differ in everything.
  void check_format() {
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t format = header_.number("hocket_schedule", 0, kMost);
    if (format > Schedule::kFormat) {
      refuse("the file was written by a newer Hocket, in format " + std::to_string(format),
          "use that Hocket to read it");
    }
    if (format < Schedule::kFormat) refuse_format(std::to_string(format));
  }

  void add_code(const Value& value) {
    const auto* code = std::get_if<std::uint64_t>(&value);
    const auto* negative = std::get_if<std::int64_t>(&value);
    if (code == nullptr && negative == nullptr) misplaced(kind_of(value));
    if (code == nullptr || *code >= runtime::kCodeLimit) {
      refuse("entry " + std::to_string(schedule_.choices.size() + 1) + " of \"choices\" must be from 0 to " +
                 std::to_string(runtime::kCodeLimit - 1) + ", not " +
                 (code != nullptr ? std::to_string(*code) : std::to_string(*negative)),
          kUndo);
    }
    refuse_too_many_choices(header_);
    Trace::Choice choice;
    choice.code = static_cast<Code>(*code);
    schedule_.choices.push_back(std::move(choice));
  }

  void end_thread() {
    const std::size_t index = schedule_.threads.size();
    Trace::ThreadEntry thread;
    thread.label = thread_.text("thread");
    thread.made_at = thread_.text_or_empty("made at");
    if (index == 0) {
      if (thread_.has("creator") || thread_.has("ordinal")) {
        thread_.refuse(R"(the first thread has no "creator" and no "ordinal")");
      }
    } else {
      const std::string creator = thread_.text("creator");
      const auto known = threads_.find(creator);
      if (known == threads_.end())
        thread_.refuse("\"creator\" names no thread above it: " + in_quotes(creator));
      thread.creator = static_cast<int>(known->second);
      thread.ordinal = static_cast<std::uint32_t>(thread_.number("ordinal", 1, runtime::kMaxThreads));
      const auto siblings = std::count_if(schedule_.threads.begin(), schedule_.threads.end(),
          [&](const Trace::ThreadEntry& other) { return other.creator == thread.creator; });
      if (std::cmp_not_equal(thread.ordinal, siblings + 1)) {
        thread_.refuse("\"ordinal\" is " + std::to_string(thread.ordinal) + ", but this is thread number " +
                       std::to_string(siblings + 1) + " of its creator");
      }
    }
    if (!threads_.emplace(thread.label, static_cast<unsigned>(index)).second) {
      thread_.refuse("\"thread\" is " + in_quotes(thread.label) + ", like that of a thread above");
    }
    schedule_.threads.push_back(std::move(thread));
  }

  void end_step() {
    const std::size_t number = schedule_.choices.size() + 1;
    const std::uint64_t found = step_.number("step", 0, std::numeric_limits<std::uint64_t>::max());
    if (found != number) {
      step_.refuse(
          "\"step\" is " + std::to_string(found) + " where " + std::to_string(number) + " comes next");
    }
    Trace::Choice choice;
    const std::string label = step_.text("thread");
    const auto thread = threads_.find(label);
    if (thread == threads_.end()) step_.refuse(R"("thread" names none of "threads": )" + in_quotes(label));
    choice.thread = thread->second;
    choice.where = step_.text_or_empty("at");
    choice.price = static_cast<std::uint32_t>(step_.number_or("preempts", 0, 0xffff, 0));
    choice.notes = step_.strings_or_empty("notes");
    choice.is_value = step_.has("chooses");
    if (choice.is_value == step_.has("does")) step_.refuse(R"(a step has either "does" or "chooses")");
    choice.is_value ? end_value(choice) : end_operation(choice);
    // A file that somebody wrote by hand has no checks.
    const std::string check = step_check(chain_, choice, label);
    if (step_.has("check") && step_.text("check") != check) {
      step_.refuse("it does not fit its \"check\": it was changed after it was saved");
    }
    schedule_.choices.push_back(std::move(choice));
  }

  [[nodiscard]] Operation operation(std::string_view field) const {
    const std::string name = step_.text(field);
    const Operation operation = runtime::operation_from_string(name);
    if (operation == Operation::none)
      step_.refuse(in_quotes(field) + " names no operation: " + in_quotes(name));
    return operation;
  }

  void end_operation(Trace::Choice& choice) const {
    for (const char* name : {"of", "for"}) {
      if (step_.has(name))
        step_.refuse("the field " + in_quotes(name) + R"( belongs to "chooses", not to "does")");
    }
    choice.operation = operation("does");
    choice.object = step_.text_or_empty("object");
    if (step_.has("how")) {
      const std::string how = step_.text("how");
      if (how != "expired" && how != "spuriously") {
        step_.refuse(R"("how" must be "expired" or "spuriously", not )" + in_quotes(how));
      }
      choice.mode = how == "expired" ? Mode::expire : Mode::spurious;
    }
    choice.code = runtime::thread_code(choice.thread, choice.mode);
  }

  void end_value(Trace::Choice& choice) const {
    for (const char* name : {"object", "how"}) {
      if (step_.has(name))
        step_.refuse("the field " + in_quotes(name) + R"( belongs to "does", not to "chooses")");
    }
    choice.operation = operation("for");
    choice.count = static_cast<std::uint32_t>(step_.number("of", 2, runtime::kCodeLimit));
    choice.code = static_cast<Code>(step_.number("chooses", 0, choice.count - 1));
  }

  // The header, when everything has been read.
  void finish() {
    if (header_.is_empty()) refuse_stranger();  // {}
    schedule_.test = header_.text("test");
    const std::string kind = header_.text("failure");
    if (!runtime::from_string(kind, schedule_.kind)) {
      header_.refuse("\"failure\" names no kind of failure: " + in_quotes(kind));
    }
    schedule_.message = header_.text("message");
    schedule_.where = header_.text_or_empty("where");
    schedule_.signal = static_cast<int>(header_.number_or("signal", 0, kMostSignal, 0));
    schedule_.strategy = header_.text("strategy");
    schedule_.seed = header_.number("seed", 0, std::numeric_limits<std::uint64_t>::max());
    schedule_.max_steps = static_cast<std::uint32_t>(header_.number("max_steps", 1, runtime::kMaxPositions));
    schedule_.stack_size = header_.number("stack_size", kLeastStack, kMostStack);
    schedule_.spurious_wakeups = header_.flag("spurious_wakeups");
    schedule_.spurious_failures = header_.flag("spurious_failures");
    schedule_.binary = header_.text_or_empty("binary");
    schedule_.build_id = header_.text_or_empty("build_id");
    schedule_.complete = !header_.has("complete") || header_.flag("complete");

    constexpr auto kMostBound = std::numeric_limits<std::uint32_t>::max();
    constexpr auto kMostExecutions = std::numeric_limits<std::uint64_t>::max();
    schedule_.bound = static_cast<unsigned>(header_.number_or("preemptions", 0, kMostBound, 0));
    schedule_.executions = header_.number_or("executions", 0, kMostExecutions, 0);
    if (schedule_.complete) {
      header_.require("preemptions");
      header_.require("executions");
      header_.require_array("threads");
      header_.require_array("schedule");
      if (schedule_.threads.empty()) header_.refuse("\"threads\" must name at least one thread");
    } else {
      header_.require_array("choices");
    }
  }

  std::string_view text_;
  std::string file_;
  In in_ = In::document;
  Fields header_{file_, "a schedule file",
      {"hocket_schedule", "test", "failure", "message", "where", "signal", "preemptions", "executions",
          "strategy", "seed", "max_steps", "stack_size", "spurious_wakeups", "spurious_failures", "binary",
          "build_id", "complete", "threads", "schedule", "choices"}};
  Fields thread_{file_, "a thread", {"thread", "creator", "ordinal", "made at"}};
  Fields step_{file_, "a step",
      {"step", "thread", "does", "object", "how", "chooses", "of", "for", "at", "preempts", "notes",
          "check"}};
  std::uint64_t chain_ = 0;                            ///< of step_check
  std::unordered_map<std::string, unsigned> threads_;  ///< places in schedule_.threads, by label
  Schedule schedule_;
};

}  // namespace

Schedule schedule_from_json(std::string_view text, std::string_view name) {
  return ScheduleReader(text, name).read();
}

}  // namespace hocket
