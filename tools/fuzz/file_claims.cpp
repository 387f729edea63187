#include "file_claims.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/terms/utf8.hpp"
#include "scheduler/options/option_table.hpp"
#include "scheduler/options/settings.hpp"
#include "scheduler/options/suppressions.hpp"
#include "scheduler/schedules/file_steps.hpp"
#include "scheduler/schedules/schedule_file.hpp"
#include "scheduler/schedules/schedule_text.hpp"
#include "scheduler/schedules/schedule_words.hpp"
#include "tools/hocket/document.hpp"
#include "tools/hocket/exports.hpp"

namespace hocket::tools {

namespace {

constexpr std::size_t kRows = 60;
constexpr std::size_t kWidth = 110;

/// No character commands a terminal, or misleads a reader.
void expect_printable(std::string_view what, std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const utf8::CodePoint c = utf8::first(rest);
    const bool is_fine =
        c.is_valid && (c.value == '\n' || !utf8::is_control(c.value)) && !utf8::is_misleading(c.value);
    if (!is_fine)
      throw Contradiction(
          std::string(what) + " has the character " + std::to_string(static_cast<unsigned>(c.value)));
    rest.remove_prefix(c.length);
  }
}

/// A message is one line of bounded length, however long the input is.
void expect_sentence(std::string_view message) {
  constexpr std::size_t kMost = 2000;
  expect_printable("a message", message);
  if (message.find('\n') != std::string_view::npos) throw Contradiction("a message has several lines");
  if (message.size() > kMost)
    throw Contradiction("a message has " + std::to_string(message.size()) + " bytes");
}

void expect_at_most(std::string_view what, const std::string& output, std::size_t input) {
  constexpr std::size_t kTimes = 100;
  constexpr std::size_t kAlways = std::size_t{1} << 20U;
  if (output.size() > kAlways + kTimes * input)
    throw Contradiction(std::string(what) + " has " + std::to_string(output.size()) +
                        " bytes for an input of " + std::to_string(input));
}

/// What is written of a schedule can be read, and is then the same.
void expect_round_trip(const Schedule& schedule) {
  const std::string text = to_json(schedule);
  expect_printable("a written file", text);
  if (to_json(schedule_from_json(text, "written")) != text)
    throw Contradiction("a file changes when it is written again");
  const Schedule essential = schedule_from_json(essential_line(schedule), "essential");
  const auto code = [](const runtime::RecordedChoice& choice) { return choice.code; };
  if (!std::ranges::equal(essential.choices, schedule.choices, {}, code, code))
    throw Contradiction("the essential line has other choices");
}

void expect_fine_outputs(const Schedule& schedule, std::size_t input) {
  const auto expect = [&](std::string_view what, const std::string& text) {
    expect_printable(what, text);
    expect_at_most(what, text, input);
  };
  expect("the headline", headline(schedule));
  expect("the origin", tool::origin(schedule));
  expect("the words", in_words(schedule) + note_on_names(schedule));
  expect("the stacks", stacks_text(schedule, kWidth));
  expect("the table", render(schedule, {.max_rows = kRows, .width = kWidth, .color = false}));
  expect("the whole table", render(schedule, {.max_rows = 0, .width = kWidth, .color = false}));
  const nlohmann::ordered_json document = tool::document_of(schedule, "a file");
  expect("the document", document.dump(1));
  expect("the export for issue trackers", tool::as_markdown(schedule, document));
  const tool::WithSources failure{document, {}};
  expect("the export as SARIF", tool::as_sarif({failure}));
  expect("the export for the log of a job", tool::as_github(failure));
  expect("the export for Perfetto", tool::as_trace(document));
  expect("the export for ShiViz", tool::as_shiviz(document));
  expect("the export for Graphviz", tool::as_dot(document));
}

void check_schedule_file(std::string_view text, Accepted& accepted) {
  Schedule schedule;
  try {
    schedule = schedule_from_json(text, "input");
  } catch (const ScheduleError& error) {
    return expect_sentence(error.what());
  }
  ++accepted.schedules;
  expect_round_trip(schedule);
  expect_fine_outputs(schedule, text.size());
}

/// A message of check() may hold the value as it is. The caller makes it printable.
bool is_refused(const Options& options) {
  try {
    check(options);
    return false;
  } catch (const std::invalid_argument&) {
    return true;
  }
}

void check_option(std::string_view input, Accepted& accepted) {
  const std::string_view name = input.substr(0, input.find(' '));
  const std::string text(input.substr(std::min(input.size(), name.size() + 1)));
  static_cast<void>(option_meant_by(name));
  for (const OptionInfo& option : option_table()) {
    if (option.name != name) continue;
    try {
      Options options;
      Settings settings;
      set_option(option, option.flag(), text, options, settings);
      accepted.values += is_refused(options) ? 0 : 1;
    } catch (const std::invalid_argument& error) {
      expect_printable("a message about an option", error.what());
    }
  }
}

void check_suppressions(std::string_view lines, Accepted& accepted) {
  const int file = ::memfd_create("suppressions", MFD_CLOEXEC);
  static_cast<void>(file_steps::put(file, lines.data(), lines.size()));
  try {
    const Suppressions suppressions("/proc/self/fd/" + std::to_string(file));
    ++accepted.values;
  } catch (const std::invalid_argument& error) {
    expect_printable("a message about suppressions", error.what());
  }
  ::close(file);
}

}  // namespace

void check_input(std::string_view input, Accepted& accepted) {
  if (input.starts_with("o ")) return check_option(input.substr(2), accepted);
  if (input.starts_with("s ")) return check_suppressions(input.substr(2), accepted);
  check_schedule_file(input, accepted);
}

}  // namespace hocket::tools
