// The flow control layer of a file transfer protocol (Holzmann, Design and Validation of Computer Protocols,
// 1991) over a link that loses messages, statement by statement as in the model pftp.pml that comes with
// Spin, so that both have the same states.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <hocket/model.hpp>

#include "channel.hpp"

namespace samples::flow_control {

/// A user sends white, red and blue messages through two layers, and another user receives them.
struct FlowControl {
  static constexpr unsigned kNumbers = 4;  ///< messages are numbered modulo this
  static constexpr unsigned kWindow = 2;   ///< most messages that are not acknowledged

  enum class Kind : std::uint8_t { none, red, white, blue, ack, sync, sync_ack };
  struct Message {
    Kind kind = Kind::none;
    std::uint8_t number = 0;

    friend bool operator==(const Message&, const Message&) = default;
  };
  using Channel = std::array<Message, 2>;

  /// What a layer does next.
  enum class LayerAt : std::uint8_t {
    idle,
    sort,
    answer_sync,
    deliver_sync_ack,
    got_data,
    decide_about_ack,
    repeat_ack,
    deliver,
    acknowledge,
    expect_next
  };
  struct Layer {
    LayerAt at = LayerAt::idle;
    Kind kind = Kind::none;      ///< of the message in hand
    std::uint8_t number = 0;     ///< of the message in hand
    bool flag = false;           ///< another variable for the message in hand
    std::uint8_t oldest = 0;     ///< message that is not acknowledged
    std::uint8_t next = 0;       ///< message to send
    std::uint8_t window = 0;     ///< messages that are not acknowledged
    std::uint8_t delivered = 0;  ///< messages, so this is the number of the next one to deliver
    std::array<bool, kNumbers> is_pending{};
    std::array<bool, kNumbers> is_received{};
    std::array<Kind, kNumbers> sent{};
    std::array<Kind, kNumbers> received{};

    friend bool operator==(const Layer&, const Layer&) = default;
  };

  /// What the user does next that sends.
  enum class SenderAt : std::uint8_t { synchronise, wait, compare, synchronise_again, toggle, send };
  struct Sender {
    SenderAt at = SenderAt::synchronise;
    std::uint8_t answer = 0;  ///< the number of the acknowledgement
    std::uint8_t toggle = 0;
    std::uint8_t sent = 0;  ///< how many of red and blue

    friend bool operator==(const Sender&, const Sender&) = default;
  };
  /// What the other user has received.
  enum class Received : std::uint8_t { neither, red, red_and_blue };

  struct State {
    bool has_begun = false;
    std::array<Layer, 2> layers{};
    Sender sender{};
    Received receiver = Received::neither;
    std::array<Channel, 2> down{};  ///< from a user to the layer
    std::array<Channel, 2> up{};    ///< from a layer to its user
    std::array<Channel, 2> link{};  ///< from the other layer to the layer

    friend bool operator==(const State&, const State&) = default;
  };

  [[nodiscard]] static State initial() { return {}; }

  // Spin tries the process that was created last first. A timeout is possible only if nothing else is.
  static void successors(const State& state, hocket::model::Emit<State> emit) {
    if (!state.has_begun) {
      State next = state;
      next.has_begun = true;
      return emit(0, "create the processes", next);
    }
    Steps steps{emit};
    receive(state, steps);
    send(state, steps);
    run_layer(state, 1, steps);
    run_layer(state, 0, steps);
    if (steps.has_any) return;
    if (state.sender.at == SenderAt::wait) {
      State next = state;
      next.sender.at = SenderAt::synchronise_again;
      emit(kSender, "time out", next);
    }
    retransmit(state, 1, emit);
    retransmit(state, 0, emit);
  }

  /// There is always a step.
  [[nodiscard]] static bool may_end(const State& /*state*/) { return false; }

 private:
  static constexpr hocket::model::Process kFirstLayer = 1;
  static constexpr hocket::model::Process kSender = 3;
  static constexpr hocket::model::Process kReceiver = 4;

  struct Steps {
    hocket::model::Emit<State> emit;
    bool has_any = false;

