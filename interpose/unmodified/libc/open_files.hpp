// Calls that wait for what the system keeps: for bytes in a pipe or a socket, for an event, for a lock of a
// file, for a message in a queue.
//
// Everything that the system keeps is one modelled object. A call that may change it is a write of that
// object, one that only looks is a read. No call waits in the system: it is made in a way in which it does
// not wait, and if it would have to, the thread waits until another thread has changed something, and tries
// again. So a wait is seen, other threads run meanwhile, and if none can, that is a deadlock.
//
// Another process may end a wait, too. So where no thread can go on, and somebody outside could be at the
// other side, Hocket waits in real time before it calls that a deadlock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <poll.h>
#include <sys/stat.h>

#include "../../../runtime/objects/object.hpp"

namespace hocket::unmodified {

enum class Tried : std::uint8_t {
  done,
  failed,     ///< and it will do nothing, so it orders nothing
  partly,     ///< it has changed something, and has to wait before it can do the rest
  would_wait  ///< it has done nothing
};

/// A function that is called while the caller waits. It allocates nothing, and the function must outlive it.
template <class Signature>
class FunctionView;
template <class Result, class... Arguments>
class FunctionView<Result(Arguments...)> {
 public:
  template <class Function>
  FunctionView(const Function& function)  // NOLINT(google-explicit-constructor): it stands for the function
      : function_(&function), call_([](const void* it, Arguments... arguments) -> Result {
          return (*static_cast<const Function*>(it))(arguments...);
        }) {}
  Result operator()(Arguments... arguments) const { return call_(function_, arguments...); }

 private:
  const void* function_;
  Result (*call_)(const void*, Arguments...);
};
/// Makes a call, in which descriptors are those that are handed over: see FileCall::events.
using Try = FunctionView<Tried(std::span<pollfd>)>;

/// A file, a lock or a queue of the system, among those that a body uses: what a thread gives there is
/// ordered before what another one takes there.
struct KeptThing {
  std::uint64_t key = 0;  ///< 0: none, or what is behind the descriptor
  int descriptor = -1;    ///< -1: none
};
/// What is behind the descriptor in the step of the call: until then another thread may close it, and open it
/// as something else. Ends of one pipe are the same; so are all sockets, and all else that has no name.
inline KeptThing behind(int descriptor) {
  return {0, descriptor};
}
/// To be called when a body has made a pipe or a pair of sockets.
void note_pair(const int* ends);
/// Whether the pipe was made by this body, which has started no process that could have its other end.
bool is_pipe_of_body(const struct stat& pipe);
/// What has that number among the things of its sort, of which no other has the same first letter.
KeptThing numbered(const char* sort, int number);

/// What a call means for the order of what threads do otherwise.
enum class Order : std::uint8_t { none, takes, gives, takes_and_gives };

/// A call of the running thread, from a body.
struct FileCall {
  const char* function;  ///< its name, for reports
  /// How long it may wait, in virtual nanoseconds; 0: not at all; kForever.
  std::int64_t nanoseconds;
  Order order = Order::none;
  KeptThing thing{};    ///< to which the order applies; if none, to all of them
  bool changes = true;  ///< what the system keeps; otherwise it only looks
  /// What it waits for. The system keeps the open files of a call that waits, whatever becomes of their
  /// numbers. So while it waits, Hocket has descriptors of its own for them, with which it makes each further
  /// attempt.
  std::span<pollfd> events{};
  /// If not, poll() cannot tell whether the wait is over, and the call is tried again and again.
  bool is_polled = true;
  /// It reads or writes: on a file that is_other_end() it fails at once.
  bool transfers = false;
  /// It locks for the process, which loses its locks of a file with each descriptor of the file that is
  /// closed, be it one of Hocket's. So Hocket has none while the body has its own.
  bool is_of_process = false;
};

/// Whether the file is open for another direction than that of its events alone, as an end of a pipe is: what
/// it would wait for never comes. Which file a number stands for may change until the step of a call.
bool is_other_end(const pollfd& file);

enum class Ended : std::uint8_t {
  done,
  too_late,  ///< the process got its lock after the body had closed the descriptor: the lock is taken back
  expired,   ///< its time is over; without a time, it would have had to wait
  cut        ///< the execution is being ended
};

/// Orders what threads do, for steps on other objects: the running thread has made such a call.
void put_in_order(KeptThing thing, Order order);
/// What stands for everything that the system keeps.
runtime::Object& object_of_open_files();

/// While it exists, the steps of the running thread are shown as parts of `function`.
class InFunction {
 public:
  explicit InFunction(const char* function);
  ~InFunction();
  InFunction(const InFunction&) = delete;
  InFunction& operator=(const InFunction&) = delete;

 private:
  bool is_entered_;
};

/// Makes the call: a step, and more if it waits. `attempt` makes it in a way in which it does not wait.
Ended make(const FileCall& call, Try attempt);

/// The step of a call that changes something, and is made after it, before the running thread's next step.
void step_before_change(const char* function, KeptThing thing);

/// To be called before a body closes the descriptor, as part of the step.
void note_closed_in_waits(int descriptor);

/// To be called when a body starts a process, which inherits descriptors: somebody is outside then.
void note_started_process();
/// In the running execution.
bool has_process_started();

/// Called at the beginning of an execution.
void forget_open_files();

}  // namespace hocket::unmodified
