// Schedules as JSON: an object with a line for each field, and arrays with a line for each thread and each
// choice. So an editor shows an execution as a list, and a diff of two files shows where they diverge.
#include <algorithm>
#include <cassert>
#include <concepts>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "../../runtime/terms/utf8.hpp"
#include "kept_steps.hpp"
#include "rule_fields.hpp"
#include "schedule_fields.hpp"
#include "schedule_file.hpp"
#include "step_check.hpp"

namespace hocket {

namespace {

using runtime::Mode;
using runtime::Operation;
using runtime::RecordedChoice;
using runtime::RecordedThread;

/// A file that is being written.
struct FileText : std::string {
  bool is_newer = false;  ///< it has what Hocket 0.2.0 does not read
};

// Appends `text` as a JSON string. Escapes invalid bytes, control characters and marks that
// mislead readers.
void append_string(std::string& json, std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  const std::string valid = utf8::valid(text);
  json += '"';
  for (std::string_view rest = valid; !rest.empty();) {
    const utf8::CodePoint c = utf8::first(rest);
    if (c.value == '"' || c.value == '\\') {
      json += '\\';
      json += rest[0];
    } else if (c.value == '\n') {
      json += "\\n";
    } else if (utf8::is_control(c.value) || utf8::is_misleading(c.value)) {
      json += "\\u";
      for (const unsigned shift : {12U, 8U, 4U, 0U}) json += kDigits[c.value >> shift & 15U];
    } else {
      json += rest.substr(0, c.length);
    }
    rest.remove_prefix(c.length);
  }
  json += '"';
}

// Writes the fields of one object, with `separator` between them.
class WrittenFields {
 public:
  WrittenFields(FileText& json, std::string_view separator, std::span<const FieldInfo> known)
      : json_(json), separator_(separator), known_(known) {}

  void add(std::string_view name, std::string_view text) {
    begin(name);
    append_string(json_, text);
  }
  void add(std::string_view name, const char* text) { add(name, std::string_view(text)); }
  void add(std::string_view name, bool value) {
    begin(name);
    json_ += value ? "true" : "false";
  }
  void add(std::string_view name, std::unsigned_integral auto value) {
    begin(name);
    json_ += std::to_string(value);
  }
  template <class Value>
  void add_unless_empty(std::string_view name, const Value& value) {
    if (value != Value{}) add(name, value);
  }

  void begin(std::string_view name) {
    if (!is_first_) json_ += separator_;
    is_first_ = false;
    const auto field = std::find_if(
        known_.begin(), known_.end(), [&](const FieldInfo& known) { return known.name == name; });
    assert(field != known_.end());
    json_.is_newer |= field->format == Schedule::kNewestFormat;
    append_string(json_, name);
    json_ += ": ";
  }

  /// If `is_newer`, the value that was added last is one that Hocket 0.2.0 does not know.
  void set_newer(bool is_newer) { json_.is_newer |= is_newer; }

