// Signals that threads send to each other and wait for.
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <initializer_list>
#include <string>
#include <thread>

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "scheduler/schedules/schedule.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

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

TEST(ASignal, ReachesAThreadThatAnotherOneIsAboutToJoin) {
  explored([] {
    block({SIGUSR1, SIGRTMIN});
    std::thread handler([] {
      check(wait_for({SIGUSR1}) == SIGUSR1);
      check(wait_for({SIGRTMIN}) == SIGRTMIN);
    });
    const pthread_t handle = handler.native_handle();
    std::thread sender([handle] {
      check(pthread_kill(handle, 0) == 0);
      check(pthread_kill(handle, SIGUSR1) == 0);
      check(pthread_kill(handle, SIGRTMIN) == 0);
    });
    handler.join();
    sender.join();
  });
}

TEST(ASignal, ReachesNobodyWhoHasBeenJoined) {
  explored([] {
    block({SIGUSR1});
    std::thread handler([] {});
    const pthread_t handle = handler.native_handle();
    handler.join();
    check(pthread_kill(handle, 0) == ESRCH && pthread_kill(handle, SIGUSR1) == ESRCH);
  });
}

TEST(ASignal, ToAThreadThatIsJoinedMeanwhileIsRefusedByEveryStrategy) {
  for (const char* const strategy : {"icb", "icb-por", "cb-por", "dpor", "dfs-sleep"}) {
    for (const int number : {0, SIGUSR1}) {
      const std::string message = message_of(FailureKind::misuse, with(strategy), [number] {
        block({SIGUSR1});
        std::atomic<bool> ends{false};
        std::thread target([&] { ends = true; });
        std::thread sender([number, handle = target.native_handle()] { pthread_kill(handle, number); });
        target.join();
        sender.join();
      });
      EXPECT_NE(message.find("nothing makes it do so before that is joined"), std::string::npos) << message;
    }
  }
}

TEST(ASignal, ToTheProcessIsSentInTheSameStepsWhetherOtherThreadsHaveBeenJoinedOrNot) {
  const auto body = [] {
    block({SIGUSR1, SIGUSR2});
    std::atomic<int> last{0};
    in_parallel([&] { last = 1; }, [] { kill(getpid(), SIGUSR1); });
    check(is_pending(SIGUSR1));
  };
  for (const char* const strategy : {"icb-por", "cb-por", "dpor", "dfs-sleep"}) {
    EXPECT_FALSE(hocket::explore("signals", body, with(strategy)).failed()) << strategy;
  }
}

TEST(ASignal, ThatNobodySendsIsWaitedForForEver) {
  expect_failure(FailureKind::deadlock, 0, "waits for a signal", [] {
    block({SIGUSR1});
    std::thread([] { wait_for({SIGUSR1}); }).join();
  });
}

