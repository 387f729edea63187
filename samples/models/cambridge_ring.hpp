// The basic protocol of the Cambridge Ring (Needham and Herbert, The Cambridge Distributed Computing System,
// 1982) over channels that lose messages, statement by statement as in the model cambridge.pml that comes
// with Spin, so that both have the same states.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <hocket/model.hpp>

#include "channel.hpp"

namespace samples::cambridge_ring {

/// A sender and a receiver with a channel to each of them. Messages are numbered modulo 4.
struct CambridgeRing {
  enum class Kind : std::uint8_t { none, ready, not_ready, data, no_data, reset };
  struct Message {
    Kind kind = Kind::none;
    std::uint8_t number = 0;

    friend bool operator==(const Message&, const Message&) = default;
  };
  using Channel = std::array<Message, 6>;

  enum class SenderAt : std::uint8_t {
    idle,
    idle_lost,
    answer_reset,
    forget_number,
    got_ready,
    advance,
    choose,
    send_data,  ///< in an atomic sequence that is blocked
    essential,  ///< an essential element was sent
    essential_lost,
    compare,
    got_not_ready,
    timed_out,
    repeat_data,
    other,  ///< an element was sent that is not essential
    other_lost,
    other_got_ready,
    repeat_no_data,
    reset,
    resetting,
    resetting_lost,
    resetting_got,
    restart
  };
  struct Sender {
    SenderAt at = SenderAt::idle;
    std::int8_t number = -1;
    Message got{};  ///< of the kind only the last one in a reset is kept

    friend bool operator==(const Sender&, const Sender&) = default;
  };
  enum class ReceiverAt : std::uint8_t {
    idle,
    idle_lost,
    answer_reset,
    clear_number,
    clear_expected,
    answer,  ///< in an atomic sequence that is blocked
    idle_got_no_data,
    begin,
    essential,  ///< an essential element is expected
    essential_lost,
    got_no_data,
    timed_out,
    repeat_ready,
    other,  ///< an element is expected that is not essential
    other_lost,
    other_got_data,
    decide_to_repeat,
    repeat_not_ready,
    reset,
    resetting,
    resetting_lost,
    resetting_got,
    restart,
    restart_expected
  };
  struct Receiver {
    ReceiverAt at = ReceiverAt::idle;
    std::uint8_t number = 0;
    std::uint8_t expected = 0;
    Message got{};  ///< of the kind only the last one in a reset is kept

    friend bool operator==(const Receiver&, const Receiver&) = default;
  };
  struct State {
    Sender sender{};
    Receiver receiver{};
    Channel to_sender{};
    Channel to_receiver{};

    friend bool operator==(const State&, const State&) = default;
  };

  [[nodiscard]] static State initial() { return {}; }

  // Spin tries the process that was created last first. A timeout is possible only if nothing else is.
  static void successors(const State& state, hocket::model::Emit<State> emit) {
    Steps receiver{emit, 1};
    Steps sender{emit, 0};
    receive(state, receiver);
    send(state, sender);
    if (receiver.has_any || sender.has_any) return;
    State next = state;
    next.receiver.at = ReceiverAt::reset;
    if (state.receiver.at == ReceiverAt::resetting) emit(1, "time out", next);
    next = state;
    next.sender.at = SenderAt::reset;
    if (state.sender.at == SenderAt::resetting) emit(0, "time out", next);
  }

  /// There is always a step.
  [[nodiscard]] static bool may_end(const State& /*state*/) { return false; }

 private:
  static bool push(Channel& channel, Kind kind, int number) {
    return samples::push(channel, Message{kind, static_cast<std::uint8_t>(number)});
  }
  static std::uint8_t after(int number) { return static_cast<std::uint8_t>((number + 1) % 4); }

  /// The steps of one process. What it does with channels is not local: processes look whether they are
  /// empty, and how far an atomic step goes depends on whether they are full.
  struct Steps {
    hocket::model::Emit<State> emit;
    hocket::model::Process process;
    bool has_any = false;

