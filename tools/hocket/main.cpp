// The `hocket` command: reads the command line. What each command does is in the file of its name.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hocket/version.h>
#include <CLI/CLI.hpp>

#include "runtime/terms/english.hpp"
#include "scheduler/options/option_flags.hpp"
#include "scheduler/options/spelling.hpp"

#include "commands.hpp"
#include "completion.hpp"
#include "manual.hpp"

namespace hocket::tool {

namespace {

constexpr const char* kBinaryHelp = "the test program";
constexpr const char* kArgumentsHelp = "what to pass to it; after -- if one begins with a dash";

/// The flags of a command for the options that are in the table.
class TableFlags {
 public:
  /// Adds those that `is_wanted` to `command`.
  template <class IsWanted>
  TableFlags(CLI::App& command, IsWanted is_wanted) {
    for (const OptionInfo& option : option_table()) {
      if (std::invoke(is_wanted, option))
        flags_.emplace_back(&option, add_flag(command, option, option.command_flag()));
    }
  }

  /// Those that were on the command line.
  [[nodiscard]] std::vector<GivenOption> given() const {
    std::vector<GivenOption> given;
    for (const auto& [option, flag] : flags_) {
      // An empty value is one that was not given, as in the environment.
      if (flag->count() != 0 && !hocket::text_of(*flag).empty())
        given.push_back({option, hocket::text_of(*flag)});
    }
    return given;
  }

 private:
  std::vector<std::pair<const OptionInfo*, CLI::Option*>> flags_;
};

void add_launch(CLI::App& app, std::string& launch) {
  app.add_option("--launch", launch,
         "run each part by this command, on another machine that sees the same files: \"srun -N1 -n1\"")
      ->type_name("COMMAND");
}

CLI::App* describe_run(CLI::App& app, RunCommand& command) {
  CLI::App* run = app.add_subcommand("run", "Explore the tests of a program");
  run->add_option("BINARY", command.binary, kBinaryHelp)->required();
  run->add_option("ARGUMENTS", command.arguments, kArgumentsHelp);
  run->add_option("--test", command.test, "explore this test alone")->type_name("NAME");
  run->add_option("-j,--jobs", command.jobs,
         "search with N processes, as HOCKET_JOBS=N does; with --checkpoint, run N parts at the same time; "
         "auto: one for each core")
      ->type_name("N");
  run->add_option("--checkpoint", command.checkpoint,
         "keep in this folder what is found, so that hocket resume goes on when this has ended in any way")
      ->type_name("DIR");
  add_launch(*run, command.launch);
  run->add_option("--parts", command.parts,
         "into how many parts --checkpoint splits the search, otherwise 128; they are run in turn")
      ->type_name("N")
      ->check(CLI::Range(1U, Shard::kMost));
  run->footer(
      "Exit status: 0 passed, 1 a failure was found or a test is nondeterministic, 2 bad usage, 3 stopped "
      "early.");
  return run;
}

CLI::App* describe_resume(CLI::App& app, ResumeCommand& command) {
  CLI::App* resume =
      app.add_subcommand("resume", "Go on with a search that keeps what it has found (run --checkpoint)");
  resume->add_option("DIR", command.folder, "the folder that hocket run was given")->required();
  resume
      ->add_option(
          "-j,--jobs", command.jobs, "run N parts of the search at the same time; auto: one for each core")
      ->type_name("N");
  add_launch(*resume, command.launch);
  resume->footer(
      "Runs the parts that are missing, and tells the verdict of all. Exit status: that of hocket run, and 2 "
      "if the folder is damaged, in use, or of another build of the program.");
  return resume;
}

/// The options that are not of a search, but of what runs it.
bool is_of_resume(const OptionInfo& option) {
  return option.name == "time" || option.name == "report" || option.name == "html";
}

CLI::App* describe_replay(CLI::App& app, ReplayCommand& command) {
  CLI::App* replay = app.add_subcommand("replay", "Run a test under the schedule of a file");
  replay->add_option("FILE", command.file, "the schedule file, or - for standard input")->required();
  replay->add_option("BINARY", command.binary, kBinaryHelp)->required();
  replay->add_option("ARGUMENTS", command.arguments, kArgumentsHelp);
  replay->footer(
      "Exit status: 1 the failure came again, 0 it ran clean, 2 it diverged, or a bad file or usage, 3 "
      "stopped early.");
  return replay;
}

CLI::App* describe_minimize(CLI::App& app, ReplayCommand& command) {
  CLI::App* minimize = app.add_subcommand(
      "minimize", "Look for a shorter schedule with the same failure, and save it in the file");
  minimize->add_option("FILE", command.file, "the schedule file")->required();
  minimize->add_option("BINARY", command.binary, kBinaryHelp)->required();
  minimize->add_option("ARGUMENTS", command.arguments, kArgumentsHelp);
  minimize->add_option("--time", command.minimize_time, "how long at most; otherwise until the end or Ctrl-C")
      ->type_name("T");
  minimize->footer(
      "The schedule as it was found stays in the file, and hocket replay --original follows it. Exit status: "
      "as of hocket replay.");
  return minimize;
}

void describe_show(CLI::App& app, ShowCommand& command) {
  CLI::App* show =
      app.add_subcommand("show", "Print the schedule of a file: a column per thread, preemptions marked");
  show->add_option("FILE", command.file, "the schedule file")->required();
  show->add_flag("--all", command.all, "all steps, not the last ones only");
  CLI::Option* const json = show->add_flag("--json", command.json, "all of it as JSON, for programs");
  show->add_flag("--markdown", command.markdown, "as Markdown, for an issue tracker")->excludes(json);
  show->add_option("--width", command.width, "columns to use; otherwise those of the terminal")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}));
  show->add_option("--color", command.color, "auto, always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

void describe_sources(CLI::App& app, SourcePlaces& places) {
  app.add_option(
         "--binary", places.binary, "the test program, whose debug information says where its sources are")
      ->type_name("FILE");
  app.add_option(
         "--sources", places.folders, "a folder in which to look for other sources, and in those below it")
      ->type_name("DIR");
}

CLI::App* describe_report(CLI::App& app, ReportCommand& command) {
  CLI::App* report =
      app.add_subcommand("report", "Write failures, or a report of searches, as pages for a browser");
  report->add_option("FILE", command.files, "schedule files, or what --report wrote")->required();
  report
      ->add_option(
          "-o,--output", command.output, "the page; or a folder for several pages and a list of them")
      ->required()
      ->type_name("PAGE");
  describe_sources(*report, command.sources);
  report->footer("The page loads nothing from elsewhere. Exit status: 0 it is there, 2 it is not.");
  return report;
}

CLI::App* describe_export(CLI::App& app, ExportCommand& command) {
  CLI::App* exporting = app.add_subcommand("export", "Print failures for another program");
  exporting->add_option("FILE", command.files, "schedule files; one for trace, shiviz and dot")->required();
  exporting
      ->add_option("--as", command.format,
          "markdown, sarif, github (lines of a job's log), trace (for Perfetto), shiviz or dot")
      ->required()
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"markdown", "sarif", "github", "trace", "shiviz", "dot"}));
  describe_sources(*exporting, command.sources);
  return exporting;
}

