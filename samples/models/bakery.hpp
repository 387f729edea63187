// Lamport's bakery: who wants to enter takes a ticket with a number greater than all that are out, and waits
// until its number is the least (Lamport, A New Solution of Dijkstra's Concurrent Programming Problem,
// Communications of the ACM, 1974).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <hocket/model.hpp>

#include "samples/unmodified/version.hpp"

namespace samples::bakery {

/// N processes. So that the tickets stay bounded, a process begins to choose only while all tickets are less
/// than FullAt. The buggy version lacks the flag that tells that a process is about to take a ticket.
template <unsigned N, unsigned FullAt>
struct Bakery {
  static_assert(N >= 2 && FullAt >= 1);

  Version version = Version::corrected;

  enum class Place : std::uint8_t {
    outside,
    reads_tickets,
    takes_ticket,
    stops_choosing,
    waits_for_choice,  ///< of another process
    waits_for_turn,    ///< until that process has a later ticket, or none
    critical
  };
  struct Customer {
    Place place = Place::outside;
    bool is_choosing = false;
    std::uint8_t ticket = 0;    ///< 0: none
    std::uint8_t greatest = 0;  ///< that it has read so far
    std::uint8_t other = 0;     ///< at whom it looks

    friend bool operator==(const Customer&, const Customer&) = default;
  };
  struct State {
    std::array<Customer, N> customers{};

    friend bool operator==(const State&, const State&) = default;
  };

  [[nodiscard]] State initial() const { return {}; }

  void successors(const State& state, hocket::model::Emit<State> emit) const {
    for (unsigned p = 0; p < N; ++p) {
      State next = state;
      Customer& me = next.customers[p];
      const Customer& other = state.customers[me.other];
      switch (me.place) {
        case Place::outside:
          if (is_full(state)) break;
          me.is_choosing = version == Version::corrected;
          me.place = Place::reads_tickets;
          me.other = first_other(p);
          emit(p, "begin to choose", next);
          break;
        case Place::reads_tickets:
          me.greatest = std::max(me.greatest, other.ticket);
          if (!look_at_next(me, p)) me.place = Place::takes_ticket;
          emit(p, "read a ticket", next);
          break;
        case Place::takes_ticket:
          me.ticket = static_cast<std::uint8_t>(me.greatest + 1U);
          me.greatest = 0;
          me.place = Place::stops_choosing;
          emit(p, "take a ticket", next);
          break;
        case Place::stops_choosing:
          me.is_choosing = false;
          me.place = Place::waits_for_choice;
          me.other = first_other(p);
          emit(p, "stop choosing", next);
          break;
        case Place::waits_for_choice:
          if (other.is_choosing) break;
          me.place = Place::waits_for_turn;
          emit(p, "see that another does not choose", next);
          break;
        case Place::waits_for_turn:
          if (other.ticket != 0 && std::pair(other.ticket, me.other) < std::pair(me.ticket, own_number(p)))
            break;
          me.place = look_at_next(me, p) ? Place::waits_for_choice : Place::critical;
          emit(p, "see that another is not before", next);
          break;
        case Place::critical:
          me.ticket = 0;
          me.place = Place::outside;
          emit(p, "leave", next);
          break;
      }
    }
  }

  /// At most one process is in its critical section.
  [[nodiscard]] bool holds(const State& state) const {
    return std::ranges::count(state.customers, Place::critical, &Customer::place) <= 1;
  }
  [[nodiscard]] bool may_end(const State& /*state*/) const { return false; }

 private:
  static constexpr std::uint8_t own_number(unsigned p) { return static_cast<std::uint8_t>(p); }
  static constexpr std::uint8_t first_other(unsigned p) { return p == 0 ? 1 : 0; }
  /// Returns false, and resets `me.other`, if there is no further process.
  static bool look_at_next(Customer& me, unsigned p) {
    ++me.other;
    if (me.other == p) ++me.other;
    if (me.other < N) return true;
    me.other = 0;
    return false;
  }
  static bool is_full(const State& state) {
    return std::ranges::any_of(
        state.customers, [](const Customer& customer) { return customer.ticket >= FullAt; });
  }
};

}  // namespace samples::bakery
