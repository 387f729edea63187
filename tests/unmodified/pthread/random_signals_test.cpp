// Signals: random programs of threads that send signals to each other and to the process, wait for signals,
// ask for them, and look what is pending, while the body already joins them, in one order or another. Their
// outcomes are those of a brute force that knows pthread_kill(3), sigwait(3), sigpending(2) and signal(7): a
// signal of the thread is taken before one of the process, of each the least number first, and only those of
// real time are taken as often as they were sent.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <random>
#include <semaphore>
#include <string>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/libc/random_programs.hpp"

namespace unmodified::signals {

namespace {

constexpr std::size_t kThreads = 3;  ///< at most
constexpr std::size_t kOfProcess = kThreads;
constexpr std::size_t kSignals = 3;
constexpr std::size_t kOfRealTime = 2;
constexpr unsigned kNothing = 0;

struct Call {
  enum class Kind : unsigned char { send, wait, ask, look };
  Kind kind;
  unsigned char to = 0;       ///< a thread, or kOfProcess
  unsigned char signal = 0;   ///< to send
  unsigned char awaited = 0;  ///< a bit for each signal
};
using Kind = Call::Kind;
using Program = random_calls::Threads<Call>;

/// How often each signal is pending, by whose it is.
using Shared = std::array<std::array<unsigned char, kSignals>, kThreads + 1>;

bool take(const Call& call, std::size_t thread, Shared& shared, std::vector<unsigned>& found) {
  for (const std::size_t owner : {thread, kOfProcess}) {
    for (std::size_t signal = 0; signal < kSignals; ++signal) {
      unsigned char& pending = shared.at(owner).at(signal);
      if (pending == 0 || (call.awaited >> signal & 1U) == 0) continue;
      --pending;
      found.push_back(static_cast<unsigned>(signal) + 1);
      return true;
    }
  }
  return false;
}

bool make(const Call& call, std::size_t thread, Shared& shared, std::vector<unsigned>& found) {
  switch (call.kind) {
    case Kind::send: {
      unsigned char& pending = shared.at(call.to).at(call.signal);
      if (pending == 0 || call.signal == kOfRealTime) ++pending;
      return true;
    }
    case Kind::wait:
      return take(call, thread, shared, found);
    case Kind::ask:
      if (!take(call, thread, shared, found)) found.push_back(kNothing);
      return true;
    case Kind::look: {
      unsigned all = 0;
      for (std::size_t signal = 0; signal < kSignals; ++signal) {
        if (shared.at(thread).at(signal) + shared.at(kOfProcess).at(signal) != 0) all |= 1U << signal;
      }
      found.push_back(all);
      return true;
    }
  }
  return false;
}

/// The same calls of the system. A thread ends when it has been sent all that it will be: a signal to one
/// that has ended is a mistake of the program.
class Threads {
 public:
  explicit Threads(const Program& program) {
    const sigset_t all = set_of((1U << kSignals) - 1);
    check(pthread_sigmask(SIG_BLOCK, &all, nullptr) == 0);
    for (std::size_t t = 0; t < program.size(); ++t) {
      left_.at(t) = program[t].size();
      for (const Call& call : program[t]) {
        if (call.kind == Kind::send && call.to != kOfProcess) ++awaited_.at(call.to);
      }
    }
  }

  void make(const Call& call, std::size_t thread, std::vector<unsigned>& found) {
    if (awaited_.at(thread) != 0 && !is_known_.at(thread)) {
      is_known_.at(thread) = true;
      handles_.at(thread) = pthread_self();
      handles_.at(thread).notify_all();
    }
    const sigset_t awaited = set_of(call.awaited);
    int number = 0;
    switch (call.kind) {
      case Kind::send:
        send(call);
        break;
      case Kind::wait:
        check(sigwait(&awaited, &number) == 0);
        found.push_back(found_of(number));
        break;
      case Kind::ask: {
        const timespec at_once{};
        number = sigtimedwait(&awaited, nullptr, &at_once);
        found.push_back(number < 0 ? kNothing : found_of(number));
        break;
      }
      case Kind::look: {
        sigset_t pending{};
        check(sigpending(&pending) == 0);
        unsigned all = 0;
        for (std::size_t signal = 0; signal < kSignals; ++signal)
          all |= sigismember(&pending, number_of(signal)) == 1 ? 1U << signal : 0U;
        found.push_back(all);
      }
    }
    if (--left_.at(thread) != 0) return;
    for (unsigned n = 0; n < awaited_.at(thread); ++n) sent_.at(thread).acquire();
  }

