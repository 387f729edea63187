// Calls on state that Hocket does not follow: a pass names them if two threads make them at the same time.
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <thread>

#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

/// A body and what its pass has to name.
struct Untracked {
  const char* name;
  void (*body)();
  std::vector<std::string> named;
};

template <class One>
void twice(const One& one) {
  in_parallel(one, one);
}

// Not in the function: bodies that called it first would make it themselves.
const std::string kScratch = own_path("untracked");
const char* scratch() {
  return kScratch.c_str();
}
std::string queue_name() {
  return "/hocket-untracked-" + std::to_string(getpid());
}

class CallsOnStateThatIsNotFollowed : public testing::TestWithParam<Untracked> {};

TEST_P(CallsOnStateThatIsNotFollowed, AreNamedByAPass) {
  const Report report = explored(GetParam().body);
  EXPECT_EQ(report.verdict, Verdict::passed_sample) << report;
  for (const std::string& named : GetParam().named)
    EXPECT_NE(report.note.find(named), std::string::npos) << named << "\n" << report;
  EXPECT_NE(report.note.find("untracked_calls_test.cpp:"), std::string::npos) << report;
}

INSTANTIATE_TEST_SUITE_P(Each, CallsOnStateThatIsNotFollowed,
    testing::Values(Untracked{"NumbersOfRand", [] { twice([] { static_cast<void>(std::rand()); }); },
                        {"the state of rand (rand at "}},
        Untracked{"WorkingDirectory",
            [] {
              in_parallel([] { static_cast<void>(!chdir("/tmp")); },
                  [] {
                    std::array<char, 200> path{};
                    static_cast<void>(getcwd(path.data(), path.size()));
                  });
            },
            {"the working directory (", "chdir at ", "getcwd at "}},
        Untracked{"Environment",
            [] {
              in_parallel([] { setenv("HOCKET_SEEN", "1", 1); },
                  [] { static_cast<void>(std::getenv("HOCKET_SEEN")); });
            },
            {"setenv at ", "getenv at "}},
        Untracked{"WhomAnExclusiveEventWakes",
            [] {
              const int counter = eventfd(0, 0);
              const std::array sets{epoll_create1(0), epoll_create1(0)};
              for (const int set : sets) {
                epoll_event event{EPOLLIN | EPOLLEXCLUSIVE, {}};
                check(epoll_ctl(set, EPOLL_CTL_ADD, counter, &event) == 0);
              }
              const auto wait = [](int set) {
                epoll_event event{};
                epoll_wait(set, &event, 1, -1);
              };
              std::thread one(wait, sets[0]);
              std::thread other(wait, sets[1]);
              check(eventfd_write(counter, 1) == 0);
              one.join();
              other.join();
              for (const int descriptor : {counter, sets[0], sets[1]}) close(descriptor);
            },
            {"whom EPOLLEXCLUSIVE wakes (epoll_ctl at "}},
        Untracked{"HandlerOfNew", [] { twice([] { std::set_new_handler(nullptr); }); },
            {"std::set_new_handler at "}},
        Untracked{"StreamThatAnotherThreadHasLocked",
            [] {
              std::atomic<int> count{0};
              in_parallel(
                  [&] {
                    flockfile(stderr);
                    ++count;
                    funlockfile(stderr);
                  },
                  [&] {
                    ++count;
                    std::fflush(stderr);
                  });
            },
            {"a stream that another thread has locked (fflush at "}},
        Untracked{"NamesOfSemaphores",
            [] {
              sem_unlink(queue_name().c_str());
              twice([] { sem_open(queue_name().c_str(), O_CREAT | O_EXCL, 0600, 0); });
              sem_unlink(queue_name().c_str());
            },
            {"sem_open at "}}),
    [](const auto& each) { return each.param.name; });

TEST(CallsOnStateThatIsNotFollowed, MayHaveBeenMadeBeforeTheSearch) {
  const int counter = eventfd(0, 0);
  const int set = epoll_create1(0);
  epoll_event event{EPOLLIN | EPOLLEXCLUSIVE, {}};
  ASSERT_EQ(epoll_ctl(set, EPOLL_CTL_ADD, counter, &event), 0);
  const int other_set = epoll_create1(0);
  event.events = EPOLLIN;
  ASSERT_EQ(epoll_ctl(other_set, EPOLL_CTL_ADD, counter, &event), 0);
  for (const int waited_for : {set, other_set}) {
    const Report report = explored([=] {
      std::thread waits([=] {
        epoll_event found{};
        check(epoll_wait(waited_for, &found, 1, -1) == 1);
      });
      check(eventfd_write(counter, 1) == 0);
      waits.join();
      eventfd_t count = 0;
      check(eventfd_read(counter, &count) == 0);
    });
    const std::string told = "whom EPOLLEXCLUSIVE wakes (epoll_ctl at untracked_calls_test.cpp:";
    EXPECT_EQ(report.note.find(told) != std::string::npos, waited_for == set) << report;
  }
  close(other_set);
  close(set);
  close(counter);
}

TEST(CallsOnStateThatIsNotFollowed, MayBeOrdered) {
  const Report report = explored([] {
    static std::mutex mutex;
    std::srand(1);
    twice([] {
      const std::lock_guard<std::mutex> lock(mutex);
      static_cast<void>(std::rand());
    });
    static_cast<void>(std::rand());
  });
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(report.note, "");
}

