// Two-phase commit: a coordinator asks the participants of a transaction for their votes, and tells them to
// commit if all have voted yes (Gray, Notes on Data Base Operating Systems, 1978). The coordinator may crash
// at any time, and then stays down.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include <hocket/model.hpp>

#include "samples/unmodified/version.hpp"

namespace samples::two_phase_commit {

enum class Place : std::uint8_t { working, prepared, committed, aborted };
enum class Vote : std::uint8_t { none, yes, no };
enum class Decision : std::uint8_t { none, commit, abort };

/// N participants. One that has voted yes is prepared: it has promised to do what the coordinator decides. If
/// the coordinator is down, a participant of the buggy version that hears nothing aborts on its own. In the
/// corrected version it asks the other participants, and waits while none of them knows the decision.
///
/// A participant times out only after the coordinator has crashed. So the bug has nothing to do with
/// time-outs that come too early.
template <unsigned N>
struct TwoPhaseCommit {
  static_assert(N >= 2);

  Version version = Version::corrected;

  static constexpr hocket::model::Process kCoordinator = N;

  struct Participant {
    Place place = Place::working;
    Vote vote = Vote::none;              ///< its message to the coordinator, which is never lost
    Decision decision = Decision::none;  ///< the message from the coordinator that it has not read

    friend bool operator==(const Participant&, const Participant&) = default;
  };
  struct State {
    std::array<Participant, N> participants{};
    Decision decision = Decision::none;  ///< of the coordinator
    std::uint8_t told = 0;               ///< the coordinator tells its decision to one after the other
    bool has_crashed = false;            ///< the coordinator

    friend bool operator==(const State&, const State&) = default;
  };
  using Emit = hocket::model::Emit<State>;

  [[nodiscard]] State initial() const { return {}; }

  void successors(const State& state, Emit emit) const {
    if (!state.has_crashed) coordinator_steps(state, emit);
    for (unsigned p = 0; p < N; ++p) participant_steps(state, p, emit);
  }

  /// No participant has committed while another one has aborted.
  [[nodiscard]] bool holds(const State& state) const {
    return number_of(state, Place::committed) == 0 || number_of(state, Place::aborted) == 0;
  }

  /// The protocol ends when all participants know the decision. If the coordinator has crashed and all are
  /// prepared, they have to wait until it is repaired: two-phase commit is a blocking protocol.
  [[nodiscard]] bool may_end(const State& state) const {
    if (number_of(state, Place::committed) + number_of(state, Place::aborted) == N) return true;
    return state.has_crashed && number_of(state, Place::prepared) == N;
  }

  [[nodiscard]] std::string process_name(hocket::model::Process p) const {
    return p == kCoordinator ? "coordinator" : "participant " + std::to_string(p);
  }

  [[nodiscard]] std::string print(const State& state) const {
    std::string text = std::string("coordinator ") + (state.has_crashed ? "down" : name(state.decision));
    for (unsigned p = 0; p < N; ++p) {
      const Participant& participant = state.participants[p];
      text += ", " + process_name(p) + " " + name(participant.place);
      if (participant.decision != Decision::none)
        text += std::string(" (told to ") + name(participant.decision) + ")";
    }
    return text;
  }

 private:
  static void coordinator_steps(const State& state, Emit emit) {
    State crashed = state;
    crashed.has_crashed = true;
    emit(kCoordinator, "crash", crashed);

    State next = state;
    if (state.decision != Decision::none) {
      if (state.told == N) return;
      next.participants[next.told++].decision = state.decision;
      emit(kCoordinator, "tell participant " + std::to_string(state.told), next);
    } else if (votes(state, Vote::yes) == N) {
      next.decision = Decision::commit;
      emit(kCoordinator, "decide to commit", next);
    } else if (votes(state, Vote::no) > 0) {
      next.decision = Decision::abort;
      emit(kCoordinator, "decide to abort", next);
    }
  }

  void participant_steps(const State& state, unsigned p, Emit emit) const {
    const auto go = [&](Place place, const std::string& action, Vote vote) {
      State next = state;
      next.participants[p] = {place, vote, Decision::none};
      emit(p, action, next);
    };
    const Participant& self = state.participants[p];
    switch (self.decision) {
      case Decision::commit:
        return go(Place::committed, "hear of the commit", self.vote);
      case Decision::abort:
        return go(Place::aborted, "hear of the abort", self.vote);
      case Decision::none:
        break;
    }
    if (self.place == Place::working) {
      go(Place::prepared, "vote yes", Vote::yes);
      go(Place::aborted, "vote no", Vote::no);
      // It has promised nothing.
      if (state.has_crashed) go(Place::aborted, "time out and abort", Vote::none);
    } else if (self.place == Place::prepared && state.has_crashed) {
      if (version == Version::buggy) {
        go(Place::aborted, "time out and abort", self.vote);
      } else {
        for (unsigned other = 0; other < N; ++other) {
          const Place answer = state.participants[other].place;
          if (answer == Place::committed || answer == Place::aborted)
            go(answer, "ask participant " + std::to_string(other), self.vote);
        }
      }
    }
  }

  static unsigned number_of(const State& state, Place place) {
    return static_cast<unsigned>(std::ranges::count(state.participants, place, &Participant::place));
  }
  static unsigned votes(const State& state, Vote vote) {
    return static_cast<unsigned>(std::ranges::count(state.participants, vote, &Participant::vote));
  }
  static const char* name(Place place) {
    switch (place) {
      case Place::working:
        return "working";
      case Place::prepared:
        return "prepared";
      case Place::committed:
        return "committed";
      case Place::aborted:
        return "aborted";
    }
    return "";
  }
  static const char* name(Decision decision) {
    switch (decision) {
      case Decision::none:
        return "undecided";
      case Decision::commit:
        return "commit";
      case Decision::abort:
        return "abort";
    }
    return "";
  }
};

}  // namespace samples::two_phase_commit