    void operator()(hocket::model::Process process, std::string_view action, const State& next) {
      has_any = true;
      emit(process, action, next);
    }
    void local(hocket::model::Process process, std::string_view action, const State& next) {
      has_any = true;
      emit.local(process, action, next);
    }
    void fails(hocket::model::Process process, std::string_view action, std::string_view message) {
      has_any = true;
      emit.fails(process, action, message);
    }
  };

  static bool is_full(const Channel& channel) { return channel.back().kind != Kind::none; }
  static void push(Channel& channel, Kind kind, unsigned number) {
    samples::push(channel, Message{kind, static_cast<std::uint8_t>(number)});
  }
  static std::uint8_t after(unsigned number) { return static_cast<std::uint8_t>((number + 1) % kNumbers); }

  // Each channel has one process that sends and one that receives, so both are local. Where a process may
  // time out it has no local steps, as in Spin.

  static void receive(const State& state, Steps& steps) {
    if (is_empty(state.up[1])) return;
    State next = state;
    const Message message = pop(next.up[1]);
    if (message.number != 0) return;
    if (message.kind == Kind::white) return steps.local(kReceiver, "receive white", next);
    if (message.kind == Kind::red) {
      if (state.receiver != Received::neither) return steps.fails(kReceiver, "receive", "red comes twice");
      next.receiver = Received::red;
      return steps.local(kReceiver, "receive red", next);
    }
    if (message.kind == Kind::blue) {
      if (state.receiver != Received::red) return steps.fails(kReceiver, "receive", "blue comes out of turn");
      next.receiver = Received::red_and_blue;
      return steps.local(kReceiver, "receive blue", next);
    }
  }

  static void send(const State& state, Steps& steps) {
    State next = state;
    Sender& me = next.sender;
    const auto send_and_go = [&](Kind kind, unsigned number, SenderAt at, std::string_view action) {
      if (is_full(next.down[0])) return;
      push(next.down[0], kind, number);
      me.at = at;
      steps.local(kSender, action, next);
    };
    switch (me.at) {
      case SenderAt::synchronise:
      case SenderAt::synchronise_again:
        return send_and_go(Kind::sync, me.toggle, SenderAt::wait, "send sync");
      case SenderAt::wait:
        if (next.up[0].front().kind != Kind::sync_ack) return;
        me.answer = pop(next.up[0]).number;
        me.at = SenderAt::compare;
        return steps(kSender, "receive sync_ack", next);
      case SenderAt::compare:
        me.at = me.answer == me.toggle ? SenderAt::toggle : SenderAt::wait;
        return steps.local(kSender, "compare", next);
      case SenderAt::toggle:
        me.toggle ^= 1U;
        me.at = SenderAt::send;
        return steps.local(kSender, "toggle", next);
      case SenderAt::send:
        send_and_go(Kind::white, 0, SenderAt::send, "send white");
        if (me.sent == 2) return;
        next = state;
        ++me.sent;
        return state.sender.sent == 0 ? send_and_go(Kind::red, 0, SenderAt::send, "send red")
                                      : send_and_go(Kind::blue, 0, SenderAt::send, "send blue");
    }
  }

  static void run_layer(const State& state, unsigned n, Steps& steps) {
    if (state.layers[n].at == LayerAt::idle) {
      begin_sending(state, n, steps);
      move_window(state, n, steps);
      begin_receiving(state, n, steps);
      return begin_delivery(state, n, steps);
    }
    State next = state;
    Layer& me = next.layers[n];
    const auto go = [&](LayerAt at, std::string_view action) {
      me.at = at;
      steps.local(kFirstLayer + n, action, next);
    };
    const auto push_and_go = [&](Channel& channel, Message message, LayerAt at, std::string_view action) {
      if (is_full(channel)) return;
      push(channel, message.kind, message.number);
      go(at, action);
    };
    Channel& link = next.link[1 - n];
    Channel& up = next.up[n];
    switch (me.at) {
      case LayerAt::idle:
        return;
      case LayerAt::sort:
        return go(sort(me), "sort");
      case LayerAt::answer_sync:
        return push_and_go(link, {Kind::sync_ack, 0}, LayerAt::idle, "answer sync");
      case LayerAt::deliver_sync_ack:
        return push_and_go(up, {Kind::sync_ack, 0}, LayerAt::idle, "deliver sync_ack");
      case LayerAt::got_data:
        return go(keep(me), "keep data");
      case LayerAt::decide_about_ack:
        return go(me.flag ? LayerAt::repeat_ack : LayerAt::idle, "was it delivered?");
      case LayerAt::repeat_ack:
        return push_and_go(link, {Kind::ack, me.number}, LayerAt::idle, "repeat ack");
      case LayerAt::deliver:
        return push_and_go(up, {me.received[me.delivered], 0}, LayerAt::acknowledge, "deliver");
      case LayerAt::acknowledge:
        return push_and_go(link, {Kind::ack, me.delivered}, LayerAt::expect_next, "acknowledge");
      case LayerAt::expect_next:
        me.delivered = after(me.delivered);
        return go(LayerAt::idle, "expect the next");
    }
  }