CLI::App* describe_gdb(CLI::App& app, GdbCommand& command) {
  CLI::App* gdb = app.add_subcommand("gdb", "Replay a file in gdb, which stops where it fails");
  gdb->add_option("FILE", command.file, "the schedule file")->required();
  gdb->add_option("BINARY", command.binary, kBinaryHelp)->required();
  gdb->add_option("ARGUMENTS", command.arguments, kArgumentsHelp);
  gdb->add_option("--step", command.step, "stop before this step, too; otherwise only where it fails")
      ->type_name("N");
  gdb->footer("In gdb, help hocket lists the commands that show the threads of the test.");
  return gdb;
}

CLI::App* describe_vscode(CLI::App& app, VscodeCommand& command) {
  CLI::App* vscode =
      app.add_subcommand("vscode", "Add the replay of a file to .vscode/launch.json, to debug it in VS Code");
  vscode->add_option("FILE", command.file, "the schedule file")->required();
  vscode->add_option("BINARY", command.binary, kBinaryHelp)->required();
  vscode->add_option("ARGUMENTS", command.arguments, kArgumentsHelp);
  vscode->add_option("--debugger", command.debugger, "gdb, for Microsoft's extension, or lldb, for CodeLLDB")
      ->type_name("NAME")
      ->check(CLI::IsMember({"gdb", "lldb"}));
  vscode->add_option("--step", command.step, "stop before this step, too; otherwise only where it fails")
      ->type_name("N");
  vscode->add_option("--folder", command.folder, "the folder that VS Code opens; otherwise the current one")
      ->type_name("DIR");
  vscode->footer(
      "What is in the file already stays as it is. Exit status: 0 it is there, 2 it could not be added.");
  return vscode;
}

