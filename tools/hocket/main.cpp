// The `hocket` command: reads the command line. What each command does is in the file of its name.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
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

namespace hocket::tool {

namespace {

/// The flags of a command for the options that are in the table.
class TableFlags {
 public:
  /// Adds those that `is_wanted` to `command`.
  template <class IsWanted>
  TableFlags(CLI::App& command, std::vector<GivenOption>& given, IsWanted is_wanted) : given_(given) {
    for (const OptionInfo& option : option_table()) {
      if (std::invoke(is_wanted, option))
        flags_.emplace_back(&option, add_flag(command, option, option.command_flag()));
    }
  }

  /// Notes those that were on the command line.
  void read() const {
    for (const auto& [option, flag] : flags_) {
      // An empty value is one that was not given, as in the environment.
      if (flag->count() != 0 && !hocket::text_of(*flag).empty())
        given_.push_back({option, hocket::text_of(*flag)});
    }
  }

 private:
  std::vector<GivenOption>& given_;
  std::vector<std::pair<const OptionInfo*, CLI::Option*>> flags_;
};

/// A command line as it is read.
struct CommandLine {
  CLI::App& app;
  std::function<int()> chosen = {};    ///< carries out the command that it names
  std::vector<TableFlags> flags = {};  ///< of all commands

  /// Adds a command that `carry_out` carries out.
  template <class Command>
  std::pair<CLI::App*, Command&> add(
      const char* name, const char* description, int (*carry_out)(const Command&)) {
    CLI::App* const added = app.add_subcommand(name, description);
    const auto command = std::make_shared<Command>();
    added->callback(
        [this, command, carry_out] { chosen = [command, carry_out] { return carry_out(*command); }; });
    return {added, *command};
  }
};

template <class Command>
void add_program(CLI::App& app, Command& command) {
  app.add_option("BINARY", command.binary, "the test program")->required();
  app.add_option("ARGUMENTS", command.arguments, "what to pass to it; after -- if one begins with a dash");
}

/// `or_more` says what FILE may be beside a schedule file.
template <class Command>
void add_schedule(CLI::App& app, Command& command, const char* or_more = "") {
  app.add_option("FILE", command.file, std::string("the schedule file") + or_more)->required();
}

template <class Command>
void add_step(CLI::App& app, Command& command) {
  app.add_option("--step", command.step, "stop before this step, too; otherwise only where it fails")
      ->type_name("N");
}

void add_launch(CLI::App& app, std::string& launch) {
  app.add_option("--launch", launch,
         "run each part by this command, on another machine that sees the same files: \"srun -N1 -n1\"")
      ->type_name("COMMAND");
}

void add_run(CommandLine& line) {
  const auto [app, command] = line.add("run", "Explore the tests of a program", &tool::run);
  add_program(*app, command);
  app->add_option("--test", command.test, "explore this test alone")->type_name("NAME");
  app->add_option("-j,--jobs", command.jobs,
         "search with N processes, as HOCKET_JOBS=N does; with --checkpoint, run N parts at the same time; "
         "auto: one for each core")
      ->type_name("N");
  app->add_option("--checkpoint", command.checkpoint,
         "keep in this folder what is found, so that hocket resume goes on when this has ended in any way")
      ->type_name("DIR");
  add_launch(*app, command.launch);
  app->add_option("--parts", command.parts,
         "into how many parts --checkpoint splits the search, otherwise 128; they are run in turn")
      ->type_name("N")
      ->check(CLI::Range(1U, Shard::kMost));
  app->footer(
      "Exit status: 0 passed, 1 a failure was found or a test is nondeterministic, 2 bad usage, 3 stopped "
      "early.");
  line.flags.emplace_back(*app, command.options, &OptionInfo::is_of_run);
}

/// The options that are not of a search, but of what runs it.
bool is_of_resume(const OptionInfo& option) {
  return option.name == "time" || option.name == "report" || option.name == "html";
}

void add_resume(CommandLine& line) {
  const auto [app, command] = line.add(
      "resume", "Go on with a search that keeps what it has found (run --checkpoint)", &tool::resume);
  app->add_option("DIR", command.folder, "the folder that hocket run was given")->required();
  app->add_option(
         "-j,--jobs", command.jobs, "run N parts of the search at the same time; auto: one for each core")
      ->type_name("N");
  add_launch(*app, command.launch);
  app->footer(
      "Runs the parts that are missing, and tells the verdict of all. Exit status: that of hocket run, and 2 "
      "if the folder is damaged, in use, or of another build of the program.");
  line.flags.emplace_back(*app, command.options, &is_of_resume);
  app->get_option("--time")->description("stop after this time: 30s, 5m, 1h; what was found is kept");
}

void add_replay(CommandLine& line) {
  const auto [app, command] = line.add("replay", "Run a test under the schedule of a file", &tool::replay);
  add_schedule(*app, command, ", or - for standard input");
  add_program(*app, command);
  app->footer(
      "Exit status: 1 the failure came again, 0 it ran clean, 2 it diverged, or a bad file or usage, 3 "
      "stopped early.");
  line.flags.emplace_back(*app, command.options, &OptionInfo::is_of_replay);
}

void add_minimize(CommandLine& line) {
  const auto [app, command] = line.add("minimize",
      "Look for a shorter schedule with the same failure, and save it in the file", &tool::replay);
  command.minimize_time = "24h";
  add_schedule(*app, command);
  add_program(*app, command);
  app->add_option("--time", command.minimize_time, "how long at most; otherwise until the end or Ctrl-C")
      ->type_name("T");
  app->footer(
      "The schedule as it was found stays in the file, and hocket replay --original follows it. Exit status: "
      "as of hocket replay.");
}

void add_show(CommandLine& line) {
  const auto [app, command] =
      line.add("show", "Print the schedule of a file: a column per thread, preemptions marked", &tool::show);
  add_schedule(*app, command);
  app->add_flag("--all", command.all, "all steps, not the last ones only");
  CLI::Option* const json = app->add_flag("--json", command.json, "all of it as JSON, for programs");
  app->add_flag("--markdown", command.markdown, "as Markdown, for an issue tracker")->excludes(json);
  app->add_option("--width", command.width, "columns to use; otherwise those of the terminal")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}));
  app->add_option("--color", command.color, "auto, always or never")
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

