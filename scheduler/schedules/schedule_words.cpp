#include "schedule_words.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../runtime/terms/utf8.hpp"
#include "../api/number_text.hpp"
#include "shown_steps.hpp"
#include "store_order.hpp"

namespace hocket {

namespace {

using runtime::RecordedChoice;
using runtime::RecordedThread;

std::string label(const Schedule& schedule, unsigned thread) {
  return utf8::printable(schedule.threads.at(thread).label);
}

/// "step 4, mutex.unlock of the queue at queue.cpp:39"
std::string step_text(const Schedule& schedule, std::size_t n) {
  const RecordedChoice& choice = schedule.choices[n];
  std::string text = "step " + std::to_string(n + 1) + ", ";
  if (choice.operation == runtime::Operation::model_step) return text + utf8::printable(choice.object);
  text += utf8::printable(choice.name());
  if (!choice.object.empty()) text += " of " + utf8::printable(choice.object);
  if (!choice.where.empty()) text += " at " + utf8::printable(choice.where);
  return text;
}

/// "The threads run one after the other: thread 1, main, thread 1 again, thread 2."
std::string turns_text(const Schedule& schedule, std::size_t count) {
  constexpr std::size_t kMost = 6;
  std::vector<unsigned> turns;
  for (std::size_t n = 0; n < count; ++n) {
    const unsigned thread = schedule.choices[n].thread;
    if (turns.empty() || turns.back() != thread) turns.push_back(thread);
  }
  if (turns.size() == 1) {
    const bool is_alone = schedule.threads.size() == 1;
    const bool has_rows_of_others =
        std::any_of(schedule.threads.begin(), schedule.threads.end(), [&](const RecordedThread& thread) {
          const bool is_in_table = !thread.access.what.empty() || !thread.waiting.for_what.empty();
          return is_in_table && &thread != &schedule.threads[turns[0]];
        });
    const bool others_run_later = std::any_of(schedule.choices.begin() + static_cast<std::ptrdiff_t>(count),
        schedule.choices.end(), [&](const RecordedChoice& choice) { return choice.thread != turns[0]; });
    const bool is_of_main = turns[0] == 0;
    if (has_rows_of_others || (!is_of_main && !is_alone))
      return "No thread is preempted; only " + label(schedule, turns[0]) + " makes steps" +
             (others_run_later ? " before it fails.\n" : ".\n");
    return "Only " + label(schedule, turns[0]) + " runs" +
           (is_alone              ? ": this failure needs no concurrency.\n"
               : others_run_later ? " before it fails.\n"
                                  : ".\n");
  }
  std::string text = "No thread is preempted; they run in this order: ";
  for (std::size_t n = 0; n < std::min(turns.size(), kMost); ++n) {
    if (n != 0) text += ", ";
    text += label(schedule, turns[n]);
    if (std::find(turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(n), turns[n]) !=
        turns.begin() + static_cast<std::ptrdiff_t>(n))
      text += " again";
  }
  if (turns.size() > kMost) text += ", and " + number_text(turns.size() - kMost) + " more turns";
  return text + ".\n";
}

/// "thief does not read the newest value in step 17, atomic.load of bottom at deque.hpp:31, but 2, which
/// owner has stored in step 10. Nothing orders step 13, in which owner stores 1, before that."
std::string stale_text(const Schedule& schedule, std::size_t n) {
  const RecordedChoice& choice = schedule.choices[n];
  const auto stored_by = [&](const RecordedChoice::Stored& stored) {
    return label(schedule, schedule.choices[stored.step - 1].thread);
  };
  const auto is_known = [&](const RecordedChoice::Stored& stored) {
    return stored.step != 0 && stored.step <= schedule.choices.size();
  };
  const bool writes = choice.operation == runtime::Operation::atomic_store;
  std::string text =
      label(schedule, choice.thread) +
      (writes ? " does not store the newest value in " : " does not read the newest value in ") +
      step_text(schedule, step_before(schedule, n)) + (writes ? ": it comes right behind " : ", but ") +
      utf8::printable(choice.seen.value);
  if (is_known(choice.seen)) {
    text += ", which " + stored_by(choice.seen) + " has stored in step " + std::to_string(choice.seen.step);
  } else {
    text += ", the first value";
  }
  text += ". ";
  if (!is_known(choice.newest)) return text + "\n";
  return text + "Nothing orders step " + std::to_string(choice.newest.step) + ", in which " +
         stored_by(choice.newest) + " stores " + utf8::printable(choice.newest.value) + ", before that.\n";
}

/// `count`: the steps up to the failure.
std::string stale_texts(const Schedule& schedule, std::size_t count) {
  constexpr std::size_t kMost = 3;
  std::vector<std::size_t> stale;
  while (count < schedule.choices.size() && schedule.choices[count].chooses_store) ++count;
  for (std::size_t n = 0; n < count; ++n) {
    if (is_stale(schedule.choices[n])) stale.push_back(n);
  }
  std::string text;
  const std::size_t shown = std::min(stale.size(), kMost);
  if (shown != stale.size())
    text = "The last " + std::to_string(shown) + " of " + number_text(stale.size()) + " stale reads:\n";
  for (std::size_t n = stale.size() - shown; n < stale.size(); ++n) text += stale_text(schedule, stale[n]);
  return text + missed_stores_text(schedule);
}

std::string source_line(const std::string& source, unsigned width) {
  const std::string line = "      " + utf8::printable(source);
  return width == 0 ? line : utf8::shortened(line, width);
}

}  // namespace

std::size_t early_stores(const Schedule& schedule) {
  return static_cast<std::size_t>(
      std::count_if(schedule.choices.begin(), schedule.choices.end(), [](const RecordedChoice& choice) {
        return is_stale(choice) && choice.operation == runtime::Operation::atomic_store;
      }));
}

std::size_t stale_choices(const Schedule& schedule) {
  return static_cast<std::size_t>(std::count_if(schedule.choices.begin(), schedule.choices.end(), is_stale));
}

std::string in_words(const Schedule& schedule, bool with_reasons, unsigned width) {
  constexpr std::size_t kMost = 3;
  if (!schedule.complete || schedule.choices.empty()) return {};
  const std::size_t count = failing_choice(schedule) + 1;
  std::vector<std::size_t> preemptions;
  bool has_price = false;
  bool are_all = true;
  for (std::size_t n = 0; n < count; ++n) {
    are_all &= !schedule.choices[n].is_left_out;
    has_price |= schedule.choices[n].price != 0 && !is_stale(schedule.choices[n]);
    if (is_preemption(schedule, n)) preemptions.push_back(n);
  }
  std::string text;
  if (schedule.schedules_tried != 0) {
    text = "It fails under every schedule that was tried (" + number_text(schedule.schedules_tried) +
           "): the order of its threads is hardly the cause.\n";
  }
  std::string stale = stale_texts(schedule, count);
  for (const auto& [at, why] : schedule.why) {
    if (with_reasons && at < schedule.choices.size() && !is_preemption(schedule, at))
      stale += utf8::printable(why) + "\n";
  }
  if (!schedule.remedy.empty()) {
    stale += "What would forbid it, and was tried: " + utf8::printable(schedule.remedy) + ".\n";
  }
  if (!schedule.hardware.empty()) stale += utf8::printable(schedule.hardware) + ".\n";
  if (preemptions.empty())
    return text + (has_price || !are_all ? std::string{} : turns_text(schedule, count)) + stale;
  const std::size_t shown = std::min(preemptions.size(), kMost);
  if (shown != preemptions.size())
    text += "The last " + std::to_string(shown) + (are_all ? " of " + number_text(preemptions.size()) : "") +
            " preemptions:\n";
  for (std::size_t n = preemptions.size() - shown; n < preemptions.size(); ++n) {
    const std::size_t at = preemptions[n];
    const std::size_t before = step_before(schedule, at);
    text += label(schedule, schedule.choices[before].thread) + " is preempted after " +
            step_text(schedule, before) + "; " + label(schedule, schedule.choices[at].thread) + " goes on.\n";
    if (const auto source = schedule.sources.find(at); source != schedule.sources.end())
      text += source_line(source->second, width) + "\n";
    if (const auto why = schedule.why.find(at); with_reasons && why != schedule.why.end())
      text += "  " + utf8::printable(why->second) + "\n";
  }
  return text + stale;
}

std::string note_on_names(const Schedule& schedule) {
  const bool has_objects = std::any_of(schedule.choices.begin(), schedule.choices.end(),
      [](const RecordedChoice& choice) { return !choice.object.empty(); });
  if (!schedule.lacks_debug_info || !has_objects) return {};
  return "Note: the program was compiled without -g; with it, variables and locks are called by their "
         "names.\n";
}

}  // namespace hocket
