#include "replay.hpp"

#include <map>
#include <string_view>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/platform/symbols/debug_info.hpp"
#include "../../runtime/terms/operation.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "../failures/failures.hpp"
#include "../process/debugger.hpp"
#include "../process/interrupt.hpp"

namespace hocket {

namespace {

using runtime::RecordedChoice;
using runtime::RecordedThread;
using runtime::Trace;

std::string thread_label(const std::vector<RecordedThread>& threads, unsigned thread) {
  return thread < threads.size() ? threads[thread].label : "a thread that does not exist";
}

}  // namespace

std::string in_words(const RecordedChoice& choice, const std::vector<RecordedThread>& threads) {
  std::string text = thread_label(threads, choice.thread) + ": ";
  if (choice.is_left_out)
    return text + "a " + (choice.is_value ? "value" : "step") + " that the file leaves out";
  if (choice.is_value) {
    return text + "chooses " + std::to_string(choice.code) + " of " + std::to_string(choice.count) + " for " +
           std::string(to_string(choice.operation));
  }
  text += choice.operation == runtime::Operation::none ? "begin" : std::string(to_string(choice.operation));
  if (!choice.object.empty()) text += " " + choice.object;
  if (choice.mode == runtime::Mode::expire) text += " expires";
  if (choice.mode == runtime::Mode::spurious) text += " wakes up spuriously";
  if (choice.mode == runtime::Mode::timeless) text += " while no time passes";
  return text;
}

namespace {

/// The name with each "file.cpp:12" as "file.cpp:": an edit elsewhere in the file moves lines.
std::string without_lines(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const auto colon = result.find_last_not_of("0123456789");
    const bool is_line = c >= '0' && c <= '9' && colon != std::string::npos && result[colon] == ':';
    if (!is_line) result += c;
  }
  return result;
}

/// Compares each choice with the schedule before it takes effect.
class Verifier final : public Trace {
 public:
  Verifier(const Schedule& schedule, bool same_build, const BeforeLastStep& before_last_step,
      const BeforeStep& before_step)
      : schedule_(schedule),
        same_build_(same_build),
        before_last_step_(before_last_step),
        before_step_(before_step) {}

  [[nodiscard]] const std::string& objection() const { return objection_; }

 private:
  bool accept(const RecordedChoice& choice) override {
    if (!is_as_expected(choice)) return false;
    if (before_step_) before_step_(*this);
    return true;
  }

  bool is_as_expected(const RecordedChoice& choice) {
    const std::size_t step = choices().size();
    if (step > schedule_.choices.size())
      return true;  // the body continues after the end of the file: it ran clean so far
    if (schedule_.complete) {
      const RecordedChoice& expected = schedule_.choices[step - 1];
      objection_ = compare(choice, expected);
      if (!objection_.empty()) {
        objection_ = "step " + std::to_string(step) + ": " + objection_;
        return false;
      }
    }
    return step != schedule_.choices.size() || !before_last_step_ || before_last_step_(*this);
  }

  /// Whether the file means this object. Another build may have other names, of variables that were renamed
  /// or that its debug information does not place; and names from debug information are known on some
  /// machines and not on others. Then each name of the file must stay with one object, and that object with
  /// it.
  [[nodiscard]] bool is_object(const RecordedChoice& choice, const std::string& expected) {
    const std::string found = utf8::valid(choice.object);
    const bool is_comparable =
        same_build_ && schedule_.names_from_debug_info == runtime::platform::has_debug_info_named();
    if (found == expected || is_comparable || found.empty() || expected.empty()) return found == expected;
    if (without_lines(found) == without_lines(expected)) return true;
    const unsigned number = choice.object_number;
    return object_of_name_.try_emplace(expected, number).first->second == number &&
           name_of_object_.try_emplace(number, expected).first->second == expected;
  }

