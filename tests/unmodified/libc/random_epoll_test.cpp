// Sets of epoll: random programs of threads that add descriptors to a set in each mode, change and remove
// them, write and read, and wait in the set. Their outcomes are those of a brute force that knows epoll(7):
// an event is reported as long as there is something to read; with EPOLLET once after each write and each
// EPOLL_CTL_ADD and EPOLL_CTL_MOD, to one thread; with EPOLLONESHOT once, until EPOLL_CTL_MOD.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/libc/random_programs.hpp"

namespace unmodified::epoll_sets {

namespace {

using random_calls::Answer;

constexpr std::size_t kPipes = 2;
constexpr std::size_t kSets = 2;

// What a call finds: for a wait, the pipes with an event as bits; for others, a byte, or one of these.
constexpr unsigned kNothing = 0;
constexpr unsigned kFails = 7;

struct Call {
  enum class Kind : unsigned char { write, read, add, modify, remove, look, wait };
  Kind kind;
  unsigned char pipe;
  unsigned char set;
  unsigned char mode;  ///< of add and modify: the sum of kEdge and kOnce
};
using Kind = Call::Kind;
using Program = random_calls::Threads<Call>;

constexpr unsigned kEdge = 1;
constexpr unsigned kOnce = 2;

struct Watched {
  bool is_there = false;
  unsigned mode = 0;
  bool is_off = false;  ///< it was reported once
  bool is_new = false;  ///< something has happened since it was reported
  auto operator<=>(const Watched&) const = default;
};

struct Shared {
  std::array<unsigned, kPipes> bytes{};
  std::array<std::array<Watched, kPipes>, kSets> sets{};
  auto operator<=>(const Shared&) const = default;
};

unsigned take_events(Shared& shared, std::size_t set) {
  unsigned events = 0;
  for (std::size_t n = 0; n < kPipes; ++n) {
    Watched& one = shared.sets.at(set).at(n);
    if (!one.is_there || one.is_off || shared.bytes.at(n) == 0) continue;
    if ((one.mode & kEdge) != 0 && !one.is_new) continue;
    events |= 1U << n;
    one.is_new = false;
    one.is_off = (one.mode & kOnce) != 0;
  }
  return events;
}

bool make(const Call& call, std::size_t /*thread*/, Shared& shared, std::vector<unsigned>& found) {
  Watched& one = shared.sets.at(call.set).at(call.pipe);
  unsigned& bytes = shared.bytes.at(call.pipe);
  switch (call.kind) {
    case Kind::write:
      ++bytes;
      for (auto& set : shared.sets) set.at(call.pipe).is_new = true;
      return true;
    case Kind::read:
      found.push_back(bytes != 0 ? 1 : kNothing);
      bytes -= bytes != 0 ? 1 : 0;
      return true;
    case Kind::add:
    case Kind::modify:
      if (one.is_there == (call.kind == Kind::add)) {
        found.push_back(kFails);
      } else {
        one = {true, call.mode, false, true};
      }
      return true;
    case Kind::remove:
      if (!one.is_there) found.push_back(kFails);
      one = {};
      return true;
    case Kind::look:
      found.push_back(take_events(shared, call.set));
      return true;
    case Kind::wait: {
      const unsigned events = take_events(shared, call.set);
      if (events != 0) found.push_back(events);
      return events != 0;
    }
  }
  return false;
}

/// The same calls of the system.
class Sets {
 public:
  Sets() {
    for (std::array<int, 2>& ends : pipes_) check(pipe2(ends.data(), O_NONBLOCK) == 0);
    for (int& set : sets_) check((set = epoll_create1(0)) >= 0);
  }
  ~Sets() {
    for (const int set : sets_) close(set);
    for (const std::array<int, 2>& ends : pipes_) {
      for (const int end : ends) close(end);
    }
  }
  Sets(const Sets&) = delete;
  Sets& operator=(const Sets&) = delete;

  void make(const Call& call, std::size_t /*thread*/, std::vector<unsigned>& found) {
    const auto [to_read, to_write] = pipes_.at(call.pipe);
    const int set = sets_.at(call.set);
    char byte = 0;
    switch (call.kind) {
      case Kind::write:
        check(::write(to_write, &byte, 1) == 1);
        break;
      case Kind::read: {
        const ssize_t size = ::read(to_read, &byte, 1);
        check(size == 1 || errno == EAGAIN);
        found.push_back(size == 1 ? 1 : kNothing);
        break;
      }
      case Kind::add:
      case Kind::modify:
      case Kind::remove: {
        const int operation = call.kind == Kind::add      ? EPOLL_CTL_ADD
                              : call.kind == Kind::modify ? EPOLL_CTL_MOD
                                                          : EPOLL_CTL_DEL;
        const unsigned modes = ((call.mode & kEdge) != 0 ? EPOLLET : 0U) |
                               ((call.mode & kOnce) != 0 ? unsigned{EPOLLONESHOT} : 0U);
        epoll_event event{EPOLLIN | modes, {}};
        event.data.u32 = call.pipe;
        if (epoll_ctl(set, operation, to_read, &event) != 0) found.push_back(kFails);
        break;
      }
      case Kind::look:
      case Kind::wait: {
        std::array<epoll_event, kPipes> events{};
        const int count = epoll_wait(set, events.data(), kPipes, call.kind == Kind::look ? 0 : -1);
        check(count >= 0);
        unsigned which = 0;
        for (int n = 0; n < count; ++n) which |= 1U << events.at(static_cast<std::size_t>(n)).data.u32;
        found.push_back(which);
        break;
      }
    }
  }

 private:
  std::array<std::array<int, 2>, kPipes> pipes_{};
  std::array<int, kSets> sets_{};
};

std::string text_of(const Program& program) {
  static constexpr std::array kNames{"write", "read", "add", "modify", "remove", "look", "wait"};
  return random_calls::text_of(program, [](const Call& call) {
    return std::string(kNames.at(static_cast<std::size_t>(call.kind))) + "(pipe " +
           std::to_string(call.pipe) + ", set " + std::to_string(call.set) + ", mode " +
           std::to_string(call.mode) + ")";
  });
}

Program random_program(std::mt19937& random) {
  const auto below = [&](std::size_t end) { return static_cast<unsigned char>(random() % end); };
  Program program(2 + below(2));
  const unsigned most = program.size() == 2 ? 2 : 1;  // a wait is up to a dozen steps
  for (std::vector<Call>& calls : program) {
    // Mostly of the first pipe and the first set, so that threads meet.
    const auto mostly_first = [&](std::size_t end) { return below(4) == 0 ? below(end) : std::uint8_t{0}; };
    if (&calls == &program.front()) calls.push_back({Kind::add, 0, 0, below(4)});
    for (unsigned left = 1U + below(most); left != 0; --left) {
      static constexpr std::array kKinds{Kind::write, Kind::write, Kind::write, Kind::read, Kind::add,
          Kind::modify, Kind::remove, Kind::look, Kind::look, Kind::look, Kind::wait, Kind::wait};
      calls.push_back({kKinds.at(below(kKinds.size())), mostly_first(kPipes), mostly_first(kSets), below(4)});
    }
  }
  return program;
}

}  // namespace

random_calls::Compared compare_random_program(std::mt19937& random) {
  const Program program = random_program(random);
  return random_calls::compare(
      program, random_calls::answer_of(program, Shared{}, make), text_of(program), [] { return Sets(); });
}

TEST(RandomProgramsThatShareSetsOfEpoll, HaveAllOutcomesUnderEveryStrategy) {
  random_calls::compare_random_programs(20261204, true, compare_random_program);
}

}  // namespace unmodified::epoll_sets
