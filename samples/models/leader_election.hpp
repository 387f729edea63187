// The election of a leader in a ring (Dolev, Klawe and Rodeh, An O(n log n) Unidirectional Distributed
// Algorithm for Extrema Finding in a Circle, Journal of Algorithms, 1982), statement by statement as in the
// model leader0.pml that comes with Spin, so that both have the same states.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <hocket/model.hpp>

namespace samples::leader_election {

/// `N` nodes; the one with the number `Smallest`, counted from 1, has the smallest name.
template <unsigned N, unsigned Smallest>
struct LeaderElection {
  enum class Kind : std::uint8_t { none, one, two, winner };
  struct Message {
    Kind kind = Kind::none;
    std::uint8_t name = 0;

    friend bool operator==(const Message&, const Message&) = default;
  };
  /// What a node does next.
  enum class At : std::uint8_t {
    print_name,
    send_name,
    receive,
    got_one,
    active_got_one,
    send_two,
    remember_neighbour,
    check_greatest,
    know_winner,
    announce_winner,
    pass_one,
    got_two,
    active_got_two,
    raise_maximum,
    send_maximum,
    become_passive,
    pass_two,
    got_winner,
    print_lost,
    print_leader,
    count_leader,
    check_count,
    decide_to_pass_winner,
    pass_winner,
    end
  };
  struct Node {
    At at = At::print_name;
    bool is_active = true;
    bool knows_winner = false;
    std::uint8_t received = 0;
    std::uint8_t maximum = 0;
    std::uint8_t neighbour = 0;
    std::uint8_t queued = 0;
    std::array<Message, std::size_t{2} * N> queue{};  ///< what it has not received yet

    friend bool operator==(const Node&, const Node&) = default;
  };
  struct State {
    std::array<Node, N> nodes{};
    std::uint8_t alive = N;    ///< nodes; processes end in the opposite order of their creation
    std::uint8_t starter = 0;  ///< the process that creates the nodes: 0 before that, 1 after it, 2 ended
    std::uint8_t leaders = 0;

    friend bool operator==(const State&, const State&) = default;
  };

  [[nodiscard]] State initial() const {
    State state;
    state.alive = 0;
    return state;
  }

  void successors(const State& state, hocket::model::Emit<State> emit) const {
    // Spin tries the process that was created last first.
    for (unsigned n = state.alive; n-- > 0;) step(state, n, emit);
    if (state.starter == 0) {
      State next = state;
      next.starter = 1;
      next.alive = N;
      for (unsigned n = 0; n < N; ++n) next.nodes[n].maximum = name_of(n);
      emit(0, "create the nodes", next);
    } else if (state.starter == 1 && state.alive == 0) {
      State next = state;
      next.starter = 2;
      emit(0, "end", next);
    }
  }

  /// At most one node is the leader.
  [[nodiscard]] bool holds(const State& state) const { return state.leaders <= 1; }
  [[nodiscard]] bool may_end(const State& state) const { return state.starter == 2; }

 private:
  static std::uint8_t name_of(unsigned n) {
    return static_cast<std::uint8_t>((N + Smallest - (n + 1)) % N + 1);
  }
  static Node& next_to(State& state, unsigned n) { return state.nodes[(n + 1) % N]; }

  static bool send(State& state, unsigned n, Kind kind, std::uint8_t name) {
    Node& to = next_to(state, n);
    if (to.queued == to.queue.size()) return false;
    to.queue[to.queued++] = {kind, name};
    return true;
  }