  [[nodiscard]] std::string compare(const RecordedChoice& choice, const RecordedChoice& expected) {
    if (expected.is_left_out && choice.is_value == expected.is_value && choice.code == expected.code &&
        choice.thread == expected.thread)
      return {};
    const std::string file_says = "the file says \"" + in_words(expected, schedule_.threads) + "\"";
    const std::string program_does = "\"" + in_words(choice, threads()) + "\"";
    const bool same = choice.is_value == expected.is_value && choice.operation == expected.operation &&
                      is_object(choice, expected.object) && choice.mode == expected.mode &&
                      choice.count == expected.count && choice.code == expected.code &&
                      // Threads are compared by index, not by label, because a thread may get its name after
                      // it has made steps. Labels are compared at the end.
                      choice.thread == expected.thread;
    if (!same) return file_says + ", but the program does " + program_does;
    if (choice.seen.step != expected.seen.step || choice.newest.step != expected.newest.step) {
      return "the file says that it reads what step " + std::to_string(expected.seen.step) +
             " has stored, and that the newest value is that of step " +
             std::to_string(expected.newest.step) + ", but here they are those of step " +
             std::to_string(choice.seen.step) + " and step " + std::to_string(choice.newest.step);
    }
    if (choice.price != expected.price) {
      return "the file says that this costs " + std::to_string(expected.price) +
             " preemptions, but it costs " + std::to_string(choice.price);
    }
    // A place is missing if the debug information could not be read, which depends on the machine.
    const bool both_known = !choice.where.empty() && !expected.where.empty();
    if (same_build_ && both_known && choice.where != expected.where) {
      return file_says + " at " + expected.where + ", but it is at " + choice.where;
    }
    return {};
  }

