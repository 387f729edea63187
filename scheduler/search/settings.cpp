#include "settings.hpp"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <unistd.h>

#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include "../schedules/schedule_file.hpp"
#include "../strategies/strategy.hpp"
#include "warning.hpp"

namespace hocket {

namespace {

/// What was asked for outside the code; empty where nothing was.
struct ParsedFlags {
  std::optional<std::string> strategy;
  std::optional<std::string> preemptions;
  std::optional<std::uint64_t> executions;
  std::optional<std::string> time;
  std::optional<std::uint32_t> steps;
  std::optional<std::uint64_t> seed;
  std::optional<unsigned> pct_depth;
  std::optional<std::uint32_t> pct_length;
  std::optional<std::string> memory;
  std::optional<std::string> stack;
  std::optional<std::string> restore;
  std::optional<std::string> detect;
  std::optional<std::string> watchdog;
  std::optional<std::string> out;
  std::string replay;
  std::string report;
  bool keep_going = false;
  bool show_output = false;
  bool spurious_wakeups = false;
  bool spurious_failures = false;
  bool fair = false;
  bool plain_steps = false;
  bool require_bound = false;
  bool break_at_failure = false;
  bool no_saved = false;
};

struct Configuration {
  ParsedFlags asked;
  Settings settings;
  std::vector<Verdict> verdicts;
};

/// "5s", "2m", "500ms", "1h", "1.5" (seconds) in nanoseconds.
std::chrono::nanoseconds parse_time(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit(end);
  double seconds = -1;
  if (unit.empty() || unit == "s") seconds = number;
  if (unit == "ms") seconds = number / 1e3;
  if (unit == "m" || unit == "min") seconds = number * 60;
  if (unit == "h") seconds = number * 3600;
  if (end == text.c_str() || !(seconds >= 0) || seconds > 1e9) {
    throw std::invalid_argument("hocket: \"" + text + "\" is not a duration; write 500ms, 30s, 5m or 1h");
  }
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

/// "64", "512K", "1M", "2G" in bytes.
std::size_t parse_bytes(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  unsigned shift = 64;
  if (unit.empty()) shift = 0;
  if (unit == "K" || unit == "KiB") shift = 10;
  if (unit == "M" || unit == "MiB") shift = 20;
  if (unit == "G" || unit == "GiB") shift = 30;
  if (error != std::errc{} || shift == 64 || number > (std::size_t{1} << 62U) >> shift) {
    throw std::invalid_argument(
        "hocket: \"" + text + "\" is not a number of bytes; write 65536, 64K, 512M or 2G");
  }
  return number << shift;
}

Restore parse_restore(const std::string& text) {
  if (text == "snapshot") return Restore::snapshot;
  if (text == "nothing") return Restore::nothing;
  if (text == "fork") return Restore::fork;
  throw std::invalid_argument(
      "hocket: \"" + text + "\" is not a way to restore; write snapshot, nothing or fork");
}

unsigned parse_preemptions(const std::string& text) {
  if (text == "unbounded") return unbounded;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number == unbounded) {
    throw std::invalid_argument(
        "hocket: \"" + text + "\" is not a number of preemptions; write 0, 1, 2, … or unbounded");
  }
  return number;
}

/// The test named in the schedule file, so that a test program can run just that one.
std::string test_of(const std::string& file) {
  return read_schedule(file).test;
}

void describe_flags(CLI::App& app, ParsedFlags& asked) {
  app.add_option("--hocket_strategy", asked.strategy, names_of_strategies())->envname("HOCKET_STRATEGY");
  app.add_option(
         "--hocket_preemptions", asked.preemptions, "the last bound searched: 0, 1, 2, … or unbounded")
      ->envname("HOCKET_PREEMPTIONS");
  app.add_option("--hocket_executions", asked.executions, "the most executions to run")
      ->envname("HOCKET_EXECUTIONS");
  app.add_option("--hocket_time", asked.time, "the time limit of each search: 500ms, 30s, 5m, 1h")
      ->envname("HOCKET_TIME");
  app.add_option("--hocket_steps", asked.steps,
         "the most steps of one execution; 20000, and 1000000 with plain steps")
      ->envname("HOCKET_STEPS");
  app.add_option("--hocket_seed", asked.seed, "the seed of sampling strategies")->envname("HOCKET_SEED");
  app.add_option("--hocket_pct_depth", asked.pct_depth, "of pct: ordered steps of the bug; 0: 1 to 4 in turn")
      ->envname("HOCKET_PCT_DEPTH");
  app.add_option("--hocket_pct_length", asked.pct_length,
         "of pct: steps of an execution; 0: as many as there were so far")
      ->envname("HOCKET_PCT_LENGTH");
  app.add_option("--hocket_memory", asked.memory, "what the search may keep: 512M, 2G")
      ->envname("HOCKET_MEMORY");
  app.add_option("--hocket_stack", asked.stack, "the stack of each logical thread: 256K, 8M")
      ->envname("HOCKET_STACK");
  app.add_option("--hocket_restore", asked.restore,
         "what of instrumented code is put back before each execution: snapshot, nothing or fork")
      ->envname("HOCKET_RESTORE");
  app.add_option("--hocket_detect", asked.detect, "what to look for, as leaked-memory,-races")
      ->envname("HOCKET_DETECT");
  app.add_option(
         "--hocket_watchdog", asked.watchdog, "how long a thread may run without an operation: 5s, or 0")
      ->envname("HOCKET_WATCHDOG");
  app.add_option("--hocket_replay", asked.replay, "a schedule file to follow instead of searching")
      ->envname("HOCKET_REPLAY");
  app.add_option("--hocket_out", asked.out, "where failing schedules are written and looked for")
      ->envname("HOCKET_OUT");
  app.add_option("--hocket_report", asked.report, "write a report of all searches to this file, as JSON")
      ->envname("HOCKET_REPORT");
  app.add_flag("--hocket_keep_going", asked.keep_going, "go on after a failure")
      ->envname("HOCKET_KEEP_GOING");
  app.add_flag("--hocket_show_output", asked.show_output, "show what the body prints in every execution")
      ->envname("HOCKET_SHOW_OUTPUT");
  app.add_flag(
         "--hocket_spurious_wakeups", asked.spurious_wakeups, "condition variables may wake up for no reason")
      ->envname("HOCKET_SPURIOUS_WAKEUPS");
  app.add_flag("--hocket_spurious_failures", asked.spurious_failures,
         "a weak compare-exchange may fail for no reason")
      ->envname("HOCKET_SPURIOUS_FAILURES");
  app.add_flag("--hocket_fair", asked.fair,
         "threads that yield let those go first that they starve, or that costs a preemption")
      ->envname("HOCKET_FAIR");
  app.add_flag("--hocket_plain_steps", asked.plain_steps,
         "plain reads and writes of instrumented code are steps too")
      ->envname("HOCKET_PLAIN_STEPS");
  app.add_flag("--hocket_require_bound", asked.require_bound, "a search that a limit stopped is a failure")
      ->envname("HOCKET_REQUIRE_BOUND");
  app.add_flag("--hocket_break", asked.break_at_failure, "with a replay: raise SIGTRAP before the last step")
      ->envname("HOCKET_BREAK");
  app.add_flag("--hocket_no_saved", asked.no_saved, "do not try the failures saved earlier first")
      ->envname("HOCKET_NO_SAVED");
}

/// A mistyped variable would be without effect, and nobody would see that.
void warn_of_unknown_variables(const CLI::App& app) {
  std::set<std::string> known{"HOCKET_TEST", "HOCKET_COMMAND"};
  for (const CLI::Option* option : app.get_options()) known.insert(option->get_envname());
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string name(*variable, std::strcspn(*variable, "="));
    const bool is_for_others = name.ends_with("_DIR") || name.ends_with("_ROOT");  // of CMake, say
    if (name.starts_with("HOCKET_") && !is_for_others && !known.contains(name))
      warn("unknown environment variable {}; --help lists those that Hocket reads", name);
  }
}

[[noreturn]] void refuse(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(2);
}

void read(Configuration& configuration, int* argc, char** argv) {
  CLI::App app{"Hocket's flags"};
  app.set_help_flag();
  app.allow_extras();
  describe_flags(app, configuration.asked);
  std::vector<std::string> flags;
  int kept = 0;
  bool asks_for_help = false;
  for (int n = 0; argc != nullptr && n < *argc; ++n) {
    const std::string_view argument(argv[n]);
    if (n != 0 && argument.starts_with("--hocket_")) {
      flags.emplace_back(argument);
    } else {
      if (argument == "--help" || argument == "-h") asks_for_help = true;
      argv[kept++] = argv[n];
    }
  }
  if (argc != nullptr) {
    *argc = kept;
    argv[kept] = nullptr;
  }
  if (asks_for_help) {
    const std::string help = app.help();
    std::fputs(help.substr(help.find("--hocket_strategy") - 2).c_str(), stdout);
    std::fputs("\n", stdout);
  }
  std::vector<std::string> reversed(flags.rbegin(), flags.rend());
  app.parse(reversed);
  if (!app.remaining().empty()) {
    throw std::invalid_argument(
        "hocket: there is no flag " + app.remaining().front() + "; --help lists those there are");
  }
  Settings& settings = configuration.settings;
  settings.report_file = configuration.asked.report;
  if (const char* test = std::getenv("HOCKET_TEST"); test != nullptr) settings.test = test;
  settings.replay = configuration.asked.replay;
  if (!settings.replay.empty()) settings.replay_test = test_of(settings.replay);
  check(with_settings({}));  // so that a bad value is refused at once
  warn_of_unknown_variables(app);
}

Configuration& configuration() {
  static Configuration instance;
  return instance;
}

bool is_read = false;

void read_once(int* argc, char** argv) {
  if (is_read) return;
  is_read = true;
  read(configuration(), argc, argv);
}

}  // namespace