  static void begin_sending(const State& state, unsigned n, Steps& steps) {
    if (state.layers[n].window >= kWindow || is_empty(state.down[n]) || is_full(state.link[1 - n])) return;
    State next = state;
    Layer& me = next.layers[n];
    const Message message = pop(next.down[n]);
    me.kind = message.kind;
    me.flag = message.number != 0;
    ++me.window;
    me.is_pending[me.next] = true;
    me.sent[me.next] = me.kind;
    push(next.link[1 - n], me.kind, me.next);
    if (me.kind == Kind::sync) {
      me.window = me.next = 0;
      me.is_pending = {};
    } else {
      me.next = after(me.next);
    }
    steps(kFirstLayer + n, "send", next);
  }
  static void move_window(const State& state, unsigned n, Steps& steps) {
    if (state.layers[n].window == 0 || state.layers[n].is_pending[state.layers[n].oldest]) return;
    State next = state;
    --next.layers[n].window;
    next.layers[n].oldest = after(next.layers[n].oldest);
    steps(kFirstLayer + n, "move the window", next);
  }
  static void retransmit(const State& state, unsigned n, hocket::model::Emit<State> emit) {
    const Layer& me = state.layers[n];
    if (me.at != LayerAt::idle || me.window == 0 || !me.is_pending[me.oldest]) return;
    if (is_full(state.link[1 - n])) return;
    State next = state;
    push(next.link[1 - n], me.sent[me.oldest], me.oldest);
    emit(kFirstLayer + n, "time out and send again", next);
  }
  static void begin_receiving(const State& state, unsigned n, Steps& steps) {
    if (is_empty(state.link[n])) return;
    State next = state;
    Layer& me = next.layers[n];
    const Message message = pop(next.link[n]);
    me.kind = message.kind;
    me.number = message.number;
    steps(kFirstLayer + n, "lose", next);
    me.at = LayerAt::sort;
    steps(kFirstLayer + n, "receive", next);
  }
  static void begin_delivery(const State& state, unsigned n, Steps& steps) {
    const Layer& me = state.layers[n];
    if (!me.is_received[me.delivered] || is_full(state.up[n]) || is_full(state.link[1 - n])) return;
    State next = state;
    next.layers[n].at = LayerAt::deliver;
    steps(kFirstLayer + n, "begin to deliver", next);
  }

  /// A message arrived.
  static LayerAt sort(Layer& me) {
    switch (me.kind) {
      case Kind::ack:
        me.is_pending[me.number] = false;
        return LayerAt::idle;
      case Kind::sync:
        me.is_received = {};
        me.number = kNumbers;  // the loop through is_received ends with it
        return LayerAt::answer_sync;
      case Kind::sync_ack:
        return LayerAt::deliver_sync_ack;
      default:
        return LayerAt::got_data;
    }
  }
  static LayerAt keep(Layer& me) {
    if (me.is_received[me.number]) {
      const int distance = me.delivered - me.number;
      const auto is_in_window = [](int n) { return 0 < n && n <= static_cast<int>(kWindow); };
      me.flag = is_in_window(distance) || is_in_window(distance + static_cast<int>(kNumbers));
      return LayerAt::decide_about_ack;
    }
    me.received[me.number] = me.kind;
    me.is_received[me.number] = true;
    me.is_received[(me.number + kNumbers - kWindow) % kNumbers] = false;
    return LayerAt::idle;
  }
};

}  // namespace samples::flow_control
