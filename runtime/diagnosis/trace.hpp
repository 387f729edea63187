// The recorded execution: every choice with names, places and values, for a person to read.
//
// Recording is slow and is done for one execution at a time: the failing one, run again. A replay derives
// from Trace to compare each choice with the schedule that it follows, before the choice takes effect.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../objects/object.hpp"
#include "../terms/choice.hpp"
#include "../terms/failure.hpp"
#include "../terms/operation.hpp"
#include "../terms/where.hpp"

namespace hocket::runtime {

class Execution;
struct Thread;

class Trace {
 public:
  struct ThreadEntry {
    std::string label;  ///< "main", "thread 1.2", or the name given to it
    int creator = -1;   ///< index in threads(), or -1 for the body's own thread
    std::uint32_t ordinal = 0;
    std::string made_at;  ///< "file.cpp:12", or empty
  };

  struct Choice {
    bool is_value = false;  ///< choose(n), a waiter, a spurious failure; otherwise a step
    unsigned thread = 0;    ///< index in threads(): whose step this is, or at whose step the value was chosen
    Operation operation = Operation::none;
    std::string object;  ///< label, or empty
    Mode mode = Mode::run;
    Code code = 0;
    std::uint32_t count = 0;         ///< values to choose from
    std::uint32_t price = 0;         ///< preemptions that this choice cost
    std::string where;               ///< "file.cpp:12", or empty
    std::string part_of;             ///< a function that consists of several steps: "latch.wait"; or empty
    std::vector<std::string> notes;  ///< what the step did: values, accesses to vars
    bool is_unwinding = false;       ///< made while an exception unwinds the stack; not saved
    bool has_failed = false;         ///< a try or a compare-exchange that did not succeed; not saved

    /// What to call the operation.
    [[nodiscard]] std::string name() const {
      return part_of.empty() ? std::string(to_string(operation)) : part_of;
    }
  };

  Trace() = default;
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  virtual ~Trace() = default;

  [[nodiscard]] const std::vector<Choice>& choices() const { return choices_; }
  [[nodiscard]] const std::vector<ThreadEntry>& threads() const { return threads_; }

  // -- Called by Execution while it records

  void begin(const Execution& of);
  void end(const Execution& of);
  void thread_created(const Thread& thread, const Where& where);
  /// `thread` has stopped before its pending operation. Called on its stack, which shows where in the user's
  /// code it is.
  void stopped(const Thread& thread);
  /// The thread enters a function that consists of several steps, or leaves it. Returns whether it was in
  /// none before; calls within such a function are part of it.
  bool enter(const Thread& thread, const char* function);
  void leave(const Thread& thread);
  void object_made(const Object& object, const Thread& creator, const Where& where);
  /// Returns whether the step may be taken.
  [[nodiscard]] bool step(const Execution& of, const Thread& next, Code code, const LogEntry& entry);
  [[nodiscard]] bool value(const Execution& of, Operation operation, Code value, std::uint32_t count,
      std::uint32_t price, const Where& where);
  void note(std::string_view text);
  /// Whether the last step, a try or a compare-exchange, has succeeded. `found` is a value as text, or empty.
  void outcome(bool succeeded, std::string_view found);
  void access(const Object& object, Access access, std::string_view text, const Where& where);
  void failed(const Execution& of, const Failure& failure);
  void name_object(const Object& object, std::string_view name);
  void name_thread(const Thread& thread, std::string_view name);

  [[nodiscard]] std::string label(const Thread& thread) const;
  [[nodiscard]] std::string label(const Object& object);

  /// Where the operation before which `thread` has stopped was called: "file.cpp:12", or empty.
  [[nodiscard]] std::string pending_place(const Thread& thread) const;

  /// The function in which `thread` is: see enter(). Empty if there is none.
  [[nodiscard]] std::string function_of(const Thread& thread) const;

  /// "; its last operation was mutex.lock on the queue at queue.cpp:7"; empty if it has made no step.
  /// `of_destructors` includes what was done while an exception unwound the stack.
  [[nodiscard]] std::string last_operation(const Thread& thread, bool of_destructors) const;

  /// The steps that repeat at the end, one line for each. `round` is their number, if it is known. Otherwise
  /// steps that look the same are shown, if there are any.
  [[nodiscard]] std::string repetition(std::size_t round = 0) const;

  /// The last step of `thread`, counted from 1; 0 if it has made none.
  [[nodiscard]] std::size_t last_step(const Thread& thread) const;
  /// The last step with an operation on `object` for which `is_meant(operation)` holds, counted from 1; 0 if
  /// there is none.
  [[nodiscard]] std::size_t last_step_on(const Object& object, bool (*is_meant)(Operation));

 protected:
  /// Whether the choice may take effect. It is already in choices() when this is called.
  virtual bool accept(const Choice& choice) {
    static_cast<void>(choice);
    return true;
  }

 private:
  std::string unique_thread_label(std::string_view name) const;

  std::vector<Choice> choices_;
  std::vector<ThreadEntry> threads_;
  std::vector<std::string> pending_places_;  ///< by thread index
  std::vector<const char*> functions_;       ///< by thread index: that it has entered, or nullptr
  std::vector<bool> unwinding_;              ///< by thread index: whether an exception is unwinding its stack
  std::unordered_map<const Object*, std::string> objects_;
  std::unordered_map<std::string, unsigned> numbers_;  ///< number of objects so far, by kind and creator
};

}  // namespace hocket::runtime
