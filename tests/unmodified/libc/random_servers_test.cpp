// Servers: random programs of threads that listen, connect, accept, with a timeout or without, greet, read
// what they are sent, and close and shut down sockets meanwhile. Their outcomes are those of a brute force
// that knows these calls as listen(2), accept(2), connect(2), unix(7) and socket(7) have them.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/libc/random_programs.hpp"

namespace unmodified::servers {

namespace {

using random_calls::Answer;

constexpr std::size_t kClients = 3;  ///< and threads at most

// What a call finds: a client, from 1 on, a byte that was sent, which is the client's number, too, or one of
// these. A call whose time is over finds random_calls::kExpired.
constexpr unsigned kNothing = 0;
constexpr unsigned kDone = 4;
constexpr unsigned kIsRefused = 5;
constexpr unsigned kIsNotOpen = 7;

struct Call {
  /// Those in the second line are of the brute force alone.
  enum class Kind : unsigned char {
    listen,
    connect,
    accept,
    look,
    greet,
    read,
    hang_up,
    close,
    shut_down,
    rest_of_connect,
    rest_of_accept,
    end_of_accept
  };
  Kind kind;
  unsigned char client;  ///< of connect and read
  bool is_timed = false;
};
using Kind = Call::Kind;
using Program = random_calls::Threads<Call>;

enum class Connection : unsigned char { none, pending, accepted, over };

struct Client {
  Connection connection = Connection::none;
  unsigned unread = 0;  ///< bytes
  auto operator<=>(const Client&) const = default;
};

struct Shared {
  bool is_open = true;  ///< the server's number
  bool listens = false;
  bool is_shut_down = false;
  unsigned accepting = 0;         ///< threads that wait, and keep the server's socket
  std::vector<unsigned> pending;  ///< clients, in their order
  std::array<Client, kClients + 1> clients{};
  std::array<bool, kClients> waits{};       ///< by thread: for the rest of its call
  std::array<unsigned, kClients> served{};  ///< by thread: the client that it has accepted last, or 0
  auto operator<=>(const Shared&) const = default;

