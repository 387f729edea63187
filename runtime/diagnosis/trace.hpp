// The recorded execution: every choice with names, places and values, for a person to read.
//
// Recording is slow and is done for one execution at a time: the failing one, run again. A replay derives
// from Trace to compare each choice with the schedule that it follows, before the choice takes effect.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../objects/object.hpp"
#include "../terms/choice.hpp"
#include "../terms/failure.hpp"
#include "../terms/operation.hpp"
#include "../terms/where.hpp"
#include "recorded_steps.hpp"

namespace hocket::runtime {

using FailureWatch = void (*)(const Failure&);

/// If it is not nullptr, it is called when a recorded execution fails, on the stack of the thread that fails
/// and before what it was about to do.
extern constinit FailureWatch failure_watch;

class Execution;
struct Thread;

class Trace {
 public:
  Trace() = default;
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  virtual ~Trace() = default;

  [[nodiscard]] const std::vector<RecordedChoice>& choices() const { return choices_; }
  [[nodiscard]] const std::vector<RecordedThread>& threads() const { return threads_; }
  [[nodiscard]] const std::vector<RecordedFence>& fences() const { return fences_; }

  /// The execution will have so many choices. Then names that are slow to find are sought only where a reader
  /// is likely to look: in the first and in the last steps of a long execution.
  void expect_choices(std::size_t choices) { expected_ = choices; }
  [[nodiscard]] bool seeks_slow_names() const {
    constexpr std::size_t kMany = 500;
    return choices_.size() <= kMany || choices_.size() + kMany >= expected_;
  }

  // -- Called by Execution while it records

  void begin();
  void end();
  void thread_created(const Thread& thread, const Where& where);
  void thread_joined(const Thread& joiner, const Thread& ended);
  /// What `thread` waits for: the execution fails because of it.
  void waits(const Thread& thread, RecordedThread::Waiting waiting);
  /// The execution fails because this access of `thread` is one of two that race.
  void races(unsigned thread, RecordedThread::Access access) { threads_[thread].access = std::move(access); }
  /// `thread` has stopped before its pending operation. Called on its stack, which shows where in the user's
  /// code it is.
  void stopped(const Thread& thread);
  /// The thread enters a function that consists of several steps, or leaves it. Returns whether it was in
  /// none before; calls within such a function are part of it.
  bool enter(const Thread& thread, const char* function);
  void leave(const Thread& thread);
  void object_made(const Object& object, const Thread& creator, const Where& where);
  /// An object is made anew in static storage, where another one may have been.
  void object_replaced(const Object& object) { objects_.erase(&object); }
  /// An object that models something found in memory is called `label`. Several such objects may model the
  /// same thing: accesses of different sizes, or a mutex and its bytes. They count as one object if they are
  /// at the same address and belong to the same of the things that begin and end there one after the other;
  /// `earlier` is the number of those before it. An empty label is looked for when it is needed.
  void object_found(const Object& object, std::uintptr_t address, unsigned earlier, std::string_view label);
  /// `remains` stands for `object`, which is about to be destroyed.
  void object_outlived(const Object& object, const Object& remains);
  /// Returns whether the step may be taken.
  [[nodiscard]] bool step(const Thread& next, Code code, const LogEntry& entry);
  [[nodiscard]] bool value(
      Operation operation, Code value, std::uint32_t count, std::uint32_t price, const Where& where);
  /// The next value chooses among these stores, the newest first.
  void offer_stores(std::vector<RecordedChoice::Stored> stores);
  /// The memory order of the last step.
  void order(std::string_view name) { noted().order = name; }
  void seq_cst_fence(const Thread& thread);
  void note(std::string_view text);
  /// The last step, a wait on a condition variable, gives back this lock.
  void gives_back(const Object& lock);
  /// Whether the last step, a try or a compare-exchange, has succeeded. `found` is a value as text, or empty.
  void outcome(bool succeeded, std::string_view found);
  /// The last step, a compare-exchange, has found `found`, and written `written` unless it failed.
  void compared(bool succeeded, std::string_view expected, std::string_view found, std::string_view written);
  /// The thread of the last step now waits, or sleeps, until this time at the latest.
  void until(std::int64_t nanoseconds);
  /// The last step is a sleep of this length, which ends at that time; nothing: the clock has passed over it.
  void sleeps(std::int64_t nanoseconds, std::optional<std::int64_t> until);
  /// The last step is the expiry of a wait of this length.
  void expires(std::int64_t nanoseconds);
  void access(const Object& object, Access access, std::string_view text, const Where& where);
  void failed(const Failure& failure);
  void name_object(const Object& object, std::string_view name);
  /// The user has given this name to some memory.
  void name_given(std::string_view name) { given_.emplace(name); }
  /// A name from debug information without the function that its variable is in.
  [[nodiscard]] std::string_view in_short(std::string_view name) const;
  /// Whether the object has its name from debug information, which then tells its type. An object that the
  /// user has named has none from there.
  [[nodiscard]] bool is_described(const Object& object) const;
  /// Whether debug information tells that the object is a number, an enumerator or a pointer.
  [[nodiscard]] bool is_number(const Object& object) const;
  void name_thread(const Thread& thread, std::string_view name);

