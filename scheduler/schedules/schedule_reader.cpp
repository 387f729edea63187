// Reads a Schedule from JSON in one pass, without building a tree: the parser reports each value as it comes,
// and each value is checked at once. The nesting of the format is fixed, so a file that nests deeper is
// refused at the first level too many. Memory grows only with the number of steps.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "../../runtime/diagnosis/notes.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "rule_fields.hpp"
#include "schedule_builder.hpp"
#include "schedule_fields.hpp"
#include "schedule_file.hpp"

namespace hocket {

namespace {

using Json = nlohmann::json;
using Value = Fields::Value;

class ScheduleReader : public nlohmann::json_sax<Json> {
 public:
  ScheduleReader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Schedule read() {
    if (text_.empty()) refuse("the file is empty", kGetAnother);
    if (const auto at = utf8::first_invalid(text_); at != std::string_view::npos) {
      refuse("line " + std::to_string(line_of(at)) + ": this is not UTF-8 text", kGetAnother);
    }
    Json::sax_parse(text_.begin(), text_.end(), this);
    if (header_.is_empty()) refuse_stranger();  // {}
    return built_.finish(header_);
  }

  // -- What the parser reports

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(std::int64_t value) override { return scalar(value); }
  bool number_unsigned(std::uint64_t value) override { return scalar(value); }
  bool number_float(double value, const std::string& /*text*/) override { return scalar(value); }
  bool string(std::string& value) override { return scalar(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) override { return false; }  // JSON has none

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
        thread_.clear("entry " + std::to_string(built_.threads() + 1) + " of \"threads\"");
        if (built_.threads() == runtime::kMaxThreads) {
          thread_.refuse("an execution has at most " + std::to_string(runtime::kMaxThreads) + " threads");
        }
        break;
      case In::stacks:
        in_ = In::stack;
        stack_.clear("entry " + std::to_string(built_.stacks() + 1) + " of \"stacks\"");
        if (built_.stacks() == Schedule::kMostStacks)
          stack_.refuse("a failure has at most " + std::to_string(Schedule::kMostStacks) + " stacks");
        break;
      case In::states:
        in_ = In::state;
        state_.clear("entry " + std::to_string(built_.states() + 1) + " of \"states\"");
        break;
      case In::transitions:
        in_ = In::transition;
        transition_.clear("entry " + std::to_string(built_.transitions() + 1) + " of \"transitions\"");
        break;
      case In::steps:
        in_ = In::step;
        step_.clear("step " + std::to_string(built_.choices() + 1));
        refuse_too_many_choices(step_, built_.choices());
        break;
      default:
        misplaced("an object");
    }
    return true;
  }

  bool end_object() override {
    switch (in_) {
      case In::thread:
        built_.add_thread(thread_);
        in_ = In::threads;
        break;
      case In::step:
        step_.has("choices") ? built_.add_left_out(step_) : built_.add_step(step_);
        in_ = In::steps;
        break;
      case In::stack:
        built_.add_stack(stack_);
        in_ = In::stacks;
        break;
      case In::state:
        built_.add_state(state_);
        in_ = In::states;
        break;
      case In::transition:
        built_.add_transition(transition_);
        in_ = In::transitions;
        break;
      default:
        in_ = In::document;
    }
    return true;
  }

  bool start_array(std::size_t /*size*/) override {
    if (const std::string_view name = texts(); !name.empty() && name == entry().current()) {
      around_texts_ = in_;
      in_ = In::texts;
      entry().set_strings();
      return true;
    }
    if (in_ == In::step && step_.current() == "choices") {
      in_ = In::left_out_codes;
      step_.set(Fields::Array{});
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
    } else if (name == "stacks") {
      in_ = In::stacks;
    } else if (name == "states") {
      in_ = In::states;
    } else if (name == "transitions") {
      in_ = In::transitions;
    } else if (name == "found_choices") {
      in_ = In::found_codes;
    } else {
      misplaced("an array");
    }
    header_.set(Fields::Array{});
    return true;
  }