TEST(ASignal, OfAnotherNumberWakesNobody) {
  expect_failure(FailureKind::deadlock, 0, "waits for a signal", [] {
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

/// Counts how often a handler runs, while it lives.
class Handles {
 public:
  explicit Handles(int number) : number_(number) {
    struct sigaction action {};
    action.sa_handler = &count;
    sigaction(number, &action, &before_);
  }
  ~Handles() { sigaction(number_, &before_, nullptr); }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

 private:
  int number_;
  struct sigaction before_ {};
};

TEST(ASignal, RunsItsHandlerWhereAThreadSendsItToItselfOrUnblocksIt) {
  const Handles handles(SIGUSR1);
  explored([] {
    raise(SIGUSR1);
    check(handled == 1);
    const sigset_t mask = block({SIGUSR1});
    raise(SIGUSR1);
    check(handled == 1);
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    check(handled == 2);
  });
}

TEST(AHandler, MayFailTheExecutionAndDropIt) {
  struct sigaction before {};
  sigaction(SIGUSR2, nullptr, &before);
  std::signal(SIGUSR2, [](int) { check(false, "in the handler"); });
  expect_failure(FailureKind::check, 0, "in the handler", [] { raise(SIGUSR2); });
  std::signal(SIGUSR2, [](int) { hocket::assume(false); });
  const Report report = report_of(exhaustively(), [] { raise(SIGUSR2); });
  EXPECT_EQ(report.dropped, 1U) << report;
  sigaction(SIGUSR2, &before, nullptr);
}

thread_local int handled_here = 0;

TEST(AHandler, MayBeSwitchedFromAndRunInTwoThreadsAtATime) {
  struct sigaction before {};
  sigaction(SIGUSR1, nullptr, &before);
  std::signal(SIGUSR1, [](int) {
    ++handled;
    ++handled_here;
  });
  explored([] {
    const auto signal_itself = [] {
      raise(SIGUSR1);
      check(handled_here == 1);
    };
    in_parallel(signal_itself, signal_itself);
    check(handled == 2);
  });
  sigaction(SIGUSR1, &before, nullptr);
}

bool has_blocked_itself = false;

TEST(AHandler, BlocksItsSignalAndThoseOfItsMaskUntilItReturns) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, nullptr, &set);
    has_blocked_itself = sigismember(&set, SIGUSR1) == 1 && sigismember(&set, SIGUSR2) == 1;
    const int handled_before = handled;
    raise(SIGUSR2);
    check(is_pending(SIGUSR2) && handled == handled_before);
  };
  action.sa_mask = set_of({SIGUSR2});
  sigaction(SIGUSR1, &action, &before);
  const Handles handles(SIGUSR2);
  explored([] {
    raise(SIGUSR1);
    check(has_blocked_itself && handled == 1);
    raise(SIGUSR1);
    check(handled == 2);
  });
  sigaction(SIGUSR1, &before, nullptr);
}

int number_told = 0;

TEST(AHandler, LearnsWhichSignalItWasAndMayBeForOneTimeOnly) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_sigaction = [](int, siginfo_t* info, void*) { number_told = info->si_signo; };
  action.sa_flags = SA_SIGINFO | static_cast<int>(SA_RESETHAND);
  sigaction(SIGUSR1, nullptr, &before);
  explored([&] {
    sigaction(SIGUSR1, &action, nullptr);
    raise(SIGUSR1);
    struct sigaction now {};
    sigaction(SIGUSR1, nullptr, &now);
    check(number_told == SIGUSR1 && now.sa_handler == SIG_DFL);
  });
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(AHandler, RunsAfterSigwaitForASecondSignalThatIsNotBlocked) {
  const Handles handles(SIGUSR2);
  const Report report = report_of(exhaustively({.keep_going = true}), [] {
    std::atomic<bool> waits{false};
    std::thread waiter([&] {
      waits = true;
      check(wait_for({SIGUSR1, SIGUSR2}) == SIGUSR1, "the other one came first");
      check(handled == 1 || !is_pending(SIGUSR2));
    });
    hocket::assume(waits);
    pthread_kill(waiter.native_handle(), SIGUSR2);
    pthread_kill(waiter.native_handle(), SIGUSR1);
    waiter.join();
  });
  for (const FoundFailure& failure : report.failures)
    EXPECT_TRUE(failure.kind == FailureKind::misuse || failure.message == "the other one came first")
        << report;
}

TEST(ASignal, ThatIsNotBlockedIsNotSentToOtherThreads) {
  const Handles handles(SIGUSR1);
  expect_failure(FailureKind::misuse, 0, "pthread_kill", [] {
    std::atomic<bool> ends{false};
    std::thread other([&] { ends.load(); });
    pthread_kill(other.native_handle(), SIGUSR1);
    other.join();
  });
}

TEST(ASignal, WithAValueIsRefused) {
  expect_failure(FailureKind::misuse, 0, "calls pthread_sigqueue(), which Hocket does not control",
      [] { pthread_sigqueue(pthread_self(), SIGUSR1, sigval{}); });
}

