// A manager gives a resource to its clients, which ask for it in a mailbox with a flag each. The property
// says that a client that asks for the resource gets it. The buggy manager reads the mailbox and empties it
// in two steps: a request that comes between them is lost, and the other clients go on for ever.
#pragma once

#include <array>
#include <string>

#include <hocket/model.hpp>

#include "samples/unmodified/version.hpp"

namespace samples::lost_request {

/// The manager is process 0; the clients follow. The corrected manager removes only what it has read.
template <unsigned N>
struct LostRequest {
  Version version = Version::corrected;

  using Flags = std::array<bool, N>;
  struct State {
    Flags mailbox{};
    Flags read{};          ///< by the manager, and not answered
    bool empties = false;  ///< the manager is between reading and emptying
    Flags waits{};
    Flags has_resource{};

    friend bool operator==(const State&, const State&) = default;
  };

  [[nodiscard]] State initial() const { return {}; }

  void successors(const State& state, hocket::model::Emit<State> emit) const {
    State next = state;
    if (state.empties) {
      for (unsigned c = 0; c < N; ++c)
        next.mailbox[c] = version == Version::corrected && state.mailbox[c] && !state.read[c];
      next.empties = false;
      emit(0, "empty the mailbox", next);
    } else if (state.read != Flags{}) {
      for (unsigned c = 0; c < N; ++c) next.has_resource[c] = state.has_resource[c] || state.read[c];
      next.read = {};
      emit(0, "answer", next);
    } else if (state.mailbox != Flags{}) {
      next.read = state.mailbox;
      next.empties = true;
      emit(0, "read the mailbox", next);
    }
    for (unsigned c = 0; c < N; ++c) {
      next = state;
      if (!state.waits[c]) {
        next.mailbox[c] = next.waits[c] = true;
        emit(c + 1, "ask", next);
      } else if (state.has_resource[c]) {
        next.waits[c] = next.has_resource[c] = false;
        emit(c + 1, "give back", next);
      }
    }
  }

  [[nodiscard]] auto property() const {
    return hocket::model::leads_to([](const State& state) { return state.waits[0]; },
        [](const State& state) { return state.has_resource[0]; });
  }
  [[nodiscard]] std::string process_name(hocket::model::Process process) const {
    return process == 0 ? "manager" : "client " + std::to_string(process - 1);
  }
};

}  // namespace samples::lost_request
