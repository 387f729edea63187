// The futex system call, made by the program itself.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unmodified/pthread/pthread_clocks.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using hocket::FailureKind;

using Word = std::atomic<std::uint32_t>;

long futex(Word& word, int operation, std::uint32_t value, const timespec* time = nullptr) {
  return syscall(SYS_futex, &word, operation, value, time, nullptr, FUTEX_BITSET_MATCH_ANY);
}

TEST(AFutex, LetsAWaiterSleepUntilItIsWoken) {
  explored([] {
    Word word{0};
    int data = 0;
    in_parallel(
        [&] {
          while (word.load() == 0) {
            const long result = futex(word, FUTEX_WAIT_PRIVATE, 0);
            check(result == 0 || errno == EAGAIN);
          }
          check(data == 1);
        },
        [&] {
          data = 1;
          word.store(1);
          futex(word, FUTEX_WAKE_PRIVATE, 1);
        });
  });
}

TEST(AFutex, ThatHasAnotherValueIsNotWaitedFor) {
  explored([] {
    Word word{1};
    errno = 0;
    check(futex(word, FUTEX_WAIT, 0) == -1 && errno == EAGAIN);
  });
}

// Reductions must know that the wait may end by itself.
TEST(AFutex, WithATimeHasTheSameClassesUnderEveryStrategy) {
  const auto body = [] {
    Word word{0};
    in_parallel(
        [&] {
          const timespec time{0, 1000};
          futex(word, FUTEX_WAIT, 0, &time);
          futex(word, FUTEX_WAIT, 1, &time);
        },
        [&] {
          word.store(1);
          futex(word, FUTEX_WAKE, 1);
        });
  };
  hocket::Options options = exhaustively();
  const std::uint64_t classes = explored(body, options).classes;
  for (const char* strategy : {"icb-por", "cb-por", "cb-por-basic", "dpor", "dfs-sleep"}) {
    options.strategy = strategy;
    EXPECT_EQ(explored(body, options).classes, classes) << strategy;
  }
}

/// What a thread of a random program does to one of two words.
struct Act {
  enum class Verb { wait, store, wake_one, wake_all, load } verb;
  unsigned word;
  std::uint32_t value;
};
using Program = std::vector<std::vector<Act>>;

