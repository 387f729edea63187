// The steps that are possible in a state, computed by the model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "../api/model.hpp"
#include "../api/options.hpp"
#include "../states/fingerprint.hpp"
#include "model_calls.hpp"
#include "symmetry.hpp"

namespace hocket::model {

class ProcessNumbers {
 public:
  void add(Process process) {
    if (process < kMostProcesses) {
      small_ |= std::uint64_t{1} << process;
    } else {
      great_.insert(process);
    }
  }
  void add(const ProcessNumbers& others) {
    small_ |= others.small_;
    great_.insert(others.great_.begin(), others.great_.end());
  }

  /// Whether one is so great that searches which count preemptions cannot tell it from others.
  [[nodiscard]] bool has_great() const { return !great_.empty(); }
  /// In order.
  [[nodiscard]] std::vector<Process> all() const {
    std::vector<Process> result;
    for (Process process = 0; process < kMostProcesses; ++process) {
      if ((small_ >> process & 1U) != 0) result.push_back(process);
    }
    result.insert(result.end(), great_.begin(), great_.end());
    return result;
  }

 private:
  std::uint64_t small_ = 0;
  std::set<Process> great_;
};

template <Model M>
struct Step {
  StateOf<M> next;
  Process process;
  std::uint32_t choice;  ///< its number among the steps that the state has, in the model's order
  bool is_local;
  bool fails;

  friend bool operator==(const Step&, const Step&) = default;
};

/// Computes the steps of states. A sample of the states is computed twice, to notice a model whose successors
/// depend on more than the state, or whose hash does.
template <Model M>
class Successors {
 public:
  using State = StateOf<M>;

  /// With a store that keeps less than the states, different states must have different fingerprints, too.
  Successors(const M& model, const Options& options)
      : model_(model),
        keeps_states_(options.store == Store::exact),
        counts_preemptions_(options.strategy == "icb" || options.strategy == "bcs") {}

  /// Appends the steps of `state` to `steps`. If successors() fails, by an exception or by abort(), there is
  /// one step that fails, with the number kNoStep. Throws ModelError, and std::invalid_argument if the search
  /// cannot count the preemptions of the processes.
  void append(const State& state, std::vector<Step<M>>& steps) {
    const std::size_t begin = steps.size();
    compute(state, steps);
    if (counts_preemptions_ && processes_.has_great()) [[unlikely]]
      refuse_numbers();
    if (++count_ <= kFirstSamples || count_ % kSampleEvery == 0) [[unlikely]]
      check(state, steps, begin);
  }

  /// The same, with representatives in place of the states to which the steps lead.
  void append_representatives(const State& state, std::vector<Step<M>>& steps) {
    const std::size_t begin = steps.size();
    append(state, steps);
    if constexpr (HasSymmetry<M>) {
      for (std::size_t n = begin; n < steps.size(); ++n) {
        if (!steps[n].fails) steps[n].next = model_.canonical(steps[n].next);
      }
    }
  }

  /// Those that have taken steps.
  [[nodiscard]] const ProcessNumbers& processes() const { return processes_; }

 private:
  static constexpr std::uint64_t kFirstSamples = 64;
  static constexpr std::uint64_t kSampleEvery = 4096;
  static constexpr std::size_t kMostCompared = 64;

  struct Target {
    ProcessNumbers& processes;
    std::vector<Step<M>>& steps;
    std::size_t begin;
  };

  void compute(const State& state, std::vector<Step<M>>& steps) {
    const std::size_t begin = steps.size();
    Target target{processes_, steps, begin};
    if (calls_model([&] { model_.successors(state, Emit<State>(&take, &target)); })) [[likely]]
      return;
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(begin), steps.end());
    steps.push_back({state, kNoProcess, kNoStep, false, true});
  }

  static void take(void* context, const StepInfo& info, const State& next) {
    Target& target = *static_cast<Target*>(context);
    target.processes.add(info.process);
    const auto choice = static_cast<std::uint32_t>(target.steps.size() - target.begin);
    target.steps.push_back({next, info.process, choice, info.is_local, !info.failure.empty()});
  }

  [[noreturn]] void refuse_numbers() const {
    throw std::invalid_argument(
        "hocket: icb and bcs count preemptions, and need processes with numbers below " +
        std::to_string(kMostProcesses) + ", and this model has a process " +
        std::to_string(processes_.all().back()) + "; use another strategy, or smaller numbers");
  }

  void check(const State& state, const std::vector<Step<M>>& steps, std::size_t begin) {
    std::vector<Step<M>> again;
    compute(state, again);
    if (!std::equal(
            again.begin(), again.end(), steps.begin() + static_cast<std::ptrdiff_t>(begin), steps.end())) {
      throw ModelError(
          "successors() was called twice with the same state and gave different steps: it must depend on the "
          "state only, and on nothing that changes or is left uninitialised");
    }
    check_hash(state, again);
    if constexpr (HasSymmetry<M>) check_symmetry_of(state);
  }

  void check_symmetry_of(const State& state) {
    if constexpr (HasSymmetry<M>) {
      std::string error;
      // If the model fails here, the search will come to that.
      static_cast<void>(calls_model([&] { error = symmetry_error(model_, state); }));
      if (!error.empty()) throw ModelError(error);
    }
  }

  // States that are reached on several ways, such as by two independent steps in either order, are the ones
  // whose equal copies may differ in what the comparison leaves out.
  void check_hash(const State& state, const std::vector<Step<M>>& steps) {
    std::vector<State> states{state};
    std::vector<Step<M>> later;
    for (const Step<M>& step : steps) {
      if (step.fails || states.size() >= kMostCompared) break;
      states.push_back(step.next);
      later.clear();
      compute(step.next, later);
      for (const Step<M>& second : later) {
        if (!second.fails && states.size() < kMostCompared) states.push_back(second.next);
      }
    }
    std::vector<Fingerprint> fingerprints;
    for (const State& one : states) fingerprints.push_back(fingerprint(model_, one));
    for (std::size_t a = 0; a < states.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const bool are_equal = states[a] == states[b];
        const bool have_equal_hashes = fingerprints[a] == fingerprints[b];
        if (are_equal && !have_equal_hashes) {
          throw ModelError(
              "two states compare equal and have different hashes: hash and compare the same members");
        }
        if (have_equal_hashes && !are_equal && !keeps_states_) {
          throw ModelError(
              "two states compare different and have the same hash, so that this store would take one for "
              "the other: hash and compare the same members, or use the store exact");
        }
      }
    }
  }

  const M& model_;
  bool keeps_states_;
  bool counts_preemptions_;
  ProcessNumbers processes_{};
  std::uint64_t count_ = 0;
};

}  // namespace hocket::model
