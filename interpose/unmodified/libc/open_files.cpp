#include "open_files.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../runtime/diagnosis/trace.hpp"
#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/execution/outside.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../../../runtime/threads/host.hpp"
#include "../hooks/polling.hpp"
#include "../host/next_symbol.hpp"
#include "../restore/body_descriptors.hpp"
#include "asynchronous_io.hpp"
#include "inner_files.hpp"
#include "thread_timers.hpp"
#include "timer_files.hpp"

namespace hocket::unmodified {

namespace {

using runtime::Access;
using runtime::execution;
using runtime::FromOutside;
using runtime::is_sabotaged;
using runtime::Operation;
using runtime::run;
using runtime::Sabotage;
using runtime::Thread;
using runtime::Where;
namespace recording = runtime::recording;

using Clock = std::chrono::steady_clock;

/// How long Hocket waits for somebody outside; and how long after it once has waited in vain.
constexpr std::chrono::milliseconds kPatience{5'000};
constexpr std::chrono::milliseconds kPatienceLater{200};

struct Patience {
  Clock::time_point since;
  bool is_waiting = false;
  bool was_in_vain = false;
};
constinit Patience patience;

constexpr runtime::ObjectKind kind_of_open_files() {
  runtime::ObjectKind kind{"open files", [](const runtime::Object&) -> void* { return nullptr; },
      [](runtime::Object&, const void*) {}, [](void*) {},
      [](const runtime::Object& object) -> std::uint64_t { return object.version; }};
  kind.awaited = "something that another thread or process has to do";
  return kind;
}
constexpr runtime::ObjectKind kOpenFilesKind = kind_of_open_files();

/// What orders threads that give and take at one KeptThing.
struct OrderedThing : runtime::Object {
  OrderedThing(std::uint64_t the_key, runtime::FoundAt place)
      : Object(kOpenFilesKind, place), thing(the_key) {}

  std::uint64_t thing;
};

/// What a thread waits for.
struct Waiter {
  const FileCall* call = nullptr;        ///< nullptr: it does not wait
  std::span<pollfd> events{};            ///< those of the call, of its own open files
  bool looks_again = false;              ///< something outside may have ended its wait
  std::optional<std::int64_t> expiry{};  ///< of the first timer that ends it
  bool has_other_expiry = false;         ///< somebody has set or added a timer meanwhile
  const Try* attempt = nullptr;
  std::optional<Tried> tried{};  ///< what an attempt has done since it waits, by which its wait is over
};

/// The open files of a call that waits or has waited.
struct HeldFiles {
  const FileCall* call = nullptr;
  std::vector<pollfd> events;  ///< as in FileCall, by descriptors that are Hocket's
  bool are_closed = false;     ///< the body has closed a descriptor of theirs meanwhile
};

/// The ends of a pipe, or two sockets that are connected, by the numbers of their files.
struct PairOfEnds {
  ino_t one;
  ino_t other;
};

struct OpenFiles : runtime::Object {
  explicit OpenFiles(runtime::FoundAt place) : Object(kOpenFilesKind, place) {}

  std::uint64_t changes = 0;
  unsigned waiting = 0;  ///< threads
  std::array<Waiter, runtime::kMaxThreads> waiters{};
  std::array<HeldFiles, runtime::kMaxThreads> held{};  ///< by thread
  std::deque<OrderedThing> things;
  std::vector<PairOfEnds> pairs;

  OrderedThing& ordered(KeptThing thing) {
    for (OrderedThing& known : things) {
      if (known.thing == thing.key) return known;
    }
    const runtime::OwnMemory own;
    constexpr std::uint64_t kOfThing = 0x5169;
    OrderedThing& made =
        things.emplace_back(thing.key, runtime::FoundAt{runtime::mix(kOfThing, things.size())});
    return made;
  }
};

// Not a local static: a body may be the first to come by, and the guard would then be the body's.
constinit std::optional<OpenFiles>* all_files = nullptr;
constinit bool are_files_in_use = false;
constinit bool has_started_process = false;  ///< in this execution

OpenFiles& open_files() {
  if (are_files_in_use) return **all_files;
  const runtime::OwnMemory own;
  if (all_files == nullptr) all_files = new std::optional<OpenFiles>;
  constexpr std::uint64_t kKey = 0x5168;
  all_files->emplace(runtime::FoundAt{kKey});
  if (run.recording) recording::name(**all_files, "open files");
  are_files_in_use = true;
  return **all_files;
}

bool step(OpenFiles& files, bool changes) {
  const Operation operation = changes ? Operation::atomic_fetch_add : Operation::atomic_load;
  if (!runtime::step::arrive(files, operation, true, Where{})) return false;
  runtime::step::act(files, operation, changes ? Access::write : Access::read, std::memory_order_relaxed);
  return true;
}

bool is_polled(const FileCall& call) {
  return call.is_polled && !call.events.empty();
}
bool has_come(const FileCall& call, std::span<pollfd> events) {
  return !is_polled(call) || poll(events.data(), events.size(), 0) > 0 ||
         (call.transfers && is_other_end(events.front()));
}

void hold(pollfd& one) {
  constexpr int kFirst = 512;  // the body's own numbers stay the same
  if (one.fd <= STDERR_FILENO || is_sabotaged(Sabotage::waits_are_for_numbers)) return;
  int number = HOCKET_REAL(fcntl)(one.fd, F_DUPFD_CLOEXEC, kFirst);
  if (number < 0) number = HOCKET_REAL(fcntl)(one.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (number >= 0) note_opened_for_body(one.fd = number);
}
void hold(HeldFiles& held, const FileCall& call) {
  held.call = &call;
  {
    const runtime::OwnMemory own;
    held.events.assign(call.events.begin(), call.events.end());
  }
  for (pollfd& one : held.events) {
    if (!call.is_of_process || is_sabotaged(Sabotage::waits_of_processes_hold)) hold(one);
  }
}
void give_up(HeldFiles& held) {
  for (std::size_t n = 0; n < held.events.size(); ++n) {
    const int number = held.events[n].fd;
    if (number == held.call->events[n].fd || is_sabotaged(Sabotage::waits_never_close)) continue;
    note_closed(number);
    HOCKET_REAL(close)(number);
  }
  const runtime::OwnMemory own;
  held = {};
}

/// Waits until something has changed since `seen`. `tried`: what an attempt has done meanwhile, if it was
/// made.
Ended wait_for_change(OpenFiles& files, const FileCall& call, const Try& attempt, std::uint64_t seen,
    std::optional<std::int64_t> expiry, std::int64_t nanoseconds, std::optional<Tried>& tried) {
  struct Context {
    const OpenFiles& files;
    const Waiter& waiter;
    std::uint64_t seen;
  };
  Waiter& waiter = files.waiters[run.current->index];
  waiter = {
      .call = &call, .events = files.held[run.current->index].events, .expiry = expiry, .attempt = &attempt};
  ++files.waiting;
  const Context context{files, waiter, seen};
  bool has_expired = false;
  const bool goes_on = runtime::step::atomic_wait(
      files,
      [](const void* argument) {
        const auto& c = *static_cast<const Context*>(argument);
        if (c.waiter.has_other_expiry) return false;
        return (c.files.changes == c.seen && !c.waiter.looks_again) ||
               !has_come(*c.waiter.call, c.waiter.events);
      },
      &context, std::memory_order_relaxed, nanoseconds, has_expired, Where{});
  if (!goes_on) return Ended::cut;
  tried = waiter.tried;
  waiter = {};
  --files.waiting;
  return has_expired ? Ended::expired : Ended::done;
}

/// The running thread has changed something: those that wait look again.
void have_changed(OpenFiles& files) {
  ++files.changes;
  patience.is_waiting = false;
  for (unsigned t = 0; files.waiting != 0 && t < execution.thread_count(); ++t) {
    Waiter& waiter = files.waiters[t];
    if (waiter.call != nullptr && !is_sabotaged(Sabotage::set_timers_end_no_wait))
      waiter.has_other_expiry |= next_expiry(waiter.events) != waiter.expiry;
  }
  if (files.waiting != 0) runtime::step::atomic_notify(files, true, Where{});
}

/// The timers among the files of a call.
class Timers {
 public:
  /// Part of a step, in which the caller is about to look at its files. Returns whether it has made other
  /// steps instead, since a timer is set there: it reads the clock, and lets the timer expire whose time has
  /// come.
  bool have_made_steps(OpenFiles& files, std::span<const pollfd> events) {
    expiry = next_expiry(events);
    if (!expiry) return false;
    if (!knows_time) {
      runtime::step::clock_now(Where{});
      clock_version = runtime::clock_object().version;
      return knows_time = true;
    }
    if (*expiry > run.current->seen_clock) return false;
    if (!step(files, true)) return true;
    expire_timers(events, run.current->seen_clock);
    have_changed(files);
    return true;
  }

  std::optional<std::int64_t> expiry;  ///< of the first
  bool knows_time = false;
  std::uint64_t clock_version = 0;  ///< when it has read the clock
};

/// What a call puts in order, found before its attempt, which may close the descriptor. A bad descriptor
/// orders nothing.
class Ordering {
 public:
  Ordering(KeptThing thing, Order order) : thing_(thing), order_(order) {
    if (!execution.races.is_looking()) order_ = Order::none;
    if (thing.descriptor >= 0 && order_ != Order::none) look_up();
  }
  // That is no step by itself: the order of such calls is that of the steps on the files.
  void put() const {
    if (order_ == Order::none) return;
    OpenFiles& files = open_files();
    const runtime::OwnMemory own;
    if (thing_.key != 0) return put(files.ordered(thing_));
    for (OrderedThing& thing : files.things) put(thing);
  }

 private:
  void look_up() {
    struct stat file {};
    if (fstat(thing_.descriptor, &file) != 0) {
      order_ = Order::none;
      return;
    }
    const bool is_named = S_ISFIFO(file.st_mode) || S_ISREG(file.st_mode);
    thing_ = {runtime::mix(file.st_mode & S_IFMT, is_named ? file.st_ino : 0)};
    if (!S_ISSOCK(file.st_mode)) return;
    for (const PairOfEnds& pair : open_files().pairs)
      if (pair.one == file.st_ino || pair.other == file.st_ino) thing_ = {runtime::mix(S_IFSOCK, pair.one)};
  }
  void put(OrderedThing& thing) const {
    runtime::Races& races = execution.races.races();
    const void* const code = run.current->instrumented.caller;
    constexpr auto kOrder = std::memory_order_seq_cst;
    if (order_ == Order::takes || order_ == Order::takes_and_gives)
      races.acted(*run.current, thing, runtime::Synchronization::acquire, kOrder, code);
    if (order_ == Order::gives || order_ == Order::takes_and_gives)
      races.acted(*run.current, thing, runtime::Synchronization::release, kOrder, code);
  }

  KeptThing thing_;
  Order order_;
};

/// A call that does not wait is silent if it finds nothing: a loop of such calls polls.
Ended make_without_waiting(OpenFiles& files, const FileCall& call, Try attempt) {
  Look look;
  const bool can_be_asked_for = call.changes && is_polled(call);
  Timers timers;
  if (can_be_asked_for) {
    do {
      if (!step(files, false)) return Ended::cut;
    } while (timers.have_made_steps(files, call.events));
    if (!has_come(call, call.events)) {
      look.found(files, files.version, true);
      if (timers.knows_time) look.found_too(runtime::clock_object(), timers.clock_version);
      return Ended::expired;
    }
  }
  do {
    if (!step(files, call.changes)) return Ended::cut;
  } while (!can_be_asked_for && timers.have_made_steps(files, call.events));
  const Ordering ordering(call.thing, call.order);
  const Tried tried = attempt(call.events);
  look.found(files, files.version, !call.changes);
  if (timers.knows_time && !call.changes) look.found_too(runtime::clock_object(), timers.clock_version);
  const bool has_done = tried != Tried::would_wait && tried != Tried::failed;
  if (has_done) ordering.put();
  if (has_done && call.changes) have_changed(files);
  return tried == Tried::would_wait ? Ended::expired : Ended::done;
}

/// The running thread waits no longer. If the body has closed a descriptor meanwhile, that closes the file.
Ended end_wait(OpenFiles& files, const FileCall& call, Ended ended) {
  HeldFiles& held = files.held[run.current->index];
  const bool may_close = held.are_closed && !is_sabotaged(Sabotage::waits_close_unseen);
  if (may_close && !step(files, true)) return Ended::cut;
  give_up(held);
  if (may_close) have_changed(files);
  return may_close && call.is_of_process && ended == Ended::done ? Ended::too_late : ended;
}

// ---------------------------------------------------------------------------------------------------------------------
// From outside

bool can_come_from_outside(std::span<const pollfd> events) {
  return std::any_of(events.begin(), events.end(),
      [](const pollfd& one) { return one.fd >= 0 && may_be_reached_from_outside(one.fd); });
}

/// For a wait of which only the call itself shows whether it is over. The attempt is part of the wait, not a
/// step: as many steps as there is time for would make a deadlock another one each time.
bool is_over_by_attempt(Waiter& waiter) {
  const Tried tried = (*waiter.attempt)(waiter.events);
  if (tried == Tried::would_wait) return false;
  waiter.tried = tried;
  return true;
}

/// Whether a thread's wait is over.
bool wake_those_whose_wait_is_over(OpenFiles& files, bool tries_again) {
  bool is_any = false;
  for (unsigned t = 0; t < execution.thread_count(); ++t) {
    Waiter& waiter = files.waiters[t];
    if (waiter.call == nullptr || waiter.tried) continue;
    const bool is_over = is_polled(*waiter.call) ? has_come(*waiter.call, waiter.events)
                                                 : tries_again && is_over_by_attempt(waiter);
    if (!is_over) continue;
    waiter.looks_again = is_any = true;
    runtime::wake_at_atomic(execution.thread(t));
  }
  return is_any;
}

FromOutside wait_for_outside() {
  if (!are_files_in_use || open_files().waiting == 0) return FromOutside::nothing;
  OpenFiles& files = open_files();
  const int user_errno = errno;
  bool can_come = has_started_process || run.host->threads.uncontrolled() != 0;
  for (unsigned t = 0; t < execution.thread_count(); ++t) {
    const Waiter& waiter = files.waiters[t];
    if (waiter.call == nullptr) continue;
    // Locks, semaphores and queues can be anybody's, but are mostly the body's alone.
    can_come |= is_polled(*waiter.call) ? can_come_from_outside(waiter.events) : !patience.was_in_vain;
  }
  if (!can_come) {
    errno = user_errno;
    return FromOutside::nothing;
  }
  if (!patience.is_waiting) patience = {Clock::now(), true, patience.was_in_vain};
  const auto limit = patience.was_in_vain ? kPatienceLater : kPatience;
  FromOutside found = FromOutside::nothing;
  constexpr int kPause = 5;  // milliseconds
  while (found == FromOutside::nothing && Clock::now() - patience.since < limit) {
    if (execution.verdict.is_interrupted()) {
      found = FromOutside::interruption;
    } else if (wake_those_whose_wait_is_over(files, false)) {
      found = FromOutside::something;
    } else {
      poll(nullptr, 0, kPause);
      if (wake_those_whose_wait_is_over(files, true)) found = FromOutside::something;
    }
  }
  if (found == FromOutside::nothing) patience = {{}, false, true};
  errno = user_errno;
  return found;
}

[[maybe_unused]] const bool is_registered = [] {
  runtime::wait_for_outside = &wait_for_outside;
  return true;
}();

}  // namespace

bool is_other_end(const pollfd& file) {
  const unsigned access = static_cast<unsigned>(HOCKET_REAL(fcntl)(file.fd, F_GETFL)) & O_ACCMODE;
  return access == ((file.events & POLLIN) != 0 ? O_WRONLY : O_RDONLY);
}

void note_pair(const int* ends) {
  if (!is_from_body()) return;
  struct stat one {};
  struct stat other {};
  if (fstat(ends[0], &one) != 0 || fstat(ends[1], &other) != 0) return;
  const runtime::OwnMemory own;
  open_files().pairs.push_back({one.st_ino, other.st_ino});
}

bool is_pipe_of_body(const struct stat& pipe) {
  if (!are_files_in_use || has_started_process) return false;
  const auto& pairs = open_files().pairs;
  return std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.one == pipe.st_ino; });
}

KeptThing numbered(const char* sort, int number) {
  return {runtime::mix(static_cast<std::uint64_t>(sort[0]), static_cast<std::uint64_t>(number))};
}

InFunction::InFunction(const char* function)
    : is_entered_(run.recording && run.trace()->enter(*run.current, function)) {}
InFunction::~InFunction() {
  if (is_entered_) run.trace()->leave(*run.current);
}

runtime::Object& object_of_open_files() {
  return open_files();
}

void put_in_order(KeptThing thing, Order order) {
  Ordering(thing, order).put();
}

Ended make(const FileCall& call, Try attempt) {
  const KeepsErrno keeps;
  OpenFiles& files = open_files();
  const InFunction in_function(call.function);
  if (call.nanoseconds == 0) return make_without_waiting(files, call, attempt);
  const bool is_timed = call.nanoseconds != runtime::kForever;
  const std::int64_t deadline = run.current->seen_clock + call.nanoseconds;
  HeldFiles& held = files.held[run.current->index];
  std::span<pollfd> events = call.events;
  std::optional<Tried> tried_in_wait;
  std::optional<Ordering> ordering;  ///< of the file for which it waits, whatever becomes of its number
  Timers timers;
  for (;;) {
    if (!step(files, call.changes)) return Ended::cut;
    if (timers.have_made_steps(files, events)) continue;
    const std::uint64_t seen = files.changes;
    if (held.call == nullptr) ordering.emplace(call.thing, call.order);
    const Tried tried = tried_in_wait ? *std::exchange(tried_in_wait, {}) : attempt(events);
    const bool has_done = tried != Tried::would_wait && tried != Tried::failed;
    if (has_done) ordering->put();
    if (has_done && call.changes) have_changed(files);
    if (tried == Tried::done || tried == Tried::failed) return end_wait(files, call, Ended::done);
    if (held.call == nullptr) hold(held, call);
    events = held.events;
    std::int64_t left = call.nanoseconds;
    if (is_timed) left = std::max<std::int64_t>(deadline - run.current->seen_clock, 0);
    const std::int64_t until_expiry = timers.expiry ? *timers.expiry - run.current->seen_clock : left;
    const bool is_for_timer = timers.expiry && (!is_timed || until_expiry <= left);
    if (is_for_timer) left = until_expiry;
    const Ended ended = wait_for_change(files, call, attempt, seen, timers.expiry, left, tried_in_wait);
    timers.knows_time = ended == Ended::expired;
    if (ended == Ended::expired && is_for_timer) continue;
    if (ended != Ended::done) return ended == Ended::cut ? ended : end_wait(files, call, ended);
  }
}

void step_before_change(const char* function, KeptThing thing) {
  const KeepsErrno keeps;
  OpenFiles& files = open_files();
  const InFunction in_function(function);
  if (!step(files, true)) return;
  put_in_order(thing, Order::gives);
  ++files.changes;
  patience.is_waiting = false;
  // A notification would be a step, with which others could go on before the call.
  for (unsigned t = 0; files.waiting != 0 && t < execution.thread_count(); ++t)
    if (files.waiters[t].call != nullptr) runtime::wake_at_atomic(execution.thread(t));
}

void note_closed_in_waits(int descriptor) {
  if (!are_files_in_use) return;
  for (HeldFiles& held : open_files().held) {
    if (held.call == nullptr) continue;
    for (std::size_t n = 0; n < held.events.size(); ++n) {
      if (held.call->events[n].fd != descriptor) continue;
      held.are_closed = true;
      if (held.call->is_of_process && held.events[n].fd == descriptor) hold(held.events[n]);
    }
  }
}

void note_started_process() {
  has_started_process |= is_from_body();
}
bool has_process_started() {
  return has_started_process;
}

void forget_open_files() {
  are_files_in_use = has_started_process = false;
  forget_timers();
  forget_thread_timers();
  forget_requests();
  patience.is_waiting = false;
}

}  // namespace hocket::unmodified
