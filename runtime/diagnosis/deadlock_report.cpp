// The report on an execution that cannot continue or does not end: which thread waits for what, which steps
// repeat, and which threads starve.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "../execution/cold_state.hpp"
#include "../execution/execution.hpp"
#include "../platform/symbols/stack_frames.hpp"
#include "../platform/symbols/user_code.hpp"
#include "../terms/english.hpp"
#include "../terms/sabotage.hpp"
#include "../terms/semantics.hpp"
#include "notifications.hpp"
#include "source_text.hpp"
#include "step_effects.hpp"
#include "trace.hpp"

namespace hocket::runtime {

namespace {

constexpr std::int64_t kNanosecondsInMillisecond = 1'000'000;

/// What distinguishes the place at which a thread waits from others: the line, if one is known. Within the
/// standard library, as in std::lock_guard, many have one.
std::uint64_t place_of(const Pending& pending) {
  const unsigned line = pending.where.line();
  const bool is_the_users = line == 0 || platform::holds_user_code(pending.where.file_name());
  return is_the_users || pending.object == nullptr ? line : pending.object->key;
}

constexpr const char* kHowToNotify =
    "The code that changes what is waited for has to call notify_one or notify_all of the same object "
    "afterwards";
constexpr const char* kHowToSet =
    "A promise has to be given a value or an exception, or be destroyed, and a task has to be run, by a "
    "thread that does not wait for its future";

bool acquires(const RecordedChoice& choice) {
  return semantics_of(choice.operation).needs == Need::count && !has_failed(choice);
}

bool releases(const RecordedChoice& choice) {
  return choice.operation == Operation::semaphore_release;
}

bool ends_section(const RecordedChoice& choice) {
  return choice.operation == Operation::mutex_unlock || choice.operation == Operation::mutex_unlock_shared;
}

/// " by thread 1 in step 3 at queue.cpp:7": the last step on `object` for which `is_meant(choice)` holds;
/// empty if there is none.
template <class IsMeant>
std::string last_by(Trace& trace, const Object& object, IsMeant is_meant) {
  const std::vector<RecordedChoice>& choices = trace.choices();
  const unsigned number = trace.number(object);
  for (std::size_t n = choices.size(); n-- > 0;) {
    const RecordedChoice& choice = choices[n];
    if (choice.is_value || choice.object_number != number || !is_meant(choice)) continue;
    return " by " + trace.threads()[choice.thread].label + " in step " + std::to_string(n + 1) +
           at(choice.where);
  }
  return {};
}

/// The lock that the thread waits for; nullptr if it waits for none.
const Object* lock_before(const Pending& pending) {
  if (pending.operation == Operation::condition_reacquire) return pending.second;
  const Need need = semantics_of(pending.operation).needs;
  return need == Need::lock || need == Need::shared_lock ? pending.object : nullptr;
}

/// The threads that hold the lock.
std::vector<unsigned> holders_of(const Object& lock, unsigned threads) {
  std::vector<unsigned> holders;
  std::uint16_t owner = kNobody;
  if (lock.kind == &kSharedMutexKind) {
    const SharedMutexState& state = static_cast<const SharedMutex&>(lock).state;
    owner = state.owner;
    state.readers.for_each([&](unsigned t) { holders.push_back(t); });
  } else if (lock.kind == &kMutexKind || lock.kind == &kRecursiveMutexKind) {
    owner = static_cast<const Mutex&>(lock).state.owner;
  }
  if (owner < threads) holders.push_back(owner);
  return holders;
}

/// The one thread that must do something before `thread` can continue; kMaxThreads if there is no such single
/// thread.
unsigned waits_on(const Thread& thread) {
  if (thread.joins != nullptr) return thread.joins->index;
  const bool waits_for_notification = needs_notification(thread.pending.operation) && !thread.notified;
  const Object* const lock = waits_for_notification ? nullptr : lock_before(thread.pending);
  if (lock == nullptr) return kMaxThreads;
  const std::vector<unsigned> holders = holders_of(*lock, kMaxThreads);
  return holders.size() == 1 ? holders.front() : kMaxThreads;
}

/// What StuckThreads::describe_waiting() says in words.
RecordedThread::Waiting waiting_of(const Thread& thread, Trace& trace) {
  const Pending& pending = thread.pending;
  if (thread.is_guarded) {
    const auto awaited = std::find_if(thread.awaited.begin(), thread.awaited.end(),
        [](const Thread::Read& read) { return read.object != nullptr; });
    return {"change", awaited == thread.awaited.end() ? std::string{} : trace.label(*awaited->object), {}};
  }
  if (thread.joins != nullptr) return {"end", {}, {thread.joins->index}};
  if (pending.object == nullptr) return {};
  if (needs_notification(pending.operation) && !thread.notified)
    return {"notification", trace.label(*pending.object), {}};
  if (const Object* const lock = lock_before(pending); lock != nullptr)
    return {"lock", trace.label(*lock), holders_of(*lock, static_cast<unsigned>(trace.threads().size()))};
  if (semantics_of(pending.operation).needs == Need::count)
    return {"semaphore", trace.label(*pending.object), {}};
  return {};
}

/// Whether the thread waits for the value of a std::future, in whose state there is an atomic that nobody
/// knows by name. Its code calls <future> then; a task that waits for something else is called by it.
bool waits_for_future(const Thread& thread, const Trace& trace) {
  if (thread.pending.operation != Operation::atomic_wait || thread.notified) return false;
  const std::vector<platform::StackFrame> frames = platform::frames_of(trace.pending_stack(thread));
  const auto users = std::find_if(frames.begin(), frames.end(),
      [](const platform::StackFrame& frame) { return platform::holds_user_code(frame.file); });
  return std::any_of(frames.begin(), users,
      [](const platform::StackFrame& frame) { return std::string_view(frame.file).ends_with("/future"); });
}

/// Whether the thread, which polls, awaits the sections of this lock in addition to reading its state.
bool awaits_sections_of(const Thread& thread, const Thread::Read& lock) {
  return !lock.is_of_sections &&
         std::any_of(thread.awaited.begin(), thread.awaited.end(),
             [&](const Thread::Read& read) { return read.is_of_sections && read.object == lock.object; });
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Which thread waits for what

std::string StuckThreads::describe_holder(const Object& object) const {
  const auto holder = [&](std::uint16_t owner) -> std::string {
    if (owner == kOutside) return "; the code outside the body holds it";
    if (owner >= threads_.count()) return {};
    const Thread& thread = threads_[owner];
    std::string text = "; " + describe(thread) + " holds it";
    const HeldLock* const holding = run.cold->recorded.held_locks.find(object, owner);
    if (holding != nullptr) text += " since step " + std::to_string(holding->step) + at(holding->where);
    if (thread.state == Thread::State::ended) text += ", and has ended";
    return text;
  };
  if (object.kind == &kSharedMutexKind) {
    const SharedMutexState& state = static_cast<const SharedMutex&>(object).state;
    if (state.readers.empty()) return holder(state.owner);
    std::vector<std::string> names;
    state.readers.for_each([&](unsigned t) { names.push_back(describe(threads_[t])); });
    return "; " + listed(names) + (names.size() == 1 ? " holds" : " hold") + " it in shared mode";
  }
  if (object.kind == &kMutexKind || object.kind == &kRecursiveMutexKind) {
    return holder(static_cast<const Mutex&>(object).state.owner);
  }
  if (object.kind == &kSemaphoreKind) {
    const std::string acquired = last_by(*run.options.trace, object, acquires);
    const std::string released = last_by(*run.options.trace, object, releases);
    return "; its count is " + std::to_string(static_cast<const Semaphore&>(object).state.count) +
           (acquired.empty() ? "" : ", last acquired" + acquired) +
           (released.empty() ? ", never released" : ", last released" + released);
  }
  return {};
}

std::string StuckThreads::describe_waiting(const Thread& thread) const {
  Trace& trace = *run.options.trace;
  const Pending& pending = thread.pending;
  const std::size_t since = trace.last_step(thread);
  std::string what;  // what the thread does
  std::string more;
  if (thread.is_guarded) {
    std::vector<std::string> names;
    for (const Thread::Read& read : thread.awaited) {
      // It is obvious that a thread which takes a lock waits for it to be free.
      if (read.object == nullptr || awaits_sections_of(thread, read)) continue;
      const std::string name = describe(*read.object);
      names.push_back(read.is_of_sections ? "what " + name + " protects" : name);
      if (read.object == &run.cold->clock) {
        more += thread.polls
                    ? "; letting time pass did not end the loop"
                    : "; no time passes for an await: to wait for a time, call this_thread::sleep_until or "
                      "wait_until of a condition variable";
        continue;
      }
      const std::string changed = last_by(trace, *read.object, [&](const RecordedChoice& choice) {
        return choice.thread != thread.index && (read.is_of_sections ? ends_section : writes)(choice);
      });
      const char* const done = read.is_of_sections ? "unlocked" : "changed";
      const auto is_any = [](Operation) { return true; };
      if (trace.last_step_on(*read.object, is_any) == 0) continue;  // it is only a part of what steps access
      if (changed.empty()) {
        more.append("; no other thread has ").append(done).append(" ").append(name);
      } else {
        more.append("; ").append(name).append(" was last ").append(done).append(changed);
      }
    }
    what = (thread.polls ? "polls " : "waits in await for a change of ") + listed(names);
  } else if (thread.joins != nullptr) {
    what = "waits in join for " + describe(*thread.joins) + " to end";
  } else if (waits_for_future(thread, trace)) {
    what = "waits for the value of a future";
    more = "; no thread has set it";
  } else if (needs_notification(pending.operation) && !thread.notified) {
    const char* const awaited = pending.object->kind->awaited;
    const std::string function = trace.function_of(thread);
    what = awaited != nullptr
               ? "waits " + (function.empty() ? "" : "in " + function + "() ") + "for " + awaited
           : !function.empty() ? "waits in " + function + " on " + describe(*pending.object)
                               : "waits for a notification of " + describe(*pending.object);
    if (awaited == nullptr || function.empty()) more = story_of_notifications(thread, execution).text;
    if (more.empty() && awaited != nullptr && function.empty()) more = "; no thread has sent one";
    if (more.empty() && function.empty()) more = "; it was never notified";
  } else if (pending.operation == Operation::condition_reacquire && pending.second != nullptr) {
    const std::string condition = describe(*pending.object);
    what = "waits to take " + describe(*pending.second) + " again (" +
           (thread.mode == Mode::expire        ? "its wait on " + condition + " expired"
               : thread.mode == Mode::spurious ? "after a spurious wake-up from " + condition
                                               : "notified by " + condition) +
           ")";
    more = describe_holder(*pending.second);
  } else if (pending.object != nullptr) {
    what = "waits for " + describe(*pending.object);
    more = describe_holder(*pending.object);
  }
  return "\n  " + describe(thread) + " " + what +
         (since != 0 ? " since step " + std::to_string(since) : std::string{}) +
         at(trace.pending_place(thread)) + more;
}

std::string StuckThreads::tell_of_waiting(const Thread& thread) const {
  std::string text = describe_waiting(thread);
  run.trace()->waits(thread, waiting_of(thread, *run.trace()));
  return text;
}

// ---------------------------------------------------------------------------------------------------------------------
// Deadlock

bool StuckThreads::only_workers_wait() const {
  if (!threads_.any_detached() || run.options.detect.contains(Detector::detached_threads)) return false;
  if (is_sabotaged(Sabotage::workers_excuse_the_body)) return true;
  if (threads_[0].state != Thread::State::ended) return false;
  for (unsigned t = 1; t < threads_.count(); ++t) {
    const Thread& thread = threads_[t];
    if (thread.state != Thread::State::ended && thread.handle != Thread::Handle::detached) return false;
  }
  return true;
}

Thread& StuckThreads::deadlock() {
  const bool ends_with_body = only_workers_wait();
  if (run.running_out) {
    verdict_.stop_running_out(!ends_with_body && is_wanted(run.options.detect, FailureKind::deadlock) &&
                              is_wanted(run.options.detect, FailureKind::livelock));
    return *run.current;
  }
  if (ends_with_body) {
    verdict_.end_with_body();
    return *run.current;
  }
  std::vector<std::string> polling;
  FailureKind kind = FailureKind::deadlock;
  for (unsigned t = 0; t < threads_.count(); ++t) {
    const Thread& thread = threads_[t];
    if (!thread.polls) continue;
    kind = FailureKind::livelock;
    if (run.recording) polling.push_back(describe(thread));
  }
  std::string message = "deadlock: no thread can continue";
  if (!polling.empty()) {
    message = "livelock: " + listed(polling) + (polling.size() == 1 ? " polls" : " poll") +
              " for ever, and no other thread can continue";
  }
  std::uint64_t signature = mix(static_cast<std::uint64_t>(kind), threads_.count());
  std::vector<std::string> advice;
  const auto advise = [&](const std::string& sentence) {
    if (std::find(advice.begin(), advice.end(), sentence) == advice.end()) advice.push_back(sentence);
  };
  std::vector<std::string> ended;
  for (unsigned t = 0; t < threads_.count(); ++t) {
    const Thread& thread = threads_[t];
    if (thread.state == Thread::State::ended) {
      if (run.recording) ended.push_back(describe(thread));
      continue;
    }
    const Pending& pending = thread.pending;
    signature =
        mix(signature, thread.key ^ mix(static_cast<std::uint64_t>(pending.operation), place_of(pending)));
    if (!run.recording) continue;  // only the recorded run is reported
    message += tell_of_waiting(thread);
    const bool waits_on_condition =
        pending.operation == Operation::condition_reacquire && !thread.notified && !thread.is_guarded;
    if (!waits_on_condition && pending.operation != Operation::atomic_wait) continue;
    if (waits_for_future(thread, *run.options.trace)) {
      advise(kHowToSet);
      continue;
    }
    // A latch or a barrier notifies by itself.
    const bool is_left_to_the_user =
        pending.object->kind->awaited == nullptr && run.options.trace->function_of(thread).empty();
    if (!is_left_to_the_user) continue;
    const NotificationStory story = story_of_notifications(thread, execution);
    if (story.text.empty()) advise(kHowToNotify);
    if (waits_on_condition && !story.advice.empty()) advise(story.advice);
  }
  if (run.recording) {
    if (!ended.empty()) message += "\n" + listed(ended) + (ended.size() == 1 ? " has" : " have") + " ended";
    const std::string circle = describe_circle();
    message += circle;
    for (const std::string& sentence : circle.empty() ? advice : std::vector<std::string>{})
      message += "\n" + sentence;
  }
  verdict_.give_up(kind, message, run.current->pending.where, signature);
  return *run.current;
}

std::string StuckThreads::describe_circle() const {
  const std::vector<unsigned> circle = circle_of_waiting();
  if (circle.size() < 2) return {};
  std::vector<std::string> names;
  std::size_t joins = 0;
  for (const unsigned t : circle) {
    names.push_back(describe(threads_[t]));
    joins += threads_[t].joins != nullptr ? 1U : 0U;
  }
  return "\n" + listed(names) + " wait for each other" +
         (joins == circle.size()
                 ? "; threads that join each other can never end: let one thread join them all"
             : joins != 0 ? "; release a mutex before joining a thread that takes it"
                          : "; let every thread take the mutexes in the same order, or together with "
                            "std::scoped_lock");
}

std::vector<unsigned> StuckThreads::circle_of_waiting() const {
  for (unsigned first = 0; first < threads_.count(); ++first) {
    std::vector<unsigned> circle;
    unsigned t = first;
    while (t < threads_.count() && circle.size() <= threads_.count() &&
           threads_[t].state != Thread::State::ended) {
      circle.push_back(t);
      t = waits_on(threads_[t]);
      if (t == first) return circle;
    }
  }
  return {};
}

// ---------------------------------------------------------------------------------------------------------------------
// The step limit

namespace {

struct LimitDiagnosis : LastSteps::Diagnosis {
  bool is_under_guard = false;  ///< a thread that repeats its steps has forbidden preemptions
};

/// What the last steps show, taking into account what only this execution knows.
LimitDiagnosis diagnose_limit(const ThreadTable& threads) {
  LimitDiagnosis diagnosis{run.cold->scheduling.last_steps.diagnose()};
  diagnosis.repeating.for_each(
      [&](unsigned t) { diagnosis.is_under_guard |= threads[t].preemption_forbidden != 0; });
  if (diagnosis.is_under_guard && diagnosis.kind == LastSteps::Kind::unfair) {
    diagnosis.kind = LastSteps::Kind::spin;  // its yields let no other thread run
    diagnosis.spinning = diagnosis.repeating;
  }
  const bool is_endless =
      diagnosis.kind == LastSteps::Kind::livelock || diagnosis.kind == LastSteps::Kind::long_execution;
  const bool waits_for_time = diagnosis.somebody_sleeps && !diagnosis.time_passes;
  // In a fair search an unfair turn may also have held up time, for any number of steps.
  const bool may_be_held_up = run.options.fair
                                  ? run.cold->scheduling.took_unfair_turn &&
                                        (waits_for_time || diagnosis.kind == LastSteps::Kind::long_execution)
                                  : waits_for_time;
  if (is_endless && may_be_held_up) diagnosis.kind = LastSteps::Kind::unfair;
  return diagnosis;
}

}  // namespace

void StuckThreads::reach_step_limit(Where where) {
  if (verdict_.is_interrupted() && (!run.running_out || verdict_.is_looking_again()))
    return verdict_.end_interrupted();
  if (verdict_.is_looking_again()) return verdict_.give_up_after_all(where);
  if (run.running_out) return verdict_.stop_running_out(false);
  const LimitDiagnosis diagnosis = diagnose_limit(threads_);
  const bool may_retry =
      run.host != nullptr && !diagnosis.is_under_guard && !run.options.detect.contains(Detector::spins);
  if (may_retry && Retries::note(run.cold->scheduling.last_steps.retry_loop())) {
    verdict_.begin_ending(Outcome::unfair);
    return;
  }
  // Threads that retry may have been in each other's way by chance.
  const bool may_end = execution.retries.are_watched() && diagnosis.repeating.size() > 1 &&
                       !is_sabotaged(Sabotage::cycles_of_retries_are_endless);
  const auto names = [&](const ThreadSet& set) {
    std::vector<std::string> labels;
    set.for_each([&](unsigned t) { labels.push_back(describe(threads_[t])); });
    return listed(labels);
  };
  const std::string limit = "the limit of " + std::to_string(pace_.limit_without_granted()) + " steps";
  const std::string steps =
      diagnosis.round == 1 ? "the same step" : "the same " + count_of(diagnosis.round, "step");
  FailureKind kind = FailureKind::step_limit;
  std::string message = "the execution reached " + limit;
  std::string advice;
  switch (diagnosis.kind) {
    case LastSteps::Kind::unfair:
      // Under a fair schedule a thread is starved only for a price. If that price was paid, this proves
      // nothing either.
      if (!run.options.fair || run.cold->scheduling.took_unfair_turn) {
        verdict_.begin_ending(Outcome::unfair);
        return;
      }
      [[fallthrough]];
    case LastSteps::Kind::long_execution:
      if (may_end && verdict_.look_again(kind)) return;
      advice = "\nIf it is meant to be that long, raise max_steps (--hocket_steps)";
      if (diagnosis.somebody_looks_at_clock && diagnosis.time_passes) {
        advice = "\nTime is advancing: " + std::to_string(time_.now() / kNanosecondsInMillisecond) +
                 " ms have passed so far. If a thread waits for a later time, let it sleep longer at a time "
                 "or raise max_steps (--hocket_steps)";
      }
      break;
    case LastSteps::Kind::livelock:
      kind = FailureKind::livelock;
      if (may_end && verdict_.look_again(kind)) return;
      message = "livelock: " + steps + (diagnosis.round == 1 ? " repeats" : " repeat") + " until " + limit +
                " is reached, and every enabled thread takes part";
      break;
    case LastSteps::Kind::spin:
      kind = FailureKind::spin;
      if (!run.recording) break;
      message = names(diagnosis.spinning) + (diagnosis.spinning.size() == 1 ? " spins" : " spin") +
                (diagnosis.is_under_guard ? " under a no_preemption guard" : " without yielding") +
                ", until " + limit + " is reached, while " + names(diagnosis.starved) + " could run";
      if (diagnosis.round != 0) {
        message += std::string(". ") +
                   (diagnosis.round == 1 ? "The same step repeats:"
                                         : "The same " + count_of(diagnosis.round, "step") + " repeat:");
      }
      advice =
          diagnosis.is_under_guard ? "\nWait outside the guard, or with a blocking operation"
          : run.host != nullptr && !diagnosis.only_reads
              ? "\nEach round changes something that other threads can see, or tries to, so the loop is not "
                "taken for a wait, as one is that only reads (load() of a std::atomic<std::shared_ptr> takes "
                "a lock inside). Call std::this_thread::yield() in the loop, or wait with atomic::wait or a "
                "condition variable"
              : "\nCall hocket::yield() in the loop, or wait with hocket::await, atomic::wait or a condition "
                "variable";
      break;
  }
  const bool waits_for_clock = diagnosis.somebody_looks_at_clock && !diagnosis.time_passes;
  if (waits_for_clock && (kind == FailureKind::livelock || kind == FailureKind::spin)) {
    advice =
        "\nThe clock stands still: it moves only while threads sleep or wait for a time. To wait until a "
        "time comes, call this_thread::sleep_until or sleep_for";
  }
  if (run.recording) {
    std::size_t round = diagnosis.round;
    const std::string repeated = run.options.trace->repetition(round);
    if (kind == FailureKind::livelock) message += ":";
    if (kind == FailureKind::step_limit && !repeated.empty()) {
      message += round == 1 ? std::string(". The same step repeats:")
                            : ". The same " + std::to_string(round) + " steps repeat:";
    }
    message += repeated;
    for (unsigned t = 0; t < threads_.count(); ++t) {
      const Thread& thread = threads_[t];
      const bool waits = thread.state == Thread::State::stopped && !run.enabled.contains(t);
      if (!waits) continue;
      message += tell_of_waiting(thread);
    }
    message += describe_circle() + advice;
  }
  verdict_.give_up(kind, message, where);
}

}  // namespace hocket::runtime