void add_report(CommandLine& line) {
  const auto [app, command] =
      line.add("report", "Write failures, or a report of searches, as pages for a browser", &tool::report);
  app->add_option("FILE", command.files, "schedule files, or what --report wrote")->required();
  app->add_option("-o,--output", command.output, "the page; or a folder for several pages and a list of them")
      ->required()
      ->type_name("PAGE");
  describe_sources(*app, command.sources);
  app->footer("The page loads nothing from elsewhere. Exit status: 0 it is there, 2 it is not.");
}

void add_export(CommandLine& line) {
  const auto [app, command] =
      line.add("export", "Print failures for another program", &tool::export_failures);
  app->add_option("FILE", command.files, "schedule files; one for trace, shiviz and dot")->required();
  app->add_option("--as", command.format,
         "markdown, sarif, github (lines of a job's log), trace (for Perfetto), shiviz or dot")
      ->required()
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"markdown", "sarif", "github", "trace", "shiviz", "dot"}));
  describe_sources(*app, command.sources);
}

void add_gdb(CommandLine& line) {
  const auto [app, command] = line.add("gdb", "Replay a file in gdb, which stops where it fails", &tool::gdb);
  add_schedule(*app, command);
  add_program(*app, command);
  add_step(*app, command);
  app->footer("In gdb, help hocket lists the commands that show the threads of the test.");
}

void add_vscode(CommandLine& line) {
  const auto [app, command] = line.add(
      "vscode", "Add the replay of a file to .vscode/launch.json, to debug it in VS Code", &tool::vscode);
  add_schedule(*app, command);
  add_program(*app, command);
  app->add_option("--debugger", command.debugger, "gdb, for Microsoft's extension, or lldb, for CodeLLDB")
      ->type_name("NAME")
      ->check(CLI::IsMember({"gdb", "lldb"}));
  add_step(*app, command);
  app->add_option("--folder", command.folder, "the folder that VS Code opens; otherwise the current one")
      ->type_name("DIR");
  app->footer(
      "What is in the file already stays as it is. Exit status: 0 it is there, 2 it could not be added.");
}

void add_list(CommandLine& line) {
  const auto [app, command] =
      line.add("list", "Name the tests of a program, without running any", &tool::list);
  add_program(*app, command);
  app->footer(
      "A line for each: \"search\" and the name of a test that Hocket explores, or \"test\" and that of "
      "another, which it explores with --all-tests, or if its body calls hocket::testing::explore().");
}

void add_merge(CommandLine& line) {
  const auto [app, command] =
      line.add("merge", "Join the reports of all shards of a search (--shard) into one", &tool::merge);
  app->add_option("REPORT", command.files, "what --report wrote in each shard")->required();
  app->add_option("-o,--output", command.output, "the file for the report of the whole search")
      ->type_name("FILE");
  app->footer(
      "Exit status: 0 all shards together have passed, 1 a failure was found, 2 the reports do not fit "
      "together, 3 a shard is missing or was stopped.");
}

void add_flags(CommandLine& line) {
  const auto [app, command] = line.add("flags",
      "Print what a compiler and a linker need to put code under control, for builds without CMake",
      &tool::flags);
  app->add_flag("--compile", command.compile, "for the compiler, before the name of a source file");
  app->add_flag("--link", command.link, "for the linker, after the names of object files");
  app->add_option("--language", command.language, "c++ or c")
      ->type_name("NAME")
      ->check(CLI::IsMember({"c++", "c"}));
  const char* const compiler = std::getenv("CXX");
  command.compiler = compiler == nullptr ? "g++" : compiler;
  app->add_option("--compiler", command.compiler, "otherwise that of the variable CXX, or g++")
      ->type_name("NAME");
  app->add_flag("--whole-program", command.whole_program, "with --link: main() is the body of a search");
  app->add_flag("--gtest", command.gtest, "with --link: GoogleTest, and a main() that reads Hocket's flags");
  app->add_option("--prefix", command.prefix, "what to call the folder in which Hocket is installed")
      ->type_name("DIR");
}

void add_check(CommandLine& line) {
  const auto [app, command] = line.add(
      "check", "Look whether a link lost hooks; --link wants -Wl,-Map=MAP beside it", &tool::check_link);
  app->add_option("MAP", command.map, "what the linker wrote")->required();
  app->add_option("LIBRARY", command.without_hooks, "names of files that may be without hooks");
  app->add_option("--build-tree", command.build_tree, "libraries in here are warned of if they have no hooks")
      ->type_name("DIR");
  app->footer("Exit status: 0 nothing was lost, 1 something was, 2 bad usage.");
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
  CommandLine line{app};
  for (const auto add : {add_run, add_resume, add_replay, add_minimize, add_show, add_report, add_export,
           add_gdb, add_vscode, add_list, add_merge, add_flags, add_check})
    add(line);
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
  for (const TableFlags& flags : line.flags) flags.read();
  return line.chosen();
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