  [[nodiscard]] bool is_there() const { return (is_open || accepting != 0) && listens && !is_shut_down; }
};

void accept_first(std::size_t thread, Shared& shared, std::vector<unsigned>& found) {
  const unsigned client = shared.pending.front();
  shared.pending.erase(shared.pending.begin());
  shared.clients.at(client).connection = Connection::accepted;
  shared.served.at(thread) = client;
  found.push_back(client);
}

/// The server's socket may be closed for good: those that nobody has accepted are cut off.
void let_go(Shared& shared) {
  if (shared.is_open || shared.accepting != 0) return;
  for (const unsigned client : std::exchange(shared.pending, {}))
    shared.clients.at(client).connection = Connection::over;
}

/// False if the queue, which has room for one, is full.
bool connect(unsigned number, Shared& shared, std::vector<unsigned>& found) {
  if (!shared.is_there()) {
    found.push_back(kIsRefused);
    return true;
  }
  if (!shared.pending.empty()) return false;
  shared.pending.push_back(number);
  shared.clients.at(number).connection = Connection::pending;
  found.push_back(kDone);
  return true;
}

/// The rest of an accept is over, be it for want of time.
void call_is_over(const Call& call, std::size_t thread, Shared& shared) {
  // If the server's number was closed meanwhile, it closes the socket in a step of its own.
  if (call.kind != Kind::rest_of_accept || !shared.is_open) return;
  --shared.accepting;
  shared.waits.at(thread) = false;
}

bool make(const Call& call, std::size_t thread, Shared& shared, std::vector<unsigned>& found) {
  Client& client = shared.clients.at(call.client);
  bool& waits = shared.waits.at(thread);
  unsigned& served = shared.served.at(thread);
  switch (call.kind) {
    case Kind::listen:
      if (!shared.is_open) found.push_back(kIsNotOpen);
      shared.listens |= shared.is_open;
      return true;
    case Kind::connect:
      waits = !connect(call.client, shared, found);
      return true;
    case Kind::rest_of_connect:
      if (waits && !connect(call.client, shared, found)) return false;
      waits = false;
      return true;
    case Kind::accept:
      if (!shared.is_open) {
        found.push_back(kIsNotOpen);
      } else if (!shared.listens) {
        found.push_back(kIsRefused);
      } else if (!shared.pending.empty()) {
        accept_first(thread, shared, found);
      } else if (shared.is_shut_down) {
        found.push_back(kIsRefused);
      } else {
        waits = true;
        ++shared.accepting;
      }
      return true;
    case Kind::rest_of_accept:
      if (!waits) return true;
      if (!shared.pending.empty()) {
        accept_first(thread, shared, found);
      } else if (shared.is_shut_down) {
        found.push_back(kIsRefused);
      } else {
        return false;
      }
      call_is_over(call, thread, shared);
      return true;
    case Kind::end_of_accept:
      if (!waits) return true;
      waits = false;
      --shared.accepting;
      let_go(shared);
      return true;
    case Kind::look:
      found.push_back(!shared.is_open                                  ? kIsNotOpen
                      : !shared.pending.empty() || shared.is_shut_down ? kDone
                                                                       : kNothing);
      return true;
    case Kind::greet:
      if (served == 0) found.push_back(kIsNotOpen);
      if (served != 0) ++shared.clients.at(served).unread;
      return true;
    case Kind::read:
      if (client.connection == Connection::none) {
        found.push_back(kIsNotOpen);
      } else if (client.unread != 0) {
        --client.unread;
        found.push_back(call.client);
      } else if (client.connection == Connection::over) {
        found.push_back(kNothing);
      } else {
        return false;
      }
      return true;
    case Kind::hang_up:
      if (served == 0) found.push_back(kIsNotOpen);
      if (served != 0) shared.clients.at(std::exchange(served, 0)).connection = Connection::over;
      return true;
    case Kind::close:
      if (!shared.is_open) found.push_back(kIsNotOpen);
      shared.is_open = false;
      let_go(shared);
      return true;
    case Kind::shut_down:
      if (!shared.is_open) found.push_back(kIsNotOpen);
      shared.is_shut_down |= shared.is_open;
      return true;
  }
  return false;
}

std::vector<Kind> parts_of(Kind kind) {
  if (kind == Kind::connect) return {Kind::rest_of_connect};
  if (kind == Kind::accept) return {Kind::rest_of_accept, Kind::end_of_accept};
  return {};
}

Answer answer_of(const Program& program) {
  return random_calls::answer_of(random_calls::in_parts(program, parts_of), Shared{}, make);
}

/// The same calls of the system.
class Sockets {
 public:
  explicit Sockets(const Program& program) {
    const int server = socket(AF_UNIX, SOCK_STREAM, 0);
    check(dup2(server, kServer) == kServer && bind_to(kServer, 0));
    ::close(server);
    for (std::size_t client = 1; client <= kClients; ++client) {
      clients_.at(client) = socket(AF_UNIX, SOCK_STREAM, 0);
      check(bind_to(clients_.at(client), client));
    }
    for (const std::vector<Call>& calls : program) {
      for (const Call& call : calls) {
        if (call.is_timed) set_timeout(call.kind == Kind::accept ? kServer : clients_.at(call.client));
      }
    }
  }
  ~Sockets() {
    ::close(kServer);
    for (std::size_t client = 1; client <= kClients; ++client) ::close(clients_.at(client));
    for (std::vector<int>& all : accepted_) {
      for (const int accepted : all) ::close(accepted);
    }
  }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  void make(const Call& call, std::size_t thread, std::vector<unsigned>& found) {
    std::vector<int>& accepted = accepted_.at(thread);
    const bool serves = !accepted.empty() && is_serving_.at(thread);
    const int client = clients_.at(call.client);
    switch (call.kind) {
      case Kind::listen:
        if (::listen(kServer, 0) != 0) found.push_back(error());
        break;
      case Kind::connect: {
        const auto [name, size] = name_of(0);
        const int result = ::connect(client, reinterpret_cast<const sockaddr*>(&name), size);
        found.push_back(result == 0 ? kDone : error());
        break;
      }
      case Kind::accept: {
        const int socket = ::accept(kServer, nullptr, nullptr);
        found.push_back(socket >= 0 ? peer_of(socket) : error());
        if (socket < 0) break;
        accepted.push_back(socket);
        is_serving_.at(thread) = true;
        break;
      }
      case Kind::look: {
        pollfd event{kServer, POLLIN, 0};
        ::poll(&event, 1, 0);
        const auto events = static_cast<unsigned>(event.revents);
        found.push_back((events & POLLNVAL) != 0 ? kIsNotOpen : (events & POLLIN) != 0 ? kDone : kNothing);
        break;
      }
      case Kind::greet: {
        const char byte = 'x';
        if (!serves) found.push_back(kIsNotOpen);
        if (serves) check(::send(accepted.back(), &byte, 1, 0) == 1);
        break;
      }
      case Kind::read: {
        char byte = 0;
        const ssize_t size = ::recv(client, &byte, 1, 0);
        const bool is_over = size == 0 || (size < 0 && errno == ECONNRESET);
        found.push_back(size == 1         ? call.client
                        : is_over         ? kNothing
                        : errno == EINVAL ? kIsNotOpen
                                          : error());
        break;
      }
      case Kind::hang_up:
        if (!serves) found.push_back(kIsNotOpen);
        if (serves) ::close(accepted.back());
        if (serves) accepted.pop_back();
        is_serving_.at(thread) = false;
        break;
      case Kind::close:
        if (::close(kServer) != 0) found.push_back(error());
        break;
      default:
        if (::shutdown(kServer, SHUT_RDWR) != 0) found.push_back(error());
    }
  }

