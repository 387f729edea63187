// A protocol that transfers data over a channel that damages one message, statement by statement as in the
// model dtp.pml that comes with Spin, so that both have the same states. Statements that cannot be reached
// there are failures here, and variables that do not change after the first statement are left out.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <hocket/model.hpp>

#include "channel.hpp"

namespace samples::data_transfer {

/// A sender, a channel to the receiver, and a receiver that answers directly.
struct DataTransfer {
  enum class Kind : std::uint8_t { none, data, last, query, damaged, nak, ack, ack_last };
  struct Message {
    Kind kind = Kind::none;
    std::int16_t offset = 0;

    friend bool operator==(const Message&, const Message&) = default;
  };
  using Channel = std::array<Message, 2>;

  enum class SenderAt : std::uint8_t {
    start,
    look,
    found_answer,
    branch,
    choose,
    send,
    advance,
    receive,
    got_ack_last,
    answer_ack_last,
    got_ack,
    go_back,
    get_ready,
    got_nak,
    succeed,
    end
  };
  struct Sender {
    SenderAt at = SenderAt::start;
    bool knows_receiver = false;
    std::uint8_t mode = 0;  ///< 1: it sends, 2: it waits for an answer
    Kind kind = Kind::none;
    Message answer{};
    std::int16_t wanted = 0;  ///< the receiver's offset, from the answer
    std::int16_t offset = 0;
    std::int16_t retries = 0;

    friend bool operator==(const Sender&, const Sender&) = default;
  };

  enum class WireAt : std::uint8_t { receive, send, count_damage, send_damaged };
  struct Wire {
    WireAt at = WireAt::receive;
    Message message{};
    bool has_damaged = false;

    friend bool operator==(const Wire&, const Wire&) = default;
  };

  enum class ReceiverAt : std::uint8_t {
    start,
    branch,
    ask,
    asked,
    receive,
    got_damaged,
    has_retried,
    may_retry,
    ask_again,
    got_last,
    got_query,
    got_data,
    answer_if_asked,
    is_not_asked,
    answer,
    remember_offset,
    remember_kind,
    set_retries,
    receive_after_last,
    repeat_answer,
    has_repeated,
    succeed,
    end
  };
  struct Receiver {
    ReceiverAt at = ReceiverAt::start;
    std::uint8_t mode = 0;  ///< 0: it asks, 1: it receives, 2: it has received the last message
    Message message{};
    Kind answer = Kind::none;
    bool is_asked = false;
    Message last_answer{};
    std::int16_t offset = 0;
    std::int16_t retries = 0;
    std::int16_t step = 0;  ///< by which the offset has grown

    friend bool operator==(const Receiver&, const Receiver&) = default;
  };

  struct State {
    bool has_begun = false;
    Sender sender{};
    Wire wire{};
    Receiver receiver{};
    Channel to_wire{};
    Channel to_receiver{};
    Channel to_sender{};

    friend bool operator==(const State&, const State&) = default;
  };

  [[nodiscard]] static State initial() { return {}; }

  // Spin tries the process that was created last first.
  static void successors(const State& state, hocket::model::Emit<State> emit) {
    if (!state.has_begun) {
      State next = state;
      next.has_begun = true;
      return emit(0, "create the processes", next);
    }
    receiver_step(state, emit);
    wire_step(state, emit);
    sender_step(state, emit);
  }

  [[nodiscard]] static bool may_end(const State& state) {
    return state.sender.at == SenderAt::end && state.wire.at == WireAt::receive &&
           state.receiver.at == ReceiverAt::end;
  }

 private:
  enum Process : std::uint8_t { starter, sender, wire, receiver };

  static bool pop(Channel& channel, Message& message) {
    if (is_empty(channel)) return false;
    message = samples::pop(channel);
    return true;
  }

  // Each channel has one process that sends and one that receives, so both are local, except that the sender
  // looks whether there is an answer.