    void operator()(std::string_view action, const State& next) {
      has_any = true;
      emit(process, action, next);
    }
    void local(std::string_view action, const State& next) {
      has_any = true;
      emit.local(process, action, next);
    }
    void require(bool condition, std::string_view action, const State& next) {
      has_any = true;
      if (!condition) return emit.fails(process, action, "the message has a wrong number");
      emit.local(process, action, next);
    }
  };

  static Sender& side_of(State& state, SenderAt /*at*/) { return state.sender; }
  static Receiver& side_of(State& state, ReceiverAt /*at*/) { return state.receiver; }
  static Channel& channel_to(State& state, SenderAt /*at*/) { return state.to_sender; }
  static Channel& channel_to(State& state, ReceiverAt /*at*/) { return state.to_receiver; }

  /// Goes to `at`, a place of the sender or of the receiver, without the message that comes first there.
  template <class At>
  static void lose(State state, At at, Steps& steps) {
    Channel& channel = channel_to(state, at);
    if (is_empty(channel)) return;
    pop(channel);
    side_of(state, at).at = at;
    steps("lose", state);
  }
  template <class At>
  static void take(State state, Kind kind, At at, Steps& steps) {
    Channel& channel = channel_to(state, at);
    if (channel.front().kind != kind) return;
    const std::uint8_t number = pop(channel).number;
    if (kind != Kind::reset) side_of(state, at).got.number = number;
    side_of(state, at).at = at;
    steps("receive", state);
  }

