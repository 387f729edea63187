// A server lends one file to clients: a client asks to open it, writes, and closes it. A client may also give
// up while it waits for the file.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include <hocket/model.hpp>

#include "samples/unmodified/version.hpp"

namespace samples::file_server {

/// N clients. A client that gives up tells the server so with the message that closes the file. The buggy
/// server then takes the file to be free, no matter who has it.
template <unsigned N>
struct FileServer {
  static_assert(N >= 2);

  Version version = Version::corrected;

  static constexpr hocket::model::Process kServer = N;
  static constexpr std::uint8_t kNobody = N;

  enum class Place : std::uint8_t { closed, opening, open, writing, closing };
  enum class Request : std::uint8_t { none, open, write, close };
  enum class Answer : std::uint8_t { none, opened, written, closed };

  struct Client {
    Place place = Place::closed;
    Request request = Request::none;  ///< in the server's mailbox for this client
    Answer answer = Answer::none;     ///< in the client's mailbox
    bool is_waiting = false;          ///< in the server's list

    friend bool operator==(const Client&, const Client&) = default;
  };
  struct State {
    std::array<Client, N> clients{};
    std::uint8_t owner = kNobody;  ///< who has the file, as the server sees it

    friend bool operator==(const State&, const State&) = default;
  };

  [[nodiscard]] State initial() const { return {}; }

  void successors(const State& state, hocket::model::Emit<State> emit) const {
    for (unsigned c = 0; c < N; ++c) {
      requests(state, c, emit);
      receptions(state, c, emit);
      server_steps(state, c, emit);
    }
  }

  /// At most one client has the file open.
  [[nodiscard]] bool holds(const State& state) const {
    return std::ranges::count_if(state.clients, [](const Client& client) {
      return client.place == Place::open || client.place == Place::writing;
    }) <= 1;
  }
  [[nodiscard]] bool may_end(const State& /*state*/) const { return false; }

  [[nodiscard]] std::string process_name(hocket::model::Process p) const {
    return p == kServer ? "server" : "client " + std::to_string(p);
  }

 private:
  /// What client `c` can ask for. It sends a request when the server has read the one before.
  static void requests(const State& state, unsigned c, hocket::model::Emit<State> emit) {
    if (state.clients[c].request != Request::none) return;
    const auto request = [&](const char* action, Request what, Place place) {
      State next = state;
      next.clients[c].request = what;
      next.clients[c].place = place;
      emit(c, action, next);
    };
    switch (state.clients[c].place) {
      case Place::closed:
        request("ask for the file", Request::open, Place::opening);
        break;
      case Place::opening:
        request("give up", Request::close, Place::closing);
        break;
      case Place::open:
        request("write", Request::write, Place::writing);
        request("close", Request::close, Place::closing);
        break;
      case Place::writing:
      case Place::closing:
        break;
    }
  }

  /// What client `c` does with an answer. One that has given up ignores that it got the file.
  static void receptions(const State& state, unsigned c, hocket::model::Emit<State> emit) {
    State next = state;
    Client& me = next.clients[c];
    me.answer = Answer::none;
    switch (state.clients[c].answer) {
      case Answer::none:
        break;
      case Answer::opened:
        if (me.place == Place::opening) me.place = Place::open;
        emit(c, "hear that the file is open", next);
        break;
      case Answer::written:
        me.place = Place::open;
        emit(c, "hear that it was written", next);
        break;
      case Answer::closed:
        me.place = Place::closed;
        emit(c, "hear that the file is closed", next);
        break;
    }
  }

  /// What the server can do with client `c`. It waits until the client has read its answer before.
  void server_steps(const State& state, unsigned c, hocket::model::Emit<State> emit) const {
    if (state.clients[c].answer != Answer::none) return;
    State next = state;
    Client& client = next.clients[c];
    client.request = Request::none;
    switch (state.clients[c].request) {
      case Request::none:
        if (!client.is_waiting || state.owner != kNobody) break;
        client.is_waiting = false;
        client.answer = Answer::opened;
        next.owner = static_cast<std::uint8_t>(c);
        emit(kServer, "open the file", next);
        break;
      case Request::open:
        client.is_waiting = true;
        emit(kServer, "put a client on the list", next);
        break;
      case Request::write:
        client.answer = Answer::written;
        if (state.owner == c) {
          emit(kServer, "write", next);
        } else {
          emit.fails(kServer, "write", "a client writes to a file that is not open");
        }
        break;
      case Request::close:
        client.is_waiting = false;
        client.answer = Answer::closed;
        if (version == Version::buggy || state.owner == c) next.owner = kNobody;
        emit(kServer, "close the file", next);
        break;
    }
  }
};

}  // namespace samples::file_server
