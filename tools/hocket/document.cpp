#include "document.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/diagnosis/notes.hpp"
#include "runtime/diagnosis/step_effects.hpp"
#include "runtime/terms/english.hpp"
#include "runtime/terms/semantics.hpp"
#include "runtime/terms/utf8.hpp"
#include "scheduler/api/bound_text.hpp"
#include "scheduler/options/replay_command.hpp"
#include "scheduler/schedules/rule_fields.hpp"
#include "scheduler/schedules/schedule_lines.hpp"
#include "scheduler/schedules/schedule_text.hpp"
#include "scheduler/schedules/schedule_words.hpp"
#include "scheduler/schedules/shown_steps.hpp"

#include "document_parts.hpp"

namespace hocket::tool {

namespace {

using Json = nlohmann::ordered_json;
using runtime::Effect;
using runtime::Operation;
using runtime::RecordedChoice;
using runtime::RecordedThread;

constexpr std::size_t kShownAtFirst = 60;  // as many as `hocket show` prints

void add_unless_empty(Json& json, const char* name, const std::string& text) {
  if (!text.empty()) json[name] = utf8::printable(text);
}

Json lines_of_text(std::string_view text) {
  Json lines = Json::array();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(utf8::printable(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Which steps of other threads a step comes after because both use an object and one of them changes it.
class Order {
 public:
  /// Adds step `number` of `thread`, and returns the steps that it comes directly after.
  std::vector<std::size_t> add(std::size_t number, unsigned thread, const std::string& object, bool writes) {
    threads_[number] = thread;
    std::vector<std::size_t> before;
    Uses& uses = uses_[object];
    const auto add_before = [&](const auto& use) {
      if (use.second != 0 && use.first != thread) before.push_back(use.second);
    };
    add_before(uses.write);
    if (writes) {
      for (const auto& read : uses.reads) add_before(read);
      uses.write = {thread, number};
      uses.reads.clear();
    } else {
      uses.reads[thread] = number;
    }
    std::sort(before.begin(), before.end());
    return before;
  }

  /// Adds step `number`, which reads what the step `store` has stored, or comes behind that, although there
  /// are newer stores: nothing orders those before it. 0: no step has stored it.
  std::vector<std::size_t> add_stale(
      std::size_t number, unsigned thread, const std::string& object, bool writes, std::size_t store) {
    threads_[number] = thread;
    if (!writes) uses_[object].reads[thread] = number;
    if (store == 0 || threads_.at(store) == thread) return {};
    return {store};
  }

 private:
  struct Uses {
    std::pair<unsigned, std::size_t> write;
    std::map<unsigned, std::size_t> reads;  ///< since the write, the last one of each thread
  };
  std::map<std::string, Uses> uses_;
  std::map<std::size_t, unsigned> threads_;  ///< of each step
};

/// The locks that threads hold. Where a file does not name the lock that a wait on a condition variable gives
/// back, it is known only if the thread holds just one.
class Locks {
 public:
  /// Sets what the step takes and gives back in `json`.
  void add(const RecordedChoice& choice, Json& json) {
    std::vector<std::string>& held = held_[choice.thread];
    switch (runtime::semantics_of(choice.operation).needs) {
      case runtime::Need::lock:
      case runtime::Need::shared_lock:
        if (!runtime::has_failed(choice)) take(choice.thread, choice.object, json);
        return;
      default:
        break;
    }
    if (choice.operation == Operation::mutex_unlock || choice.operation == Operation::mutex_unlock_shared) {
      give(held, choice.object, json);
    } else if (choice.operation == Operation::condition_wait && choice.mode == runtime::Mode::run) {
      const std::string lock = !choice.lock.empty() ? choice.lock : held.size() == 1 ? held[0] : "";
      if (lock.empty()) return;
      waits_with_[choice.thread] = lock;
      give(held, lock, json);
    } else if (choice.operation == Operation::condition_reacquire) {
      const auto lock = waits_with_.find(choice.thread);
      if (lock == waits_with_.end()) return;
      take(choice.thread, lock->second, json);
      waits_with_.erase(lock);
    }
  }

 private:
  void take(unsigned thread, const std::string& lock, Json& json) {
    held_[thread].push_back(lock);
    json["takes"] = utf8::printable(lock);
  }

  static void give(std::vector<std::string>& held, const std::string& lock, Json& json) {
    const auto found = std::find(held.rbegin(), held.rend(), lock);
    if (found == held.rend()) return;
    held.erase(std::prev(found.base()));
    json["gives"] = utf8::printable(lock);
  }

  std::map<unsigned, std::vector<std::string>> held_;
  std::map<unsigned, std::string> waits_with_;
};

Json threads_of(const Schedule& schedule) {
  Json threads = Json::array();
  for (const RecordedThread& entry : schedule.threads) {
    Json thread{{"thread", utf8::printable(entry.label)}};
    if (entry.creator >= 0) {
      thread["creator"] = entry.creator;
      add_unless_empty(thread, "made_at", entry.made_at);
      thread["made_after"] = entry.made_after;
    }
    if (entry.joiner >= 0) {
      thread["joiner"] = entry.joiner;
      thread["joined_after"] = entry.joined_after;
    }
    threads.push_back(std::move(thread));
  }
  return threads;
}

/// What each thread waits for at the end, if that is the failure.
Json waits_of(const Schedule& schedule) {
  Json waits = Json::array();
  for (std::size_t n = 0; n < schedule.threads.size(); ++n) {
    const RecordedThread::Waiting& waiting = schedule.threads[n].waiting;
    if (waiting.for_what.empty()) continue;
    Json wait{{"thread", n}, {"for", utf8::printable(waiting.for_what)}};
    add_unless_empty(wait, "object", waiting.object);
    if (!waiting.threads.empty()) wait["on"] = waiting.threads;
    waits.push_back(std::move(wait));
  }
  return waits;
}

Json stacks_of(const Schedule& schedule) {
  Json stacks = Json::array();
  for (const ShownStack& stack : schedule.stacks) {
    Json json{{"stack", utf8::printable(stack.title)}};
    add_unless_empty(json, "source", stack.source);
    Json& frames = json["frames"] = Json::array();
    for (const std::string& frame : stack.frames) {
      const std::size_t gap = frame.rfind("  ");
      Json one{{"function", utf8::printable(std::string_view(frame).substr(0, gap))}};
      if (gap != std::string::npos) one["at"] = utf8::printable(std::string_view(frame).substr(gap + 2));
      frames.push_back(std::move(one));
    }
    stacks.push_back(std::move(json));
  }
  return stacks;
}

/// Sets which variable the note tells an access to, if it does: "writes item = 7".
void add_access(Json& note) {
  const std::string text = note["note"];
  const bool reads = text.starts_with(runtime::notes::kReads);
  const bool writes = text.starts_with(runtime::notes::kWrites);
  if (!reads && !writes) return;
  const std::size_t begin = (reads ? runtime::notes::kReads : runtime::notes::kWrites).size();
  note["access"] = reads ? "read" : "write";
  note["object"] = text.substr(begin, text.find(" = ", begin) - begin);
}

/// The store that was chosen for the step with this index, if there were several to choose from.
std::optional<std::size_t> chosen_store(const Schedule& schedule, std::size_t n) {
  std::optional<std::size_t> chosen;
  for (++n; n < schedule.choices.size() && schedule.choices[n].chooses_store; ++n)
    chosen = schedule.choices[n].seen.step;
  return chosen;
}

/// Sets what the step with this index has read, and what it comes after because of its object.
void add_order(Json& step, const Schedule& schedule, std::size_t n, Order& order, Stores& stores) {
  const RecordedChoice& choice = schedule.choices[n];
  const bool writes = runtime::writes(choice);
  const Stores::Use use = stores.add(n + 1, choice, chosen_store(schedule, n));
  if (!choice.order.empty()) step["order"] = utf8::printable(choice.order);
  step["writes"] = writes;
  if (use.read) step["reads"] = *use.read;
  if (use.behind) step["behind"] = *use.behind;
  if (!use.is_of_newest()) step["newer"] = use.newer;
  const auto before = use.is_of_newest() ? order.add(n + 1, choice.thread, choice.object, writes)
                                         : order.add_stale(n + 1, choice.thread, choice.object, writes,
                                               use.read ? *use.read : *use.behind);
  if (!before.empty()) step["after"] = before;
}

Json steps_of(const Schedule& schedule) {
  Json steps = Json::array();
  Order order;
  Stores stores;
  Locks locks;
  const std::size_t failing = failing_choice(schedule);
  // Otherwise nobody knows what comes after what, and who holds a lock.
  const bool is_whole = std::none_of(schedule.choices.begin(), schedule.choices.end(),
      [](const RecordedChoice& choice) { return choice.is_left_out; });
  for (std::size_t n = 0; n < schedule.choices.size(); ++n) {
    const RecordedChoice& choice = schedule.choices[n];
    Json step{{"step", n + 1}, {"thread", choice.thread}};
    if (choice.is_left_out) {
      const std::size_t begin = n;
      const auto goes_on = [&](const RecordedChoice& next) {
        return next.is_left_out && next.thread == choice.thread;
      };
      while (n + 1 < schedule.choices.size() && goes_on(schedule.choices[n + 1])) ++n;
      step["does"] = "(left out of the file)";
      step["left_out"] = n + 1 - begin;
      steps.push_back(std::move(step));
      continue;
    }
    Json notes = Json::array();
    if (choice.chooses_store) {
      step["does"] = text_of_store(choice);
      step["for"] = step_before(schedule, n) + 1;
    }
    for (const StepLine& line : lines_of(schedule, n, failing)) {
      if (line.is_preempted) {
        step["preempted"] = line.thread;
      } else if (line.step != 0) {
        step["does"] = line.head;
        if (!line.name.empty()) step["object"] = line.name;
        if (!line.tail.empty()) step["result"] = line.tail.substr(line.tail.find_first_not_of(' '));
      } else if (line.style == Style::failure) {
        step["fails"] = line.head;
      } else {
        Json note{{"note", line.head.substr(std::min(line.head.find_first_not_of(' '), line.head.size()))}};
        if (!line.place.empty()) note["at"] = line.place;
        add_access(note);
        notes.push_back(std::move(note));
      }
    }
    add_unless_empty(step, "at", choice.where);
    if (choice.price != 0) step["price"] = choice.price;
    if (!notes.empty()) step["notes"] = std::move(notes);
    if (is_whole && !choice.is_value && !choice.object.empty()) {
      if (runtime::semantics_of(choice.operation).effect != Effect::none)
        add_order(step, schedule, n, order, stores);
      locks.add(choice, step);
    }
    add_state(step, schedule, n);
    steps.push_back(std::move(step));
  }
  return steps;
}

/// What has a row of its own and is no step: the accesses of a data race, and what threads of a deadlock wait
/// for.
Json rows_between_steps(const Schedule& schedule) {
  Json rows = Json::array();
  const std::size_t failing = failing_choice(schedule);
  for (std::size_t n = 0; n <= schedule.choices.size(); ++n) {
    for (const StepLine& line : lines_after(schedule, n, failing)) {
      Json row{{"after", n}, {"thread", line.thread}, {"does", line.head}};
      if (!line.name.empty()) row["object"] = line.name;
      if (!line.place.empty()) row["at"] = line.place;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

/// What happens without each preemption, by the step that comes after it.
Json reasons_of(const Schedule& schedule) {
  Json reasons = Json::array();
  for (const auto& [at, text] : schedule.why)
    reasons.push_back({{"step", at + 1}, {"text", utf8::printable(text)}});
  return reasons;
}

/// The steps that are shown at first, as pairs of the first and the last.
Json shown_of(const Schedule& schedule) {
  Json shown = Json::array();
  if (schedule.choices.empty()) return shown;
  for (const Range& range : shown_steps(schedule, kShownAtFirst))
    shown.push_back({range.begin + 1, range.end});
  return shown;
}

/// The command that runs the schedule again; as it stands if the program that wrote the file is still there.
std::string replay_command_of(const Schedule& schedule, const std::string& file) {
  std::error_code error;
  const bool is_there = !schedule.binary.empty() && std::filesystem::is_regular_file(schedule.binary, error);
  return "hocket replay " + file_for_shell(file) + " " +
         (is_there ? file_for_shell(schedule.binary) : "PROGRAM");
}

}  // namespace

// A crash handler does not know how many executions there were.
std::string origin(const Schedule& schedule) {
  std::string text = "Found by " + utf8::printable(schedule.strategy);
  if (!schedule.choices.empty() && schedule.choices[0].operation == Operation::model_step) {
    if (schedule.bound != 0) text += " with " + runtime::count_of(schedule.bound, "preemption");
    return text + " after " + runtime::count_of(schedule.choices.size(), "step") + ".";
  }
  if (schedule.complete) {
    const std::string_view unit = schedule.keeps_stores ? kPreemptionsAndStaleReads : "preemption";
    const unsigned found = schedule.found_choices.empty() ? schedule.bound : schedule.found_bound;
    text += " with " + count_of_units(found, unit) + " " + after_executions(schedule.executions);
    if (!schedule.found_choices.empty()) text += ", and made shorter";
  }
  for (const RuleField& field : rule_fields()) {
    const auto* const flag = std::get_if<bool RuleField::Rules::*>(&field.member);
    if (flag != nullptr && schedule.rules().*(*flag)) text += ", " + std::string(field.said);
  }
  if (!schedule.seal.empty()) text += ", without preemptions in " + utf8::printable(schedule.seal);
  if (!schedule.open.empty()) text += ", with preemptions only in " + utf8::printable(schedule.open);
  return text + ".";
}

Json document_of(const Schedule& schedule, const std::string& file) {
  Json json{{"hocket_failure", kDocumentFormat}};
  json["test"] = utf8::printable(schedule.test);
  json["failure"] = runtime::to_string(schedule.kind);
  json["headline"] = lines_of_text(headline(schedule));
  add_unless_empty(json, "where", schedule.where);
  json["origin"] = origin(schedule);
  json["words"] = lines_of_text(in_words(schedule, false));
  if (!schedule.why.empty()) json["why"] = reasons_of(schedule);
  add_unless_empty(json, "forbidden_by", schedule.remedy);
  json["replay"] = replay_command_of(schedule, file);
  add_unless_empty(json, "binary", schedule.binary);
  json["preemptions"] = schedule.bound;
  json["complete"] = schedule.complete;
  json["stacks"] = stacks_of(schedule);
  if (schedule.complete) {
    json["threads"] = threads_of(schedule);
    if (Json waits = waits_of(schedule); !waits.empty()) json["waits"] = std::move(waits);
    if (!schedule.choices.empty()) json["fails_at"] = failing_choice(schedule) + 1;
    if (Json model = states_of(schedule); !model.empty()) json["model"] = std::move(model);
    json["shown"] = shown_of(schedule);
    json["steps"] = steps_of(schedule);
    if (Json rows = rows_between_steps(schedule); !rows.empty()) json["between_steps"] = std::move(rows);
  } else {
    json["threads"] = json["shown"] = json["steps"] = Json::array();
  }
  return json;
}

}  // namespace hocket::tool
