// Calls that wait for what another thread of the body does to a socket.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <set>
#include <string>
#include <thread>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/support/folder.hpp"
#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/ends.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

TEST(ASocket, ThatNobodyCanReadGivesAnErrorIfNoSignalIsWanted) {
  explored([] {
    Ends ends(Ends::Of::sockets);
    ends.close_reader();
    check(send(ends.to_write(), "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
  });
}

TEST(ASocket, BringsWhatAnotherThreadSends) {
  explored(within(1), [] {
    const Ends ends(Ends::Of::sockets);
    std::thread reader([&] {
      std::array<char, 4> text{};
      check(recv(ends.to_read(), text.data(), 4, MSG_WAITALL) == 4);
      check(std::string(text.data(), 4) == "abcd");
    });
    check(send(ends.to_write(), "ab", 2, 0) == 2);
    iovec part{const_cast<char*>("cd"), 2};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    check(sendmsg(ends.to_write(), &message, 0) == 2);
    reader.join();
  });
}

TEST(ASocket, IsAcceptedWhenAnotherThreadHasConnected) {
  explored(within(1), [] {
    const int listening = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof name;
    check(bind(listening, reinterpret_cast<sockaddr*>(&name), size) == 0 && listen(listening, 1) == 0);
    check(getsockname(listening, reinterpret_cast<sockaddr*>(&name), &size) == 0);
    std::thread server([&] {
      const int connection = accept(listening, nullptr, nullptr);
      check(connection >= 0);
      give(connection);
      close(connection);
    });
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    check(connect(client, reinterpret_cast<sockaddr*>(&name), size) == 0);
    take(client);
    server.join();
    close(client);
    close(listening);
  });
}

TEST(ASocket, IsConnectedWhenThereIsRoomInTheQueueOfTheOtherSide) {
  const hocket::test::Folder folder;
  const std::string path = (folder.path() / "socket").string();
  const auto body = [&path](int flags) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path.copy(name.sun_path, sizeof name.sun_path - 1);
    unlink(path.c_str());
    const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    check(bind(listening, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0 && listen(listening, 0) == 0);
    const std::array<int, 2> clients{
        socket(AF_UNIX, SOCK_STREAM | flags, 0), socket(AF_UNIX, SOCK_STREAM | flags, 0)};
    const auto connect_one = [&](int client) {
      return connect(client, reinterpret_cast<sockaddr*>(&name), sizeof name);
    };
    check(connect_one(clients[0]) == 0);
    if (flags != 0) {
      check(connect_one(clients[1]) == -1 && errno == EAGAIN, "it does not wait");
    } else {
      std::thread server([&] {
        for (int n = 0; n < 2; ++n) close(accept(listening, nullptr, nullptr));
      });
      check(connect_one(clients[1]) == 0);
      server.join();
    }
    for (const int client : clients) close(client);
    close(listening);
  };
  explored([&] { body(0); });
  explored([&] { body(SOCK_NONBLOCK); });
}

TEST(ASocket, ThatAnotherThreadMayNotHaveBoundOrHadListenIsRefusedThen) {
  for (const bool has_name : {false, true}) {  // from the beginning
    const auto errors = [has_name] {
      Collected all;
      explored([&, has_name] {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        const std::string text = "hocket " + std::to_string(getpid());
        text.copy(name.sun_path + 1, sizeof name.sun_path - 2);
        const auto* const its = reinterpret_cast<const sockaddr*>(&name);
        const int server = socket(AF_UNIX, SOCK_STREAM, 0);
        const int client = socket(AF_UNIX, SOCK_STREAM, 0);
        if (has_name) check(bind(server, its, sizeof name) == 0);
        int error = 0;
        in_parallel(
            [&] {
              if (!has_name) check(bind(server, its, sizeof name) == 0);
              check(listen(server, 1) == 0);
            },
            [&] { error = connect(client, its, sizeof name) == 0 ? 0 : errno; });
        close(client);
        close(server);
        all.add(static_cast<std::uint64_t>(error));
      });
      return all.all();
    };
    EXPECT_EQ(errors(), (std::set<std::uint64_t>{0, ECONNREFUSED}));
  }
}

TEST(ADatagramOfUdp, IsLostIfItIsSentBeforeAnotherThreadHasBound) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  auto* const its = reinterpret_cast<sockaddr*>(&name);
  const int first = socket(AF_INET, SOCK_DGRAM, 0);
  ASSERT_TRUE(bind(first, its, size) == 0 && getsockname(first, its, &size) == 0);  // a port that is free
  close(first);
  Collected sizes;
  explored([&] {
    const int receiver = socket(AF_INET, SOCK_DGRAM, 0);
    const int sender = socket(AF_INET, SOCK_DGRAM, 0);
    in_parallel([&] { check(bind(receiver, its, size) == 0); },
        [&] { check(sendto(sender, "a", 1, 0, its, size) == 1); });
    char byte = 0;
    sizes.add(recv(receiver, &byte, 1, MSG_DONTWAIT) == 1 ? 1 : 0);
    close(receiver);
    close(sender);
  });
  EXPECT_EQ(sizes.all(), (std::set<std::uint64_t>{0, 1}));
}

}  // namespace

}  // namespace unmodified
