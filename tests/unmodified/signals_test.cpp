// Signals that threads send to each other and wait for.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <initializer_list>
#include <thread>

#include <pthread.h>
#include <unistd.h>

#include <hocket/scheduler/schedule.hpp>
#include "tests/unmodified/std_bodies.hpp"

namespace unmodified {

namespace {

using hocket::FailureKind;

sigset_t set_of(std::initializer_list<int> numbers) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : numbers) sigaddset(&set, number);
  return set;
}
sigset_t block(std::initializer_list<int> numbers) {
  const sigset_t set = set_of(numbers);
  sigset_t before;
  check(pthread_sigmask(SIG_BLOCK, &set, &before) == 0);
  return before;
}
int wait_for(std::initializer_list<int> numbers) {
  const sigset_t set = set_of(numbers);
  int number = 0;
  check(sigwait(&set, &number) == 0);
  return number;
}
bool is_pending(int number) {
  sigset_t set;
  check(sigpending(&set) == 0);
  return sigismember(&set, number) == 1;
}

TEST(ASignal, WakesTheThreadThatWaitsForItWheneverItIsSent) {
  explored([] {
    block({SIGUSR1});
    int data = 0;
    std::thread handler([&] {
      check(wait_for({SIGUSR1, SIGUSR2}) == SIGUSR1);
      check(data == 1, "what was done before the signal is seen after it");
    });
    data = 1;
    check(pthread_kill(handler.native_handle(), SIGUSR1) == 0);
    handler.join();
  });
}

TEST(ASignal, ThatNobodySendsIsWaitedForForEver) {
  expect_failure(FailureKind::deadlock, 0, "signals of", [] {
    block({SIGUSR1});
    std::thread handler([] { wait_for({SIGUSR1}); });
    handler.join();
  });
}

TEST(ASignal, OfAnotherNumberWakesNobody) {
  expect_failure(FailureKind::deadlock, 0, "signals of", [] {
    block({SIGUSR1, SIGUSR2});
    std::thread handler([] { wait_for({SIGUSR1}); });
    pthread_kill(handler.native_handle(), SIGUSR2);
    handler.join();
  });
}

TEST(ASignal, StaysPendingUntilItIsTakenOnceHoweverOftenItIsSent) {
  explored([] {
    block({SIGUSR1});
    check(!is_pending(SIGUSR1));
    raise(SIGUSR1);
    pthread_kill(pthread_self(), SIGUSR1);
    check(is_pending(SIGUSR1));
    check(wait_for({SIGUSR1}) == SIGUSR1);
    check(!is_pending(SIGUSR1));
  });
}

TEST(ASignal, IsTakenInTheOrderOfNumbers) {
  explored([] {
    block({SIGUSR1, SIGUSR2});
    raise(SIGUSR2);
    raise(SIGUSR1);
    const sigset_t both = set_of({SIGUSR1, SIGUSR2});
    siginfo_t info;
    check(sigwaitinfo(&both, &info) == SIGUSR1 && info.si_signo == SIGUSR1 && info.si_pid == getpid());
    check(sigwaitinfo(&both, nullptr) == SIGUSR2);
  });
}

TEST(ASignal, MayComeBeforeOrAfterTheTimeIsOver) {
  const Outcomes outcomes = outcomes_by_bound([] {
    block({SIGUSR1});
    unsigned outcome = 0;
    std::thread handler([&] {
      const sigset_t set = set_of({SIGUSR1});
      const timespec time{1, 0};
      const int taken = sigtimedwait(&set, nullptr, &time);
      check(taken == SIGUSR1 || errno == EAGAIN);
      outcome = taken == SIGUSR1 ? 1 : 2;
    });
    pthread_kill(handler.native_handle(), SIGUSR1);
    handler.join();
    return outcome;
  });
  EXPECT_EQ(outcomes.size(), 2U);
}

std::atomic<int> handled{0};
void count(int /*number*/) {
  ++handled;
}

TEST(ASignal, RunsItsHandlerWhereAThreadSendsItToItselfOrUnblocksIt) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = &count;
  sigaction(SIGUSR1, &action, &before);
  explored([] {
    raise(SIGUSR1);
    check(handled == 1);
    const sigset_t mask = block({SIGUSR1});
    raise(SIGUSR1);
    check(handled == 1);
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    check(handled == 2);
  });
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(ASignal, ThatIsNotBlockedIsNotSentToOtherThreads) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = &count;
  sigaction(SIGUSR1, &action, &before);
  expect_failure(FailureKind::misuse, 0, "pthread_kill", [] {
    std::atomic<bool> ends{false};
    std::thread other([&] { ends.load(); });
    pthread_kill(other.native_handle(), SIGUSR1);
    other.join();
  });
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(ASignal, ThatIsIgnoredMayBeSentToAnybody) {
  explored([] {
    std::atomic<bool> ends{false};
    std::thread other([&] { ends.load(); });
    check(pthread_kill(other.native_handle(), SIGCHLD) == 0);
    other.join();
  });
}

TEST(ASignal, MustBeOneAndItsThreadToo) {
  explored([] {
    check(pthread_kill(pthread_self(), 0) == 0);
    check(pthread_kill(pthread_self(), 4711) == EINVAL);
    check(pthread_kill(pthread_t{}, SIGUSR1) == ESRCH);
  });
}

TEST(TheMaskOfSignals, IsEachThreadsOwnAndThatOfItsCreatorAtFirst) {
  const auto blocks = [](int number) {
    sigset_t set;
    sigprocmask(SIG_BLOCK, nullptr, &set);
    return sigismember(&set, number) == 1;
  };
  explored([&] {
    check(!blocks(SIGUSR1) && !blocks(SIGUSR2));
    block({SIGUSR1});
    std::thread other([&] {
      check(blocks(SIGUSR1) && !blocks(SIGUSR2));
      block({SIGUSR2});
      check(blocks(SIGUSR1) && blocks(SIGUSR2));
    });
    other.join();
    check(blocks(SIGUSR1) && !blocks(SIGUSR2));
    const sigset_t set = set_of({SIGUSR1});
    check(sigprocmask(SIG_UNBLOCK, &set, nullptr) == 0 && !blocks(SIGUSR1));
    check(sigprocmask(4711, &set, nullptr) == -1 && errno == EINVAL);
  });
  EXPECT_FALSE(blocks(SIGUSR1)) << "bodies do not change that of the test";
}

TEST(TheMaskOfSignals, MakesWaitingForHandlersAMisuse) {
  const sigset_t none = set_of({});
  expect_failure(FailureKind::misuse, 0, "sigwait", [&] { sigsuspend(&none); });
  expect_failure(FailureKind::misuse, 0, "sigwait", [] { pause(); });
  expect_failure(FailureKind::misuse, 0, "pthread_kill", [] {
    block({SIGUSR1});
    kill(getpid(), SIGUSR1);
  });
}

TEST(ASignal, HasItsNameInTheSchedule) {
  const hocket::FoundFailure failure = failure_of([] {
    block({SIGUSR1});
    std::thread handler([] {
      wait_for({SIGUSR1});
      check(false, "here");
    });
    pthread_kill(handler.native_handle(), SIGUSR1);
    handler.join();
  });
  unsigned sent = 0;
  for (const auto& step : failure.schedule->choices) {
    if (step.object != "signals of thread 1") continue;
    for (const std::string& note : step.notes) sent += note == "SIGUSR1" ? 1 : 0;
  }
  EXPECT_EQ(sent, 2U) << "sent and taken";
}

}  // namespace

}  // namespace unmodified
