#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <variant>

#include "scheduler/schedules/rule_fields.hpp"
#include "scheduler/schedules/schedule_file.hpp"
#include "scheduler/schedules/schedule_text.hpp"
#include "scheduler/schedules/schedule_words.hpp"
#include "scheduler/schedules/stack_text.hpp"
#include "scheduler/schedules/utf8.hpp"

#include "commands.hpp"
#include "terminal.hpp"

namespace hocket::tool {

namespace {

constexpr std::size_t kRows = 60;

std::string count_of(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

// "Found by random with 5 preemptions after 119 executions, and made shorter." A crash handler does not know
// how many there were.
std::string origin(const Schedule& schedule) {
  std::string text = "Found by " + utf8::printable(schedule.strategy);
  if (schedule.complete) {
    const unsigned found = schedule.found_choices.empty() ? schedule.bound : schedule.found_bound;
    text += " with " + count_of(found, "preemption") + " after " + count_of(schedule.executions, "execution");
    if (!schedule.found_choices.empty()) text += ", and made shorter";
  }
  for (const RuleField& field : rule_fields()) {
    const auto* const flag = std::get_if<bool RuleField::Rules::*>(&field.member);
    if (flag != nullptr && schedule.rules().*(*flag)) text += ", " + std::string(field.said);
  }
  return text + ".\n";
}

}  // namespace

int show(const ShowCommand& command) {
  const Schedule schedule = read_schedule(command.file);
  RenderOptions options;
  options.max_rows = command.all ? 0 : kRows;
  options.width = command.width ? *command.width : terminal_width();
  options.color = wants_color(command.color);

  std::string text = utf8::printable(schedule.test) + "\n" + headline(schedule, options.color) + "\n" +
                     origin(schedule) + in_words(schedule) + stacks_text(schedule, options.width) + "\n" +
                     render(schedule, options) + "\n";
  if (!command.all && schedule.complete && schedule.choices.size() > kRows) text += "All steps: --all\n";
  text += "Replay it: hocket replay " + utf8::printable(command.file) + " BINARY\n";
  if (!schedule.binary.empty()) text += "It was written by " + utf8::printable(schedule.binary) + "\n";
  std::fputs(text.c_str(), stdout);
  return std::fflush(stdout) == 0 ? kPassed : kBad;
}

}  // namespace hocket::tool
