// What leads from one cut of a recorded execution to another: what can happen next, which objects that would
// access and what it would add to the class; and which events can have come last.
//
// What an operation does comes from its row in semantics.hpp, as in the runtime. Each event of an execution
// is compared with what was predicted here: see Recording::is_consistent().
#pragma once

#include <cstdint>
#include <vector>

#include "cuts.hpp"

namespace hocket::graph {

class Transitions {
 public:
  /// `cuts` must outlive the transitions.
  explicit Transitions(const Cuts& cuts) : cuts_(cuts), recording_(cuts.recording()) {}

  /// Calls `visit(Successor)` for everything that can happen next, at any cost.
  template <class Visit>
  void for_each_successor(Cut cut, const Enabled& enabled, Visit&& visit) const {
    using runtime::Mode;
    if (const unsigned chooser = enabled.chooser; chooser != kNobody) {
      const std::uint32_t values = cuts_.next(cut, chooser).value().count;
      for (std::uint32_t value = 0; value < values; ++value)
        visit(Successor{chooser, true, Mode::run, value});
      return;
    }
    const auto step = [&](unsigned thread, Mode mode) { visit(Successor{thread, false, mode, 0}); };
    for (unsigned thread = 0; thread < recording_.threads(); ++thread) {
      if (enabled.runnable.contains(thread)) step(thread, Mode::run);
      if (enabled.expirable.contains(thread)) step(thread, Mode::expire);
      if (enabled.wakable.contains(thread)) step(thread, Mode::spurious);
    }
  }

  /// Calls `visit(thread)` for each thread whose last event in the cut can come last of all, so that the cut
  /// without this event is a state from which the event leads here. `scratch` has room for a cut.
  template <class Visit>
  void for_each_maximal(Cut cut, std::vector<EventCount>& scratch, Visit&& visit) const {
    for (unsigned thread = 0; thread < recording_.threads(); ++thread) {
      if (cut[thread] != 0 && is_maximal(cut, thread, scratch)) visit(thread);
    }
  }

  /// Stores in `out` what `thread` would access if it took the next step at the cut.
  void accesses(Cut cut, const Enabled& enabled, unsigned thread, runtime::Mode mode,
      std::vector<ObjectAccess>& out) const;
  /// Stores in `out` what decides, after everything that has happened so far, whether `thread` can take its
  /// next step and what the step does. Returns false if that depends on more than objects, such as on the
  /// other threads that are enabled. A thread that joins another one has no next step, and `out` is empty.
  bool dependencies(unsigned thread, std::vector<ObjectAccess>& out) const;

  /// What `next` adds to the hash of the class.
  [[nodiscard]] runtime::ClassHash delta(Cut cut, const Enabled& enabled, const Successor& next) const {
    return next.is_value ? value_delta(cut, next.thread, next.value)
                         : step_delta(cut, enabled, next.thread, next.mode);
  }
  /// What the next step of `thread` in `mode` adds to it.
  [[nodiscard]] runtime::ClassHash step_delta(
      Cut cut, const Enabled& enabled, unsigned thread, runtime::Mode mode) const;
  /// What the choice of `value` by `thread` adds to it.
  [[nodiscard]] runtime::ClassHash value_delta(Cut cut, unsigned thread, std::uint32_t value) const;

 private:
  [[nodiscard]] bool is_maximal(Cut cut, unsigned thread, std::vector<EventCount>& scratch) const;
  /// Enumerates what a step does: calls `access(object, operation, how)` or `decide(outcome)` for each
  /// action, in order.
  template <class OnAccess, class OnDecision>
  void for_each_action(Cut cut, const Enabled& enabled, unsigned thread, runtime::Mode mode,
      OnAccess&& access, OnDecision&& decide) const;
  /// Calls `access` likewise for each part of the object that the thread is about to operate on.
  template <class OnAccess>
  void for_each_part(const NextEvent& next, runtime::Access how, OnAccess&& access) const {
    for (const std::uint32_t part : recording_.parts(next.parts))
      access(part, runtime::operation_on_part(how), how);
  }
  /// Whether a choice comes inside the step: whether it fails spuriously.
  [[nodiscard]] bool is_undecided(Cut cut, const NextEvent& next) const;
  [[nodiscard]] runtime::ClassHash action(Cut cut, std::uint64_t next_action, std::uint32_t object,
      runtime::Operation operation, runtime::Access access) const;

  const Cuts& cuts_;
  const Recording& recording_;
};

}  // namespace hocket::graph
