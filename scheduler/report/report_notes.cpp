#include "report_notes.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/diagnosis/source_text.hpp"
#include "../../runtime/diagnosis/untracked_calls.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../../runtime/platform/symbols/build_notes.hpp"
#include "../../runtime/platform/symbols/call_site.hpp"
#include "../../runtime/terms/english.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "../../runtime/threads/host.hpp"
#include "../api/number_text.hpp"
#include "../process/fresh_start.hpp"
#include "log.hpp"

namespace hocket {

namespace {

/// " at FILE:LINE" of the user code for which `code` was called, or empty.
std::string at_code(const void* code) {
  return runtime::at(runtime::place_of(runtime::platform::user_code_at(code)));
}

}  // namespace

std::string note_on_uncontrolled_threads() {
  const runtime::Host* const host = runtime::run.host;
  const unsigned threads = host != nullptr ? host->threads.uncontrolled() : 0;
  if (threads == 0) return {};
  return fmt::format(
      "the program has {} from before the search, which {} not under control: {} may change what a body "
      "reads, and what {} may be undone. Start threads in the body, and end the others before the search",
      threads == 1 ? "a thread" : fmt::format("{} threads", threads), threads == 1 ? "is" : "are",
      threads == 1 ? "it" : "they", threads == 1 ? "it changes" : "they change");
}

std::string note_on_threads_without_steps(unsigned threads) {
  if (runtime::run.host == nullptr || threads < 2) return {};
  return fmt::format(
      "no step of the {} threads was seen, so nothing but data races was looked for: what they share through "
      "code without hooks (assembly, libraries that are not instrumented) was not explored",
      threads);
}

std::string place_of_retry(const runtime::RetryLoops& loop) {
  runtime::Where first;  // its first line, wherever the compiler has put the code
  for (const auto& [code, step] : loop) {
    const runtime::Where where = step.where.line() != 0 ? step.where : runtime::platform::user_code_at(code);
    if (where.line() != 0 && (first.line() == 0 || where.line() < first.line())) first = where;
  }
  return runtime::place_of(first);
}

std::string note_on_retries(const std::vector<std::string>& places) {
  return fmt::format(
      "{}{} without yielding, and could keep others waiting for ever; {} explored as if {} called "
      "std::this_thread::yield() after each round (--hocket_detect=spins makes that a failure)",
      places.size() == 1 ? "a loop retries" : number_text(places.size()) + " loops retry",
      runtime::at(runtime::first_of(places)), places.size() == 1 ? "it was" : "they were",
      places.size() == 1 ? "it" : "they");
}

std::string note_on_code_without_hooks() {
  if (runtime::run.host == nullptr) return {};
  static const std::string& note = *new std::string([] {
    std::string text;
    if (const auto all = runtime::platform::functions_with_assembly(); !all.empty()) {
      text = fmt::format("{} inline assembly that Hocket does not see ({})",
          all.size() == 1 ? "a function has" : count_text(all.size(), "function") + " have",
          runtime::first_of(all));
    }
    if (const auto all = runtime::platform::libraries_without_hooks(); !all.empty()) {
      text += fmt::format("{}{} not instrumented ({})", text.empty() ? "" : ", and ",
          all.size() == 1 ? "a library is" : number_text(all.size()) + " libraries are",
          runtime::first_of(all));
    }
    return text.empty() ? text : text + ": what a body does there was not explored";
  }());  // never destroyed, as the settings are
  return note;
}

std::string note_on_untracked_calls() {
  const std::string calls = runtime::untracked_calls_in_words();
  if (calls.empty()) return {};
  return "threads call at the same time what reaches state that Hocket does not follow: " + calls +
         "; the order of these calls was not explored, so that a pass is no guarantee";
}

std::string note_on_waiting_threads(unsigned threads, const Options& options) {
  if (threads == 0) return {};
  std::string note =
      fmt::format("an execution ended with its body while {} waited", count_text(threads, "detached thread"));
  if (runtime::run.host == nullptr || options.restore == Restore::nothing)
    note += threads == 1 ? "; it is gone in the next execution, but what the program keeps of it is not"
                         : "; they are gone in the next execution, but what the program keeps of them is not";
  return note;
}

std::string note_on_what_was_left_changed() {
  if (runtime::run.host == nullptr) return {};
  std::string things;
  for (const runtime::HostSearches::LeftChanged& one : runtime::run.host->searches.left_changed())
    things += fmt::format("{}{} ({}used{})", things.empty() ? "" : ", ", one.sort,
        one.descriptor < 0 ? "" : fmt::format("descriptor {}, ", one.descriptor), at_code(one.code));
  if (things.empty()) return {};
  return "not put back before each execution, so that a pass is no guarantee: " + things +
         ", from before the search. Make it in the body";
}

std::string note_on_suppressed(const std::vector<Suppressed>& suppressed, const std::string& file) {
  std::string note;
  for (const Suppressed& each : suppressed) {
    note += note.empty() ? "" : " and ";
    note +=
        fmt::format("{} because of \"{}\"", count_text(each.failures, "failure"), utf8::printable(each.line));
  }
  if (note.empty()) return note;
  return "not reported, as " + utf8::printable(std::filesystem::path(file).filename().string()) +
         " says: " + note;
}

std::string note_on_unmatched(const Seals& seals) {
  std::string note;
  for (const std::string& pattern : seals.unmatched())
    note += (note.empty() ? "" : ", nor ") + fmt::format("\"{}\"", utf8::printable(pattern));
  return note.empty() ? note
                      : "no step was in code that matches " + note + ", of --hocket_seal or --hocket_open";
}

std::vector<std::string> notes_on_coverage(
    const Strategy& strategy, const Options& options, bool left_out_unfair, std::uint64_t cut_at_limit) {
  std::vector<std::string> notes;
  if (std::string note = strategy.note(); !note.empty()) notes.push_back(std::move(note));
  if (left_out_unfair) {
    notes.push_back(fmt::format(
        "schedules in which a thread that yields keeps others waiting were left out, including some that "
        "terminate, so that a pass is no guarantee: {} has no prices, icb runs them, each at its price",
        options.strategy));
  }
  if (cut_at_limit != 0) {
    notes.push_back(fmt::format("{} reached the limit of {} steps and {} cut there",
        count_text(cut_at_limit, "unfair schedule"), step_limit(options),
        cut_at_limit == 1 ? "was" : "were"));
  }
  if (runtime::execution.races.passes_over_races()) {
    notes.emplace_back(
        "threads share plain data and data races were not looked for, so that a pass is no guarantee");
  }
  if (runtime::execution.stores.passes_over_stores()) {
    notes.push_back(
        fmt::format("an operation could have read more than {} values, and only the newest of them were "
                    "explored, so that a pass is no guarantee",
            number_text(runtime::kCodeLimit)));
  }
  if (runtime::execution.stores.left_out_rereads()) {
    notes.emplace_back(
        "older values that a thread which yields in vain had read before were not offered to it again: a "
        "loop that gives up after some rounds was not explored with the same older value in all of them, as "
        "it is with a bound");
  }
  if (const void* const code = runtime::execution.scheduling.priced_poll(); code != nullptr) {
    notes.push_back(
        fmt::format("a loop that polls{} changes something in each round; after 128, 256, 512, … reads "
                    "Hocket inserted a yield, which costs a preemption: schedules in which it reads more "
                    "often, and other threads run meanwhile, are within the bound only at that price",
            at_code(code)));
  }
  if (const void* const code = runtime::execution.scheduling.passing_time(); code != nullptr) {
    notes.push_back(fmt::format(
        "a loop that looks at the clock{} changes something in each round; from the 128th look on time "
        "passes at each further one: executions that need more looks before the clock goes on were not "
        "explored",
        at_code(code)));
  }
  if (const void* const code = runtime::execution.scheduling.met_attempt(); code != nullptr) {
    notes.push_back(fmt::format(
        "a try_lock{} can observe an attempt of std::lock halfway; where calls of std::lock obstruct each "
        "other, each holding what the other one tries, it observes only their first attempts",
        at_code(code)));
  }
  if (runtime::execution.verdict.passes_over_failures()) {
    notes.emplace_back(
        "executions that reached a bug whose detector is off were dropped there, so that a pass is no "
        "guarantee");
  }
  return notes;
}

void warn_of_compiled_out_assertions() {
  static bool was_looked = false;
  if (std::exchange(was_looked, true) || fresh_start::is_one()) return;
  std::vector<std::string> files = runtime::platform::files_with_compiled_out_assertions();
  if (files.empty()) return;
  for (std::string& file : files) file = utf8::printable(file.substr(file.rfind('/') + 1));
  warn(
      "assert() is compiled out in {} of this program ({}), so nothing is checked there; -UNDEBUG switches "
      "it on, and so does hocket_instrument(TARGET ASSERTIONS)",
      runtime::count_of(files.size(), "source"), runtime::first_of(files));
}

}  // namespace hocket
