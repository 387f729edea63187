#include "schedule_fields.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "../../runtime/terms/utf8.hpp"
#include "rule_fields.hpp"
#include "schedule_file.hpp"

namespace hocket {

namespace {

constexpr unsigned kStores = Schedule::kFormatWithStores;
constexpr unsigned kNewest = Schedule::kNewestFormat;

}  // namespace

std::span<const FieldInfo> header_fields() {
  static const std::vector<FieldInfo> kAll = [] {
    std::vector<FieldInfo> all{{"hocket_schedule", Holds::number}, {"test"}, {"failure"}, {"message"},
        {"where"}, {"remedy", Holds::text, kNewest}, {"hardware", Holds::text, kStores},
        {"signal", Holds::number}, {"preemptions", Holds::number}, {"executions", Holds::number},
        {"strategy"}, {"seed", Holds::number}, {"seal", Holds::text, kNewest}, {"open", Holds::text, kNewest},
        {"whole_test", Holds::flag}, {"debug_info", Holds::flag, kNewest}, {"binary"}, {"build_id"},
        {"complete", Holds::flag}, {"found_preemptions", Holds::number, kNewest},
        {"found_choices", Holds::codes}, {"schedules_tried", Holds::number, kNewest},
        {"stacks", Holds::entries, kNewest}, {"threads", Holds::entries}, {"schedule", Holds::entries},
        {"choices", Holds::codes}, {"members", Holds::texts}, {"states", Holds::entries, kNewest},
        {"transitions", Holds::entries}};
    for (const RuleField& rule : rule_fields()) {
      const Holds holds = rule.is_number()                      ? Holds::number
                          : rule.is_flag() && rule.text.empty() ? Holds::flag
                                                                : Holds::text;
      all.push_back({rule.name, holds, rule.format});
    }
    return all;
  }();
  return kAll;
}

std::span<const FieldInfo> thread_fields() {
  static constexpr auto kAll = std::to_array<FieldInfo>({{"thread"}, {"creator"}, {"ordinal", Holds::number},
      {"made at"}, {"made after", Holds::number, kNewest}, {"joined by", Holds::text, kNewest},
      {"joined after", Holds::number}, {"waits for", Holds::text, kNewest}, {"waits at"},
      {"waits on", Holds::texts}, {"waits where"}, {"access", Holds::text, kNewest}, {"access to"},
      {"access at"}, {"access after", Holds::number}, {"access number", Holds::number}});
  return kAll;
}

std::span<const FieldInfo> step_fields() {
  static constexpr auto kAll = std::to_array<FieldInfo>({{"step", Holds::number}, {"thread"}, {"does"},
      {"object"}, {"lock", Holds::text, kNewest}, {"order", Holds::text, kStores}, {"which", Holds::number},
      {"how"}, {"chooses", Holds::number}, {"of", Holds::number}, {"for"}, {"reads", Holds::text, kStores},
      {"of step", Holds::number, kStores}, {"newest", Holds::text, kStores},
      {"newest step", Holds::number, kStores}, {"part of"}, {"at"}, {"preempts", Holds::number},
      {"costs", Holds::number, kStores}, {"why", Holds::text, kNewest}, {"source", Holds::text, kNewest},
      {"notes", Holds::texts}, {"leads to", Holds::number, kNewest}, {"choices", Holds::codes, kNewest},
      {"check"}});
  return kAll;
}

std::span<const FieldInfo> stack_fields() {
  static constexpr auto kAll =
      std::to_array<FieldInfo>({{"stack"}, {"source", Holds::text, kNewest}, {"frames", Holds::texts}});
  return kAll;
}

std::span<const FieldInfo> state_fields() {
  static constexpr auto kAll = std::to_array<FieldInfo>({{"state", Holds::texts}});
  return kAll;
}

std::span<const FieldInfo> transition_fields() {
  static constexpr auto kAll =
      std::to_array<FieldInfo>({{"from", Holds::number}, {"process"}, {"does"}, {"to", Holds::number}});
  return kAll;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMostColumns = 60;
  return '"' + utf8::shortened(utf8::printable(text), kMostColumns) + '"';
}

std::string_view Fields::kind_of(const Value& value) {
  constexpr std::array<std::string_view, 8> kKinds{"null", "true or false", "a negative number", "a number",
      "a number with a fraction", "text", "an array", "an array"};
  return kKinds[value.index()];
}

void Fields::refuse(const std::string& problem, std::string_view remedy) const {
  throw ScheduleError(
      file_ + ": " + (place_.empty() ? "" : place_ + ": ") + problem + "; " + std::string(remedy));
}

void Fields::refuse_kind(std::string_view name, std::string_view wanted, std::string_view found) const {
  refuse(in_quotes(name) + " must be " + std::string(wanted) + ", not " + std::string(found));
}

void Fields::refuse_kind(std::string_view found) const {
  constexpr std::array<std::string_view, 6> kWanted{
      "text", "a number", "true or false", "an array", "an array", "an array"};
  refuse_kind(current(), kWanted[static_cast<std::size_t>(holds_)], found);
}

void Fields::begin(const std::string& name) {
  const auto field =
      std::find_if(known_.begin(), known_.end(), [&](const FieldInfo& known) { return known.name == name; });
  if (field == known_.end()) refuse(std::string(what_) + " has no field " + in_quotes(name));
  holds_ = field->holds;
  if (has(name)) refuse("the field " + in_quotes(name) + " occurs twice");
  fields_.emplace_back(name, Value{});
}

std::uint64_t Fields::number(std::string_view name, std::uint64_t least, std::uint64_t most) const {
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

bool Fields::flag(std::string_view name) const {
  const Value& value = get(name);
  if (const auto* is_set = std::get_if<bool>(&value); is_set != nullptr) return *is_set;
  refuse_kind(name, "true or false", kind_of(value));
}

std::string Fields::text(std::string_view name) const {
  const Value& value = get(name);
  if (const auto* text = std::get_if<std::string>(&value); text != nullptr) return *text;
  refuse_kind(name, "text", kind_of(value));
}

Fields::Strings Fields::strings_or_empty(std::string_view name) const {
  if (!has(name)) return {};
  const Value& value = get(name);
  if (const auto* strings = std::get_if<Strings>(&value); strings != nullptr) return *strings;
  refuse_kind(name, "an array", kind_of(value));
}

void Fields::require_array(std::string_view name) const {
  if (!std::holds_alternative<Array>(get(name))) refuse_kind(name, "an array", kind_of(get(name)));
}

void Fields::refuse_number(
    std::string_view name, std::uint64_t least, std::uint64_t most, const std::string& found) const {
  if (most == std::numeric_limits<std::uint64_t>::max())
    refuse(in_quotes(name) + " must not be negative, but is " + found);
  refuse(in_quotes(name) + " must be from " + std::to_string(least) + " to " + std::to_string(most) +
         ", not " + found);
}

const Fields::Value* Fields::find(std::string_view name) const {
  const auto field =
      std::find_if(fields_.begin(), fields_.end(), [&](const auto& f) { return f.first == name; });
  return field == fields_.end() ? nullptr : &field->second;
}

const Fields::Value& Fields::get(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) refuse("the field " + in_quotes(name) + " is missing");
  return *value;
}

}  // namespace hocket
