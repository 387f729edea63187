#include "settings.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <fnmatch.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "../../runtime/terms/utf8.hpp"
#include "../deaths/supervisor.hpp"
#include "../process/interrupt.hpp"
#include "../process/supervised_area.hpp"
#include "../report/log.hpp"
#include "../report/other_jobs.hpp"
#include "../schedules/schedule_file.hpp"
#include "option_flags.hpp"
#include "option_table.hpp"
#include "option_values.hpp"
#include "spelling.hpp"
#include "test_list.hpp"

namespace hocket {

namespace {

/// An option that was given by a flag or by the environment.
struct GivenOption {
  const OptionInfo* option;
  std::string called;  ///< "--hocket_time" or "HOCKET_TIME"
  std::string text;    ///< its value
};

struct Configuration {
  std::vector<GivenOption> given;
  Settings settings;
  std::vector<Verdict> verdicts;
};

constexpr std::string_view kPrefix = "--hocket_";

Options with_given(const std::vector<GivenOption>& given, Options options, Settings& settings) {
  for (const GivenOption& one : given) set_option(*one.option, one.called, one.text, options, settings);
  return options;
}

/// Lets the files that searches read be found after a body has changed the current directory.
void find_files_from_here(std::vector<GivenOption>& given) {
  for (GivenOption& one : given) {
    if (one.option->is_file_to_read) one.text = std::filesystem::absolute(one.text).string();
  }
}

/// Finds the test named in the schedule file, so that a test program can run just that one.
void find_test_to_replay(Settings& settings) {
  if (settings.replay.empty()) return;
  const Schedule schedule = read_schedule(settings.replay);
  settings.replay_test = schedule.test;
  settings.replays_whole_test = schedule.whole_test;
}

/// Warns of unknown variables, because a mistyped one would silently have no effect.
void warn_of_unknown_variables() {
  std::set<std::string> known{"HOCKET_TEST", "HOCKET_COMMAND", "HOCKET_DEBUG_INFO", "HOCKET_TOOL",
      supervised_area::kVariable, std::string(kListVariable), OtherJobs::kVariable};
  for (const OptionInfo& option : option_table()) known.insert(option.variable());
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string name(*variable, std::strcspn(*variable, "="));
    const bool is_for_others = name.ends_with("_DIR") || name.ends_with("_ROOT");  // for CMake, for example
    if (!name.starts_with("HOCKET_") || is_for_others || known.contains(name)) continue;
    const OptionInfo* const meant = option_meant_by(name);
    warn("unknown environment variable {}{} --help lists those that Hocket reads", name,
        did_you_mean(meant == nullptr ? "" : meant->variable()));
  }
}

[[noreturn]] void refuse(const std::string& message) {
  std::fprintf(stderr, "%s\n", utf8::printable(message).c_str());
  std::exit(2);
}

/// Removes the arguments that are to be Hocket's flags from the command line and returns them.
std::vector<std::string> take_flags(int& argc, char** argv) {
  std::vector<std::string> flags;
  int kept = 0;
  for (int n = 0; n < argc; ++n) {
    if (n != 0 && is_flag_of_hocket(argv[n])) {
      flags.emplace_back(argv[n]);
    } else {
      argv[kept++] = argv[n];
    }
  }
  argc = kept;
  argv[kept] = nullptr;
  return flags;
}

bool asks_for_help(int argc, char** argv) {
  return std::any_of(argv, argv + argc,
      [](const std::string_view argument) { return argument == "--help" || argument == "-h"; });
}

void print_help(const CLI::App& app) {
  const std::string help = app.help();
  std::fputs(help.substr(help.find(kPrefix) - 2).c_str(), stdout);
  std::printf("  (Env:HOCKET_TEST)  %s\n\n", std::string(kHelpOfTestVariable).c_str());
}

bool is_on_command_line(const std::vector<std::string>& flags, const std::string& name) {
  return std::any_of(flags.begin(), flags.end(),
      [&](const std::string& flag) { return flag == name || flag.starts_with(name + "="); });
}

void read(Configuration& configuration, int* argc, char** argv) {
  CLI::App app{"Hocket's flags"};
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::pair<const OptionInfo*, CLI::Option*>> known;
  for (const OptionInfo& option : option_table())
    known.emplace_back(&option, add_flag(app, option, option.flag())->envname(option.variable()));
  const std::vector<std::string> flags =
      argc != nullptr ? take_flags(*argc, argv) : std::vector<std::string>{};
  if (argc != nullptr && asks_for_help(*argc, argv)) print_help(app);
  std::vector<std::string> reversed(flags.rbegin(), flags.rend());
  app.parse(reversed);
  if (!app.remaining().empty()) {
    const std::string unknown = app.remaining().front().substr(0, app.remaining().front().find('='));
    const OptionInfo* const meant = option_meant_by(unknown);
    throw std::invalid_argument("hocket: there is no flag " + unknown +
                                did_you_mean(meant == nullptr ? "" : meant->flag()) +
                                " --help lists the flags");
  }
  for (const auto& [option, flag] : known) {
    if (flag->count() == 0) continue;
    const bool is_flag = is_on_command_line(flags, option->flag());
    configuration.given.push_back({option, is_flag ? option->flag() : option->variable(), text_of(*flag)});
  }
  Settings& settings = configuration.settings;
  check(with_given(configuration.given, {}, settings));  // refuse a bad value at once
  find_files_from_here(configuration.given);
  if (const char* test = std::getenv("HOCKET_TEST"); test != nullptr) settings.test = test;
  find_test_to_replay(settings);
  warn_of_unknown_variables();
}

/// Whether `test` matches the pattern of HOCKET_TEST. Patterns that only GoogleTest understands match every
/// test here, because GoogleTest itself filters by them.
bool is_asked_for(const std::string& pattern, const std::string& test) {
  if (pattern.empty() || pattern.starts_with('-') || pattern.find(':') != std::string::npos) return true;
  return pattern == test || fnmatch(pattern.c_str(), test.c_str(), 0) == 0;
}

Configuration& configuration() {
  // Never destroyed: a search may run in the destructor of a global, behind those of what it uses.
  static auto& instance = *new Configuration;
  return instance;
}

bool is_given(std::string_view name) {
  const std::vector<GivenOption>& given = configuration().given;
  return std::any_of(
      given.begin(), given.end(), [&](const GivenOption& one) { return one.option->name == name; });
}

bool is_read = false;

void read_once(int* argc, char** argv) {
  if (is_read) return;
  is_read = true;
  read(configuration(), argc, argv);
}

}  // namespace