  static void sender_step(const State& state, hocket::model::Emit<State> emit) {
    State next = state;
    Sender& me = next.sender;
    const auto go = [&](SenderAt at, std::string_view action) {
      me.at = at;
      emit.local(sender, action, next);
    };
    switch (me.at) {
      case SenderAt::start:
        me.mode = 2;
        return go(SenderAt::look, "start");
      case SenderAt::look:
        me.at = is_empty(state.to_sender) ? SenderAt::branch : SenderAt::found_answer;
        return emit(sender, "look for an answer", next);
      case SenderAt::found_answer:
        me.mode = 2;
        return go(SenderAt::branch, "decide to receive");
      case SenderAt::branch:
        return go(me.mode == 1 ? SenderAt::choose : SenderAt::receive, "branch");
      case SenderAt::choose:
        me.kind = me.retries > 0 ? Kind::query : me.offset < 3 ? Kind::data : Kind::last;
        return go(SenderAt::send, "choose what to send");
      case SenderAt::send:
        if (push(next.to_wire, Message{me.kind, me.offset})) go(SenderAt::advance, "send");
        return;
      case SenderAt::advance:
        ++me.offset;
        if (me.kind != Kind::data) me.mode = 2;
        return go(SenderAt::look, "advance");
      case SenderAt::receive:
        if (!pop(next.to_sender, me.answer)) return;
        switch (me.answer.kind) {
          case Kind::ack_last:
            return go(SenderAt::got_ack_last, "receive ack of the last message");
          case Kind::ack:
            return go(SenderAt::got_ack, "receive ack");
          case Kind::nak:
            return go(SenderAt::got_nak, "receive nak");
          default:
            return emit.fails(sender, "receive", "this is no answer");
        }
      case SenderAt::got_ack_last:
        me.offset = me.answer.offset;
        return go(SenderAt::answer_ack_last, "take the offset");
      case SenderAt::answer_ack_last:
        if (push(next.to_wire, Message{Kind::ack_last, me.offset})) go(SenderAt::succeed, "answer");
        return;
      case SenderAt::got_ack:
        me.wanted = me.answer.offset;
        return go(SenderAt::go_back, "take the offset");
      case SenderAt::go_back:
        me.retries = 0;
        if (me.offset > me.wanted) return go(SenderAt::look, "ignore a worthless ack");
        me.offset = me.wanted;
        return go(SenderAt::get_ready, "go to the offset");
      case SenderAt::get_ready:
        if (!me.knows_receiver) me.retries = 0;
        me.knows_receiver = true;
        me.mode = 1;
        return go(SenderAt::look, "get ready to send");
      case SenderAt::got_nak:
        me.wanted = me.answer.offset;
        if (me.wanted >= me.offset) return go(SenderAt::go_back, "go on after nak");
        if (++me.retries >= (me.knows_receiver ? 5 : 6)) return emit.fails(sender, "give up", "gives up");
        me.offset = me.wanted;
        return go(SenderAt::get_ready, "go back after nak");
      case SenderAt::succeed:
        return go(SenderAt::end, "succeed");
      case SenderAt::end:
        if (pop(next.to_sender, me.answer)) go(SenderAt::end, "ignore an answer");
        return;
    }
  }

  static void wire_step(const State& state, hocket::model::Emit<State> emit) {
    State next = state;
    Wire& me = next.wire;
    switch (me.at) {
      case WireAt::receive:
        if (!pop(next.to_wire, me.message)) return;
        me.at = WireAt::send;
        return emit.local(wire, "take a message", next);
      case WireAt::send:
        if (push(next.to_receiver, me.message)) {
          me.at = WireAt::receive;
          send_step(state, "hand it on", next, emit);
        }
        if (me.has_damaged || me.message.kind == Kind::ack_last) return;
        next = state;
        me.at = WireAt::count_damage;
        return send_step(state, "decide to damage it", next, emit);
      case WireAt::count_damage:
        me.has_damaged = true;
        me.at = WireAt::send_damaged;
        return emit.local(wire, "count it", next);
      case WireAt::send_damaged:
        if (!push(next.to_receiver, Message{Kind::damaged, me.message.offset})) return;
        me.at = WireAt::receive;
        return emit.local(wire, "hand it on damaged", next);
    }
  }
  /// While the channel is full the receiver can give the wire a further step.
  static void send_step(
      const State& state, std::string_view action, const State& next, hocket::model::Emit<State> emit) {
    if (state.to_receiver.back().kind == Kind::none) {
      emit.local(wire, action, next);
    } else {
      emit(wire, action, next);
    }
  }