Program random_program(std::mt19937& random) {
  const auto below = [&random](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  const unsigned threads = 2 + below(2);
  Program program(threads);
  for (std::vector<Act>& acts : program) {
    for (unsigned n = 0; n < (threads == 2 ? 3U : 2U); ++n) {
      const unsigned verb = below(7);  // waits are what this is about
      acts.push_back({verb < 3 ? Act::Verb::wait : static_cast<Act::Verb>(verb - 2), below(2), below(2)});
    }
  }
  return program;
}

/// What the operations returned, in the order of threads.
std::string outcome_of(const Program& program) {
  static constexpr timespec kTime{0, 1000};
  Word words[2] = {};
  std::vector<std::string> found(program.size());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < program.size(); ++t) {
    threads.emplace_back([&words, &found, &acts = program[t], t] {
      for (const Act& act : acts) {
        Word& word = words[act.word];
        char result = '-';
        switch (act.verb) {
          case Act::Verb::wait:
            result = futex(word, FUTEX_WAIT, act.value, &kTime) == 0 ? 'w' : errno == ETIMEDOUT ? 't' : 'n';
            break;
          case Act::Verb::store:
            word.store(act.value);
            break;
          case Act::Verb::wake_one:
            futex(word, FUTEX_WAKE, 1);
            break;
          case Act::Verb::wake_all:
            futex(word, FUTEX_WAKE, INT_MAX);
            break;
          case Act::Verb::load:
            result = word.load() == 0 ? '0' : '1';
            break;
        }
        found[t] += result;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::string all;
  for (const std::string& of_thread : found) all += of_thread + " ";
  return all;
}

TEST(FutexesWithTimes, HaveTheSameOutcomesAndClassesUnderEveryStrategyInRandomPrograms) {
  std::mt19937 random(20'261);
  for (int n = 0; n < 60; ++n) {
    const Program program = random_program(random);
    // On the stack of the test, so that nothing is put back; each outcome is a text of less than sixteen
    // bytes.
    struct Seen {
      std::array<std::array<char, 16>, 256> texts{};
      std::size_t count = 0;
    };
    const auto search = [&program](const char* strategy, std::uint64_t& classes) {
      Seen seen;
      hocket::Options options = exhaustively();
      options.strategy = strategy;
      classes = explored(
          [&] {
            std::array<char, 16> text{};
            outcome_of(program).copy(text.data(), text.size() - 1);
            const auto end = seen.texts.begin() + static_cast<std::ptrdiff_t>(seen.count);
            if (std::find(seen.texts.begin(), end, text) == end) seen.texts.at(seen.count++) = text;
          },
          options)
                    .classes;
      std::set<std::string> outcomes;
      for (std::size_t k = 0; k < seen.count; ++k) outcomes.insert(seen.texts[k].data());
      return outcomes;
    };
    std::uint64_t expected = 0;
    const std::set<std::string> outcomes = search("dfs", expected);
    for (const char* strategy : {"icb", "icb-por", "cb-por", "cb-por-basic", "dpor", "dfs-sleep"}) {
      std::uint64_t classes = 0;
      EXPECT_EQ(search(strategy, classes), outcomes) << strategy << ", program " << n;
      EXPECT_EQ(classes, expected) << strategy << ", program " << n;
    }
  }
}

TEST(AFutex, ThatNobodyWakesIsADeadlock) {
  expect_failure(FailureKind::deadlock, 0, "deadlock", [] {
    Word word{0};
    in_parallel([&] { futex(word, FUTEX_WAIT, 0); }, [&] { word.store(1); });
  });
}

TEST(AFutex, WakesAsManyAsItIsTold) {
  const auto wake = [](std::uint32_t count) {
    return [count] {
      Word word{0};
      const auto wait = [&] { futex(word, FUTEX_WAIT_BITSET, 0); };
      in_parallel(wait, wait, wait, [&] {
        word.store(1);
        futex(word, FUTEX_WAKE_BITSET, count);
      });
    };
  };
  explored_within(0, wake(INT_MAX));
  explored_within(0, wake(3));
  expect_failure(FailureKind::deadlock, 0, "deadlock", wake(2));
}

TEST(AFutex, IsWokenInTimeOrItsTimeRunsOut) {
  const auto beside_a_waker = [](const auto& wait) {
    return outcomes_by_bound([&wait] {
      Word word{0};
      unsigned in_time = 1;
      in_parallel(
          [&] {
            errno = 0;
            if (wait(word) == 0) return;
            in_time = errno == ETIMEDOUT ? 0 : 1;
            check(errno == ETIMEDOUT || errno == EAGAIN);
          },
          [&] {
            word.store(1);
            futex(word, FUTEX_WAKE, 1);
          });
      return in_time;
    });
  };
  const Outcomes either{{0, 1}, {1, 0}};
  EXPECT_EQ(beside_a_waker([](Word& word) {
    const timespec time{1, 0};
    return futex(word, FUTEX_WAIT, 0, &time);
  }),
      either);
  EXPECT_EQ(beside_a_waker([](Word& word) {
    const timespec time = from_now(CLOCK_MONOTONIC, 1);
    return futex(word, FUTEX_WAIT_BITSET, 0, &time);
  }),
      either);
  EXPECT_EQ(beside_a_waker([](Word& word) {
    const timespec time = from_now(CLOCK_REALTIME, 1);
    return futex(word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &time);
  }),
      either);
}

TEST(AFutex, WaitedForUntilWhatIsNoTimeIsRefused) {
  explored([] {
    Word word{0};
    errno = 0;
    check(futex(word, FUTEX_WAIT, 0, &kNoTime) == -1 && errno == EINVAL);
  });
}

TEST(AFutex, OfAKindThatIsNotControlledIsRefused) {
  expect_failure(FailureKind::misuse, 0, "futex system call of a kind", [] {
    Word word{0};
    futex(word, FUTEX_LOCK_PI, 0);
  });
}

TEST(OtherSystemCalls, GoToTheSystem) {
  explored([] {
    check(syscall(SYS_getpid) == getpid());
    check(syscall(SYS_gettid) == gettid());
  });
}

}  // namespace

}  // namespace unmodified
