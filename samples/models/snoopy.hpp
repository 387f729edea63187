// A snooping cache: two processors with a cache each, which share a bus (Goodman, Using Cache Memory to
// Reduce Processor-Memory Traffic, 1983), statement by statement as in the model snoopy.pml that comes with
// Spin, so that both have the same states. The numbers of places are Spin's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hocket/model.hpp>

#include "channel.hpp"

namespace samples::snoopy {

enum class Message : std::uint8_t {
  none,
  read,
  write,
  read_and_write,
  bus_read,       ///< RD
  bus_write,      ///< WR, which nobody sends
  bus_exclusive,  ///< RX
  invalidate,     ///< MX
  invalidated,    ///< MXdone
  request,
  to_bus,    ///< CtoB
  from_bus,  ///< BtoC
  grant,
  done
};

/// What a cache holds.
enum class Line : std::uint8_t { writable = 1, readable = 2, invalid = 3 };

/// A channel of one of the two sides.
enum class Channel : std::uint8_t { to_cpu, from_cpu, to_bus, from_bus, granted, claimed, released };

/// A statement of a process: from one place to another, if it is possible.
struct Statement {
  enum class Kind : std::uint8_t {
    sends,
    receives,
    if_line_is,
    if_line_is_not,
    set_line,
    if_wants,
    set_wanted
  };
  std::uint8_t at;
  std::uint8_t to;
  Kind kind;
  Channel channel{};
  Message message{};  ///< also what a cache wants
  Line line{};
  std::uint8_t side = 0;  ///< of the channel, for the bus and the arbiter
};

constexpr Statement send(int at, int to, Channel channel, Message message, int side = 0) {
  return {static_cast<std::uint8_t>(at), static_cast<std::uint8_t>(to), Statement::Kind::sends, channel,
      message, {}, static_cast<std::uint8_t>(side)};
}
constexpr Statement receive(int at, int to, Channel channel, Message message, int side = 0) {
  return {static_cast<std::uint8_t>(at), static_cast<std::uint8_t>(to), Statement::Kind::receives, channel,
      message, {}, static_cast<std::uint8_t>(side)};
}
constexpr Statement on_line(int at, int to, Statement::Kind kind, Line line) {
  return {static_cast<std::uint8_t>(at), static_cast<std::uint8_t>(to), kind, {}, {}, line};
}
constexpr Statement on_wanted(int at, int to, Statement::Kind kind, Message message) {
  return {static_cast<std::uint8_t>(at), static_cast<std::uint8_t>(to), kind, {}, message};
}

using enum Statement::Kind;

inline constexpr std::array kCpu{
    send(7, 2, Channel::from_cpu, Message::read),
    send(7, 4, Channel::from_cpu, Message::write),
    send(7, 6, Channel::from_cpu, Message::read_and_write),
    receive(2, 7, Channel::to_cpu, Message::done),
    receive(4, 7, Channel::to_cpu, Message::done),
    receive(6, 7, Channel::to_cpu, Message::done),
};

inline constexpr std::array kCache{
    // Between requests of its processor.
    receive(47, 7, Channel::from_bus, Message::bus_read),
    receive(47, 10, Channel::from_bus, Message::invalidate),
    receive(47, 21, Channel::from_bus, Message::bus_exclusive),
    receive(47, 29, Channel::from_cpu, Message::read),
    receive(47, 37, Channel::from_cpu, Message::write),
    receive(47, 45, Channel::from_cpu, Message::read_and_write),
    on_line(7, 3, if_line_is, Line::writable),
    on_line(7, 6, if_line_is_not, Line::writable),
    on_line(3, 4, set_line, Line::readable),
    send(4, 47, Channel::to_bus, Message::to_bus),
    send(6, 47, Channel::to_bus, Message::done),
    on_line(10, 11, set_line, Line::invalid),
    send(11, 47, Channel::to_bus, Message::invalidated),
    on_line(21, 14, if_line_is, Line::writable),
    on_line(21, 17, if_line_is, Line::readable),
    on_line(21, 20, if_line_is, Line::invalid),
    on_line(14, 15, set_line, Line::invalid),
    send(15, 47, Channel::to_bus, Message::to_bus),
    on_line(17, 18, set_line, Line::invalid),
    send(18, 47, Channel::to_bus, Message::done),
    send(20, 47, Channel::to_bus, Message::done),
    on_line(29, 25, if_line_is_not, Line::invalid),
    on_line(29, 27, if_line_is, Line::invalid),
    send(25, 47, Channel::to_cpu, Message::done),
    on_wanted(27, 50, set_wanted, Message::bus_read),
    on_line(37, 33, if_line_is, Line::writable),
    on_line(37, 35, if_line_is_not, Line::writable),
    send(33, 47, Channel::to_cpu, Message::done),
    on_wanted(35, 50, set_wanted, Message::invalidate),
    on_line(45, 41, if_line_is, Line::writable),
    on_line(45, 43, if_line_is_not, Line::writable),
    send(41, 47, Channel::to_cpu, Message::done),
    on_wanted(43, 50, set_wanted, Message::bus_exclusive),
    // While it waits for the bus.
    send(50, 84, Channel::claimed, Message::request),
    receive(84, 57, Channel::from_bus, Message::bus_read),
    receive(84, 60, Channel::from_bus, Message::invalidate),
    receive(84, 71, Channel::from_bus, Message::bus_exclusive),
    receive(84, 80, Channel::granted, Message::grant),
    on_line(57, 53, if_line_is, Line::writable),
    on_line(57, 56, if_line_is_not, Line::writable),
    on_line(53, 54, set_line, Line::readable),
    send(54, 84, Channel::to_bus, Message::to_bus),
    send(56, 84, Channel::to_bus, Message::done),
    on_line(60, 61, set_line, Line::invalid),
    send(61, 84, Channel::to_bus, Message::invalidated),
    on_line(71, 64, if_line_is, Line::writable),
    on_line(71, 67, if_line_is, Line::readable),
    on_line(71, 70, if_line_is, Line::invalid),
    on_line(64, 65, set_line, Line::invalid),
    send(65, 84, Channel::to_bus, Message::to_bus),
    on_line(67, 68, set_line, Line::invalid),
    send(68, 84, Channel::to_bus, Message::done),
    send(70, 84, Channel::to_bus, Message::done),
    // With the bus.
    on_wanted(80, 75, if_wants, Message::bus_read),
    on_wanted(80, 77, if_wants, Message::invalidate),
    on_wanted(80, 79, if_wants, Message::bus_exclusive),
    on_line(75, 82, set_line, Line::readable),
    on_line(77, 82, set_line, Line::writable),
    on_line(79, 82, set_line, Line::writable),
    send(82, 87, Channel::to_cpu, Message::done),
    send(87, 97, Channel::released, Message::done),
    on_wanted(97, 89, if_wants, Message::bus_read),
    on_wanted(97, 92, if_wants, Message::invalidate),
    on_wanted(97, 95, if_wants, Message::bus_exclusive),
    send(89, 90, Channel::to_bus, Message::bus_read),
    receive(90, 47, Channel::from_bus, Message::from_bus),
    send(92, 93, Channel::to_bus, Message::invalidate),
    receive(93, 47, Channel::from_bus, Message::done),
    send(95, 96, Channel::to_bus, Message::bus_exclusive),
    receive(96, 47, Channel::from_bus, Message::from_bus),
};

inline constexpr std::array kArbiter{
    receive(7, 2, Channel::claimed, Message::request, 0),
    receive(7, 5, Channel::claimed, Message::request, 1),
    send(2, 3, Channel::granted, Message::grant, 0),
    receive(3, 7, Channel::released, Message::done, 0),
    send(5, 6, Channel::granted, Message::grant, 1),
    receive(6, 7, Channel::released, Message::done, 1),
};

/// The bus hands on what comes from one side to the other side.
constexpr auto statements_of_the_bus() {
  struct Handed {
    Message from;
    Message to;
  };
  constexpr std::array kHanded{Handed{Message::to_bus, Message::from_bus},
      Handed{Message::done, Message::from_bus}, Handed{Message::invalidated, Message::done},
      Handed{Message::bus_read, Message::bus_read}, Handed{Message::invalidate, Message::invalidate},
      Handed{Message::bus_exclusive, Message::bus_exclusive}};
  std::array<Statement, 4 * kHanded.size()> all{};
  for (std::size_t n = 0; n < 2 * kHanded.size(); ++n) {
    const int side = static_cast<int>(n % 2);
    const int place = static_cast<int>(2 + 2 * n);
    all[n] = receive(25, place, Channel::to_bus, kHanded[n / 2].from, side);
    all[n + 2 * kHanded.size()] = send(place, 25, Channel::from_bus, kHanded[n / 2].to, 1 - side);
  }
  return all;
}
inline constexpr std::array kBus = statements_of_the_bus();

struct Snoopy {
  static constexpr std::size_t kSize = 2;  ///< of each channel
  using Queue = std::array<Message, kSize>;
  struct Cache {
    Line line = Line::invalid;
    Message wanted = Message::none;