  [[nodiscard]] std::string label(const Thread& thread) const;
  /// The object's name, without the function that a variable is in: "seats". Objects that would have the same
  /// name are told apart: "seats in Hall::open", "seats #2".
  [[nodiscard]] std::string label(const Object& object);
  /// RecordedChoice::object_number of steps on this object.
  [[nodiscard]] unsigned number(const Object& object) { return known(object).number; }

  /// Where the operation before which `thread` has stopped was called: "file.cpp:12", or empty.
  [[nodiscard]] std::string pending_place(const Thread& thread) const;

  /// The calls that led to the operation before which `thread` has stopped; empty if it has never stopped.
  [[nodiscard]] const std::vector<std::uintptr_t>& pending_stack(const Thread& thread) const;

  /// The function in which `thread` is: see enter(). Empty if there is none.
  [[nodiscard]] std::string function_of(const Thread& thread) const;

  /// "; its last operation was mutex.lock on the queue at queue.cpp:7"; empty if it has made no step.
  /// `of_destructors` includes what was done while an exception unwound the stack.
  [[nodiscard]] std::string last_operation(const Thread& thread, bool of_destructors) const;

  /// The steps that repeat at the end, a line for each that a thread repeats, and thread by thread. `round`
  /// is the number of steps, if it is known. Otherwise steps that look the same are shown, if there are any,
  /// and counted there.
  [[nodiscard]] std::string repetition(std::size_t& round) const;

  /// The last step of `thread`, counted from 1; 0 if it has made none.
  [[nodiscard]] std::size_t last_step(const Thread& thread) const;
  /// The last step with an operation on `object` for which `is_meant(operation)` holds, counted from 1; 0 if
  /// there is none.
  [[nodiscard]] std::size_t last_step_on(const Object& object, bool (*is_meant)(Operation));

 protected:
  /// Whether the choice may take effect. It is already in choices() when this is called.
  virtual bool accept(const RecordedChoice& choice) {
    static_cast<void>(choice);
    return true;
  }

 private:
  /// What is known of an object.
  struct ObjectEntry {
    unsigned number = 0;          ///< from 1
    std::string label;            ///< empty until it is asked for
    std::string counted;          ///< "mutex 2", if it was made in the body
    std::string source;           ///< what the source code calls it, or empty
    bool is_sought = false;       ///< `source` is known, or known to be unknown
    std::uintptr_t found_at = 0;  ///< the address of memory that the object models
  };
  using Place = std::pair<std::uintptr_t, unsigned>;  ///< address, and number of earlier objects there

  std::string unique_thread_label(std::string_view name) const;
  ObjectEntry& known(const Object& object);
  /// Finds out what the source code calls the object, while a frame that knows it may be on the stack.
  void seek_name(const Object& object, ObjectEntry& entry);
  std::string unique_object_label(unsigned number, std::string_view name);

  /// The step that the choice with this number, from 1, belongs to: a choice of a store belongs to the step
  /// before it.
  [[nodiscard]] std::size_t step_of(std::size_t number) const;
  /// The choice that notes belong to.
  [[nodiscard]] RecordedChoice& noted();

  std::size_t expected_ = 0;  ///< choices in all; 0: not known
  std::vector<RecordedChoice::Stored> offered_;
  std::vector<RecordedChoice> choices_;
  std::vector<RecordedThread> threads_;
  std::vector<RecordedFence> fences_;
  std::vector<std::string> pending_places_;                  ///< by thread index
  std::vector<std::vector<std::uintptr_t>> pending_stacks_;  ///< by thread index
  std::vector<const char*> functions_;  ///< by thread index: that it has entered, or nullptr
  std::vector<bool> unwinding_;         ///< by thread index: whether an exception is unwinding its stack
  std::unordered_map<const Object*, ObjectEntry> objects_;
  unsigned last_number_ = 0;
  std::map<Place, unsigned> found_;  ///< numbers of objects that were found in memory
  std::map<std::pair<std::string, unsigned>, std::string> labels_;  ///< by name and number
  std::set<std::string> taken_labels_;
  std::set<std::string, std::less<>> given_;                   ///< names from the user, which stay whole
  std::map<std::string, std::string, std::less<>> shortened_;  ///< whole names by those without functions
  std::unordered_map<std::string, unsigned> named_;            ///< number of objects so far, by name
  std::unordered_map<std::string, unsigned> counts_;  ///< number of objects so far, by kind and creator
};

}  // namespace hocket::runtime
