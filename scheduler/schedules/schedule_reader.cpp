// Reads a Schedule from JSON in one pass, without building a tree: the parser reports each value as it comes,
// and each value is checked at once. The nesting of the format is fixed, so a file that nests deeper is
// refused at the first level too many. Memory grows only with the number of steps.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "../../runtime/diagnosis/notes.hpp"
#include "../../runtime/terms/utf8.hpp"
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
    if (entries_ == nullptr && header_.is_empty() && name != "hocket_schedule") refuse_stranger();
    object().begin(name);
    return true;
  }

  bool start_object(std::size_t /*size*/) override {
    if (in_ == In::document) {
      in_ = In::object;
      return true;
    }
    if (in_ != In::entries) misplaced("an object");
    in_ = In::object;
    const std::size_t before = (built_.*entries_->count)();
    const bool is_step = entries_ == &steps_;
    object().clear(is_step ? "step " + std::to_string(before + 1) : entry_of(entries_->array, before));
    if (before >= entries_->most)
      object().refuse(std::string(entries_->what_has_them) + " has at most " +
                      std::to_string(entries_->most) + " " +
                      (is_step ? "steps" : std::string(entries_->array)));
    return true;
  }

  bool end_object() override {
    if (entries_ == nullptr) {
      in_ = In::document;
      return true;
    }
    const bool is_left_out = entries_ == &steps_ && object().has("choices");
    is_left_out ? built_.add_left_out(object()) : (built_.*entries_->add)(object());
    in_ = In::entries;
    return true;
  }

  bool start_array(std::size_t /*size*/) override {
    if (in_ != In::object) misplaced("an array");
    const std::string& name = object().current();
    switch (object().holds()) {
      case Holds::texts:
        in_ = In::texts;
        object().set_strings();
        return true;
      case Holds::codes:
        if (entries_ == nullptr && name == "choices" && header_.has("threads")) refuse_codes_and_steps();
        in_ = In::codes;
        break;
      case Holds::entries:
        if (name == "threads" || name == "schedule") {
          if (header_.has("choices")) refuse_codes_and_steps();
          if (!header_.has("threads")) header_.refuse(R"("schedule" must come after "threads")");
        }
        in_ = In::entries;
        break;
      default:
        misplaced("an array");
    }
    object().set(Fields::Array{});
    if (in_ == In::entries)
      entries_ = *std::find_if(
          arrays_.begin(), arrays_.end(), [&](const Entries* one) { return one->array == name; });
    return true;
  }

  bool end_array() override {
    if (in_ == In::entries) entries_ = nullptr;
    if (in_ == In::texts && left_out_ != 0) {
      built_.notes_were_left_out();
      std::string& last = object().strings()[kMostNotes - 1];
      last = "… and " + std::to_string(std::exchange(left_out_, 0) + 1) + " more";
    }
    in_ = In::object;
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
  static constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

  enum class In : std::uint8_t { document, object, entries, texts, codes };

  /// An array of objects, and what is known of the one that is being read.
  struct Entries {
    std::string_view array;
    std::size_t (ScheduleBuilder::*count)() const;
    void (ScheduleBuilder::*add)(const Fields& fields);
    Fields fields;
    std::size_t most = kAny;
    std::string_view what_has_them = {};
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
  [[nodiscard]] std::size_t line_of(std::size_t at) const {
    return 1 + static_cast<std::size_t>(
                   std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
  [[nodiscard]] std::size_t column_of(std::size_t at) const {
    const std::size_t line_end = text_.substr(0, at).rfind('\n');
    const std::size_t begin = line_end == std::string_view::npos ? 0 : line_end + 1;
    return 1 + utf8::columns(text_.substr(begin, at - begin));
  }

  static std::string entry_of(std::string_view array, std::size_t n) {
    return "entry " + std::to_string(n + 1) + " of " + in_quotes(array);
  }

  /// The object that is being read.
  Fields& object() { return entries_ == nullptr ? header_ : entries_->fields; }

  /// Keeps as many as a reader can use. A file of millions of empty ones would take many times its size.
  void add_text(std::string text) {
    Fields::Strings& texts = object().strings();
    const bool is_part = entries_ == nullptr || entries_ == &states_;
    if (is_part && texts.size() >= ModelStates::kMostParts)
      object().refuse("a state has at most " + std::to_string(ModelStates::kMostParts) + " parts");
    const bool is_note = object().current() == "notes";
    if (!is_note || texts.size() < kMostNotes || text.starts_with(runtime::notes::kFails)) {
      texts.push_back(std::move(text));
    } else {
      ++left_out_;
    }
  }

  // Takes a value that is neither an object nor an array.
  bool scalar(Value value) {
    switch (in_) {
      case In::document:
        refuse_stranger();
      case In::object:
        object().set(std::move(value));
        if (object().current() == "hocket_schedule") check_format();
        break;
      case In::texts:
        if (!std::holds_alternative<std::string>(value)) misplaced(Fields::kind_of(value));
        add_text(std::move(std::get<std::string>(value)));
        break;
      case In::codes:
        add_code(value);
        break;
      case In::entries:
        misplaced(Fields::kind_of(value));
    }
    return true;
  }

  // Reports that `found` is in a place where the format has something else.
  [[noreturn]] void misplaced(std::string_view found) {
    const auto refuse_entry = [&](std::string_view array, std::size_t n, std::string_view wanted) {
      refuse(entry_of(array, n) + " must be " + std::string(wanted) + ", not " + std::string(found), kUndo);
    };
    switch (in_) {
      case In::entries:
        refuse_entry(entries_->array, (built_.*entries_->count)(), "an object");
        break;
      case In::codes:
        refuse_entry(object().current(), number_of_codes(), "a number");
        break;
      case In::texts:
        object().refuse(in_quotes(object().current()) + " must hold text, not " + std::string(found));
      case In::object:
        if (object().current() == "hocket_schedule") refuse_format(std::string(found));
        object().refuse_kind(found);
      case In::document:
        break;
    }
    refuse_stranger();
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
    for (Fields* fields : {&header_, &steps_.fields}) fields->has_none_of(Schedule::kFormatWithStores);
  }

  void add_code(const Value& value) {
    const auto* code = std::get_if<std::uint64_t>(&value);
    const auto* negative = std::get_if<std::int64_t>(&value);
    if (code == nullptr && negative == nullptr) misplaced(Fields::kind_of(value));
    constexpr runtime::Code kMost = runtime::kCodeLimit + runtime::kIsValueInFiles;
    if (code == nullptr || *code >= kMost) {
      refuse(entry_of(object().current(), number_of_codes()) + " must be from 0 to " +
                 std::to_string(kMost - 1) + ", not " +
                 (code != nullptr ? std::to_string(*code) : std::to_string(*negative)),
          kUndo);
    }
    const bool is_left_out = entries_ != nullptr;
    if (number_of_codes() + (is_left_out ? built_.choices() : 0) >= runtime::kMaxPositions)
      header_.refuse("an execution has at most " + std::to_string(runtime::kMaxPositions) + " steps");
    const auto valid = static_cast<runtime::Code>(*code);
    if (is_left_out) return built_.add_left_out_code(valid);
    is_of_found() ? built_.add_found_code(valid) : built_.add_code(valid);
  }

  // -- About the array of numbers that is being read
  [[nodiscard]] bool is_of_found() const { return header_.current() == "found_choices"; }
  [[nodiscard]] std::size_t number_of_codes() const {
    return entries_ != nullptr ? built_.left_out_codes()
           : is_of_found()     ? built_.found_choices()
                               : built_.choices();
  }

  using Built = ScheduleBuilder;

  std::string_view text_;
  std::string file_;
  In in_ = In::document;
  std::size_t left_out_ = 0;  ///< of the texts of the array that is being read
  Fields header_{file_, "a schedule file", header_fields()};
  Entries threads_{"threads", &Built::threads, &Built::add_thread, {file_, "a thread", thread_fields()},
      runtime::kMaxThreads, "an execution"};
  Entries steps_{"schedule", &Built::choices, &Built::add_step, {file_, "a step", step_fields()},
      runtime::kMaxPositions, "an execution"};
  Entries stacks_{"stacks", &Built::stacks, &Built::add_stack, {file_, "a stack", stack_fields()},
      Schedule::kMostStacks, "a failure"};
  Entries states_{"states", &Built::states, &Built::add_state, {file_, "a state", state_fields()}};
  Entries transitions_{"transitions", &Built::transitions, &Built::add_transition,
      {file_, "a transition", transition_fields()}};
  const std::array<Entries*, 5> arrays_{&threads_, &steps_, &stacks_, &states_, &transitions_};
  Entries* entries_ = nullptr;  ///< the array that is being read; null: none
  ScheduleBuilder built_;
};

}  // namespace

Schedule schedule_from_json(std::string_view text, std::string_view name) {
  return ScheduleReader(text, name).read();
}

}  // namespace hocket
