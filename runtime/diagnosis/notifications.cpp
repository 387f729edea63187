#include "notifications.hpp"

#include <algorithm>
#include <iterator>

#include "../execution/cold_state.hpp"
#include "../execution/execution.hpp"
#include "../terms/english.hpp"
#include "../terms/semantics.hpp"
#include "source_text.hpp"
#include "step_effects.hpp"
#include "trace.hpp"

namespace hocket::runtime {

namespace {

/// "thread 1, thread 2 or thread 3"
std::string one_of(const ThreadSet& threads, Execution& e) {
  std::vector<std::string> names;
  threads.for_each([&](unsigned t) { names.push_back(describe(e.thread(t))); });
  std::string text;
  for (std::size_t n = 0; n < names.size(); ++n)
    text += (n == 0 ? "" : n + 1 == names.size() ? " or " : ", ") + names[n];
  return text;
}

class Story {
 public:
  Story(const Thread& waiter, Execution& e)
      : waiter_(waiter),
        e_(e),
        trace_(*run.trace()),
        object_(trace_.number(*waiter.pending.object)),
        mutex_(waiter.pending.second != nullptr ? trace_.number(*waiter.pending.second) : 0),
        waits_since_(trace_.last_step(waiter)) {}

  NotificationStory tell() {
    const std::vector<Notification> all = e_.cold_state().recorded.notifications.of(object_);
    if (all.empty()) return {};
    const Notification& last = all.back();
    const RecordedChoice& choice = trace_.choices()[last.step - 1];
    NotificationStory story;
    story.text =
        last.step < waits_since_ ? "; the last one came before: " : "; the last one did not reach it: ";
    story.text += choice.name() + " by " + trace_.threads()[choice.thread].label + " in step " +
                  std::to_string(last.step) + at(choice.where) + fate_of(last);
    story.text += earlier_ones(all);
    story.advice = advice_on(last);
    return story;
  }

 private:
  [[nodiscard]] std::string name() const { return describe(waiter_); }
  [[nodiscard]] bool has_woken_waiter(const Notification& one) const {
    return one.woken.contains(waiter_.index);
  }

  /// ", when no thread waited: thread 1 held m since step 4, and came to its wait in step 6"
  std::string fate_of(const Notification& one) {
    if (one.waiters.empty()) return ", when no thread waited: " + whereabouts(one.step);
    if (has_woken_waiter(one)) return ", which woke it: it waits again";
    if (one.woken.empty()) {
      return ", which reached none of those that waited, " + one_of(one.waiters, e_) +
             ": a wait and what ends it need a bit in common, and FUTEX_PRIVATE_FLAG both or neither";
    }
    std::string text = ", which ";
    if (one.waiters.size() > 1) text += "could have woken " + one_of(one.waiters, e_) + ", and ";
    text += "woke " + one_of(one.woken, e_);
    if (!one.waiters.contains(waiter_.index)) text += ": " + whereabouts(one.step);
    return text;
  }

  /// What the waiter, which did not wait then, was about when a notification was sent.
  std::string whereabouts(std::size_t step) {
    const std::string wait = ", and came to its wait in step " + std::to_string(waits_since_);
    if (const std::size_t since = holds_mutex_since(step); since != 0) {
      return name() + " held " + describe(*waiter_.pending.second) + " since step " + std::to_string(since) +
             wait;
    }
    const std::vector<RecordedChoice>& choices = trace_.choices();
    std::size_t n = step;
    while (n != 0 && (choices[n - 1].is_value || choices[n - 1].thread != waiter_.index)) --n;
    if (n == 0) return name() + " had made no step yet" + wait;
    const RecordedChoice& before = choices[n - 1];
    std::string text = name() + " had last done step " + std::to_string(n) + ", " + before.name();
    if (!before.object.empty()) text += " of " + before.object;
    return text + at(before.where) + wait;
  }

  /// The step in which the waiter had taken the mutex that it held in `step`; 0 if it did not hold it.
  [[nodiscard]] std::size_t holds_mutex_since(std::size_t step) const {
    const std::vector<RecordedChoice>& choices = trace_.choices();
    for (std::size_t n = step; mutex_ != 0 && n != 0; --n) {
      const RecordedChoice& choice = choices[n - 1];
      if (choice.is_value || choice.thread != waiter_.index || has_failed(choice)) continue;
      const bool takes = choice.object_number == mutex_ && semantics_of(choice.operation).needs == Need::lock;
      if (takes || choice.operation == Operation::condition_reacquire) return n;
      const bool gives = choice.object_number == mutex_ && choice.operation == Operation::mutex_unlock;
      if (gives || choice.operation == Operation::condition_wait) return 0;
    }
    return 0;
  }

  /// "⏎    before that: step 4 by main (no thread waited) and step 2 by main (woke thread 1)"
  std::string earlier_ones(const std::vector<Notification>& all) {
    constexpr std::size_t kMost = 4;
    const std::size_t count = all.size() - 1;
    if (count == 0) return {};
    std::string text = "\n    before that: ";
    const std::size_t shown = std::min(count, kMost);
    for (std::size_t n = 0; n < shown; ++n) {
      const Notification& one = all[count - 1 - n];
      const RecordedChoice& choice = trace_.choices()[one.step - 1];
      text += before_item(n, count);
      text += "step " + std::to_string(one.step) + " by " + trace_.threads()[choice.thread].label;
      text += one.waiters.empty() ? " (no thread waited)"
              : has_woken_waiter(one)
                  ? " (woke it)"
                  : " (woke " + (one.woken.empty() ? "none" : one_of(one.woken, e_)) + ")";
    }
    if (shown != count) text += " and " + std::to_string(count - shown) + " more";
    return text;
  }

  std::string advice_on(const Notification& last) {
    if (has_woken_waiter(last)) return {};
    if (last.waiters.contains(waiter_.index)) {
      return "notify_one wakes one waiter, notify_all wakes all: one is enough only where it does not matter "
             "which";
    }
    std::string text = "A notification that comes before its waiter waits is lost: ";
    if (holds_mutex_since(last.step) != 0) {
      return text + "change what is waited for under " + describe(*waiter_.pending.second) +
             ", so that this does not happen between a waiter's look at it and its wait";
    }
    return text + "look at what is waited for before each wait, and change it before the notification";
  }

  const Thread& waiter_;
  Execution& e_;
  Trace& trace_;
  unsigned object_;
  unsigned mutex_;  ///< that the waiter gives back while it waits; 0: not known
  std::size_t waits_since_;
};

}  // namespace

void Notifications::add(Notification notification, bool wakes_all) {
  if (wakes_all) notification.woken = notification.waiters;
  all_.push_back(notification);
}

std::vector<Notification> Notifications::of(unsigned object) const {
  std::vector<Notification> found;
  std::copy_if(all_.begin(), all_.end(), std::back_inserter(found),
      [&](const Notification& one) { return one.object == object; });
  return found;
}

NotificationStory story_of_notifications(const Thread& waiter, Execution& e) {
  return Story(waiter, e).tell();
}

}  // namespace hocket::runtime