    friend bool operator==(const Cache&, const Cache&) = default;
  };
  /// The processes in the order of their creation.
  enum Process : std::uint8_t { cpu0, cpu1, cache0, cache1, bus, arbiter, kProcesses };
  struct State {
    bool has_begun = false;
    std::array<std::uint8_t, kProcesses> at{};
    std::array<Cache, 2> caches{};
    std::array<std::array<Queue, 7>, 2> channels{};

    friend bool operator==(const State&, const State&) = default;
  };

  [[nodiscard]] static State initial() { return {}; }

  // Spin tries the process that was created last first.
  static void successors(const State& state, hocket::model::Emit<State> emit) {
    if (!state.has_begun) {
      State next = state;
      next.has_begun = true;
      next.at = {7, 7, 47, 47, 25, 7};
      return emit(0, "create the processes", next);
    }
    take(state, arbiter, kArbiter, 0, emit);
    take(state, bus, kBus, 0, emit);
    take(state, cache1, kCache, 1, emit);
    take(state, cache0, kCache, 0, emit);
    take(state, cpu1, kCpu, 1, emit);
    take(state, cpu0, kCpu, 0, emit);
  }

 private:
  static Queue& queue(State& state, const Statement& statement, unsigned side) {
    return state.channels[side][static_cast<std::size_t>(statement.channel)];
  }

