// German's cache coherence protocol: clients ask a home node for shared or exclusive access to one line of
// memory, and the home node takes the line away from others first (Chou, Mannava and Park, A Simple Method
// for Parameterized Verification of Cache Coherence Protocols, FMCAD 2004; here without the data).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include <hocket/model.hpp>

#include "samples/unmodified/version.hpp"

namespace samples::german {

/// N clients. The buggy home node grants exclusive access as soon as it has sent all invalidations; the
/// corrected one waits until they are acknowledged.
template <unsigned N>
struct German {
  static_assert(N >= 1);

  Version version = Version::corrected;

  static constexpr hocket::model::Process kHome = N;

  enum class Access : std::uint8_t { none, shared, exclusive };
  enum class Order : std::uint8_t { none, invalidate, grant_shared, grant_exclusive };

  /// A client, its three channels, each of which holds at most one message, and what the home node notes.
  struct Client {
    Access cached = Access::none;
    Access request = Access::none;   ///< to the home node; none: the channel is empty
    Order order = Order::none;       ///< to the client
    bool acknowledgement = false;    ///< to the home node
    bool is_sharer = false;          ///< the home node has granted access
    bool to_be_invalidated = false;  ///< the home node has yet to send the order

    friend bool operator==(const Client&, const Client&) = default;
  };
  struct State {
    std::array<Client, N> clients{};
    bool is_exclusive = false;      ///< the home node has granted exclusive access
    Access current = Access::none;  ///< what the home node is asked for
    std::uint8_t asker = 0;

    friend bool operator==(const State&, const State&) = default;
  };

  [[nodiscard]] State initial() const { return {}; }

  void successors(const State& state, hocket::model::Emit<State> emit) const {
    for (unsigned c = 0; c < N; ++c) {
      client_steps(state, c, emit);
      home_steps(state, c, emit);
    }
  }

  /// Nobody has access besides one that has exclusive access.
  [[nodiscard]] bool holds(const State& state) const {
    const auto with = [&](Access access) {
      return std::ranges::count(state.clients, access, &Client::cached);
    };
    const auto exclusive = with(Access::exclusive);
    return exclusive == 0 || (exclusive == 1 && with(Access::shared) == 0);
  }
  [[nodiscard]] bool may_end(const State& /*state*/) const { return false; }

  [[nodiscard]] std::string process_name(hocket::model::Process p) const {
    return p == kHome ? "home node" : "client " + std::to_string(p);
  }

 private:
  static void client_steps(const State& state, unsigned c, hocket::model::Emit<State> emit) {
    State next = state;
    Client& me = next.clients[c];
    const Client before = me;
    if (before.request == Access::none && before.cached == Access::none) {
      me.request = Access::shared;
      emit(c, "ask for shared access", next);
    }
    if (before.request == Access::none && before.cached != Access::exclusive) {
      me.request = Access::exclusive;
      emit(c, "ask for exclusive access", next);
    }
    me = before;
    me.order = Order::none;
    switch (before.order) {
      case Order::none:
        break;
      case Order::invalidate:
        if (before.acknowledgement) break;
        me.cached = Access::none;
        me.acknowledgement = true;
        emit(c, "give up access", next);
        break;
      case Order::grant_shared:
        me.cached = Access::shared;
        emit(c, "get shared access", next);
        break;
      case Order::grant_exclusive:
        me.cached = Access::exclusive;
        emit(c, "get exclusive access", next);
        break;
    }
  }

  /// What the home node can do with client `c`.
  void home_steps(const State& state, unsigned c, hocket::model::Emit<State> emit) const {
    const Client& client = state.clients[c];
    if (state.current == Access::none && client.request != Access::none) {
      State next = state;
      next.current = client.request;
      next.asker = static_cast<std::uint8_t>(c);
      next.clients[c].request = Access::none;
      for (Client& one : next.clients) one.to_be_invalidated = one.is_sharer;
      emit(kHome, "take a request", next);
    }
    const bool invalidates =
        state.current == Access::exclusive || (state.current == Access::shared && state.is_exclusive);
    if (invalidates && client.to_be_invalidated && client.order == Order::none) {
      State next = state;
      next.clients[c].order = Order::invalidate;
      next.clients[c].to_be_invalidated = false;
      emit(kHome, "send an invalidation", next);
    }
    if (state.current != Access::none && client.acknowledgement) {
      State next = state;
      next.clients[c].acknowledgement = false;
      next.clients[c].is_sharer = false;
      next.is_exclusive = false;
      emit(kHome, "take an acknowledgement", next);
    }
    if (c != state.asker || client.order != Order::none || state.is_exclusive) return;
    State next = state;
    next.current = Access::none;
    next.clients[c].is_sharer = true;
    if (state.current == Access::shared) {
      next.clients[c].order = Order::grant_shared;
      emit(kHome, "grant shared access", next);
    } else if (state.current == Access::exclusive && others_are_gone(state)) {
      next.clients[c].order = Order::grant_exclusive;
      next.is_exclusive = true;
      emit(kHome, "grant exclusive access", next);
    }
  }

  [[nodiscard]] bool others_are_gone(const State& state) const {
    return std::ranges::none_of(
        state.clients, version == Version::buggy ? &Client::to_be_invalidated : &Client::is_sharer);
  }
};

}  // namespace samples::german
