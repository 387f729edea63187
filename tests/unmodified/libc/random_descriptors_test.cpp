// Lives of descriptors: random programs of threads that read from pipes and write to them, ask for events,
// and close and copy descriptors meanwhile, so that numbers are used again. Their outcomes are those of a
// brute force that knows open file descriptions as POSIX and dup(2) have them: a call that waits keeps its
// own, whatever becomes of the number.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/libc/random_programs.hpp"

namespace unmodified::descriptors {

namespace {

using random_calls::Answer;

constexpr std::size_t kPipes = 2;
constexpr std::size_t kNumbers = 6;  ///< of which the ends of the pipes have the first at first
constexpr unsigned kFirstNumber = 200;

// What a call finds: a byte that was read, from 1 to 3, bits of events, the place of a number, or one of
// these.
constexpr unsigned kEnd = 0;  ///< nobody can write any more
constexpr unsigned kNobodyReads = 6;
constexpr unsigned kIsNotOpen = 7;

struct Call {
  /// The rest and the end of a read are of the brute force alone.
  enum class Kind : unsigned char { read, rest_of_read, end_of_read, write, look, close, copy_to, copy };
  Kind kind;
  unsigned char number;
  unsigned char other = 0;  ///< the number of the copy, or the byte to write, from 1 to 3
};
using Kind = Call::Kind;
using Program = random_calls::Threads<Call>;

/// Open file descriptions are numbered as the ends of pipes are, from 1: that to read from, that to write to.
struct Shared {
  std::array<unsigned, kNumbers> table{1, 2, 3, 4};  ///< 0: the number is free
  std::array<unsigned, 4> kept{};                    ///< by a thread that waits
  std::array<std::vector<unsigned>, kPipes> bytes{};
  auto operator<=>(const Shared&) const = default;