void initialize(int* argc, char** argv) {
  try {
    read_once(argc, argv);
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

Options with_settings(Options options) {
  try {
    read_once(nullptr, nullptr);
  } catch (const CLI::Error& error) {
    throw std::invalid_argument(std::string("hocket: ") + error.what());
  }
  const ParsedFlags& asked = configuration().asked;
  if (asked.strategy) options.strategy = *asked.strategy;
  if (asked.preemptions) options.max_preemptions = parse_preemptions(*asked.preemptions);
  if (asked.executions) options.max_executions = *asked.executions;
  if (asked.time) options.time_limit = parse_time(*asked.time);
  if (asked.steps) options.max_steps = *asked.steps;
  if (asked.seed) options.seed = *asked.seed;
  if (asked.pct_depth) options.pct_depth = *asked.pct_depth;
  if (asked.pct_length) options.pct_length = *asked.pct_length;
  if (asked.memory) options.memory_limit = parse_bytes(*asked.memory);
  if (asked.stack) options.stack_size = parse_bytes(*asked.stack);
  if (asked.restore) options.restore = parse_restore(*asked.restore);
  if (asked.detect) options.detect = runtime::detectors_from_string(*asked.detect);
  if (asked.watchdog) options.watchdog = parse_time(*asked.watchdog);
  if (asked.out) options.schedule_dir = *asked.out;
  if (!asked.replay.empty()) options.replay = asked.replay;
  options.keep_going |= asked.keep_going;
  options.show_output |= asked.show_output;
  options.spurious_wakeups |= asked.spurious_wakeups;
  options.spurious_failures |= asked.spurious_failures;
  options.fair |= asked.fair;
  options.plain_steps |= asked.plain_steps;
  options.require_bound |= asked.require_bound;
  options.break_at_failure |= asked.break_at_failure;
  if (asked.no_saved) options.try_saved = false;
  return options;
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