  bool end_array() override {
    if (in_ == In::texts && left_out_ != 0) {
      built_.notes_were_left_out();
      std::string& last = entry().strings()[kMostNotes - 1];
      last = "… and " + std::to_string(std::exchange(left_out_, 0) + 1) + " more";
    }
    in_ = in_ == In::texts ? around_texts_ : in_ == In::left_out_codes ? In::step : In::header;
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
  static constexpr std::size_t kMostNotes = 100;

  enum class In : std::uint8_t {
    document,
    header,
    threads,
    thread,
    steps,
    step,
    stacks,
    stack,
    states,
    state,
    transitions,
    transition,
    texts,
    codes,
    found_codes,
    left_out_codes
  };

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
  static void refuse_too_many_choices(const Fields& fields, std::size_t choices) {
    if (choices < runtime::kMaxPositions) return;
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

  /// The field that has an array of texts, in the kind of object that is being read; empty if it has none.
  [[nodiscard]] std::string_view texts() const {
    switch (in_) {
      case In::header:
        return "members";
      case In::thread:
        return "waits on";
      case In::stack:
        return "frames";
      case In::state:
        return "state";
      case In::step:
        return "notes";
      default:
        return {};
    }
  }

  /// Keeps as many as a reader can use. A file of millions of empty ones would take many times its size.
  void add_text(std::string text) {
    Fields::Strings& texts = entry().strings();
    if (around_texts_ == In::header || around_texts_ == In::state) refuse_too_many_parts(texts.size());
    const bool is_note = entry().current() == "notes";
    if (!is_note || texts.size() < kMostNotes || text.starts_with(runtime::notes::kFails)) {
      texts.push_back(std::move(text));
    } else {
      ++left_out_;
    }
  }

  void refuse_too_many_parts(std::size_t parts) {
    if (parts < ModelStates::kMostParts) return;
    entry().refuse("a state has at most " + std::to_string(ModelStates::kMostParts) + " parts");
  }

  /// The object that is being read.
  Fields& entry() {
    switch (in_ == In::texts ? around_texts_ : in_) {
      case In::thread:
        return thread_;
      case In::stack:
        return stack_;
      case In::state:
        return state_;
      case In::transition:
        return transition_;
      case In::step:
        return step_;
      default:
        return header_;
    }
  }

  // Takes a value that is neither an object nor an array.
  bool scalar(Value value) {
    switch (in_) {
      case In::document:
        refuse_stranger();
      case In::header:
        header_.set(std::move(value));
        if (header_.current() == "hocket_schedule") check_format();
        break;
      case In::thread:
      case In::stack:
      case In::state:
      case In::transition:
      case In::step:
        entry().set(std::move(value));
        break;
      case In::texts:
        if (!std::holds_alternative<std::string>(value)) misplaced(Fields::kind_of(value));
        add_text(std::move(std::get<std::string>(value)));
        break;
      case In::codes:
      case In::found_codes:
      case In::left_out_codes:
        add_code(value);
        break;
      default:
        misplaced(Fields::kind_of(value));
    }
    return true;
  }

  // Reports that `found` is in a place where the format has something else.
  [[noreturn]] void misplaced(std::string_view found) {
    const auto entry_of = [](std::string_view array, std::size_t n) {
      return "entry " + std::to_string(n + 1) + " of " + in_quotes(array);
    };
    const auto refuse_entry = [&](std::string_view array, std::size_t n, std::string_view wanted) {
      refuse(entry_of(array, n) + " must be " + std::string(wanted) + ", not " + std::string(found), kUndo);
    };
    switch (in_) {
      case In::threads:
        refuse_entry("threads", built_.threads(), "an object");
        break;
      case In::stacks:
        refuse_entry("stacks", built_.stacks(), "an object");
        break;
      case In::stack:
        stack_.refuse_kind(stack_.current(), stack_.current() == "frames" ? "an array" : "text", found);
      case In::states:
        refuse_entry("states", built_.states(), "an object");
        break;
      case In::state:
        state_.refuse_kind(state_.current(), "an array", found);
      case In::transitions:
        refuse_entry("transitions", built_.transitions(), "an object");
        break;
      case In::transition: {
        const std::string_view name = transition_.current();
        transition_.refuse_kind(name, name == "from" || name == "to" ? "a number" : "text", found);
      }
      case In::steps:
        refuse_entry("schedule", built_.choices(), "an object");
        break;
      case In::codes:
      case In::found_codes:
      case In::left_out_codes:
        refuse_entry(name_of_codes(), number_of_codes(), "a number");
        break;
      case In::texts:
        entry().refuse(in_quotes(entry().current()) + " must hold text, not " + std::string(found));
      case In::header:
        if (header_.current() == "hocket_schedule") refuse_format(std::string(found));
        header_.refuse_kind(header_.current(), wanted_in_header(header_.current()), found);
      case In::thread:
        thread_.refuse_kind(thread_.current(), wanted_in_thread(thread_.current()), found);
      case In::step:
        step_.refuse_kind(step_.current(), wanted_in_step(step_.current()), found);
      default:
        break;
    }
    refuse_stranger();
  }

  static std::vector<std::string_view> names_in_header() {
    std::vector<std::string_view> names{"hocket_schedule", "test", "failure", "message", "where", "remedy",
        "hardware", "signal", "preemptions", "executions", "strategy", "seed", "seal", "open", "whole_test",
        "debug_info", "binary", "build_id", "complete", "threads", "schedule", "choices", "found_preemptions",
        "found_choices", "schedules_tried", "stacks", "members", "states", "transitions"};
    for (const RuleField& field : rule_fields()) names.push_back(field.name);
    return names;
  }
  static std::string_view wanted_in_thread(std::string_view name) {
    if (name == "waits on") return "an array";
    for (const std::string_view number :
        {"ordinal", "made after", "joined after", "access after", "access number"}) {
      if (name == number) return "a number";
    }
    return "text";
  }
  static std::string_view wanted_in_header(std::string_view name) {
    if (name == "complete" || name == "whole_test" || name == "debug_info") return "true or false";
    for (const RuleField& field : rule_fields()) {
      if (name == field.name)
        return field.is_flag() && field.text.empty() ? "true or false"
               : field.is_number()                   ? "a number"
                                                     : "text";
    }
    for (const std::string_view number :
        {"signal", "preemptions", "executions", "seed", "found_preemptions", "schedules_tried"}) {
      if (name == number) return "a number";
    }
    for (const std::string_view array :
        {"threads", "schedule", "choices", "found_choices", "stacks", "members", "states", "transitions"}) {
      if (name == array) return "an array";
    }
    return "text";
  }
  static std::string_view wanted_in_step(std::string_view name) {
    for (const std::string_view number :
        {"step", "chooses", "of", "of step", "newest step", "preempts", "costs", "leads to"}) {
      if (name == number) return "a number";
    }
    return name == "notes" || name == "choices" ? "an array" : "text";
  }

  [[noreturn]] void refuse_format(const std::string& found) const {
    refuse("\"hocket_schedule\" must be from " + std::to_string(Schedule::kFormat) + " to " +
               std::to_string(Schedule::kNewestFormat) + ", not " + found,
        kUndo);
  }
  // This must come before all other checks, because a newer format may differ in everything.
  void check_format() {
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t format = header_.number("hocket_schedule", 0, kMost);
    if (format > Schedule::kNewestFormat) {
      refuse("the file is of a newer Hocket: it has format " + std::to_string(format) +
                 ", and this one reads formats to " + std::to_string(Schedule::kNewestFormat),
          "use that Hocket to read it");
    }
    if (format < Schedule::kFormat) refuse_format(std::to_string(format));
    if (format >= Schedule::kFormatWithStores) return;
    for (const RuleField& field : rule_fields()) {
      if (field.format == Schedule::kFormatWithStores) header_.has_no(field.name);
    }
    header_.has_no("hardware");
    for (const char* name : {"order", "reads", "of step", "newest", "newest step", "costs"}) {
      step_.has_no(name);
    }
  }

  void add_code(const Value& value) {
    const auto* code = std::get_if<std::uint64_t>(&value);
    const auto* negative = std::get_if<std::int64_t>(&value);
    if (code == nullptr && negative == nullptr) misplaced(Fields::kind_of(value));
    constexpr runtime::Code kMost = runtime::kCodeLimit + runtime::kIsValueInFiles;
    if (code == nullptr || *code >= kMost) {
      refuse("entry " + std::to_string(number_of_codes() + 1) + " of " + in_quotes(name_of_codes()) +
                 " must be from 0 to " + std::to_string(kMost - 1) + ", not " +
                 (code != nullptr ? std::to_string(*code) : std::to_string(*negative)),
          kUndo);
    }
    const bool is_left_out = in_ == In::left_out_codes;
    refuse_too_many_choices(header_, number_of_codes() + (is_left_out ? built_.choices() : 0));
    const auto valid = static_cast<runtime::Code>(*code);
    if (is_left_out) return built_.add_left_out_code(valid);
    in_ == In::codes ? built_.add_code(valid) : built_.add_found_code(valid);
  }

  // -- About the array of numbers that is being read
  [[nodiscard]] std::string_view name_of_codes() const {
    return in_ == In::found_codes ? "found_choices" : "choices";
  }
  [[nodiscard]] std::size_t number_of_codes() const {
    return in_ == In::codes         ? built_.choices()
           : in_ == In::found_codes ? built_.found_choices()
                                    : built_.left_out_codes();
  }

  std::string_view text_;
  std::string file_;
  In in_ = In::document;
  In around_texts_ = In::document;  ///< the kind of entry, while its texts are read
  std::size_t left_out_ = 0;        ///< of the texts of the array that is being read
  Fields header_{file_, "a schedule file", names_in_header()};
  Fields thread_{file_, "a thread",
      {"thread", "creator", "ordinal", "made at", "made after", "joined by", "joined after", "waits for",
          "waits at", "waits on", "waits where", "access", "access to", "access at", "access after",
          "access number"}};
  Fields stack_{file_, "a stack", {"stack", "source", "frames"}};
  Fields state_{file_, "a state", {"state"}};
  Fields transition_{file_, "a transition", {"from", "process", "does", "to"}};
  Fields step_{file_, "a step",
      {"step", "thread", "does", "object", "lock", "order", "which", "how", "chooses", "of", "for", "reads",
          "of step", "newest", "newest step", "part of", "at", "preempts", "costs", "why", "source", "notes",
          "leads to", "choices", "check"}};
  ScheduleBuilder built_;
};

}  // namespace

Schedule schedule_from_json(std::string_view text, std::string_view name) {
  return ScheduleReader(text, name).read();
}

}  // namespace hocket