TEST(CallsOnStateThatIsNotFollowed, MayOnlyReadIt) {
  const Report report = explored([] { twice([] { static_cast<void>(std::getenv("HOME")); }); });
  EXPECT_EQ(report.note.find("HOME"), std::string::npos);
  EXPECT_EQ(report.note.find("getenv"), std::string::npos) << report;
}

TEST(CallsOnStateThatIsNotFollowed, AreTheFirstSuspectsWhereABodyIsNotDeterministic) {
  const Report report = report_of(exhaustively(), [] {
    std::atomic<int> steps{0};
    const auto memory = [] { return shmget(getpid(), 4096, IPC_CREAT | 0600); };
    in_parallel(memory, [&] {
      auto* const count = static_cast<int*>(shmat(memory(), nullptr, 0));
      for (int n = ++*count % 4; n != 0; --n) ++steps;
      shmdt(count);
    });
  });
  shmctl(shmget(getpid(), 4096, 0), IPC_RMID, nullptr);
  EXPECT_EQ(report.verdict, Verdict::nondeterministic) << report;
  EXPECT_NE(report.explanation.find("Look first at calls on state"), std::string::npos) << report;
  EXPECT_NE(report.explanation.find("shmget at "), std::string::npos) << report;
}

TEST(ASettingOfADescriptor, IsAStep) {
  const FoundFailure failure = failure_of([] {
    std::array<int, 2> ends{};
    static_cast<void>(!pipe(ends.data()));
    in_parallel([&] { fcntl(ends[0], F_SETFL, O_NONBLOCK); },
        [&] {
          char byte = 0;
          static_cast<void>(!read(ends[0], &byte, 1));
        });
  });
  EXPECT_EQ(failure.kind, FailureKind::deadlock) << failure.message;
}

TEST(TheBytesThatAreReady, AreAskedForInAStep) {
  failure_of([] {
    std::array<int, 2> ends{};
    int ready = 0;
    static_cast<void>(!pipe(ends.data()));
    in_parallel(
        [&] { static_cast<void>(!write(ends[1], "x", 1)); }, [&] { ioctl(ends[0], FIONREAD, &ready); });
    check(ready == 0);
  });
}

TEST(TheMessagesOfAQueue, AreAskedForInAStep) {
  failure_of([] {
    mq_attr wanted{};
    wanted.mq_maxmsg = 2;
    wanted.mq_msgsize = 1;
    mq_unlink(queue_name().c_str());
    const mqd_t queue = mq_open(queue_name().c_str(), O_RDWR | O_CREAT, 0600, &wanted);
    mq_attr found{};
    in_parallel([&] { mq_send(queue, "x", 1, 0); }, [&] { mq_getattr(queue, &found); });
    mq_close(queue);
    mq_unlink(queue_name().c_str());
    check(found.mq_curmsgs == 0);
  });
}

TEST(TheLockOfAFile, IsAskedForInAStep) {
  failure_of([] {
    const int one = open(scratch(), O_RDWR | O_CREAT, 0600);
    const int other = open(scratch(), O_RDWR);
    struct flock asked {};
    asked.l_type = F_WRLCK;
    in_parallel(
        [&] {
          struct flock lock {};
          lock.l_type = F_WRLCK;
          fcntl(one, F_OFD_SETLK, &lock);
        },
        [&] { fcntl(other, F_OFD_GETLK, &asked); });
    close(one);
    close(other);
    unlink(scratch());
    check(asked.l_type == F_UNLCK);
  });
}

/// Calls that would go past the steps of the model.
struct Refused {
  const char* name;
  const char* words;
  void (*body)();
};

class CallsThatArePastTheModel : public testing::TestWithParam<Refused> {};

TEST_P(CallsThatArePastTheModel, AreRefusedWithWhatToDo) {
  expect_failure(FailureKind::misuse, 0,
      std::string("calls ") + GetParam().name + "(), which Hocket does not control; " + GetParam().words,
      GetParam().body);
}

INSTANTIATE_TEST_SUITE_P(Each, CallsThatArePastTheModel,
    testing::Values(Refused{"sendmmsg", "use sendmsg",
                        [] {
                          int ends[2];
                          ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
                          mmsghdr messages[1]{};
                          sendmmsg(ends[0], messages, 1, 0);
                        }},
        Refused{"dprintf", "use write",
            [] {
              int ends[2];
              ASSERT_EQ(pipe(ends), 0);
              dprintf(ends[1], "%d", 7);
            }},
        Refused{"splice", "use read and write", [] { splice(0, nullptr, 1, nullptr, 1, 0); }},
        Refused{"killpg", "use kill", [] { killpg(0, 0); }},
        Refused{"pthread_clockjoin_np", "use pthread_join",
            [] {
              std::thread other([] {});
              pthread_clockjoin_np(other.native_handle(), nullptr, CLOCK_MONOTONIC, nullptr);
              other.join();
            }}),
    [](const auto& it) { return std::string(it.param.name); });

TEST(Dprintf, WritesToTheTerminalAndToFiles) {
  explored([] {
    EXPECT_EQ(dprintf(STDERR_FILENO, "%s", ""), 0);
    const int file = open(scratch(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    EXPECT_EQ(dprintf(file, "%d", 123), 3);
    close(file);
    unlink(scratch());
  });
}

}  // namespace

}  // namespace unmodified
