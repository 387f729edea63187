// The `hocket` command: reads the command line. What the commands do is in run.cpp, replay.cpp and show.cpp.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "runtime/terms/choice.hpp"
#include "runtime/terms/detectors.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "commands.hpp"

#if !defined(HOCKET_VERSION)
#define HOCKET_VERSION "0.1.0"
#endif

namespace {

using namespace hocket::tool;

constexpr const char* kBinaryHelp = "the test program";
constexpr const char* kArgumentsHelp = "what to pass to it; after -- if one begins with a dash";

std::string detectors() {
  std::string text;
  for (const hocket::runtime::DetectorInfo& about : hocket::runtime::detectors()) {
    text += (text.empty() ? "" : ", ") + std::string(about.name);
  }
  return text;
}

CLI::App* describe_run(CLI::App& app, RunCommand& command) {
  CLI::App* run = app.add_subcommand("run", "Explore the tests of a program");
  run->add_option("BINARY", command.binary, kBinaryHelp)->required();
  run->add_option("ARGUMENTS", command.arguments, kArgumentsHelp);
  run->add_option("--test", command.test, "explore this test alone")->type_name("NAME");
  run->add_option("--strategy", command.strategy,
         "what decides which schedule comes next: " + hocket::names_of_strategies())
      ->type_name("NAME");
  run->add_option("--preemptions", command.preemptions, "the last bound searched: 0, 1, 2, … or unbounded")
      ->type_name("N");
  run->add_option("--executions", command.executions, "stop after so many executions")->type_name("N");
  run->add_option("--time", command.time, "stop after this time: 500ms, 30s, 5m, 1h")->type_name("T");
  run->add_option("--seed", command.seed, "of strategies that sample")->type_name("N");
  run->add_option("--pct-depth", command.pct_depth, "of pct: ordered steps of the bug; 0: 1 to 4 in turn")
      ->type_name("N");
  run->add_option(
         "--pct-length", command.pct_length, "of pct: steps of an execution; 0: the most seen so far")
      ->type_name("N");
  run->add_option("--memory", command.memory, "stop when the search keeps more than this: 512M, 2G")
      ->type_name("BYTES");
  run->add_option("--steps", command.steps, "an execution with more steps than this has failed")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, hocket::runtime::kMaxPositions));
  run->add_option("--stack", command.stack, "the stack of each logical thread: 256K, 1M")->type_name("BYTES");
  run->add_option("--restore", command.restore,
         "what of instrumented code is put back before each execution: snapshot, nothing or fork")
      ->type_name("WHAT");
  run->add_option("--detect", command.detect, "what to look for, as in leaked-memory,-races: " + detectors())
      ->type_name("LIST");
  run->add_option("--watchdog", command.watchdog, "how long a thread may run without an operation: 5s, or 0")
      ->type_name("T");
  run->add_option("--out", command.out, "where failing schedules are written, and looked for first")
      ->type_name("DIR");
  run->add_option("--report", command.report, "write what was found to this file, as JSON")
      ->type_name("FILE");
  run->add_flag("--keep-going", command.keep_going, "go on after a failure");
  run->add_flag(
      "--spurious-wakeups", command.spurious_wakeups, "condition variables may wake up for no reason");
  run->add_flag(
      "--spurious-failures", command.spurious_failures, "a weak compare-exchange may fail for no reason");
  run->add_flag("--fair", command.fair,
      "threads that yield let those go first that they starve, or that costs a preemption");
  run->add_flag(
      "--plain-steps", command.plain_steps, "plain reads and writes of instrumented code are steps too");
  run->add_flag("--show-output", command.show_output, "show what the test prints in every execution");
  run->add_flag(
      "--require-bound", command.require_bound, "a search that a limit stopped fails in the test program");
  run->add_flag("--no-saved", command.no_saved, "do not try the failures saved earlier first");
  run->footer(
      "Exit status: 0 passed, 1 a failure was found or a test is nondeterministic, 2 bad usage, 3 stopped "
      "early.");
  return run;
}

CLI::App* describe_replay(CLI::App& app, ReplayCommand& command) {
  CLI::App* replay = app.add_subcommand("replay", "Run a test under the schedule of a file");
  replay->add_option("FILE", command.file, "the schedule file")->required();
  replay->add_option("BINARY", command.binary, kBinaryHelp)->required();
  replay->add_option("ARGUMENTS", command.arguments, kArgumentsHelp);
  replay->add_flag(
      "--break", command.break_at_failure, "raise SIGTRAP before the failing step, for a debugger");
  replay->add_flag("--show-output", command.show_output, "show what the test prints as it is printed");
  replay->add_option("--report", command.report, "write what came of it to this file, as JSON")
      ->type_name("FILE");
  replay->footer(
      "Exit status: 1 the failure came again, 0 it ran clean, 2 it diverged, or a bad file or usage.");
  return replay;
}

CLI::App* describe_show(CLI::App& app, ShowCommand& command) {
  CLI::App* show =
      app.add_subcommand("show", "Print the schedule of a file: a column per thread, preemptions marked");
  show->add_option("FILE", command.file, "the schedule file")->required();
  show->add_flag("--all", command.all, "all steps, not the last ones only");
  show->add_option("--width", command.width, "columns to use; otherwise those of the terminal")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}));
  show->add_option("--color", command.color, "auto, always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  return show;
}

int refuse(const char* sentence) {
  std::fprintf(stderr, "hocket: %s\n", sentence);
  return kBad;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string commands_of(const CLI::App& app) {
  const std::vector<const CLI::App*> all = app.get_subcommands({});
  std::string text;
  for (const CLI::App* command : all)
    text += (command == all.front() ? "" : command == all.back() ? " and " : ", ") + command->get_name();
  return text;
}

/// What is wrong with a command line.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  if (!app.get_subcommands().empty()) {
    const std::string name = "hocket " + app.get_subcommands()[0]->get_name();
    return first_line(error.what()) + "; " + name + " --help tells what there is";
  }
  const std::vector<std::string> rest = app.remaining();
  const bool is_flag = !rest.empty() && rest[0].starts_with('-');
  const std::string what = rest.empty()
                               ? "no command was given"
                               : "there is no " + std::string(is_flag ? "flag " : "command ") + rest[0];
  return what + "; the commands are " + commands_of(app) + ", and hocket --help tells what they do";
}

int carry_out(int argc, char** argv) {
  ::setenv("HOCKET_COMMAND", argv[0], 1);  // for the command lines that test programs print
  CLI::App app(
      "Explores the thread schedules of a test, the simplest ones first, and replays those that break it.",
      "hocket");
  app.set_version_flag("--version", "hocket " HOCKET_VERSION);
  app.require_subcommand(1);
  RunCommand run_command;
  ReplayCommand replay_command;
  ShowCommand show_command;
  const CLI::App* run_app = describe_run(app, run_command);
  const CLI::App* replay_app = describe_replay(app, replay_command);
  describe_show(app, show_command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
      return app.exit(error);  // --help, --version
    throw UsageError(complaint(app, error));
  }
  if (run_app->parsed()) return run(run_command);
  if (replay_app->parsed()) return replay(replay_command);
  return show(show_command);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return carry_out(argc, argv);
  } catch (const std::exception& error) {
    constexpr std::string_view kName = "hocket: ";  // some come with it, from the library
    const char* sentence = error.what();
    return refuse(std::string_view(sentence).starts_with(kName) ? sentence + kName.size() : sentence);
  }
}