  static void send(const State& state, Steps& steps) {
    State next = state;
    Sender& me = next.sender;
    const auto go = [&](SenderAt at, std::string_view action) {
      me.at = at;
      steps.local(action, next);
    };
    const auto push_and_go = [&](Kind kind, int number, SenderAt at, std::string_view action) {
      next = state;
      if (!push(next.to_receiver, kind, number)) return;
      me.at = at;
      steps(action, next);
    };
    const auto give_up = [&] {
      next = state;
      me.at = SenderAt::reset;
      steps("decide to reset", next);
    };
    const int number = me.number;
    switch (me.at) {
      case SenderAt::idle:
        lose(state, SenderAt::idle_lost, steps);
        take(state, Kind::reset, SenderAt::answer_reset, steps);
        take(state, Kind::ready, SenderAt::got_ready, steps);
        take(state, Kind::not_ready, SenderAt::got_not_ready, steps);
        return give_up();
      case SenderAt::idle_lost:
        return go(SenderAt::idle, "notice nothing");
      case SenderAt::answer_reset:
        return push_and_go(Kind::reset, 0, SenderAt::forget_number, "answer reset");
      case SenderAt::forget_number:
      case SenderAt::restart:
        me.number = -1;
        return go(SenderAt::idle, "forget the number");
      case SenderAt::got_ready:
        me.at = SenderAt::advance;
        return steps.require(me.got.number == after(number), "assert", next);
      case SenderAt::advance:
        me.number = static_cast<std::int8_t>(after(number));
        return go(SenderAt::choose, "advance");
      case SenderAt::choose:
        // Choosing to send data goes on atomically, as far as it can.
        if (push(next.to_receiver, Kind::data, number)) {
          me.at = SenderAt::essential;
        } else {
          me.at = SenderAt::send_data;
        }
        steps("send data", next);
        return push_and_go(Kind::no_data, number, SenderAt::other, "send no data");
      case SenderAt::send_data:
        return push_and_go(Kind::data, number, SenderAt::essential, "send data");
      case SenderAt::essential:
        lose(state, SenderAt::essential_lost, steps);
        take(state, Kind::reset, SenderAt::answer_reset, steps);
        take(state, Kind::ready, SenderAt::compare, steps);
        take(state, Kind::not_ready, SenderAt::got_not_ready, steps);
        me.at = SenderAt::timed_out;
        if (is_empty(state.to_sender)) steps("time out", next);
        return give_up();
      case SenderAt::essential_lost:
        return go(SenderAt::essential, "notice nothing");
      case SenderAt::compare:
        if (me.got.number == number) return go(SenderAt::repeat_data, "is not acknowledged");
        me.at = SenderAt::advance;
        return steps.require(me.got.number == after(number), "is acknowledged", next);
      case SenderAt::got_not_ready:
        me.at = SenderAt::idle;
        return steps.require(me.got.number == after(number), "assert", next);
      case SenderAt::timed_out:
        return go(SenderAt::repeat_data, "print");
      case SenderAt::repeat_data:
        return push_and_go(Kind::data, number, SenderAt::essential, "repeat data");
      case SenderAt::other:
        lose(state, SenderAt::other_lost, steps);
        take(state, Kind::reset, SenderAt::answer_reset, steps);
        take(state, Kind::ready, SenderAt::other_got_ready, steps);
        push_and_go(Kind::data, number, SenderAt::essential, "send data");
        return give_up();
      case SenderAt::other_lost:
        return go(SenderAt::other, "notice nothing");
      case SenderAt::other_got_ready:
        me.at = SenderAt::repeat_no_data;
        return steps.require(me.got.number == number, "assert", next);
      case SenderAt::repeat_no_data:
        return push_and_go(Kind::no_data, number, SenderAt::other, "repeat no data");
      case SenderAt::reset:
        return push_and_go(Kind::reset, 0, SenderAt::resetting, "send reset");
      case SenderAt::resetting:
        lose(state, SenderAt::resetting_lost, steps);
        if (is_empty(state.to_sender)) return;
        me.got = pop(next.to_sender);
        me.at = SenderAt::resetting_got;
        return steps("receive", next);
      case SenderAt::resetting_lost:
        return go(SenderAt::resetting, "notice nothing");
      case SenderAt::resetting_got:
        return me.got.kind == Kind::reset ? go(SenderAt::restart, "is reset")
                                          : go(SenderAt::resetting, "ignore it");
    }
  }
  static void receive(const State& state, Steps& steps) {
    State next = state;
    Receiver& me = next.receiver;
    const auto go = [&](ReceiverAt at, std::string_view action) {
      me.at = at;
      steps.local(action, next);
    };
    const auto push_and_go = [&](Kind kind, int number, ReceiverAt at, std::string_view action) {
      next = state;
      if (!push(next.to_sender, kind, number)) return;
      me.at = at;
      steps(action, next);
    };
    const auto give_up = [&] {
      next = state;
      me.at = ReceiverAt::reset;
      steps("decide to reset", next);
    };
    const std::uint8_t number = me.number;
    switch (me.at) {
      case ReceiverAt::idle:
        lose(state, ReceiverAt::idle_lost, steps);
        take(state, Kind::reset, ReceiverAt::answer_reset, steps);
        take_data(state, steps);
        take(state, Kind::no_data, ReceiverAt::idle_got_no_data, steps);
        me.at = ReceiverAt::begin;
        if (is_empty(state.to_receiver)) steps("begin", next);
        return give_up();
      case ReceiverAt::idle_lost:
        return go(ReceiverAt::idle, "notice nothing");
      case ReceiverAt::answer_reset:
        return push_and_go(Kind::reset, 0, ReceiverAt::clear_number, "answer reset");
      case ReceiverAt::clear_number:
        me.number = 0;
        return go(ReceiverAt::clear_expected, "clear the number");
      case ReceiverAt::clear_expected:
      case ReceiverAt::restart_expected:
        me.expected = 0;
        return go(ReceiverAt::idle, "clear the expected number");
      case ReceiverAt::answer:
        return answer(state, steps);
      case ReceiverAt::idle_got_no_data:
      case ReceiverAt::got_no_data:
        me.at = ReceiverAt::idle;
        return steps.require(me.got.number == number, "assert", next);
      case ReceiverAt::begin:
        return push_and_go(Kind::ready, number, ReceiverAt::essential, "send ready");
      case ReceiverAt::essential:
        lose(state, ReceiverAt::essential_lost, steps);
        take(state, Kind::reset, ReceiverAt::answer_reset, steps);
        take_data(state, steps);
        take(state, Kind::no_data, ReceiverAt::got_no_data, steps);
        me.at = ReceiverAt::timed_out;
        if (is_empty(state.to_receiver)) steps("time out", next);
        return give_up();
      case ReceiverAt::essential_lost:
        return go(ReceiverAt::essential, "notice nothing");
      case ReceiverAt::timed_out:
        return go(ReceiverAt::repeat_ready, "print");
      case ReceiverAt::repeat_ready:
        return push_and_go(Kind::ready, number, ReceiverAt::essential, "repeat ready");
      case ReceiverAt::other:
        lose(state, ReceiverAt::other_lost, steps);
        take(state, Kind::reset, ReceiverAt::answer_reset, steps);
        take(state, Kind::data, ReceiverAt::other_got_data, steps);
        push_and_go(Kind::ready, number, ReceiverAt::essential, "send ready");
        return give_up();
      case ReceiverAt::other_lost:
        return go(ReceiverAt::other, "notice nothing");
      case ReceiverAt::other_got_data:
        me.at = ReceiverAt::decide_to_repeat;
        return steps.require(after(me.got.number) == number, "assert", next);
      case ReceiverAt::decide_to_repeat:
        return go(ReceiverAt::repeat_not_ready, "print");
      case ReceiverAt::repeat_not_ready:
        return push_and_go(Kind::not_ready, number, ReceiverAt::other, "repeat not ready");
      case ReceiverAt::reset:
        return push_and_go(Kind::reset, 0, ReceiverAt::resetting, "send reset");
      case ReceiverAt::resetting:
        lose(state, ReceiverAt::resetting_lost, steps);
        if (is_empty(state.to_receiver)) return;
        me.got = pop(next.to_receiver);
        me.at = ReceiverAt::resetting_got;
        return steps("receive", next);
      case ReceiverAt::resetting_lost:
        return go(ReceiverAt::resetting, "notice nothing");
      case ReceiverAt::resetting_got:
        return me.got.kind == Kind::reset ? go(ReceiverAt::restart, "is reset")
                                          : go(ReceiverAt::resetting, "ignore it");
      case ReceiverAt::restart:
        me.number = 0;
        return go(ReceiverAt::restart_expected, "clear the number");
    }
  }
  /// Takes data, and answers in the same atomic step if it is not a repetition.
  static void take_data(const State& state, Steps& steps) {
    if (state.to_receiver.front().kind != Kind::data) return;
    State next = state;
    Receiver& me = next.receiver;
    me.got.number = pop(next.to_receiver).number;
    if (me.at == ReceiverAt::essential && after(me.got.number) == me.number) {
      me.at = ReceiverAt::repeat_ready;
      return steps("receive data again", next);
    }
    if (me.got.number != me.number || me.got.number != me.expected)
      return steps.require(false, "receive data", next);
    me.number = me.expected = after(me.number);
    answer(next, steps);
    if (next.to_sender.back().kind == Kind::none) return;
    me.at = ReceiverAt::answer;
    steps("receive data and wait", next);
  }
  static void answer(const State& state, Steps& steps) {
    State next = state;
    if (!push(next.to_sender, Kind::ready, next.receiver.number)) return;
    next.receiver.at = ReceiverAt::essential;
    steps("answer ready", next);
    next = state;
    push(next.to_sender, Kind::not_ready, next.receiver.number);
    next.receiver.at = ReceiverAt::other;
    steps("answer not ready", next);
  }
};

}  // namespace samples::cambridge_ring