 private:
  FileText& json_;
  std::string_view separator_;
  std::span<const FieldInfo> known_;
  bool is_first_ = true;
};

void add_failure(WrittenFields& fields, const Schedule& schedule) {
  fields.add("failure", runtime::to_string(schedule.kind));
  fields.set_newer(schedule.kind == runtime::FailureKind::atomicity);
  fields.add("message", schedule.message);
  fields.add_unless_empty("where", schedule.where);
  fields.add_unless_empty("remedy", schedule.remedy);
  fields.add_unless_empty("hardware", schedule.hardware);
  if (schedule.signal != 0) fields.add("signal", static_cast<unsigned>(schedule.signal));
}

void add_rule(WrittenFields& fields, const RuleField& field, std::unsigned_integral auto value) {
  if (value != 0 || !field.is_optional) fields.add(field.name, value);
}
void add_rule(WrittenFields& fields, const RuleField& field, runtime::Detectors value) {
  const std::string text = runtime::to_string(value);
  fields.add_unless_empty(field.name, text);
  for (const char* const newer : {"spins", "atomicity", "lock-orders"})
    fields.set_newer(text.find(newer) != std::string::npos);
}

void add_rule(WrittenFields& fields, const RuleField& field, bool value) {
  if (!field.text.empty()) {
    if (value) fields.add(field.name, field.text);
  } else if (value || !field.is_optional) {
    fields.add(field.name, value);
  }
}

void add_options(WrittenFields& fields, const Schedule& schedule) {
  fields.add("strategy", schedule.strategy);
  fields.add("seed", schedule.seed);
  for (const RuleField& field : rule_fields()) {
    std::visit([&](auto member) { add_rule(fields, field, schedule.rules().*member); }, field.member);
  }
  fields.add_unless_empty("seal", schedule.seal);
  fields.add_unless_empty("open", schedule.open);
  fields.add_unless_empty("whole_test", schedule.whole_test);
  if (schedule.names_from_debug_info || schedule.lacks_debug_info)
    fields.add("debug_info", schedule.names_from_debug_info);
  fields.add_unless_empty("binary", schedule.binary);
  fields.add_unless_empty("build_id", schedule.build_id);
}

// The labels of the threads as written to the file. They must be unique because steps refer to threads by
// label. Labels that differ only in bytes that are not UTF-8 still differ here, but a name could be chosen to
// collide.
std::vector<std::string> labels_of(const Schedule& schedule) {
  std::vector<std::string> labels;
  for (const RecordedThread& thread : schedule.threads) {
    std::string label = utf8::valid(thread.label);
    for (unsigned n = 2; std::find(labels.begin(), labels.end(), label) != labels.end(); ++n) {
      label = utf8::valid(thread.label) + " #" + std::to_string(n);
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

void append_strings(FileText& json, const std::vector<std::string>& strings) {
  json += '[';
  for (std::size_t n = 0; n < strings.size(); ++n) {
    if (n != 0) json += ", ";
    append_string(json, strings[n]);
  }
  json += ']';
}

void append_thread(
    FileText& json, const RecordedThread& thread, unsigned index, const std::vector<std::string>& labels) {
  json += "    {";
  WrittenFields fields(json, ", ", thread_fields());
  fields.add("thread", labels[index]);
  if (thread.creator >= 0) {
    fields.add("creator", labels[static_cast<unsigned>(thread.creator)]);
    fields.add("ordinal", thread.ordinal);
  }
  fields.add_unless_empty("made at", thread.made_at);
  fields.add_unless_empty("made after", thread.made_after);
  if (thread.joiner >= 0) {
    fields.add("joined by", labels[static_cast<unsigned>(thread.joiner)]);
    fields.add("joined after", thread.joined_after);
  }
  const RecordedThread::Waiting& waiting = thread.waiting;
  fields.add_unless_empty("waits for", waiting.for_what);
  fields.add_unless_empty("waits at", waiting.object);
  if (!waiting.threads.empty()) {
    std::vector<std::string> names;
    for (const unsigned on : waiting.threads) names.push_back(labels.at(on));
    fields.begin("waits on");
    append_strings(json, names);
  }
  fields.add_unless_empty("waits where", waiting.where);
  fields.add_unless_empty("access", thread.access.what);
  fields.add_unless_empty("access to", thread.access.object);
  fields.add_unless_empty("access at", thread.access.where);
  fields.add_unless_empty("access after", thread.access.after);
  if (!thread.access.what.empty()) fields.add("access number", thread.access.number);
  json += '}';
}

void append_stack(FileText& json, const ShownStack& stack) {
  json += "    {";
  WrittenFields fields(json, ", ", stack_fields());
  fields.add("stack", stack.title);
  fields.add_unless_empty("source", stack.source);
  fields.begin("frames");
  append_strings(json, stack.frames);
  json += '}';
}

void append_state(FileText& json, const std::vector<std::string>& state) {
  json += "    {";
  WrittenFields fields(json, ", ", state_fields());
  fields.begin("state");
  append_strings(json, state);
  json += '}';
}

void append_transition(FileText& json, const ModelStates::Transition& transition) {
  json += "    {";
  WrittenFields fields(json, ", ", transition_fields());
  fields.add("from", transition.from);
  fields.add("process", transition.process);
  fields.add("does", transition.action);
  if (transition.to) fields.add("to", *transition.to);
  json += '}';
}

void append_choice(FileText& json, const Schedule& schedule, std::size_t n,
    const std::vector<std::string>& labels, std::uint64_t& chain) {
  const RecordedChoice& choice = schedule.choices[n];
  json += "    {";
  WrittenFields fields(json, ", ", step_fields());
  fields.add("step", n + 1);
  assert(choice.thread < labels.size());
  fields.add("thread", labels[choice.thread]);
  if (choice.is_value) {
    fields.add("chooses", choice.code);
    fields.add("of", choice.count);
    fields.add("for", runtime::to_string(choice.operation));
    if (choice.chooses_store) {
      fields.add("reads", choice.seen.value);
      fields.add("of step", choice.seen.step);
      fields.add("newest", choice.newest.value);
      fields.add("newest step", choice.newest.step);
    }
  } else {
    fields.add("does", runtime::to_string(choice.operation));
    fields.set_newer(choice.operation >= Operation::futex_wake || choice.part_of == runtime::kGivesWay);
    fields.add_unless_empty("object", choice.object);
    fields.add_unless_empty("lock", choice.lock);
    fields.add_unless_empty("order", choice.order);
    if (choice.operation == runtime::Operation::model_step) fields.add("which", choice.count);
    if (choice.mode == Mode::expire) fields.add("how", "expired");
    if (choice.mode == Mode::spurious) fields.add("how", "spuriously");
    if (choice.mode == Mode::timeless) fields.add("how", "timeless");
  }
  fields.add_unless_empty("part of", choice.part_of);
  fields.add_unless_empty("at", choice.where);
  fields.add_unless_empty(choice.chooses_store ? "costs" : "preempts", choice.price);
  if (const auto why = schedule.why.find(n); why != schedule.why.end()) fields.add("why", why->second);
  if (const auto source = schedule.sources.find(n); source != schedule.sources.end())
    fields.add("source", source->second);
  if (!choice.notes.empty()) {
    fields.begin("notes");
    append_strings(json, choice.notes);
  }
  if (n < schedule.model.path.size()) fields.add("leads to", schedule.model.path[n]);
  fields.add("check", step_check(chain, choice, labels[choice.thread]));
  json += '}';
}

/// An entry for the choices [begin, end), of which the file has only the numbers.
void append_left_out(FileText& json, const std::vector<RecordedChoice>& choices, std::size_t begin,
    std::size_t end, std::uint64_t& chain) {
  json += "    {";
  WrittenFields fields(json, ", ", step_fields());
  fields.add("step", begin + 1);
  fields.begin("choices");
  json += '[';
  for (std::size_t n = begin; n < end; ++n) {
    const runtime::Code number = full_number_of(choices[n]);
    if (n != begin) json += ',';
    json += std::to_string(number);
    chain = runtime::mix(chain, number);
  }
  json += ']';
  fields.add("check", check_digits(chain));
  json += '}';
}

// Appends an array with a line for each of `count` entries.
template <class AppendEntry>
void append_lines(FileText& json, std::size_t count, AppendEntry append_entry) {
  json += '[';
  for (std::size_t n = 0; n < count; ++n) {
    json += n == 0 ? "\n" : ",\n";
    append_entry(n);
  }
  json += count == 0 ? "]" : "\n  ]";
}

// Appends an array of numbers on one line.
template <class Items, class CodeOf>
void append_codes(FileText& json, const Items& items, CodeOf code_of) {
  json += '[';
  for (std::size_t n = 0; n < items.size(); ++n) {
    if (n != 0) json += ", ";
    json += std::to_string(std::invoke(code_of, items[n]));
  }
  json += ']';
}

void add_steps(FileText& json, const Schedule& schedule, const std::vector<std::string>& labels) {
  const std::vector<bool> left_out = left_out_choices(schedule);
  std::vector<std::size_t> begins;  // of the entries
  for (std::size_t n = 0; n < left_out.size(); ++n) {
    if (n == 0 || !left_out[n] || !left_out[n - 1]) begins.push_back(n);
  }
  std::uint64_t chain = 0;
  append_lines(json, begins.size(), [&](std::size_t entry) {
    const std::size_t begin = begins[entry];
    if (!left_out[begin]) return append_choice(json, schedule, begin, labels, chain);
    const std::size_t end = entry + 1 < begins.size() ? begins[entry + 1] : left_out.size();
    append_left_out(json, schedule.choices, begin, end, chain);
  });
}

void add_model(FileText& json, WrittenFields& fields, const ModelStates& model) {
  if (model.states.empty()) return;
  if (!model.members.empty()) {
    fields.begin("members");
    append_strings(json, model.members);
  }
  fields.begin("states");
  append_lines(json, model.states.size(), [&](std::size_t n) { append_state(json, model.states[n]); });
  if (model.transitions.empty()) return;
  fields.begin("transitions");
  append_lines(
      json, model.transitions.size(), [&](std::size_t n) { append_transition(json, model.transitions[n]); });
}

}  // namespace

std::string to_json(const Schedule& schedule) {
  FileText json{"{\n  "};
  WrittenFields fields(json, ",\n  ", header_fields());
  constexpr std::string_view kFormat = R"("hocket_schedule": )";
  fields.add("hocket_schedule", schedule.keeps_stores ? Schedule::kFormatWithStores : Schedule::kFormat);
  fields.add("test", schedule.test);
  add_failure(fields, schedule);
  if (schedule.complete) fields.add("preemptions", schedule.bound);
  fields.add("executions", schedule.executions);
  add_options(fields, schedule);
  if (!schedule.found_choices.empty()) {
    fields.add("found_preemptions", schedule.found_bound);
    fields.begin("found_choices");
    append_codes(json, schedule.found_choices, [](runtime::Code code) { return code; });
  }
  fields.add_unless_empty("schedules_tried", schedule.schedules_tried);
  if (!schedule.stacks.empty()) {
    fields.begin("stacks");
    append_lines(
        json, schedule.stacks.size(), [&](std::size_t n) { append_stack(json, schedule.stacks[n]); });
  }
  if (schedule.complete) {
    const std::vector<std::string> labels = labels_of(schedule);
    fields.begin("threads");
    append_lines(json, labels.size(),
        [&](std::size_t n) { append_thread(json, schedule.threads[n], static_cast<unsigned>(n), labels); });
    fields.begin("schedule");
    add_steps(json, schedule, labels);
    add_model(json, fields, schedule.model);
  } else {
    fields.add("complete", false);
    fields.begin("choices");
    append_codes(json, numbers_of(schedule.choices), [](runtime::Code code) { return code; });
  }
  json += "\n}\n";
  if (json.is_newer) json[json.find(kFormat) + kFormat.size()] = '0' + Schedule::kNewestFormat;
  return json;
}

}  // namespace hocket