TEST(ASignal, IsNotReadFromADescriptor) {
  expect_failure(FailureKind::misuse, 0,
      "calls signalfd(), which Hocket does not control; wait for signals with sigwait", [] {
        const sigset_t set = set_of({SIGUSR1});
        signalfd(-1, &set, 0);
      });
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

TEST(ASignal, OfRealTimeIsTakenAsOftenAsItIsSent) {
  explored([] {
    block({SIGRTMIN});
    std::thread waiter([] {
      check(wait_for({SIGRTMIN}) == SIGRTMIN);
      check(wait_for({SIGRTMIN}) == SIGRTMIN);
    });
    pthread_kill(waiter.native_handle(), SIGRTMIN);
    pthread_kill(waiter.native_handle(), SIGRTMIN);
    waiter.join();
    check(!is_pending(SIGRTMIN));
  });
}

TEST(ASignal, IsPolledForWithoutAYield) {
  explored(within(1), [] {
    block({SIGUSR1});
    std::thread waiter([] {
      while (!is_pending(SIGUSR1)) {
      }
    });
    pthread_kill(waiter.native_handle(), SIGUSR1);
    waiter.join();
  });
}

// Nobody can know that it has ended without having joined it.
TEST(ASignal, ToAThreadThatMayHaveEndedIsRefusedByEveryStrategy) {
  const Handles handles(SIGUSR1);
  for (const char* strategy : {"icb", "icb-por", "cb-por", "dpor", "dfs-sleep"}) {
    const FoundFailure failure = failure_of(with(strategy), [] {
      std::atomic<bool> nears_its_end{false};
      std::atomic<int> last{0};
      std::thread other([&] {
        nears_its_end = true;
        last = 1;
      });
      hocket::assume(nears_its_end);
      pthread_kill(other.native_handle(), SIGUSR1);
      other.join();
    });
    EXPECT_EQ(failure.kind, FailureKind::misuse) << strategy;
  }
}

TEST(ASignal, WithATimeHasTheSameClassesUnderEveryStrategy) {
  const auto body = [] {
    block({SIGUSR1});
    std::atomic<int> other{0};
    std::thread waiter([&] {
      const sigset_t set = set_of({SIGUSR1});
      const timespec time{0, 1000};
      for (int n = 0; n < 2; ++n) other += sigtimedwait(&set, nullptr, &time);
    });
    other = 4;
    pthread_kill(waiter.native_handle(), SIGUSR1);
    waiter.join();
  };
  Options options = exhaustively();
  const std::uint64_t classes = explored(body, options).classes;
  for (const char* strategy : {"icb-por", "cb-por", "cb-por-basic", "dpor", "dfs-sleep"}) {
    options.strategy = strategy;
    EXPECT_EQ(explored(body, options).classes, classes) << strategy;
  }
}

// Both threads may be woken by the first signal, which only one of them gets.
TEST(ASignal, ThatAnotherThreadTakesEndsNoTimedWait) {
  Options options = exhaustively();
  options.timeouts = hocket::Timeouts::late;  // so that no wait is over before the second signal has come
  explored(options, [] {
    block({SIGUSR1, SIGUSR2});
    std::array<int, 2> taken{};
    const auto take = [&taken](std::size_t which) {
      const sigset_t set = set_of({SIGUSR1, SIGUSR2});
      const timespec second{1, 0};
      taken.at(which) = sigtimedwait(&set, nullptr, &second);
    };
    std::thread one(take, 0);
    std::thread other(take, 1);
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGUSR2);
    one.join();
    other.join();
    check(taken[0] > 0 && taken[1] > 0 && taken[0] != taken[1], "each gets one");
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
    std::thread([&] {
      check(blocks(SIGUSR1) && !blocks(SIGUSR2));
      block({SIGUSR2});
      check(blocks(SIGUSR1) && blocks(SIGUSR2));
    }).join();
    check(blocks(SIGUSR1) && !blocks(SIGUSR2));
    const sigset_t set = set_of({SIGUSR1});
    check(sigprocmask(SIG_UNBLOCK, &set, nullptr) == 0 && !blocks(SIGUSR1));
    check(sigprocmask(4711, &set, nullptr) == -1 && errno == EINVAL);
  });
  EXPECT_FALSE(blocks(SIGUSR1)) << "bodies do not change that of the test";
}