  const Schedule& schedule_;
  bool same_build_;
  const BeforeLastStep& before_last_step_;
  const BeforeStep& before_step_;
  std::string objection_;
  // The file's names, and the numbers of objects here, where these have other names.
  std::map<std::string, unsigned> object_of_name_;
  std::map<unsigned, std::string> name_of_object_;
};

std::string compare_threads(const Schedule& schedule, const Trace& trace) {
  for (std::size_t n = 0; n < schedule.threads.size(); ++n) {
    const RecordedThread& expected = schedule.threads[n];
    if (n >= trace.threads().size()) {
      return "the file lists \"" + expected.label + "\", which the program does not create";
    }
    const RecordedThread& found = trace.threads()[n];
    if (utf8::valid(found.label) != expected.label || found.creator != expected.creator ||
        found.ordinal != expected.ordinal) {
      return "the file's thread number " + std::to_string(n + 1) + " is \"" + expected.label +
             "\", but the program's is \"" + found.label + "\", or another thread creates it";
    }
  }
  return {};
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// What the file has in place of this failure, or nothing if it has this one. Messages name lines, so they
/// are compared only for the same build; and a crash handler cannot write all that is known now.
std::string difference_from(const Schedule& schedule, const runtime::Failure& failure, bool same_build) {
  if (schedule.kind != failure.kind) {
    return "the file has the failure \"" + std::string(to_string(schedule.kind)) + "\", and this is \"" +
           std::string(to_string(failure.kind)) + "\"";
  }
  const std::string expected = first_line(schedule.message);
  const bool is_comparable = schedule.names_from_debug_info == runtime::platform::has_debug_info_named();
  const bool is_same = !is_comparable || first_line(utf8::valid(failure.message)) == expected;
  if (is_same || !same_build || !schedule.complete) return {};
  return "the file says \"" + expected + '"';
}

}  // namespace

runtime::Code FollowOrder::choose(const runtime::ChoicePoint& point) {
  if (point.position >= order_.size()) return point.entry.code;
  const OrderedChoice& wanted = order_[point.position];
  const bool is_value = point.entry.kind == runtime::LogEntry::value;
  if (wanted.is_value != is_value) return runtime::kDiverged;
  if (is_value) return wanted.what;
  runtime::Code code = runtime::kDiverged;
  point.log->for_each_candidate(point.entry, [&](const runtime::Candidate& candidate) {
    if (runtime::execution.thread(runtime::thread_of(candidate.code)).key != wanted.thread) return;
    if (static_cast<std::uint32_t>(runtime::mode_of(candidate.code)) == wanted.what) code = candidate.code;
  });
  return code;
}

std::vector<std::uint16_t> codes_of(const runtime::ChoiceLog& log) {
  std::vector<std::uint16_t> codes(log.size);
  for (std::uint32_t n = 0; n < log.size; ++n) codes[n] = log.entries[n].code;
  return codes;
}

runtime::ExecutionOptions replay_options(const Exploration& exploration, const Schedule& schedule) {
  runtime::ExecutionOptions options{schedule.rules()};
  options.own_process = exploration.makes_children();
  options.keeps_memory = schedule.keeps_memory && !options.own_process;
  return options;
}

std::vector<std::uint16_t> codes_of(const Schedule& schedule) {
  std::vector<std::uint16_t> codes;
  codes.reserve(schedule.choices.size());
  for (const RecordedChoice& choice : schedule.choices)
    codes.push_back(static_cast<std::uint16_t>(choice.code));
  return codes;
}

runtime::RecordedGivingWay giving_way_in(const Schedule& schedule) {
  runtime::RecordedGivingWay all;
  for (std::size_t n = 0; n < schedule.choices.size(); ++n) {
    const RecordedChoice& choice = schedule.choices[n];
    if (choice.is_value) continue;
    const unsigned thread = schedule.complete ? choice.thread : runtime::thread_of(choice.code);
    all.add(thread, static_cast<std::uint32_t>(n), choice.part_of == runtime::kGivesWay);
  }
  return all;
}

ReplayResult replay(const Schedule& schedule, const Exploration& exploration, bool same_build,
    const BeforeLastStep& before_last_step, const BeforeStep& before_step) {
  FollowCodes chooser(codes_of(schedule));
  Verifier trace(schedule, same_build, before_last_step, before_step);
  trace.expect_choices(schedule.choices.size());
  runtime::ExecutionOptions options = replay_options(exploration, schedule);
  const runtime::RecordedGivingWay giving_way = giving_way_in(schedule);
  if (giving_way.is_any()) options.recorded_giving_way = &giving_way;
  options.trace = &trace;
  options.may_be_interrupted = true;
  hocket_gdb_replay_begins();
  ReplayResult result;
  result.kind = ReplayResult::Kind::stopped;
  if (was_interrupted()) return result;
  const runtime::ExecutionResult run = exploration.run(chooser, options);
  result.retry_loops = runtime::Retries::take_found();
  const auto diverged = [&](const std::string& why) {
    result.kind = ReplayResult::Kind::diverged;
    result.message = utf8::printable(why);
  };
  if (run.outcome == runtime::Outcome::interrupted || runtime::execution.verdict.is_interrupted())
    return result;
  result.kind = ReplayResult::Kind::ran_clean;
  if (run.outcome == runtime::Outcome::diverged) {
    const std::size_t step = trace.choices().size() + 1;
    const bool is_known = step <= schedule.choices.size() && schedule.complete;
    const std::string expected =
        is_known ? "the file says \"" + in_words(schedule.choices[step - 1], schedule.threads) + "\", which"
                 : "what the file says";
    diverged(!trace.objection().empty()
                 ? trace.objection()
                 : "step " + std::to_string(step) + ": " + expected + " cannot happen there");
    return result;
  }
  if (run.log.size < schedule.choices.size()) {
    const bool has_failed = run.outcome == runtime::Outcome::failed;
    diverged("the program ends after step " + std::to_string(run.log.size) + ", the file has " +
             std::to_string(schedule.choices.size()) +
             (has_failed ? ": " + first_line(runtime::Execution::failure().message) : std::string{}));
    return result;
  }
  if (schedule.complete) {
    if (const std::string objection = compare_threads(schedule, trace); !objection.empty()) {
      diverged(objection);
      return result;
    }
  }
  if (run.outcome == runtime::Outcome::failed) {
    const runtime::Failure& failure = runtime::Execution::failure();
    result.kind = ReplayResult::Kind::failed_again;
    result.signature = failure.signature;
    result.difference = difference_from(schedule, failure, same_build);
    result.schedule = schedule;
    if (!result.difference.empty()) {
      result.schedule.why.clear();
      result.schedule.schedules_tried = 0;
    }
    describe_failure(result.schedule, failure, trace);
  }
  return result;
}

}  // namespace hocket