bool is_flag_of_hocket(std::string_view argument) {
  if (!argument.starts_with('-')) return false;
  argument.remove_prefix(argument.starts_with("--") ? 2 : 1);
  constexpr std::string_view kWord = kPrefix.substr(2);
  return is_same_word(argument.substr(0, kWord.size()), kWord);
}

void initialize(int* argc, char** argv) {
  try {
    read_once(argc, argv);
    supervise(settings());
  } catch (const CLI::Error& error) {
    refuse(std::string("hocket: ") + error.what() + "; --help lists the flags");
  } catch (const std::exception& error) {
    refuse(error.what());
  }
}

const Settings& settings() {
  read_once(nullptr, nullptr);
  return configuration().settings;
}

void search_all_tests() {
  read_once(nullptr, nullptr);
  if (!is_given("all_tests")) configuration().settings.all_tests = time_for_all_tests_from("1");
}

Options with_settings(Options options) {
  try {
    read_once(nullptr, nullptr);
  } catch (const CLI::Error& error) {
    throw std::invalid_argument(std::string("hocket: ") + error.what());
  }
  Settings ignored;
  options = with_given(configuration().given, std::move(options), ignored);
  // Who gives a time and no bound wants what can be had in that time.
  const bool asks_for_no_bound = options.max_preemptions == Options{}.max_preemptions &&
                                 !is_given("preemptions") && !options.require_bound && options.replay.empty();
  if (is_given("time") && asks_for_no_bound) options.max_preemptions = unbounded;
  return options;
}

bool rises_with_time(const Options& options) {
  const bool has_time = is_given("time") || settings().all_tests.has_value();
  return has_time && !is_given("preemptions") && !options.require_bound && options.replay.empty() &&
         options.max_preemptions == unbounded;
}

std::optional<ReasonNotToSearch> reason_not_to_search(const std::string& test, const std::string& replay) {
  if (const std::string signal(past_interruption()); !signal.empty())
    return ReasonNotToSearch{signal, signal + " has ended an earlier search of this process"};
  if (lists_searches()) {
    list_test(kSearch, test);
    return ReasonNotToSearch{std::string(kListVariable), "the names of the searches were asked for"};
  }
  const Settings& asked = settings();
  const std::string this_test = ", and this is the test \"" + test + '"';
  if (!asked.replay.empty() && replay == asked.replay && asked.replay_test != test) {
    return ReasonNotToSearch{"HOCKET_REPLAY", name_in_sentences(asked.replay) +
                                                  " is a schedule of the test \"" +
                                                  utf8::printable(asked.replay_test) + '"' + this_test};
  }
  if (!is_asked_for(asked.test, test))
    return ReasonNotToSearch{
        "HOCKET_TEST", "HOCKET_TEST asks for the test \"" + asked.test + '"' + this_test};
  return std::nullopt;
}

void note_verdict(Verdict verdict) {
  configuration().verdicts.push_back(verdict);
}

int replay_status() {
  const Configuration& c = configuration();
  if (c.verdicts.empty() || c.verdicts.back() == Verdict::nondeterministic) return 2;
  return c.verdicts.back() == Verdict::failed ? 1 : 0;
}

}  // namespace hocket