CLI::App* describe_list(CLI::App& app, ListCommand& command) {
  CLI::App* list = app.add_subcommand("list", "Name the tests of a program, without running any");
  list->add_option("BINARY", command.binary, kBinaryHelp)->required();
  list->add_option("ARGUMENTS", command.arguments, kArgumentsHelp);
  list->footer(
      "A line for each: \"search\" and the name of a test that Hocket explores, or \"test\" and that of "
      "another, which it explores with --all-tests, or if its body calls hocket::testing::explore().");
  return list;
}

CLI::App* describe_merge(CLI::App& app, MergeCommand& command) {
  CLI::App* merge =
      app.add_subcommand("merge", "Join the reports of all shards of a search (--shard) into one");
  merge->add_option("REPORT", command.files, "what --report wrote in each shard")->required();
  merge->add_option("-o,--output", command.output, "the file for the report of the whole search")
      ->type_name("FILE");
  merge->footer(
      "Exit status: 0 all shards together have passed, 1 a failure was found, 2 the reports do not fit "
      "together, 3 a shard is missing or was stopped.");
  return merge;
}

CLI::App* describe_flags(CLI::App& app, FlagsCommand& command) {
  CLI::App* flags = app.add_subcommand(
      "flags", "Print what a compiler and a linker need to put code under control, for builds without CMake");
  flags->add_flag("--compile", command.compile, "for the compiler, before the name of a source file");
  flags->add_flag("--link", command.link, "for the linker, after the names of object files");
  flags->add_option("--language", command.language, "c++ or c")
      ->type_name("NAME")
      ->check(CLI::IsMember({"c++", "c"}));
  const char* const compiler = std::getenv("CXX");
  command.compiler = compiler == nullptr ? "g++" : compiler;
  flags->add_option("--compiler", command.compiler, "otherwise that of the variable CXX, or g++")
      ->type_name("NAME");
  flags->add_flag("--whole-program", command.whole_program, "with --link: main() is the body of a search");
  flags->add_flag(
      "--gtest", command.gtest, "with --link: GoogleTest, and a main() that reads Hocket's flags");
  flags->add_option("--prefix", command.prefix, "what to call the folder in which Hocket is installed")
      ->type_name("DIR");
  return flags;
}

CLI::App* describe_check(CLI::App& app, CheckCommand& command) {
  CLI::App* check =
      app.add_subcommand("check", "Look whether a link lost hooks; --link wants -Wl,-Map=MAP beside it");
  check->add_option("MAP", command.map, "what the linker wrote")->required();
  check->add_option("LIBRARY", command.without_hooks, "names of files that may be without hooks");
  check
      ->add_option(
          "--build-tree", command.build_tree, "libraries in here are warned of if they have no hooks")
      ->type_name("DIR");
  check->footer("Exit status: 0 nothing was lost, 1 something was, 2 bad usage.");
  return check;
}

int refuse(const char* sentence) {
  tell(sentence);
  return kBad;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string commands_of(const CLI::App& app) {
  const std::vector<const CLI::App*> all = app.get_subcommands({});
  std::vector<std::string> names;
  for (const CLI::App* command : all) names.push_back(command->get_name());
  return hocket::runtime::listed(names);
}

/// What is wrong with the options of a command, if one of them is none.
std::optional<std::string> unknown_option(const CLI::App& command) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options())
    known.insert(known.end(), option->get_lnames().begin(), option->get_lnames().end());
  for (const std::string& word : command.remaining()) {
    if (!word.starts_with('-')) continue;
    const std::string unknown = word.substr(0, word.find('='));
    const std::string meant = likely_spelling(without_prefix(unknown), known);
    return "there is no option " + unknown + did_you_mean(meant.empty() ? "" : "--" + meant);
  }
  return std::nullopt;
}

