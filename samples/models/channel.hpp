// Channels of the models of protocols: the oldest message is in front, and a place without one has Message{}.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace samples {

template <class Message, std::size_t size>
bool is_empty(const std::array<Message, size>& channel) {
  return channel.front() == Message{};
}

/// Returns false if there is no room.
template <class Message, std::size_t size>
bool push(std::array<Message, size>& channel, const Message& message) {
  const auto place = std::find(channel.begin(), channel.end(), Message{});
  if (place == channel.end()) return false;
  *place = message;
  return true;
}

template <class Message, std::size_t size>
Message pop(std::array<Message, size>& channel) {
  const Message oldest = channel.front();
  std::rotate(channel.begin(), channel.begin() + 1, channel.end());
  channel.back() = {};
  return oldest;
}

}  // namespace samples