  void step(const State& state, unsigned n, hocket::model::Emit<State> emit) const {
    State next = state;
    Node& me = next.nodes[n];
    const hocket::model::Process process = n + 1;
    // What a node does to itself and to channels that it alone reads or writes is local.
    const auto go = [&](At at, std::string_view action) {
      me.at = at;
      emit.local(process, action, next);
    };
    const auto go_visibly = [&](At at, std::string_view action) {
      me.at = at;
      emit(process, action, next);
    };
    const auto send_and_go = [&](Kind kind, std::uint8_t name, At at, std::string_view action) {
      if (send(next, n, kind, name)) go(at, action);
    };
    switch (me.at) {
      case At::print_name:
        return go(At::send_name, "print its name");
      case At::send_name:
        return send_and_go(Kind::one, name_of(n), At::receive, "send one");
      case At::receive:
        return receive(next, n, emit);
      case At::got_one:
        return me.is_active ? go(At::active_got_one, "is active") : go(At::pass_one, "is passive");
      case At::active_got_one:
        return me.received != me.maximum ? go(At::send_two, "another maximum")
                                         : go(At::check_greatest, "own maximum");
      case At::send_two:
        return send_and_go(Kind::two, me.received, At::remember_neighbour, "send two");
      case At::remember_neighbour:
        me.neighbour = me.received;
        return go(At::receive, "remember the neighbour");
      case At::check_greatest:
        if (me.received != N) return emit.fails(process, "assert", "the maximum is not the greatest name");
        return go(At::know_winner, "assert");
      case At::know_winner:
        me.knows_winner = true;
        return go(At::announce_winner, "know the winner");
      case At::announce_winner:
        return send_and_go(Kind::winner, me.received, At::receive, "send winner");
      case At::pass_one:
        return send_and_go(Kind::one, me.received, At::receive, "pass one on");
      case At::got_two:
        return me.is_active ? go(At::active_got_two, "is active") : go(At::pass_two, "is passive");
      case At::active_got_two:
        return me.neighbour > me.received && me.neighbour > me.maximum
                   ? go(At::raise_maximum, "neighbour is greater")
                   : go(At::become_passive, "neighbour is not greater");
      case At::raise_maximum:
        me.maximum = me.neighbour;
        return go(At::send_maximum, "raise the maximum");
      case At::send_maximum:
        return send_and_go(Kind::one, me.neighbour, At::receive, "send one");
      case At::become_passive:
        me.is_active = false;
        return go(At::receive, "become passive");
      case At::pass_two:
        return send_and_go(Kind::two, me.received, At::receive, "pass two on");
      case At::got_winner:
        return me.received != name_of(n) ? go(At::print_lost, "another has won")
                                         : go(At::print_leader, "has won");
      case At::print_lost:
        return go(At::decide_to_pass_winner, "print LOST");
      case At::print_leader:
        return go(At::count_leader, "print LEADER");
      case At::count_leader:
        ++next.leaders;
        return go_visibly(At::check_count, "become the leader");
      case At::check_count:
        if (state.leaders != 1) return emit.fails(process, "assert", "there are several leaders");
        return go_visibly(At::decide_to_pass_winner, "assert");
      case At::decide_to_pass_winner:
        return me.knows_winner ? go(At::end, "knows the winner")
                               : go(At::pass_winner, "does not know the winner");
      case At::pass_winner:
        return send_and_go(Kind::winner, me.received, At::end, "pass winner on");
      case At::end:
        if (n + 1U != state.alive) return;
        --next.alive;
        clear(me);
        emit(process, "end", next);
    }
  }

  /// A channel outlives the process that reads it.
  static void clear(Node& node) {
    const Node old = node;
    node = {};
    node.queue = old.queue;
    node.queued = old.queued;
  }

  static void receive(State& next, unsigned n, hocket::model::Emit<State> emit) {
    Node& me = next.nodes[n];
    if (me.queued == 0) return;
    const Message message = me.queue.front();
    std::rotate(me.queue.begin(), me.queue.begin() + 1, me.queue.end());
    me.queue[--me.queued] = {};
    me.received = message.name;
    switch (message.kind) {
      case Kind::one:
        me.at = At::got_one;
        return emit.local(n + 1, "receive one", next);
      case Kind::two:
        me.at = At::got_two;
        return emit.local(n + 1, "receive two", next);
      case Kind::winner:
        me.at = At::got_winner;
        return emit.local(n + 1, "receive winner", next);
      case Kind::none:
        return;
    }
  }
};

}  // namespace samples::leader_election
