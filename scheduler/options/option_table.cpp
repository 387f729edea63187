#include "option_table.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/platform/files.hpp"
#include "../../runtime/terms/choice.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "../process/program.hpp"
#include "../strategies/strategy_table.hpp"
#include "option_values.hpp"
#include "settings.hpp"
#include "spelling.hpp"
#include "suppressions.hpp"

namespace hocket {

namespace {

using Text = std::string;

template <class Value>
struct NumberIn {
  using Type = Value;
};
template <class Number>
struct NumberIn<std::optional<Number>> {
  using Type = Number;
};
template <auto Field>
using NumberOf = typename NumberIn<std::remove_reference_t<decltype(std::declval<Options&>().*Field)>>::Type;

template <auto Field, std::uint64_t least = 0,
    std::uint64_t most = std::numeric_limits<NumberOf<Field>>::max()>
void number(const Text& text, Options& options, Settings& /*settings*/) {
  options.*Field = static_cast<NumberOf<Field>>(number_from(text, least, most));
}

/// Sets a field of Options or of Settings to what `read` makes of the text.
template <auto Field, auto read>
void as(const Text& text, Options& options, Settings& settings) {
  if constexpr (requires { options.*Field; }) {
    options.*Field = read(text);
  } else {
    settings.*Field = read(text);
  }
}

Text same(const Text& text) {
  return text;
}
bool is_off(const Text& text) {
  return !switch_from(text);
}

/// The path, also after a body has changed the current directory.
std::string from_here(const Text& path) {
  return path.empty() ? path : runtime::platform::absolute_path(path).string();
}
std::string report_from_here(const Text& path) {
  return report_of_shard(from_here(path));
}

std::string names_of_detectors() {
  std::string text;
  for (const runtime::DetectorInfo& info : runtime::detectors())
    text += (text.empty() ? "" : ", ") + std::string(info.name);
  return text;
}

template <class Rows>
std::vector<std::string> names_in(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

std::vector<OptionInfo> make_table() {
  return {
      {.name = "strategy",
          .value = "NAME",
          .words = names_in(strategies()),
          .help = "what decides which schedule comes next: " + names_of_strategies_by_use(),
          .set = as<&Options::strategy, same>},
      {.name = "preemptions",
          .value = "N",
          .help = "highest preemption bound: 0, 1, 2, … or unbounded",
          .set = as<&Options::max_preemptions, preemptions_from>},
      {.name = "executions",
          .value = "N",
          .help = "stop each search after this many executions",
          .set = number<&Options::max_executions>},
      {.name = "time",
          .value = "T",
          .help = "stop each search after this time: 500ms, 30s, 5m, 1h",
          .set = as<&Options::time_limit, duration_from>},
      {.name = "memory",
          .value = "BYTES",
          .help = "stop a search that keeps more than this: 512M, 2G",
          .set = as<&Options::memory_limit, bytes_from>},
      {.name = "steps",
          .value = "N",
          .help =
              "maximum steps of an execution, longer ones fail; 20000 by default, 1000000 with plain steps",
          .set = number<&Options::max_steps, 1, runtime::kMaxPositions>},
      {.name = "stack",
          .value = "BYTES",
          .help = "the stack of each logical thread: 256K, 8M",
          .set = as<&Options::stack_size, bytes_from>},
      {.name = "seed",
          .value = "N",
          .help = "seed of sampling strategies; equal seeds give equal executions",
          .set = number<&Options::seed>},
      {.name = "shard",
          .value = "I/N",
          .help =
              "run the I-th of N parts of each search, as 2/5; `hocket merge` joins the reports of all parts",
          .set = as<&Options::shard, shard_from>},
      {.name = "jobs",
          .value = "N",
          .help = "processes that run a search which lasts, each a part of it; 0: one for each core",
          .set = number<&Options::jobs, 0, kMostPrograms>,
          .is_of_run = false},
      {.name = "pct_depth",
          .value = "N",
          .help = "pct, mix: bug depth; 0: 1 to 4 in turn",
          .set = number<&Options::pct_depth>},
      {.name = "pct_length",
          .value = "N",
          .help = "pct, mix: steps of an execution; 0: those of the shortest, median and longest so far",
          .set = number<&Options::pct_length>},
      {.name = "keep_going",
          .help = "continue after a failure",
          .set = as<&Options::keep_going, switch_from>},
      {.name = "suppressions",
          .value = "FILE",
          .help = "failures that are not reported, as ThreadSanitizer reads them: race:Cache::get",
          .set =
              [](const Text& text, Options& options, Settings& /**/) {
                static_cast<void>(Suppressions(text));  // refuses what it does not understand
                options.suppressions = text;
              },
          .is_file_to_read = true},
      {.name = "out",
          .value = "DIR",
          .help = "directory for schedule files; saved failures there are tried first",
          .set = as<&Options::schedule_dir, same>},
      {.name = "replay",
          .value = "FILE",
          .help = "a schedule file to follow instead of searching",
          .set = [](const Text& text, Options& options,
                     Settings& settings) { options.replay = settings.replay = text; },
          .is_of_run = false},
      {.name = "break",
          .value = "STEP",
          .help = "with a replay: raise SIGTRAP where it fails, for a debugger, and before this step",
          .set =
              [](const Text& text, Options& options, Settings& /**/) {
                const Stop stop = stop_from(text);
                options.break_at_failure = stop.is_wanted;
                options.break_at_step = stop.step;
              },
          .may_lack_value = true,
          .is_of_run = false,
          .is_of_replay = true},
      {.name = "original",
          .help = "with a replay: follow the schedule as the search found it, not the shorter one",
          .set = as<&Options::replay_original, switch_from>,
          .is_of_run = false,
          .is_of_replay = true},
      {.name = "minimize_file",
          .help = "with a replay: look for a shorter schedule for as long as --minimize says, and save it in "
                  "the file",
          .set = as<&Options::minimize_file, switch_from>,
          .is_of_run = false},
      {.name = "minimize",
          .value = "T",
          .help =
              "how long, at most, to look for a shorter schedule with the same failure: 5s; 0: not at all",
          .set = as<&Options::minimize, duration_from>},
      {.name = "report",
          .value = "FILE",
          .help = "write a report of all searches to this file, as JSON",
          .set = as<&Settings::report_file, report_from_here>,
          .is_of_replay = true},
      {.name = "coverage",
          .help = "note where threads met, and in which orders, for the page of the searches; slower",
          .set = as<&Settings::coverage, switch_from>},
      {.name = "supervise",
          .help = "0: no supervisor process, which otherwise saves the schedule however a body ends the "
                  "program, and runs the tests that are left; 1: refuse to run where there can be none",
          .set = as<&Settings::supervise, switch_from>,
          .is_of_run = false},
      {.name = "html",
          .value = "DIR",
          .help = "write a page of each failure into this folder, as hocket report does",
          .set = as<&Settings::html_folder, from_here>,
          .is_of_replay = true},
      {.name = "show_output",
          .help = "show what the body prints in every execution, not only in the failing one",
          .set = as<&Options::show_output, switch_from>,
          .is_of_replay = true},
      {.name = "log",
          .value = "LEVEL",
          .words = {"off", "info", "debug"},
          .help = "say on standard error what searches decide, and what they spend: off, info or debug",
          .set = as<&Settings::log, log_level_from>,
          .is_of_replay = true},
      {.name = "restore",
          .value = "WHAT",
          .words = {"snapshot", "nothing", "fork"},
          .help = "of instrumented code: what is restored before each execution: snapshot, nothing or fork",
          .set = as<&Options::restore, restore_from>},
      {.name = "detect",
          .value = "LIST",
          .words = names_in(runtime::detectors()),
          .help = "what to look for, as in leaked-memory,-races: " + names_of_detectors(),
          .set = as<&Options::detect, runtime::detectors_from_string>},
      {.name = "watchdog",
          .value = "T",
          .help =
              "how long a thread may run, or wait in a call, without reaching an operation: 5s; 0: no limit",
          .set = as<&Options::watchdog, duration_from>},
      {.name = "fair",
          .help =
              "schedule fairly: a thread that yields gives way to threads that it has been starving, or else "
              "it costs a preemption",
          .set = as<&Options::fair, switch_from>},
      {.name = "timeouts",
          .value = "WHEN",
          .words = {"any", "late", "hour"},
          .help =
              "when waits with a time may expire, and sleeps end, while another thread can run: any: at any "
              "time; late: never; hour: those of less than an hour at any time",
          .set = as<&Options::timeouts, timeouts_from>},
      {.name = "seal",
          .value = "PATTERNS",
          .help = "functions and files in which no thread is preempted: Cache::get,log.cpp",
          .set = as<&Options::seal, seal_patterns_from>},
      {.name = "open",
          .value = "PATTERNS",
          .help = "functions and files in which alone threads are preempted: Cache::get,log.cpp",
          .set = as<&Options::open, seal_patterns_from>},
      {.name = "memory_model",
          .value = "MODEL",
          .words = {"sc", "c11"},
          .help = "what operations of hocket:: atomics with weaker orders than seq_cst may do: c11: read "
                  "older values, as C++ allows, for a preemption each; sc: the same as with seq_cst. c11 by "
                  "default, for strategies that can",
          .set = as<&Options::memory_model, memory_model_from>},
      {.name = "stale",
          .value = "N",
          .help = "under c11: at most so many older values in an execution, within the bound: 0, 1, 2, … or "
                  "unbounded",
          .set = as<&Options::max_stale, stale_from>},
      {.name = "plain_steps",
          .help = "plain reads and writes of instrumented code are steps, too",
          .set = as<&Options::plain_steps, switch_from>},
      {.name = "volatile",
          .value = "WHAT",
          .words = {"plain", "atomic"},
          .help = "what accesses to volatile variables of instrumented code are: plain: such as others, "
                  "which may race; atomic: loads that acquire, and stores that release",
          .set = as<&Options::volatile_atomics, are_volatiles_atomic>},
      {.name = "all_tests",
          .value = "T",
          .help =
              "search each test of an instrumented program, as it is, for this time in all: 30s, 5m; 10s by "
              "default",
          .set = as<&Settings::all_tests, time_for_all_tests_from>,
          .may_lack_value = true},
      {.name = "all_steps",
          .help = "show all steps of a failure: otherwise those that say little are folded",
          .set = as<&Settings::all_steps, switch_from>,
          .is_of_replay = true},
      {.name = "spurious_wakeups",
          .help = "condition variables may wake up spuriously",
          .set = as<&Options::spurious_wakeups, switch_from>},
      {.name = "spurious_failures",
          .help = "a weak compare-exchange may fail spuriously",
          .set = as<&Options::spurious_failures, switch_from>},
      {.name = "require_bound",
          .help = "a search that a limit stopped fails its test",
          .set = as<&Options::require_bound, switch_from>},
      {.name = "no_saved",
          .help = "do not try the failures saved earlier first",
          .set = as<&Options::try_saved, is_off>},
  };
}

std::string with_dashes(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

}  // namespace

std::string OptionInfo::flag() const {
  return "--hocket_" + std::string(name);
}

std::string OptionInfo::variable() const {
  std::string text = "HOCKET_";
  std::transform(name.begin(), name.end(), std::back_inserter(text),
      [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
  return text;
}

std::string OptionInfo::command_flag() const {
  return "--" + with_dashes(name);
}

std::span<const OptionInfo> option_table() {
  static const auto& table =
      *new std::vector<OptionInfo>(make_table());  // never destroyed, as the settings are
  return table;
}

std::string_view without_prefix(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  constexpr std::string_view kPrefix = "hocket_";
  if (name.size() > kPrefix.size() && is_same_word(name.substr(0, kPrefix.size()), kPrefix))
    name.remove_prefix(kPrefix.size());
  return name;
}

const OptionInfo* option_meant_by(std::string_view name) {
  const std::string likely = likely_spelling(without_prefix(name), names_in(option_table()));
  for (const OptionInfo& option : option_table()) {
    if (option.name == likely) return &option;
  }
  return nullptr;
}

void set_option(const OptionInfo& option, std::string_view called, const std::string& text, Options& options,
    Settings& settings) {
  try {
    option.set(text, options, settings);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(utf8::printable(fmt::format("hocket: {}: {}", called, error.what())));
  }
}

}  // namespace hocket