  static void take(const State& state, Process process, std::span<const Statement> statements, unsigned side,
      hocket::model::Emit<State> emit) {
    const bool is_local = uses_one_channel(statements, state.at[process]);
    for (const Statement& statement : statements) {
      if (statement.at != state.at[process]) continue;
      State next = state;
      if (!carry_out(statement, next, process >= bus ? statement.side : side)) continue;
      next.at[process] = statement.to;
      if (is_local) {
        emit.local(process + 1U, "step", next);
      } else {
        emit(process + 1U, "step", next);
      }
    }
  }

  /// Each channel has one process that sends and one that receives. So what a process can do at a place is
  /// local, unless it may receive from several channels: then another process can give it a further step.
  static bool uses_one_channel(std::span<const Statement> statements, std::uint8_t at) {
    const Statement* first = nullptr;
    for (const Statement& statement : statements) {
      if (statement.at != at) continue;
      if (first == nullptr) first = &statement;
      if (statement.channel != first->channel || statement.side != first->side) return false;
    }
    return true;
  }

  /// Returns whether the statement is possible.
  static bool carry_out(const Statement& statement, State& state, unsigned side) {
    Cache& cache = state.caches[side];
    Queue& channel = queue(state, statement, side);
    switch (statement.kind) {
      case sends:
        return push(channel, statement.message);
      case receives:
        return pop(channel, statement.message);
      case if_line_is:
        return cache.line == statement.line;
      case if_line_is_not:
        return cache.line != statement.line;
      case set_line:
        cache.line = statement.line;
        return true;
      case if_wants:
        return cache.wanted == statement.message;
      case set_wanted:
        cache.wanted = statement.message;
        return true;
    }
    return false;
  }
  static bool pop(Queue& queue, Message message) {
    if (queue.front() != message) return false;
    samples::pop(queue);
    return true;
  }
};

}  // namespace samples::snoopy