  static void receiver_step(const State& state, hocket::model::Emit<State> emit) {
    State next = state;
    Receiver& me = next.receiver;
    const auto go = [&](ReceiverAt at, std::string_view action) {
      me.at = at;
      emit.local(receiver, action, next);
    };
    const auto send_and_go = [&](Message message, ReceiverAt at, std::string_view action) {
      if (!push(next.to_sender, message)) return;
      me.at = at;
      emit(receiver, action, next);
    };
    switch (me.at) {
      case ReceiverAt::start:
        return go(ReceiverAt::branch, "start");
      case ReceiverAt::branch:
        return go(me.mode == 0   ? ReceiverAt::ask
                  : me.mode == 1 ? ReceiverAt::receive
                                 : ReceiverAt::receive_after_last,
            "branch");
      case ReceiverAt::ask:
        return send_and_go({Kind::nak, me.offset}, ReceiverAt::asked, "ask");
      case ReceiverAt::asked:
        me.mode = 1;
        return go(ReceiverAt::branch, "decide to receive");
      case ReceiverAt::receive:
        if (!pop(next.to_receiver, me.message)) return;
        me.answer = Kind::ack;
        switch (me.message.kind) {
          case Kind::damaged:
            return go(ReceiverAt::got_damaged, "receive something damaged");
          case Kind::last:
            return go(ReceiverAt::got_last, "receive the last message");
          case Kind::query:
            return go(ReceiverAt::got_query, "receive query");
          case Kind::data:
            return go(ReceiverAt::got_data, "receive data");
          default:
            return emit.fails(receiver, "receive", "this is no message");
        }
      case ReceiverAt::got_damaged:
        ++me.retries;
        return go(ReceiverAt::has_retried, "count retries");
      case ReceiverAt::has_retried:
        if (me.retries >= 7) return emit.fails(receiver, "give up", "gives up");
        return go(ReceiverAt::may_retry, "few retries");
      case ReceiverAt::may_retry:
        return go(ReceiverAt::ask_again, "retry");
      case ReceiverAt::ask_again:
        if (me.retries == 0) return emit.fails(receiver, "retry", "there were no retries");
        me.mode = 0;
        return go(ReceiverAt::branch, "decide to ask");
      case ReceiverAt::got_last:
        me.answer = Kind::ack_last;
        me.mode = 2;
        return go(ReceiverAt::got_query, "note the last message");
      case ReceiverAt::got_query:
        me.is_asked = true;
        return go(ReceiverAt::got_data, "note that it is asked");
      case ReceiverAt::got_data:
        if (me.message.offset > me.offset) return go(ReceiverAt::got_damaged, "miss a message");
        me.step = me.message.offset == me.offset ? 1 : 0;
        me.offset = static_cast<std::int16_t>(me.offset + me.step);
        return go(ReceiverAt::answer_if_asked, "take the data");
      case ReceiverAt::answer_if_asked:
        return me.is_asked ? go(ReceiverAt::answer, "is asked")
                           : go(ReceiverAt::is_not_asked, "is not asked");
      case ReceiverAt::is_not_asked:
        return go(ReceiverAt::set_retries, "do not answer");
      case ReceiverAt::answer:
        return send_and_go({me.answer, me.offset}, ReceiverAt::remember_offset, "answer");
      case ReceiverAt::remember_offset:
        me.last_answer.offset = me.offset;
        return go(ReceiverAt::remember_kind, "remember the offset");
      case ReceiverAt::remember_kind:
        me.last_answer.kind = me.answer;
        return go(ReceiverAt::set_retries, "remember the answer");
      case ReceiverAt::set_retries:
        me.retries = me.answer == Kind::ack_last ? -2 : 2;
        return go(ReceiverAt::branch, "set retries");
      case ReceiverAt::receive_after_last:
        if (!pop(next.to_receiver, me.message)) return;
        return me.message.kind == Kind::ack_last ? go(ReceiverAt::succeed, "receive the answer")
                                                 : go(ReceiverAt::repeat_answer, "receive something else");
      case ReceiverAt::repeat_answer:
        return send_and_go(me.last_answer, ReceiverAt::has_repeated, "repeat the answer");
      case ReceiverAt::has_repeated:
        me.retries = -2;
        return go(ReceiverAt::branch, "set retries");
      case ReceiverAt::succeed:
        return go(ReceiverAt::end, "succeed");
      case ReceiverAt::end:
        if (pop(next.to_receiver, me.message)) go(ReceiverAt::end, "ignore a message");
        return;
    }
  }
};

}  // namespace samples::data_transfer
