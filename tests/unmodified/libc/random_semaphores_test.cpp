// Calls that wait for objects of the system: random programs of threads that raise and lower semaphores of
// System V, send and receive messages, and use sockets. Their outcomes are those of a brute force that knows
// these calls as semop(2), msgop(2) and unix(7) have them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unmodified/libc/random_calls.hpp"

namespace unmodified::semaphores {

namespace {

using random_calls::Answer;

struct Call {
  enum class Kind : unsigned char {
    raise,
    lower,
    try_to_lower,
    wait_for_zero,
    get_value,
    send_message,
    receive_message,
    try_to_receive_message,
    send,
    receive,
    try_to_receive
  };
  Kind kind;
  unsigned char value;  ///< of messages and bytes: from 1 to 3
  unsigned char type;   ///< of messages: 1 or 2, and to receive any: 0
};
using Program = random_calls::Threads<Call>;
using Kind = Call::Kind;

struct Message {
  unsigned type;
  unsigned value;
  auto operator<=>(const Message&) const = default;
};

/// What the calls change.
struct Shared {
  unsigned semaphore = 0;
  std::vector<Message> messages;
  std::vector<unsigned> bytes;  ///< in the socket
  auto operator<=>(const Shared&) const = default;
};

/// Receives the first message of the type, if there is one.
bool receive(std::vector<Message>& messages, unsigned type, std::vector<unsigned>& found) {
  const auto message = std::find_if(
      messages.begin(), messages.end(), [&](const Message& each) { return type == 0 || each.type == type; });
  if (message == messages.end()) return false;
  found.push_back(message->value);
  messages.erase(message);
  return true;
}

bool receive(std::vector<unsigned>& bytes, std::vector<unsigned>& found) {
  if (bytes.empty()) return false;
  found.push_back(bytes.front());
  bytes.erase(bytes.begin());
  return true;
}

/// What a call that does not wait finds where it would have had to.
constexpr unsigned kNothing = 7;

bool make(const Call& call, std::size_t /*thread*/, Shared& shared, std::vector<unsigned>& found) {
  switch (call.kind) {
    case Kind::raise:
      ++shared.semaphore;
      return true;
    case Kind::lower:
      if (shared.semaphore == 0) return false;
      --shared.semaphore;
      return true;
    case Kind::try_to_lower:
      found.push_back(shared.semaphore == 0 ? kNothing : 1);
      if (shared.semaphore != 0) --shared.semaphore;
      return true;
    case Kind::wait_for_zero:
      return shared.semaphore == 0;
    case Kind::get_value:
      found.push_back(shared.semaphore);
      return true;
    case Kind::send_message:
      shared.messages.push_back({call.type, call.value});
      return true;
    case Kind::receive_message:
      return receive(shared.messages, call.type, found);
    case Kind::try_to_receive_message:
      if (!receive(shared.messages, call.type, found)) found.push_back(kNothing);
      return true;
    case Kind::send:
      shared.bytes.push_back(call.value);
      return true;
    case Kind::receive:
      return receive(shared.bytes, found);
    case Kind::try_to_receive:
      if (!receive(shared.bytes, found)) found.push_back(kNothing);
      return true;
  }
  return false;
}

struct SystemMessage {
  long type;
  char text;
};

/// Names an object of System V, which an execution that is cut short leaves behind.
key_t key_of_this_process() {
  constexpr key_t kOfThisTest = 0x48000000;
  return kOfThisTest | getpid();
}
void remove_left_objects() {
  semctl(semget(key_of_this_process(), 1, IPC_CREAT | 0600), 0, IPC_RMID);
  msgctl(msgget(key_of_this_process(), IPC_CREAT | 0600), IPC_RMID, nullptr);
}

/// The same calls of the system.
class Objects {
 public:
  Objects() {
    remove_left_objects();
    set_ = semget(key_of_this_process(), 1, IPC_CREAT | 0600);
    queue_ = msgget(key_of_this_process(), IPC_CREAT | 0600);
    check(set_ >= 0 && queue_ >= 0);
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_.data()) == 0);
  }
  ~Objects() {
    for (const int socket : sockets_) close(socket);
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  void make(const Call& call, std::size_t /*thread*/, std::vector<unsigned>& found) {
    switch (call.kind) {
      case Kind::raise:
        check(operate(1, 0) == 0);
        break;
      case Kind::lower:
        check(operate(-1, 0) == 0);
        break;
      case Kind::try_to_lower:
        found.push_back(operate(-1, IPC_NOWAIT) == 0 ? 1 : kNothing);
        break;
      case Kind::wait_for_zero:
        check(operate(0, 0) == 0);
        break;
      case Kind::get_value:
        found.push_back(static_cast<unsigned>(semctl(set_, 0, GETVAL)));
        break;
      case Kind::send_message: {
        const SystemMessage message{call.type, static_cast<char>(call.value)};
        check(msgsnd(queue_, &message, sizeof message.text, 0) == 0);
        break;
      }
      case Kind::receive_message:
        found.push_back(received(call.type, 0));
        break;
      case Kind::try_to_receive_message:
        found.push_back(received(call.type, IPC_NOWAIT));
        break;
      case Kind::send: {
        const auto byte = static_cast<char>(call.value);
        check(::send(sockets_[1], &byte, 1, 0) == 1);
        break;
      }
      case Kind::receive:
        found.push_back(byte_of_socket(0));
        break;
      case Kind::try_to_receive:
        found.push_back(byte_of_socket(MSG_DONTWAIT));
        break;
    }
  }

 private:
  [[nodiscard]] int operate(short change, short flags) const {
    sembuf operation{0, change, flags};
    return semop(set_, &operation, 1);
  }
  [[nodiscard]] unsigned received(long type, int flags) const {
    SystemMessage message{};
    return msgrcv(queue_, &message, sizeof message.text, type, flags) == sizeof message.text
               ? static_cast<unsigned>(message.text)
               : kNothing;
  }
  [[nodiscard]] unsigned byte_of_socket(int flags) const {
    char byte = 0;
    return recv(sockets_[0], &byte, 1, flags) == 1 ? static_cast<unsigned>(byte) : kNothing;
  }

  int set_ = -1;
  int queue_ = -1;
  std::array<int, 2> sockets_{};
};

std::string text_of(const Program& program) {
  static constexpr std::array kNames{"raise", "lower", "try_to_lower", "wait_for_zero", "get_value",
      "send_message", "receive_message", "try_to_receive_message", "send", "receive", "try_to_receive"};
  return random_calls::text_of(program, [](const Call& call) {
    return std::string(kNames.at(static_cast<std::size_t>(call.kind))) + "(" + std::to_string(call.value) +
           ", " + std::to_string(call.type) + ")";
  });
}

/// A program uses one or two sorts of objects, so that its threads meet.
Program random_program(std::mt19937& random) {
  static const std::vector<std::vector<Kind>> kSorts{
      {Kind::raise, Kind::raise, Kind::lower, Kind::try_to_lower, Kind::wait_for_zero, Kind::get_value},
      {Kind::send_message, Kind::send_message, Kind::receive_message, Kind::try_to_receive_message},
      {Kind::send, Kind::send, Kind::receive, Kind::try_to_receive}};
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  std::vector<Kind> kinds = kSorts[below(kSorts.size())];
  if (below(2) == 0) {
    const std::vector<Kind>& more = kSorts[below(kSorts.size())];
    kinds.insert(kinds.end(), more.begin(), more.end());
  }
  Program program(2 + below(2));
  const std::size_t most = program.size() == 2 ? 4 : 2;
  for (std::vector<Call>& calls : program) {
    const std::size_t count = 1 + below(most);
    for (std::size_t n = 0; n < count; ++n) {
      const Kind kind = kinds[below(kinds.size())];
      const std::size_t least_type = kind == Kind::send_message ? 1 : 0;
      calls.push_back({kind, static_cast<unsigned char>(1 + below(3)),
          static_cast<unsigned char>(least_type + below(3 - least_type))});
    }
  }
  return program;
}

TEST(RandomProgramsThatRaiseAndSend, HaveAllOutcomesUnderEveryStrategy) {
  random_calls::compare_random_programs(20261126, true, [](std::mt19937& random) {
    const Program program = random_program(random);
    return random_calls::compare(program, random_calls::answer_of(program, Shared{}, make), text_of(program),
        [] { return Objects(); });
  });
  remove_left_objects();
}

}  // namespace

}  // namespace unmodified::semaphores
