#include "signal_state.hpp"

#include <cstring>
#include <optional>
#include <string>

#include "../../../runtime/execution/execution.hpp"
#include "../host/next_symbol.hpp"
#include "../memory/address_map.hpp"
#include "signals.hpp"

namespace hocket::unmodified {

constinit bool are_signals_in_use = false;

namespace signals {

namespace {

using runtime::Access;
using runtime::execution;
using runtime::Operation;
using runtime::run;
using runtime::Thread;
namespace recording = runtime::recording;

/// The mask of the OS thread that runs bodies. Bodies do not change it.
sigset_t blocked_by_system() {
  sigset_t set;
  HOCKET_REAL(pthread_sigmask)(SIG_BLOCK, nullptr, &set);
  return set;
}

constexpr std::uint64_t fingerprint_of_signals(const runtime::Object& object) {
  return object.version;
}
constexpr runtime::ObjectKind kind_of_signals(const char* name) {
  runtime::ObjectKind kind{name, [](const runtime::Object&) -> void* { return nullptr; },
      [](runtime::Object&, const void*) {}, [](void*) {}, &fingerprint_of_signals};
  kind.awaited = "a signal";
  return kind;
}
constexpr runtime::ObjectKind kMaskKind = kind_of_signals("signal mask");
constexpr runtime::ObjectKind kDeliveryKind = kind_of_signals("signals");

/// The state of signals in an execution.
class AllSignals {
 public:
  void created(const Thread& thread) { of_[thread.index] = {nullptr, blocked_at_first(*thread.creator), {}}; }

  Mask& mask_of(const Thread& thread) {
    begin_to_use();
    OfThread& its = of_[thread.index];
    if (its.mask == nullptr) its.mask = &make(thread, its.blocked_at_first);
    return *its.mask;
  }
  Senders& senders_to(const Thread& thread) {
    begin_to_use();
    return of_[thread.index].senders;
  }
  Delivery& delivery() {
    begin_to_use();
    return *delivery_;
  }

 private:
  struct OfThread {
    Mask* mask;  ///< nullptr: not needed so far
    SignalSet blocked_at_first;
    Senders senders;
  };

  void begin_to_use() {
    if (are_signals_in_use) return;
    const runtime::OwnMemory own;
    constexpr std::uint64_t kKey = 0x5166;
    const SignalSet blocked = from_system(blocked_by_system());
    masks_.clear();
    for (unsigned t = 0; t < execution.thread_count(); ++t) of_[t] = {nullptr, blocked, {}};
    delivery_.emplace(runtime::FoundAt{kKey});
    if (run.recording) recording::name(*delivery_, "signals");
    are_signals_in_use = true;
  }
  /// The initial signal mask of a thread that `creator` creates now.
  [[nodiscard]] SignalSet blocked_at_first(const Thread& creator) const {
    const OfThread& its = of_[creator.index];
    return its.mask != nullptr ? its.mask->blocked : its.blocked_at_first;
  }
  Mask& make(const Thread& thread, SignalSet blocked) {
    const runtime::OwnMemory own;
    constexpr std::uint64_t kOfMask = 0x5167;
    Mask& made = masks_.make(runtime::FoundAt{runtime::mix(thread.key, kOfMask)});
    made.blocked = blocked;
    if (run.recording) recording::name(made, "signal mask of " + runtime::describe(thread));
    return made;
  }

  std::array<OfThread, runtime::kMaxThreads> of_{};
  Pool<Mask> masks_;
  std::optional<Delivery> delivery_;
};

// Not a local static: a body may be the first to call this, and the guard would then be the body's.
constinit AllSignals* all_signals = nullptr;

[[gnu::noinline]] AllSignals& make_signals() {
  const runtime::OwnMemory own;
  return *(all_signals = new AllSignals);
}
AllSignals& all() {
  return all_signals != nullptr ? *all_signals : make_signals();
}

bool step(runtime::Object& object, Operation operation, Access access) {
  if (!runtime::step::arrive(object, operation, true, runtime::Where{})) return false;
  runtime::step::act(object, operation, access);
  return true;
}
}  // namespace

Mask::Mask(runtime::FoundAt place) : Object(kMaskKind, place) {}
Delivery::Delivery(runtime::FoundAt place) : Object(kDeliveryKind, place) {}

void Senders::add(const Thread& sender) {
  const runtime::OwnMemory own;
  std::erase_if(all, [&](const Sender& one) { return one.thread == &sender; });
  all.push_back({&sender, sender.epoch});
}

Mask& mask_of(const Thread& thread) {
  return all().mask_of(thread);
}
Senders& senders_to(const Thread& thread) {
  return all().senders_to(thread);
}
Mask& my_mask() {
  return mask_of(*run.current);
}
Delivery& delivery() {
  return all().delivery();
}

bool change(Mask& mask) {
  return step(mask, Operation::atomic_exchange, Access::write);
}
bool look_at(runtime::Object& object) {
  return step(object, Operation::atomic_load, Access::read);
}
bool add_to(Delivery& delivery) {
  return step(delivery, Operation::atomic_fetch_or, Access::write);
}
bool take_from(Delivery& delivery) {
  return step(delivery, Operation::atomic_fetch_and, Access::write);
}

void note(int number) {
  if (!run.recording) return;
  const runtime::OwnMemory own;
  const char* const name = sigabbrev_np(number);
  recording::note_value(name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(number));
}

}  // namespace signals

void begin_signals_slowly_of(const runtime::Thread& thread) {
  if (thread.creator == nullptr) {
    are_signals_in_use = false;  // a new execution begins
  } else {
    signals::all().created(thread);
  }
}

}  // namespace hocket::unmodified