  [[nodiscard]] bool is_open(unsigned description) const {
    return std::count(table.begin(), table.end(), description) +
               std::count(kept.begin(), kept.end(), description) !=
           0;
  }
};

bool is_to_write(unsigned description) {
  return description % 2 == 0;
}

/// False if the pipe is empty and will be written to.
bool read_from(unsigned description, Shared& shared, std::vector<unsigned>& found) {
  std::vector<unsigned>& bytes = shared.bytes.at(description / 2);
  if (bytes.empty() && shared.is_open(description + 1)) return false;
  found.push_back(bytes.empty() ? kEnd : bytes.front());
  if (!bytes.empty()) bytes.erase(bytes.begin());
  return true;
}

bool make(const Call& call, std::size_t thread, Shared& shared, std::vector<unsigned>& found) {
  unsigned& described = shared.table.at(call.number);
  switch (call.kind) {
    case Kind::read:
      if (described == 0 || is_to_write(described)) {
        found.push_back(kIsNotOpen);
      } else if (!read_from(described, shared, found)) {
        shared.kept.at(thread) = described;
      }
      return true;
    case Kind::rest_of_read: {
      unsigned& kept = shared.kept.at(thread);
      if (kept != 0 && !read_from(kept, shared, found)) return false;
      // If its number was closed while it waited, it closes the file in a step of its own.
      if (kept == described) kept = 0;
      return true;
    }
    case Kind::end_of_read:
      shared.kept.at(thread) = 0;
      return true;
    case Kind::write:
      if (described == 0 || !is_to_write(described)) {
        found.push_back(kIsNotOpen);
      } else if (!shared.is_open(described - 1)) {
        found.push_back(kNobodyReads);
      } else {
        shared.bytes.at((described - 1) / 2).push_back(call.other);
      }
      return true;
    case Kind::look: {
      if (described == 0) {
        found.push_back(kIsNotOpen);
        return true;
      }
      const bool writes = is_to_write(described);
      const bool is_there = writes || !shared.bytes.at(described / 2).empty();
      const bool is_alone = !shared.is_open(writes ? described - 1 : described + 1);
      found.push_back((is_there ? 1U : 0U) + (is_alone ? 2U : 0U));
      return true;
    }
    case Kind::close:
      if (described == 0) found.push_back(kIsNotOpen);
      described = 0;
      return true;
    case Kind::copy_to:
      if (described == 0) {
        found.push_back(kIsNotOpen);
      } else {
        shared.table.at(call.other) = described;
      }
      return true;
    case Kind::copy: {
      const auto free = std::find(shared.table.begin(), shared.table.end(), 0U);
      if (described == 0) {
        found.push_back(kIsNotOpen);
      } else if (free != shared.table.end()) {
        found.push_back(static_cast<unsigned>(free - shared.table.begin()));
        *free = described;
      }
      return true;
    }
  }
  return false;
}

std::vector<Kind> parts_of(Kind kind) {
  if (kind == Kind::read) return {Kind::rest_of_read, Kind::end_of_read};
  return {};
}

Answer answer_of(const Program& program) {
  return random_calls::answer_of(random_calls::in_parts(program, parts_of), Shared{}, make);
}

/// The same calls of the system.
class Descriptors {
 public:
  Descriptors() {
    for (std::size_t n = 0; n < 2 * kPipes; n += 2) {
      std::array<int, 2> ends{};
      check(pipe(ends.data()) == 0);
      for (const std::size_t end : {0U, 1U}) {
        check(dup2(ends.at(end), number(n + end)) == number(n + end));
        ::close(ends.at(end));
      }
    }
  }
  ~Descriptors() {
    for (std::size_t n = 0; n < kNumbers; ++n) ::close(number(n));
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  void make(const Call& call, std::size_t /*thread*/, std::vector<unsigned>& found) {
    const int descriptor = number(call.number);
    switch (call.kind) {
      case Kind::read: {
        unsigned char byte = kEnd;
        const ssize_t size = ::read(descriptor, &byte, 1);
        check(size >= 0 || errno == EBADF);
        found.push_back(size < 0 ? kIsNotOpen : byte);
        break;
      }
      case Kind::write:
        if (::write(descriptor, &call.other, 1) == 1) break;
        check(errno == EBADF || errno == EPIPE);
        found.push_back(errno == EPIPE ? kNobodyReads : kIsNotOpen);
        break;
      case Kind::look: {
        pollfd event{descriptor, POLLIN | POLLOUT, 0};
        ::poll(&event, 1, 0);
        const auto events = static_cast<unsigned>(event.revents);
        const bool is_alone = (events & (POLLHUP | POLLERR)) != 0;
        const bool is_there = (events & (POLLIN | POLLOUT)) != 0;
        found.push_back((events & POLLNVAL) != 0 ? kIsNotOpen : (is_there ? 1U : 0U) + (is_alone ? 2U : 0U));
        break;
      }
      case Kind::close:
        if (::close(descriptor) != 0) found.push_back(kIsNotOpen);
        break;
      case Kind::copy_to:
        if (dup2(descriptor, number(call.other)) < 0) found.push_back(kIsNotOpen);
        break;
      default: {
        const int copy = fcntl(descriptor, F_DUPFD, number(0));
        if (copy >= number(kNumbers)) {
          ::close(copy);
        } else {
          found.push_back(copy < 0 ? kIsNotOpen : static_cast<unsigned>(copy) - kFirstNumber);
        }
      }
    }
  }

 private:
  static int number(std::size_t place) { return static_cast<int>(kFirstNumber + place); }
};

std::string text_of(const Program& program) {
  static constexpr std::array kNames{"read", "", "", "write", "look", "close", "copy_to", "copy"};
  return random_calls::text_of(program, [](const Call& call) {
    return std::string(kNames.at(static_cast<std::size_t>(call.kind))) + "(" + std::to_string(call.number) +
           ", " + std::to_string(call.other) + ")";
  });
}

/// A thread waits for a byte, and knows whether its pipe is closed when it has it; another one closes the
/// pipe's only number to read from, perhaps meanwhile, and writes.
void share_one_pipe(Program& program, bool closes_first) {
  constexpr Call kClose{Kind::close, 0};
  constexpr Call kWrite{Kind::write, 1, 1};
  program[0] = {{Kind::read, 0}, {Kind::look, 1}};
  program[1] = closes_first ? std::vector{kClose, kWrite} : std::vector{kWrite, kClose};
}

Program random_program(std::mt19937& random) {
  const auto below = [&](std::size_t end) { return static_cast<unsigned char>(random() % end); };
  Program program(2 + below(2));
  const unsigned most = program.size() == 2 ? 3 : 2;
  for (std::vector<Call>& calls : program) {
    for (unsigned left = 1U + below(most); left != 0; --left) {
      static constexpr std::array kKinds{Kind::read, Kind::read, Kind::read, Kind::write, Kind::write,
          Kind::look, Kind::close, Kind::close, Kind::close, Kind::copy_to, Kind::copy};
      Call call{kKinds.at(below(kKinds.size())), below(2 * kPipes)};
      // One pipe is used more than the other one, and mostly in its direction.
      if (below(2) == 0) call.number %= 2;
      const bool has_direction = call.kind == Kind::read || call.kind == Kind::write;
      if (has_direction && below(8) != 0) {
        const unsigned pipe = call.number / 2U;
        call.number = static_cast<unsigned char>(2 * pipe + (call.kind == Kind::write ? 1 : 0));
      }
      if (below(8) == 0) call.number = static_cast<unsigned char>(2 * kPipes);  // free at first
      call.other = call.kind == Kind::copy_to ? below(kNumbers) : static_cast<unsigned char>(1 + below(3));
      calls.push_back(call);
    }
  }
  if (below(16) == 0) share_one_pipe(program, below(2) == 0);
  return program;
}

}  // namespace

random_calls::Compared compare_random_program(std::mt19937& random) {
  const Program program = random_program(random);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  random_calls::Compared compared =
      random_calls::compare(program, answer_of(program), text_of(program), [] { return Descriptors(); });
  std::signal(SIGPIPE, before);
  return compared;
}

TEST(RandomProgramsThatCloseAndCopyDescriptors, HaveAllOutcomesUnderEveryStrategy) {
  random_calls::compare_random_programs(20261130, true, compare_random_program);
}

}  // namespace unmodified::descriptors
