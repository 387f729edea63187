#include "schedule_builder.hpp"

#include <algorithm>
#include <concepts>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include "../../runtime/terms/operation.hpp"
#include "kept_steps.hpp"
#include "rule_fields.hpp"
#include "step_check.hpp"

namespace hocket {

namespace {

using runtime::Code;
using runtime::Mode;
using runtime::Operation;
using runtime::RecordedChoice;
using runtime::RecordedThread;

constexpr int kMostSignal = 64;
constexpr std::uint64_t kMostPrice = 0xffff;
constexpr std::uint64_t kMostStates = 0xffff'fffe;

Operation operation_in(const Fields& step, std::string_view field) {
  const std::string name = step.text(field);
  const Operation operation = runtime::operation_from_string(name);
  if (operation == Operation::none) step.refuse(in_quotes(field) + " names no operation: " + in_quotes(name));
  return operation;
}

void read_operation(const Fields& step, RecordedChoice& choice) {
  for (const char* name : {"of", "for", "reads", "of step", "newest", "newest step", "costs"}) {
    if (step.has(name))
      step.refuse("the field " + in_quotes(name) + R"( belongs to "chooses", not to "does")");
  }
  choice.operation = operation_in(step, "does");
  choice.object = step.text_or_empty("object");
  choice.lock = step.text_or_empty("lock");
  choice.order = step.text_or_empty("order");
  if (step.has("how")) {
    const std::string how = step.text("how");
    if (how != "expired" && how != "spuriously" && how != "timeless") {
      step.refuse(R"("how" must be "expired", "spuriously" or "timeless", not )" + in_quotes(how));
    }
    choice.mode = how == "expired" ? Mode::expire : how == "spuriously" ? Mode::spurious : Mode::timeless;
  }
  choice.code = runtime::thread_code(choice.thread, choice.mode);
}

void read_value(const Fields& step, RecordedChoice& choice) {
  for (const char* name : {"object", "lock", "order", "how"}) {
    if (step.has(name))
      step.refuse("the field " + in_quotes(name) + R"( belongs to "does", not to "chooses")");
  }
  choice.operation = operation_in(step, "for");
  choice.count = static_cast<std::uint32_t>(step.number("of", 2, runtime::kCodeLimit));
  choice.code = static_cast<Code>(step.number("chooses", 0, choice.count - 1));
  choice.chooses_store = step.has("reads");
  if (!choice.chooses_store) {
    if (step.has("costs")) step.refuse(R"(the field "costs" belongs to "reads")");
    return;
  }
  if (step.has("preempts")) step.refuse(R"(what a choice with "reads" costs is called "costs")");
  choice.price = static_cast<std::uint32_t>(step.number_or("costs", 0, kMostPrice, 0));
  const auto number = [&](std::string_view name) {
    return static_cast<std::uint32_t>(step.number(name, 0, runtime::kMaxPositions));
  };
  choice.seen = {number("of step"), step.text("reads")};
  choice.newest = {number("newest step"), step.text("newest")};
}

void read_rule(const Fields& header, const RuleField& field, bool& value) {
  if (field.text.empty()) {
    value = header.flag(field.name);
    return;
  }
  const std::string text = header.text(field.name);
  value = text == field.text;
  if (!value)
    header.refuse(in_quotes(field.name) + " must be " + in_quotes(field.text) + ", not " + in_quotes(text));
}
template <std::unsigned_integral Number>
void read_rule(const Fields& header, const RuleField& field, Number& value) {
  value = static_cast<Number>(header.number(field.name, field.least, field.most));
}
void read_rule(const Fields& header, const RuleField& field, runtime::Detectors& value) {
  const std::string text = header.text(field.name);
  try {
    value = runtime::detectors_from_string(text);
  } catch (const std::invalid_argument&) {
    header.refuse(in_quotes(field.name) + " names no detectors: " + in_quotes(text));
  }
}

}  // namespace

/// How a thread ends: who joins it, or what it waits for.
void ScheduleBuilder::read_end_of_thread(const Fields& fields, RecordedThread& thread) {
  if (fields.has("joined by") != fields.has("joined after"))
    fields.refuse(R"(a thread has both "joined by" and "joined after", or neither)");
  if (fields.text_or_empty("waits for").empty() && (fields.has("waits at") || fields.has("waits on")))
    fields.refuse(R"("waits for" is missing)");
  thread.joined_after =
      static_cast<std::uint32_t>(fields.number_or("joined after", 0, runtime::kMaxPositions, 0));
  thread.waiting.for_what = fields.text_or_empty("waits for");
  thread.waiting.object = fields.text_or_empty("waits at");
  thread.waiting.where = fields.text_or_empty("waits where");
  thread.access = {fields.text_or_empty("access"), fields.text_or_empty("access to"),
      fields.text_or_empty("access at"),
      static_cast<std::uint32_t>(fields.number_or("access after", 0, runtime::kMaxPositions, 0)),
      static_cast<unsigned>(fields.number_or("access number", 1, 2, 1))};
  NamedThreads named{static_cast<unsigned>(schedule_.threads.size()), fields.text_or_empty("joined by"),
      fields.strings_or_empty("waits on")};
  if (!named.joiner.empty() || !named.waits_on.empty()) named_threads_.push_back(std::move(named));
}

void ScheduleBuilder::resolve_named_threads(const Fields& header) {
  const auto index_of = [&](const std::string& label) {
    const auto found = threads_.find(label);
    if (found == threads_.end())
      header.refuse("a thread is joined by, or waits on, one that is not there: " + in_quotes(label));
    return found->second;
  };
  for (const NamedThreads& named : named_threads_) {
    RecordedThread& thread = schedule_.threads[named.thread];
    if (!named.joiner.empty()) thread.joiner = static_cast<int>(index_of(named.joiner));
    for (const std::string& label : named.waits_on) thread.waiting.threads.push_back(index_of(label));
  }
}

void ScheduleBuilder::add_thread(const Fields& fields) {
  const std::size_t index = schedule_.threads.size();
  RecordedThread thread;
  thread.label = fields.text("thread");
  thread.made_at = fields.text_or_empty("made at");
  thread.made_after =
      static_cast<std::uint32_t>(fields.number_or("made after", 0, runtime::kMaxPositions, 0));
  read_end_of_thread(fields, thread);
  if (index == 0) {
    if (fields.has("creator") || fields.has("ordinal")) {
      fields.refuse(R"(the first thread has no "creator" and no "ordinal")");
    }
  } else {
    const std::string creator = fields.text("creator");
    const auto known = threads_.find(creator);
    if (known == threads_.end()) fields.refuse("\"creator\" names no thread above it: " + in_quotes(creator));
    thread.creator = static_cast<int>(known->second);
    thread.ordinal = static_cast<std::uint32_t>(fields.number("ordinal", 1, runtime::kMaxThreads));
    const auto siblings = std::count_if(schedule_.threads.begin(), schedule_.threads.end(),
        [&](const RecordedThread& other) { return other.creator == thread.creator; });
    if (std::cmp_not_equal(thread.ordinal, siblings + 1)) {
      fields.refuse("\"ordinal\" is " + std::to_string(thread.ordinal) + ", but this is thread number " +
                    std::to_string(siblings + 1) + " of its creator");
    }
  }
  if (!threads_.emplace(thread.label, static_cast<unsigned>(index)).second) {
    fields.refuse("\"thread\" is " + in_quotes(thread.label) + ", like that of a thread above");
  }
  schedule_.threads.push_back(std::move(thread));
}

void ScheduleBuilder::check_number(const Fields& fields) const {
  const std::size_t number = schedule_.choices.size() + 1;
  const std::uint64_t found = fields.number("step", 0, std::numeric_limits<std::uint64_t>::max());
  if (found != number) {
    fields.refuse(
        "\"step\" is " + std::to_string(found) + " where " + std::to_string(number) + " comes next");
  }
}

// A file written by hand has no checks.
void ScheduleBuilder::check_chain(const Fields& fields, const std::string& check) const {
  if (fields.has("check") && fields.text("check") != check && !has_left_out_notes_) {
    fields.refuse("it does not match its \"check\": it was changed after it was saved");
  }
}

void ScheduleBuilder::add_left_out(const Fields& fields) {
  check_number(fields);
  fields.require_array("choices");
  if (fields.count() != (fields.has("check") ? 3 : 2))
    fields.refuse(R"(an entry with "choices" has "step" and "check", and nothing else)");
  if (left_out_.empty()) fields.refuse(R"("choices" must have at least one)");
  for (const Code number : left_out_) {
    RecordedChoice choice = choice_of(number);
    choice.is_left_out = true;
    const bool is_first = schedule_.choices.empty();
    choice.thread = !choice.is_value ? runtime::thread_of(choice.code)
                    : is_first       ? 0
                                     : schedule_.choices.back().thread;
    choice.mode = choice.is_value ? Mode::run : runtime::mode_of(choice.code);
    if (choice.thread >= schedule_.threads.size())
      fields.refuse("\"choices\" has a step of thread number " + std::to_string(choice.thread + 1) +
                    ", but \"threads\" has " + std::to_string(schedule_.threads.size()));
    schedule_.choices.push_back(std::move(choice));
    chain_ = runtime::mix(chain_, number);
  }
  left_out_.clear();
  check_chain(fields, check_digits(chain_));
}

void ScheduleBuilder::add_step(const Fields& fields) {
  check_number(fields);
  const std::size_t number = schedule_.choices.size() + 1;
  RecordedChoice choice;
  const std::string label = fields.text("thread");
  const auto thread = threads_.find(label);
  if (thread == threads_.end()) fields.refuse(R"("thread" names none of "threads": )" + in_quotes(label));
  choice.thread = thread->second;
  choice.where = fields.text_or_empty("at");
  choice.part_of = fields.text_or_empty("part of");
  choice.price = static_cast<std::uint32_t>(fields.number_or("preempts", 0, kMostPrice, 0));
  choice.notes = fields.strings_or_empty("notes");
  if (fields.has("why")) schedule_.why[number - 1] = fields.text("why");
  if (fields.has("source")) schedule_.sources[number - 1] = fields.text("source");
  choice.is_value = fields.has("chooses");
  if (choice.is_value == fields.has("does")) fields.refuse(R"(a step has either "does" or "chooses")");
  choice.is_value ? read_value(fields, choice) : read_operation(fields, choice);
  if (choice.operation == runtime::Operation::model_step)
    choice.count = static_cast<std::uint32_t>(fields.number_or("which", 0, 0xffff'ffff, 0));
  if (fields.has("leads to")) {
    if (choice.operation != Operation::model_step || schedule_.model.path.size() + 1 != number)
      fields.refuse(R"("leads to" belongs to each step of a model, or to none)");
    schedule_.model.path.push_back(
        static_cast<ModelStates::Number>(fields.number("leads to", 0, kMostStates)));
  }
  check_chain(fields, step_check(chain_, choice, label));
  schedule_.choices.push_back(std::move(choice));
}

void ScheduleBuilder::add_stack(const Fields& fields) {
  ShownStack stack{fields.text("stack"), fields.text_or_empty("source"), fields.strings_or_empty("frames")};
  if (stack.frames.size() > ShownStack::kMostFrames)
    fields.refuse("a stack has at most " + std::to_string(ShownStack::kMostFrames) + " frames");
  schedule_.stacks.push_back(std::move(stack));
}

void ScheduleBuilder::add_state(const Fields& fields) {
  fields.require("state");
  schedule_.model.states.push_back(fields.strings_or_empty("state"));
}

void ScheduleBuilder::add_transition(const Fields& fields) {
  const auto number = [&](std::string_view name) {
    return static_cast<ModelStates::Number>(fields.number(name, 0, kMostStates));
  };
  ModelStates::Transition transition;
  transition.from = number("from");
  transition.process = fields.text("process");
  transition.action = fields.text("does");
  if (fields.has("to")) transition.to = number("to");
  schedule_.model.transitions.push_back(std::move(transition));
}

void ScheduleBuilder::finish_model(const Fields& header) {
  ModelStates& model = schedule_.model;
  for (const char* name : {"states", "transitions"}) {
    if (header.has(name)) header.require_array(name);
  }
  model.members = header.strings_or_empty("members");
  const auto is_left_out = [](const RecordedChoice& choice) { return choice.is_left_out; };
  const auto is_of_model = [](const RecordedChoice& choice) {
    return choice.operation == Operation::model_step;
  };
  const std::vector<RecordedChoice>& choices = schedule_.choices;
  if (std::any_of(choices.begin(), choices.end(), is_left_out) &&
      std::any_of(choices.begin(), choices.end(), is_of_model))
    header.refuse(R"(the steps of a model cannot be left out, as an entry with "choices" does)");
  if (model.path.size() != (model.states.empty() ? 0 : schedule_.choices.size()))
    header.refuse(R"(a file has "states" if each step has "leads to", or neither)");
  const auto refuse_if_unknown = [&](ModelStates::Number state) {
    if (state >= model.states.size()) header.refuse(R"("states" has no state )" + std::to_string(state));
  };
  for (const ModelStates::Number state : model.path) refuse_if_unknown(state);
  for (const ModelStates::Transition& transition : model.transitions) {
    refuse_if_unknown(transition.from);
    refuse_if_unknown(transition.to.value_or(transition.from));
  }
}

void ScheduleBuilder::add_code(Code code) {
  schedule_.choices.push_back(choice_of(code));
}

Schedule ScheduleBuilder::finish(const Fields& header) {
  schedule_.test = header.text("test");
  const std::string kind = header.text("failure");
  if (!runtime::from_string(kind, schedule_.kind)) {
    header.refuse("\"failure\" names no kind of failure: " + in_quotes(kind));
  }
  schedule_.message = header.text("message");
  schedule_.where = header.text_or_empty("where");
  schedule_.signal = static_cast<int>(header.number_or("signal", 0, kMostSignal, 0));
  schedule_.strategy = header.text("strategy");
  schedule_.seed = header.number("seed", 0, std::numeric_limits<std::uint64_t>::max());
  for (const RuleField& field : rule_fields()) {
    if (field.is_optional && !header.has(field.name)) continue;
    std::visit([&](auto member) { read_rule(header, field, schedule_.rules().*member); }, field.member);
  }
  if (!schedule_.keeps_stores && header.has("hocket_schedule") &&
      header.number("hocket_schedule", Schedule::kFormat, Schedule::kNewestFormat) ==
          Schedule::kFormatWithStores)
    header.refuse(R"(a file of version 2 has "memory_model": "c11")");
  schedule_.remedy = header.text_or_empty("remedy");
  schedule_.hardware = header.text_or_empty("hardware");
  schedule_.seal = header.text_or_empty("seal");
  schedule_.open = header.text_or_empty("open");
  schedule_.whole_test = header.has("whole_test") && header.flag("whole_test");
  schedule_.names_from_debug_info = header.has("debug_info") && header.flag("debug_info");
  schedule_.lacks_debug_info = header.has("debug_info") && !header.flag("debug_info");
  schedule_.binary = header.text_or_empty("binary");
  schedule_.build_id = header.text_or_empty("build_id");
  schedule_.complete = !header.has("complete") || header.flag("complete");

  constexpr auto kMostBound = std::numeric_limits<std::uint32_t>::max();
  constexpr auto kMostExecutions = std::numeric_limits<std::uint64_t>::max();
  schedule_.bound = static_cast<unsigned>(header.number_or("preemptions", 0, kMostBound, 0));
  schedule_.found_bound = static_cast<unsigned>(header.number_or("found_preemptions", 0, kMostBound, 0));
  if (header.has("found_choices")) header.require_array("found_choices");
  if (schedule_.found_choices.empty() == header.has("found_preemptions"))
    header.refuse(R"(a file has both "found_preemptions" and "found_choices", or neither)");
  schedule_.schedules_tried = static_cast<unsigned>(header.number_or("schedules_tried", 1, kMostBound, 0));
  if (header.has("stacks")) header.require_array("stacks");
  schedule_.executions = header.number_or("executions", 0, kMostExecutions, 0);
  finish_model(header);
  if (schedule_.complete) {
    header.require("preemptions");
    header.require("executions");
    header.require_array("threads");
    header.require_array("schedule");
    resolve_named_threads(header);
    if (schedule_.threads.empty()) header.refuse("\"threads\" must name at least one thread");
  } else {
    header.require_array("choices");
  }
  return std::move(schedule_);
}

}  // namespace hocket