 private:
  struct Name {
    sockaddr_un address;
    socklen_t size;
  };
  /// Of a client, or of the server: 0.
  static Name name_of(std::size_t client) {
    Name name{{AF_UNIX, ""}, 0};
    // An abstract one: its first character is 0.
    const int size = std::snprintf(name.address.sun_path + 1, sizeof name.address.sun_path - 1,
        "hocket servers %d %zu", static_cast<int>(getpid()), client);
    name.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(size));
    return name;
  }
  static bool bind_to(int socket, std::size_t client) {
    const auto [address, size] = name_of(client);
    return ::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0;
  }
  static unsigned peer_of(int socket) {
    sockaddr_un address{};
    socklen_t size = sizeof address;
    check(::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    return static_cast<unsigned>(address.sun_path[size - offsetof(sockaddr_un, sun_path) - 1] - '0');
  }
  static void set_timeout(int socket) {
    const timeval second{1, 0};
    check(setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second) == 0);
  }
  static unsigned error() {
    if (errno == EAGAIN) return random_calls::kExpired;
    check(errno == EBADF || errno == EINVAL || errno == ECONNREFUSED);
    return errno == EBADF ? kIsNotOpen : kIsRefused;
  }

  static constexpr int kServer = 200;  // so that no other socket gets the number when it is closed
  std::array<int, kClients + 1> clients_{};
  std::array<std::vector<int>, kClients> accepted_{};  ///< by thread
  std::array<bool, kClients> is_serving_{};            ///< by thread: the last one
};

std::string text_of(const Program& program) {
  static constexpr std::array kNames{
      "listen", "connect", "accept", "look", "greet", "read", "hang_up", "close", "shut_down"};
  return random_calls::text_of(program, [](const Call& call) {
    return std::string(kNames.at(static_cast<std::size_t>(call.kind))) + (call.is_timed ? " timed" : "") +
           "(" + std::to_string(call.client) + ")";
  });
}

/// Each thread is one client, which connects at most once.
Program random_program(std::mt19937& random) {
  const auto below = [&](std::size_t end) { return static_cast<unsigned char>(random() % end); };
  const bool accepts_are_timed = below(3) == 0;
  const bool reads_are_timed = below(3) == 0;
  Program program(2 + below(2));
  const unsigned most = program.size() == 2 ? 3 : 1;
  for (std::size_t t = 0; t < program.size(); ++t) {
    const auto own = static_cast<unsigned char>(t + 1);
    if (t == 0 && below(4) != 0) program[t].push_back({Kind::listen, own});
    bool is_connected = false;
    for (unsigned left = 1U + below(most); left != 0; --left) {
      static constexpr std::array kServing{Kind::accept, Kind::accept, Kind::accept, Kind::greet, Kind::greet,
          Kind::hang_up, Kind::look, Kind::listen};
      static constexpr std::array kMeddling{
          Kind::close, Kind::close, Kind::shut_down, Kind::accept, Kind::look};
      Call call{t == 0 ? kServing.at(below(kServing.size())) : kMeddling.at(below(kMeddling.size())), own};
      if (t != 0 && below(2) == 0) call.kind = is_connected ? Kind::read : Kind::connect;
      if (below(6) == 0) call = {Kind::read, static_cast<unsigned char>(1 + below(program.size()))};
      is_connected |= call.kind == Kind::connect;
      call.is_timed =
          (call.kind == Kind::accept && accepts_are_timed) || (call.kind == Kind::read && reads_are_timed);
      program[t].push_back(call);
    }
  }
  return program;
}

}  // namespace

// Where no thread can go on, Hocket waits for other processes, which can reach a server, too: so programs
// that may get stuck are few and small.
random_calls::Compared compare_random_program(std::mt19937& random) {
  for (;;) {
    const Program program = random_program(random);
    const Answer answer = answer_of(program);
    std::size_t calls = 0;
    for (const std::vector<Call>& each : program) calls += each.size();
    constexpr std::size_t kMostStuck = 3;
    if (answer.may_get_stuck && (calls > kMostStuck || random() % 8 != 0)) continue;
    return random_calls::compare(program, answer, text_of(program), [&] { return Sockets(program); });
  }
}

TEST(RandomProgramsThatServe, HaveAllOutcomesUnderEveryStrategy) {
  random_calls::compare_random_programs(20261128, false, compare_random_program);
}

}  // namespace unmodified::servers
