// Reader-writer locks that prefer writers: random programs of threads that read and write under one, and
// their outcomes by a brute force that knows the lock as glibc has it: a reader waits for writers that wait,
// also if it has the lock.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <pthread.h>

#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/libc/random_programs.hpp"

namespace unmodified::rwlocks {

namespace {

using random_calls::Answer;

constexpr std::size_t kMostThreads = 3;
constexpr unsigned kBusy = 7;

/// What is taken is given back by the last call of a section. The second half of a call that waits for
/// writing is of the brute force alone.
enum class Kind : unsigned char { read, write, rest_of_write, try_read, try_write, unlock };
using Program = random_calls::Threads<Kind>;

struct Shared {
  std::array<unsigned, kMostThreads> readers{};  ///< how often each thread has the lock for reading
  unsigned writer = kMostThreads;
  std::array<bool, kMostThreads> waits_to_write{};
  unsigned version = 0;
  auto operator<=>(const Shared&) const = default;

  [[nodiscard]] bool is_there_for_readers() const {
    return writer == kMostThreads && std::count(waits_to_write.begin(), waits_to_write.end(), true) == 0;
  }
  [[nodiscard]] bool is_free() const {
    return writer == kMostThreads && readers == std::array<unsigned, kMostThreads>{};
  }
};

bool make(Kind kind, std::size_t thread, Shared& shared, std::vector<unsigned>& found) {
  const auto write = [&] {
    shared.writer = static_cast<unsigned>(thread);
    shared.waits_to_write.at(thread) = false;
    found.push_back(shared.version++);
  };
  switch (kind) {
    case Kind::read:
      if (!shared.is_there_for_readers()) return false;
      ++shared.readers.at(thread);
      found.push_back(shared.version);
      break;
    case Kind::write:
      shared.waits_to_write.at(thread) = true;
      if (shared.is_free()) write();
      break;
    case Kind::rest_of_write:
      if (!shared.waits_to_write.at(thread)) break;
      if (!shared.is_free()) return false;
      write();
      break;
    case Kind::try_read:
      found.push_back(shared.is_there_for_readers() ? shared.version : kBusy);
      if (found.back() != kBusy) ++shared.readers.at(thread);
      break;
    case Kind::try_write:
      if (shared.is_free()) {
        write();
      } else {
        found.push_back(kBusy);
      }
      break;
    case Kind::unlock:
      if (shared.writer == thread) {
        shared.writer = kMostThreads;
      } else if (shared.readers.at(thread) != 0) {
        --shared.readers.at(thread);
      }
      break;
  }
  return true;
}

Answer answer_of(const Program& program) {
  Program halves(program.size());
  for (std::size_t t = 0; t < program.size(); ++t) {
    for (const Kind kind : program[t]) {
      halves[t].push_back(kind);
      if (kind == Kind::write) halves[t].push_back(Kind::rest_of_write);
    }
  }
  return random_calls::answer_of(halves, Shared{}, make);
}

/// The same calls of pthreads.
class Lock {
 public:
  Lock() {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock_, &attributes);
    pthread_rwlockattr_destroy(&attributes);
  }
  ~Lock() { pthread_rwlock_destroy(&lock_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  void make(Kind kind, std::size_t thread, std::vector<unsigned>& found) {
    unsigned& held = held_.at(thread);
    int error = 0;
    switch (kind) {
      case Kind::read:
        error = pthread_rwlock_rdlock(&lock_);
        break;
      case Kind::try_read:
        error = pthread_rwlock_tryrdlock(&lock_);
        break;
      case Kind::try_write:
        error = pthread_rwlock_trywrlock(&lock_);
        break;
      case Kind::unlock:
        if (held == 0) return;
        --held;
        check(pthread_rwlock_unlock(&lock_) == 0);
        return;
      default:
        error = pthread_rwlock_wrlock(&lock_);
    }
    check(error == 0 || error == EBUSY);
    if (error == 0) ++held;
    const bool is_to_write = kind == Kind::write || kind == Kind::try_write;
    found.push_back(error != 0 ? kBusy : is_to_write ? version_++ : version_);
  }

 private:
  pthread_rwlock_t lock_{};
  unsigned version_ = 0;
  std::array<unsigned, kMostThreads> held_{};
};

std::string text_of(const Program& program) {
  static constexpr std::array kWords{"read", "write", "", "try_read", "try_write", "unlock"};
  return random_calls::text_of(
      program, [](Kind kind) { return std::string(kWords.at(static_cast<std::size_t>(kind))); });
}

Program random_program(std::mt19937& random) {
  Program program(2 + random() % 2);
  const unsigned most = program.size() == 2 ? 2 : 1;
  for (std::vector<Kind>& calls : program) {
    for (unsigned left = 1 + static_cast<unsigned>(random() % most); left != 0; --left) {
      static constexpr std::array kFirst{
          Kind::read, Kind::read, Kind::write, Kind::write, Kind::try_read, Kind::try_write};
      const Kind first = kFirst.at(random() % kFirst.size());
      const bool is_taken_again = first == Kind::read && program.size() == 2 && random() % 2 == 0;
      calls.push_back(first);
      if (is_taken_again) calls.push_back(random() % 4 == 0 ? Kind::try_read : Kind::read);
      calls.push_back(Kind::unlock);
      if (is_taken_again) calls.push_back(Kind::unlock);
    }
  }
  return program;
}

}  // namespace

random_calls::Compared compare_random_program(std::mt19937& random) {
  const Program program = random_program(random);
  return random_calls::compare(program, answer_of(program), text_of(program), [] { return Lock(); });
}

TEST(RandomProgramsThatShareALockWhichPrefersWriters, HaveAllOutcomesUnderEveryStrategy) {
  random_calls::compare_random_programs(20261202, true, compare_random_program);
}

}  // namespace unmodified::rwlocks
