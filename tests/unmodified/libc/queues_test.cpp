// Calls that wait for what another thread of the body does to a queue of messages, or a semaphore of System
// V.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

TEST(ASemaphoreOfSystemV, IsWaitedForUntilAnotherThreadRaisesIt) {
  explored([] {
    const int set = semget(IPC_PRIVATE, 1, 0600);
    std::thread waiter([&] {
      sembuf lower{0, -1, 0};
      check(semop(set, &lower, 1) == 0 && lower.sem_flg == 0);
    });
    sembuf raise{0, 1, 0};
    check(semop(set, &raise, 1) == 0);
    waiter.join();
    semctl(set, 0, IPC_RMID);
  });
}

TEST(AMessageQueueOfSystemV, IsWaitedForUntilAnotherThreadSends) {
  struct Message {
    long type = 1;
    char text[4] = "abc";
  };
  explored([] {
    const int queue = msgget(IPC_PRIVATE, 0600);
    std::thread receiver([&] {
      Message message;
      message.text[0] = 0;
      check(msgrcv(queue, &message, sizeof message.text, 0, 0) == sizeof message.text);
      check(std::string(message.text) == "abc");
    });
    const Message message;
    check(msgsnd(queue, &message, sizeof message.text, 0) == 0);
    receiver.join();
    msgctl(queue, IPC_RMID, nullptr);
  });
}

/// A queue for one message of up to 8 bytes; -1 if there are no such queues here.
mqd_t made_queue() {
  const std::string name = "/hocket_test_" + std::to_string(getpid());
  mq_attr attributes{};
  attributes.mq_maxmsg = 1;
  attributes.mq_msgsize = 8;
  const mqd_t queue = mq_open(name.c_str(), O_RDWR | O_CREAT, 0600, &attributes);
  mq_unlink(name.c_str());
  return queue;
}

TEST(AMessageQueueOfPosix, IsWaitedForUntilAnotherThreadSends) {
  const mqd_t queue = made_queue();
  if (queue == -1) GTEST_SKIP() << "no such queues here: " << std::strerror(errno);
  explored([&] {
    std::thread receiver([&] {
      std::array<char, 8> text{};
      check(mq_receive(queue, text.data(), text.size(), nullptr) == 1);
      check(mq_receive(queue, text.data(), text.size(), nullptr) == 1);
    });
    check(mq_send(queue, "a", 1, 0) == 0);
    check(mq_send(queue, "b", 1, 0) == 0, "the queue has room for one");
    receiver.join();
  });
  mq_close(queue);
}

TEST(AMessageQueueOfPosix, CanBeWaitedForByPollAndEpoll) {
  const mqd_t queue = made_queue();
  if (queue == -1) GTEST_SKIP() << "no such queues here: " << std::strerror(errno);
  for (const bool by_epoll : {false, true}) {
    explored([=] {
      std::thread sender([=] { check(mq_send(queue, "a", 1, 0) == 0); });
      if (by_epoll) {
        const int epoll = epoll_create1(0);
        epoll_event event{EPOLLIN, {}};
        check(epoll_ctl(epoll, EPOLL_CTL_ADD, queue, &event) == 0);
        check(epoll_wait(epoll, &event, 1, -1) == 1);
        close(epoll);
      } else {
        pollfd event{queue, POLLIN, 0};
        check(::poll(&event, 1, -1) == 1 && event.revents == POLLIN);
      }
      std::array<char, 8> text{};
      check(mq_receive(queue, text.data(), text.size(), nullptr) == 1);
      sender.join();
    });
  }
  mq_close(queue);
}

TEST(ASemaphoreOfSystemV, IsWaitedForInRealTimeWhereAThreadThatIsNotControlledRaisesIt) {
  const int set = semget(IPC_PRIVATE, 1, 0600);
  std::atomic<bool> is_over{false};
  std::thread outside([&] {
    sembuf raise{0, 1, 0};
    while (!is_over) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (semctl(set, 0, GETVAL) == 0) semop(set, &raise, 1);
    }
  });
  explored([&] {
    sembuf lower{0, -1, 0};
    check(semop(set, &lower, 1) == 0);
  });
  is_over = true;
  outside.join();
  semctl(set, 0, IPC_RMID);
}

TEST(ADeadlockOnASemaphoreOfSystemV, IsTheSameHoweverLongItWaitsForAnotherProcess) {
  expect_failure(FailureKind::deadlock, 0, "main waits in semop()", [] {
    std::string program = "/bin/true";
    std::array<char*, 2> arguments{program.data(), nullptr};
    pid_t child = 0;
    check(posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ) == 0);
    check(waitpid(child, nullptr, 0) == child);
    const int set = semget(IPC_PRIVATE, 1, 0600);
    sembuf lower{0, -1, 0};
    semop(set, &lower, 1);
  });
}

}  // namespace

}  // namespace unmodified