/// What is wrong with a command line.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  if (!app.get_subcommands().empty()) {
    const CLI::App& command = *app.get_subcommands()[0];
    const std::string sentence = unknown_option(command).value_or(first_line(error.what()) + ";");
    return sentence + " hocket " + command.get_name() + " --help lists the options";
  }
  const std::vector<std::string> rest = app.remaining();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ValidationError))
    return first_line(error.what()) + "; hocket --help describes the flags";
  const std::string commands = " the commands are " + commands_of(app) + ", and hocket --help describes them";
  if (rest.empty()) return "no command was given;" + commands;
  if (rest[0].starts_with('-')) return unknown_option(app).value_or("") + commands;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  return "there is no command " + rest[0] + did_you_mean(likely_spelling(rest[0], known)) + commands;
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
  ListCommand list_command;
  FlagsCommand flags_command;
  CheckCommand check_command;
  CLI::App* const run_app = describe_run(app, run_command);
  const TableFlags run_flags(*run_app, &OptionInfo::is_of_run);
  ResumeCommand resume_command;
  CLI::App* const resume_app = describe_resume(app, resume_command);
  const TableFlags resume_flags(*resume_app, &is_of_resume);
  resume_app->get_option("--time")->description("stop after this time: 30s, 5m, 1h; what was found is kept");
  CLI::App* const replay_app = describe_replay(app, replay_command);
  const TableFlags replay_flags(*replay_app, &OptionInfo::is_of_replay);
  ReplayCommand minimize_command;
  minimize_command.minimize_time = "24h";
  CLI::App* const minimize_app = describe_minimize(app, minimize_command);
  describe_show(app, show_command);
  ReportCommand report_command;
  CLI::App* const report_app = describe_report(app, report_command);
  ExportCommand export_command;
  CLI::App* const export_app = describe_export(app, export_command);
  GdbCommand gdb_command;
  CLI::App* const gdb_app = describe_gdb(app, gdb_command);
  VscodeCommand vscode_command;
  CLI::App* const vscode_app = describe_vscode(app, vscode_command);
  CLI::App* const list_app = describe_list(app, list_command);
  MergeCommand merge_command;
  CLI::App* const merge_app = describe_merge(app, merge_command);
  CLI::App* const flags_app = describe_flags(app, flags_command);
  CLI::App* const check_app = describe_check(app, check_command);
  const auto print_manual = [&app] {
    std::fputs(manual(app, HOCKET_VERSION).c_str(), stdout);
    throw CLI::Success();
  };
  app.add_flag_callback("--manual", print_manual, "Print the manual page, for man(1)");
  const auto print_completion = [&app](const std::string& shell) {
    std::fputs(completion(app, shell).c_str(), stdout);
    throw CLI::Success();
  };
  app.add_option_function<std::string>(
         "--completion", print_completion, "Print what a shell needs to complete command lines")
      ->type_name("SHELL")
      ->check(CLI::IsMember({"bash", "zsh"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
      return app.exit(error);  // --help, --version
    throw UsageError(complaint(app, error));
  }
  if (run_app->parsed()) {
    run_command.options = run_flags.given();
    return run(run_command);
  }
  if (resume_app->parsed()) {
    resume_command.options = resume_flags.given();
    return resume(resume_command);
  }
  if (minimize_app->parsed()) return replay(minimize_command);
  if (replay_app->parsed()) {
    replay_command.options = replay_flags.given();
    return replay(replay_command);
  }
  if (report_app->parsed()) return report(report_command);
  if (export_app->parsed()) return export_failures(export_command);
  if (gdb_app->parsed()) return gdb(gdb_command);
  if (vscode_app->parsed()) return vscode(vscode_command);
  if (list_app->parsed()) return list(list_command);
  if (merge_app->parsed()) return merge(merge_command);
  if (flags_app->parsed()) return flags(flags_command);
  if (check_app->parsed()) return check_link(check_command);
  return show(show_command);
}

/// The status of a command that has printed all; kBad, with a sentence, if that could not be written.
int status_when_written(int status) {
  const bool is_lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!is_lost || status != kPassed) return status;
  return refuse("the output could not be written; write it to a place that has room");
}

}  // namespace

}  // namespace hocket::tool

int main(int argc, char** argv) {
  using namespace hocket::tool;
  try {
    return status_when_written(carry_out(argc, argv));
  } catch (const std::exception& error) {
    constexpr std::string_view kProgramName = "hocket: ";  // some come with it, from the library
    const char* sentence = error.what();
    return refuse(
        std::string_view(sentence).starts_with(kProgramName) ? sentence + kProgramName.size() : sentence);
  }
}