 private:
  void send(const Call& call) {
    if (call.to == kOfProcess) {
      check(kill(getpid(), number_of(call.signal)) == 0);
      return;
    }
    handles_.at(call.to).wait(pthread_t{});
    check(pthread_kill(handles_.at(call.to), number_of(call.signal)) == 0);
    sent_.at(call.to).release();
  }

  static int number_of(std::size_t signal) {
    return signal == 0 ? SIGUSR1 : signal == 1 ? SIGUSR2 : SIGRTMIN;
  }
  static unsigned found_of(int number) { return number == SIGUSR1 ? 1 : number == SIGUSR2 ? 2 : 3; }
  static sigset_t set_of(unsigned signals) {
    sigset_t set{};
    sigemptyset(&set);
    for (std::size_t signal = 0; signal < kSignals; ++signal) {
      if ((signals >> signal & 1U) != 0) sigaddset(&set, number_of(signal));
    }
    return set;
  }

  std::array<std::size_t, kThreads> left_{};  ///< calls
  std::array<unsigned, kThreads> awaited_{};  ///< signals
  std::array<bool, kThreads> is_known_{};     ///< by itself
  std::array<std::atomic<pthread_t>, kThreads> handles_{};
  std::array<std::counting_semaphore<>, kThreads> sent_{
      std::counting_semaphore<>(0), std::counting_semaphore<>(0), std::counting_semaphore<>(0)};
};

std::string text_of(const Program& program) {
  static constexpr std::array kNames{"send", "wait", "ask", "look"};
  return random_calls::text_of(program, [](const Call& call) {
    return std::string(kNames.at(static_cast<std::size_t>(call.kind))) + "(to " + std::to_string(call.to) +
           " signal " + std::to_string(call.signal) + ", for " + std::to_string(call.awaited) + ")";
  });
}

/// One thread takes most of the signals, since those that meet are the ones that can be taken in a wrong way.
Program random_program(std::mt19937& random) {
  const auto below = [&](std::size_t end) { return static_cast<unsigned char>(random() % end); };
  Program program(2 + below(2));
  const unsigned char taker = below(program.size());
  const std::size_t most = program.size() == 2 ? 3 : 2;
  std::size_t left = program.size() == 2 ? 5 : 4;  // more take seconds each
  for (std::size_t t = 0; t < program.size(); ++t) {
    const std::size_t of_others = program.size() - 1 - t;
    for (std::size_t n = std::min<std::size_t>(1U + below(most), left - of_others); n != 0; --n, --left) {
      static constexpr std::array kOfTaker{
          Kind::send, Kind::wait, Kind::wait, Kind::wait, Kind::ask, Kind::ask};
      static constexpr std::array kOfOthers{
          Kind::send, Kind::send, Kind::send, Kind::send, Kind::wait, Kind::look};
      Call call{t == taker ? kOfTaker.at(below(kOfTaker.size())) : kOfOthers.at(below(kOfOthers.size()))};
      const unsigned char to = below(3) == 0 ? below(program.size()) : taker;
      call.to = below(5) < 3 ? static_cast<unsigned char>(kOfProcess) : to;
      call.signal = below(2) == 0 ? static_cast<unsigned char>(kOfRealTime) : below(kOfRealTime);
      call.awaited = static_cast<unsigned char>(below(3) == 0 ? 1U << below(kSignals) : (1U << kSignals) - 1);
      program[t].push_back(call);
    }
  }
  return program;
}

}  // namespace

random_calls::Compared compare_random_program(std::mt19937& random) {
  const Program program = random_program(random);
  return random_calls::compare(program, random_calls::answer_of(program, Shared{}, make), text_of(program),
      [&] { return Threads(program); });
}

TEST(RandomProgramsThatSendSignals, HaveAllOutcomesUnderEveryStrategy) {
  random_calls::compare_random_programs(20261128, true, compare_random_program);
}

}  // namespace unmodified::signals