TEST(ASignal, RunsItsHandlerInAThreadThatPauses) {
  const Handles handles(SIGUSR1);
  const Report report = report_of(exhaustively(), [] {
    std::thread waiter([] { check(pause() == -1 && errno == EINTR && handled == 1); });
    check(pthread_kill(waiter.native_handle(), SIGUSR1) == 0);
    waiter.join();
  });
  // Sent before it pauses, the signal interrupts whatever the thread does.
  EXPECT_EQ(report.failures.at(0).kind, FailureKind::misuse) << report;
}

TEST(ASignal, WakesAThreadThatWaitsForItsHandlerToRun) {
  const Handles handles(SIGUSR1);
  explored([] {
    const sigset_t before = block({SIGUSR1});
    const pthread_t self = pthread_self();
    std::thread other([self] { pthread_kill(self, SIGUSR1); });
    check(sigsuspend(&before) == -1 && errno == EINTR && handled == 1);
    other.join();
    check(handled == 1);
  });
}

TEST(ASignal, ToTheProcessIsTakenByAThreadThatWaitsForItNowOrLater) {
  explored([] {
    block({SIGUSR1});
    in_parallel([] { check(wait_for({SIGUSR1}) == SIGUSR1); }, [] { check(kill(getpid(), SIGUSR1) == 0); });
    check(!is_pending(SIGUSR1));
  });
}

TEST(ASignal, ToTheProcessIsTakenByOneThreadAlone) {
  expect_failure(FailureKind::deadlock, 0, "waits for a signal", [] {
    block({SIGUSR1});
    std::thread a([] { wait_for({SIGUSR1}); });
    std::thread b([] { wait_for({SIGUSR1}); });
    kill(getpid(), SIGUSR1);
    a.join();
    b.join();
  });
}

TEST(ASignal, ToTheProcessIsTakenByEachOfSeveralThatWaitIfItIsSentOften) {
  explored(within(1), [] {
    block({SIGUSR1});
    std::atomic<int> taken{0};
    const auto wait = [&] {
      const sigset_t set = set_of({SIGUSR1});
      sigwaitinfo(&set, nullptr);
      ++taken;
    };
    std::thread a(wait);
    std::thread b(wait);
    kill(getpid(), SIGUSR1);
    while (taken == 0) std::this_thread::yield();
    kill(getpid(), SIGUSR1);
    a.join();
    b.join();
  });
}

TEST(ASignal, ToTheProcessRunsItsHandlerInTheThreadThatUnblocksIt) {
  const Handles handles(SIGUSR1);
  explored([] {
    const sigset_t before = block({SIGUSR1});
    in_parallel([] { kill(getpid(), SIGUSR1); }, [] { check(is_pending(SIGUSR1) || handled == 0); });
    check(handled == 0 && is_pending(SIGUSR1));
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    check(handled == 1 && !is_pending(SIGUSR1));
  });
}

TEST(ASignal, ToTheProcessIsNotGivenToAnotherThreadThatDoesNotBlockIt) {
  const Handles handles(SIGUSR1);
  expect_failure(FailureKind::misuse, 0, "kill()", [] {
    std::atomic<bool> ends{false};
    std::thread sender([] {
      block({SIGUSR1});
      kill(getpid(), SIGUSR1);
    });
    ends.load();
    sender.join();
  });
}

TEST(ASignal, HasItsNameInTheSchedule) {
  const FoundFailure failure = failure_of([] {
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
    if (step.object != "signals") continue;
    for (const std::string& note : step.notes) sent += note == "SIGUSR1" ? 1 : 0;
  }
  EXPECT_EQ(sent, 2U) << "sent and taken";
}

}  // namespace

}  // namespace unmodified
