// Messages: random programs of threads that send and receive through a message queue of POSIX, which has room
// for two, and through sockets of datagrams. Their outcomes are those of a brute force that knows
// mq_send(3p), mq_receive(3p) and recv(3p): a queue gives the oldest message of the highest priority, a
// socket the oldest one, of which the rest is lost if it is longer than the buffer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <mqueue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/libc/random_programs.hpp"

namespace unmodified::messages {

namespace {

using random_calls::Answer;

constexpr std::size_t kRoom = 2;
constexpr unsigned kWouldWait = 7;

struct Call {
  enum class Kind : unsigned char {
    send,
    try_to_send,
    receive,
    try_to_receive,
    count,
    give,  ///< a datagram
    take,
    try_to_take
  };
  Kind kind;
  unsigned char value;     ///< from 1 to 3
  unsigned char priority;  ///< 0 or 1; of a datagram: its length, and that of the buffer, from 0 to 2
};
using Kind = Call::Kind;
using Program = random_calls::Threads<Call>;

struct Message {
  unsigned value;
  unsigned priority;
  auto operator<=>(const Message&) const = default;
};
struct Shared {
  std::vector<Message> queue;
  std::vector<Message> datagrams;
  auto operator<=>(const Shared&) const = default;
};

bool send(const Call& call, Shared& shared) {
  if (shared.queue.size() == kRoom) return false;
  shared.queue.push_back({call.value, call.priority});
  return true;
}
bool receive(Shared& shared, std::vector<unsigned>& found) {
  if (shared.queue.empty()) return false;
  const auto first = std::max_element(shared.queue.begin(), shared.queue.end(),
      [](const Message& one, const Message& other) { return one.priority < other.priority; });
  found.push_back(2 * first->value + first->priority);
  shared.queue.erase(first);
  return true;
}
bool take(const Call& call, Shared& shared, std::vector<unsigned>& found) {
  if (shared.datagrams.empty()) return false;
  const Message first = shared.datagrams.front();
  shared.datagrams.erase(shared.datagrams.begin());
  found.push_back(std::min<unsigned>(first.priority, call.priority));
  found.push_back(found.back() != 0 ? first.value : 0);
  return true;
}

bool make(const Call& call, std::size_t /*thread*/, Shared& shared, std::vector<unsigned>& found) {
  switch (call.kind) {
    case Kind::send:
      return send(call, shared);
    case Kind::try_to_send:
      if (!send(call, shared)) found.push_back(kWouldWait);
      return true;
    case Kind::receive:
      return receive(shared, found);
    case Kind::try_to_receive:
      if (!receive(shared, found)) found.push_back(kWouldWait);
      return true;
    case Kind::count:
      found.push_back(static_cast<unsigned>(shared.queue.size()));
      return true;
    case Kind::give:
      shared.datagrams.push_back({call.value, call.priority});
      return true;
    case Kind::take:
      return take(call, shared, found);
    case Kind::try_to_take:
      if (!take(call, shared, found)) found.push_back(kWouldWait);
      return true;
  }
  return false;
}

/// The same calls of the system.
class Objects {
 public:
  Objects() {
    const std::string name = "/hocket-random-messages-" + std::to_string(getpid());
    mq_attr attributes{};
    attributes.mq_maxmsg = kRoom;
    attributes.mq_msgsize = 1;
    mq_unlink(name.c_str());
    queue_ = mq_open(name.c_str(), O_RDWR | O_CREAT, 0600, &attributes);
    impatient_ = mq_open(name.c_str(), O_RDWR | O_NONBLOCK);
    mq_unlink(name.c_str());
    check(queue_ >= 0 && impatient_ >= 0);
    check(socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets_.data()) == 0);
  }
  ~Objects() {
    for (const mqd_t queue : {queue_, impatient_}) mq_close(queue);
    for (const int socket : sockets_) close(socket);
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  void make(const Call& call, std::size_t /*thread*/, std::vector<unsigned>& found) {
    switch (call.kind) {
      case Kind::send:
      case Kind::try_to_send: {
        const auto byte = static_cast<char>(call.value);
        const mqd_t queue = call.kind == Kind::send ? queue_ : impatient_;
        if (mq_send(queue, &byte, 1, call.priority) != 0) would_wait(found);
        break;
      }
      case Kind::receive:
      case Kind::try_to_receive: {
        char byte = 0;
        unsigned priority = 0;
        const mqd_t queue = call.kind == Kind::receive ? queue_ : impatient_;
        if (mq_receive(queue, &byte, 1, &priority) < 0) return would_wait(found);
        found.push_back(2 * static_cast<unsigned>(byte) + priority);
        break;
      }
      case Kind::count: {
        mq_attr attributes{};
        check(mq_getattr(queue_, &attributes) == 0);
        found.push_back(static_cast<unsigned>(attributes.mq_curmsgs));
        break;
      }
      case Kind::give: {
        std::array<char, 2> bytes{};
        bytes.fill(static_cast<char>(call.value));
        check(::send(sockets_[1], bytes.data(), call.priority, 0) == call.priority);
        break;
      }
      case Kind::take:
      case Kind::try_to_take: {
        std::array<char, 2> bytes{};
        const int flags = call.kind == Kind::take ? 0 : MSG_DONTWAIT;
        const ssize_t size = recv(sockets_[0], bytes.data(), call.priority, flags);
        if (size < 0) return would_wait(found);
        found.push_back(static_cast<unsigned>(size));
        found.push_back(static_cast<unsigned>(bytes[0]));
        break;
      }
    }
  }

 private:
  static void would_wait(std::vector<unsigned>& found) {
    check(errno == EAGAIN);
    found.push_back(kWouldWait);
  }

  mqd_t queue_ = -1;
  mqd_t impatient_ = -1;  ///< the same one
  std::array<int, 2> sockets_{};
};

std::string text_of(const Program& program) {
  static constexpr std::array kNames{
      "send", "try_to_send", "receive", "try_to_receive", "count", "give", "take", "try_to_take"};
  return random_calls::text_of(program, [](const Call& call) {
    return std::string(kNames.at(static_cast<std::size_t>(call.kind))) + "(" + std::to_string(call.value) +
           ", " + std::to_string(call.priority) + ")";
  });
}

/// A program uses the queue or the sockets, so that its threads meet.
Program random_program(std::mt19937& random) {
  const auto below = [&](std::size_t end) { return static_cast<unsigned char>(random() % end); };
  const bool is_of_sockets = below(3) == 0;
  static constexpr std::array kOfQueue{Kind::send, Kind::send, Kind::send, Kind::try_to_send, Kind::receive,
      Kind::receive, Kind::try_to_receive, Kind::count};
  static constexpr std::array kOfSockets{
      Kind::give, Kind::give, Kind::give, Kind::take, Kind::take, Kind::try_to_take};
  Program program(2 + below(2));
  const unsigned most = program.size() == 2 ? 3 : 1;
  for (std::vector<Call>& calls : program) {
    for (unsigned left = 1U + below(most); left != 0; --left) {
      const Kind kind =
          is_of_sockets ? kOfSockets.at(below(kOfSockets.size())) : kOfQueue.at(below(kOfQueue.size()));
      calls.push_back({kind, static_cast<unsigned char>(1 + below(3)), below(is_of_sockets ? 3 : 2)});
    }
  }
  return program;
}

}  // namespace

random_calls::Compared compare_random_program(std::mt19937& random) {
  const Program program = random_program(random);
  return random_calls::compare(
      program, random_calls::answer_of(program, Shared{}, make), text_of(program), [] { return Objects(); });
}

TEST(RandomProgramsThatSendMessages, HaveAllOutcomesUnderEveryStrategy) {
  random_calls::compare_random_programs(20261205, true, compare_random_program);
}

}  // namespace unmodified::messages
