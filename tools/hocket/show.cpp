// `hocket show`: prints a schedule file, for people or as a document for programs.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <unistd.h>

#include "runtime/terms/utf8.hpp"
#include "scheduler/api/text_width.hpp"
#include "scheduler/options/replay_command.hpp"
#include "scheduler/schedules/schedule_file.hpp"
#include "scheduler/schedules/schedule_text.hpp"
#include "scheduler/schedules/schedule_words.hpp"

#include "commands.hpp"
#include "document.hpp"
#include "exports.hpp"

namespace hocket::tool {

namespace {

/// Whether to print colours: `when` is "always", "never" or "auto", that is on a terminal unless $NO_COLOR is
/// set.
bool wants_color(const std::string& when) {
  if (when != "auto") return when == "always";
  const char* off = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool is_plain = terminal == nullptr || std::string_view(terminal) == "dumb";
  return ::isatty(STDOUT_FILENO) != 0 && (off == nullptr || *off == '\0') && !is_plain;
}

constexpr std::size_t kRows = 60;

/// Of a path of a model: where it begins.
std::string first_state(const Schedule& schedule) {
  if (schedule.model.states.empty()) return {};
  std::string text;
  for (const std::string& part : schedule.model.states[0])
    text += (text.empty() ? "At first: " : ", ") + utf8::printable(part);
  return text + "\n";
}

}  // namespace

int show(const ShowCommand& command) {
  const Schedule schedule = read_schedule(command.file);
  if (command.json) {
    std::printf("%s\n", document_of(schedule, command.file).dump(1).c_str());
    return kPassed;
  }
  if (command.markdown) {
    std::fputs(as_markdown(schedule, document_of(schedule, command.file)).c_str(), stdout);
    return kPassed;
  }
  RenderOptions options;
  options.max_rows = command.all ? 0 : kRows;
  options.width = command.width ? *command.width : columns_of_output();
  options.color = wants_color(command.color);

  const auto width = static_cast<unsigned>(options.width);
  std::string text = utf8::printable(schedule.test) + "\n" + headline(schedule, options.color, width) + "\n" +
                     wrapped(origin(schedule) + "\n" + in_words(schedule, true, width), width) +
                     stacks_text(schedule, options.width) + "\n" + first_state(schedule) +
                     render(schedule, options) + "\n" + note_on_names(schedule);
  if (!command.all && schedule.complete && schedule.choices.size() > kRows) text += "All steps: --all\n";
  text += "Replay it: hocket replay " + file_for_shell(command.file) + " BINARY\n";
  if (!schedule.binary.empty()) text += "It was written by " + utf8::printable(schedule.binary) + "\n";
  std::fputs(text.c_str(), stdout);
  return kPassed;
}

}  // namespace hocket::tool
