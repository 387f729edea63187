// Calls that wait for files: random programs of threads that write to pipes, read from them, ask whether
// there is anything to read, and count with eventfds. Their outcomes are those of a brute force that knows
// these calls as POSIX and eventfd(2) have them: what is written is read in order, and a read waits while
// there is nothing. Some calls are made through streams of stdio, as fputc() with fflush() and as fgetc().
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/libc/random_programs.hpp"

namespace unmodified::files {

namespace {

using random_calls::Answer;

constexpr std::size_t kPipes = 2;
constexpr std::size_t kCounters = 1;

struct Call {
  enum class Kind : unsigned char { write, read, is_there, add, take };
  Kind kind;
  unsigned char which;  ///< pipe or counter
  unsigned char value;  ///< write, add: from 1 to 3
  bool is_of_stream = false;
};
struct Program {
  random_calls::Threads<Call> threads;
  /// How many bytes are in each pipe at the beginning: 1, 2, …
  std::array<unsigned char, kPipes> bytes{};
  std::array<bool, kPipes> is_closed{};  ///< for writers, from the beginning
};

/// What the calls change.
struct Shared {
  std::array<std::vector<unsigned>, kPipes> pipes;
  std::array<unsigned, kCounters> counters{};
  auto operator<=>(const Shared&) const = default;
};

Answer answer_of(const Program& program) {
  Shared first;
  for (std::size_t n = 0; n < kPipes; ++n) {
    for (unsigned byte = 1; byte <= program.bytes.at(n); ++byte) first.pipes.at(n).push_back(byte);
  }
  const auto make = [&](const Call& call, std::size_t /*thread*/, Shared& shared,
                        std::vector<unsigned>& found) {
    const bool is_closed = program.is_closed.at(call.which % kPipes);
    std::vector<unsigned>& pipe = shared.pipes.at(call.which % kPipes);
    unsigned& counter = shared.counters.at(call.which % kCounters);
    switch (call.kind) {
      case Call::Kind::write:
        pipe.push_back(call.value);
        return true;
      case Call::Kind::read:
        if (pipe.empty() && !is_closed) return false;
        found.push_back(pipe.empty() ? 0 : pipe.front());
        if (!pipe.empty()) pipe.erase(pipe.begin());
        return true;
      case Call::Kind::is_there:
        found.push_back(pipe.empty() && !is_closed ? 0 : 1);
        return true;
      case Call::Kind::add:
        counter += call.value;
        return true;
      case Call::Kind::take:
        if (counter == 0) return false;
        found.push_back(counter & 7U);
        counter = 0;
        return true;
    }
    return false;
  };
  return random_calls::answer_of(program.threads, first, make);
}

/// The same calls of the system.
class Files {
 public:
  explicit Files(const Program& program) {
    for (std::size_t n = 0; n < kPipes; ++n) {
      std::array<int, 2>& ends = pipes_.at(n);
      check(pipe(ends.data()) == 0);
      for (unsigned char byte = 1; byte <= program.bytes.at(n); ++byte) check(write(ends[1], &byte, 1) == 1);
      std::array<std::FILE*, 2>& streams = streams_.at(n);
      streams[0] = fdopen(ends[0], "r");
      std::setbuf(streams[0], nullptr);
      if (program.is_closed.at(n)) {
        close(std::exchange(ends[1], -1));
      } else {
        streams[1] = fdopen(ends[1], "w");
      }
    }
    for (int& counter : counters_) counter = eventfd(0, 0);
  }
  ~Files() {
    for (const auto& [from, to] : streams_) {
      if (to != nullptr) std::fclose(to);  // first: the last execution may have left something in its buffer
      std::fclose(from);
    }
    for (const int counter : counters_) close(counter);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  void make(const Call& call, std::size_t /*thread*/, std::vector<unsigned>& found) {
    const std::array<int, 2>& pipe = pipes_.at(call.which % kPipes);
    const std::array<std::FILE*, 2>& streams = streams_.at(call.which % kPipes);
    const int counter = counters_.at(call.which % kCounters);
    std::uint64_t number = call.value;
    unsigned char byte = call.value;
    switch (call.kind) {
      case Call::Kind::write:
        if (call.is_of_stream) {
          check(std::fputc(byte, streams[1]) == byte && std::fflush(streams[1]) == 0);
        } else {
          check(write(pipe[1], &byte, 1) == 1);
        }
        break;
      case Call::Kind::read:
        byte = 0;
        if (call.is_of_stream) {
          const int got = std::fgetc(streams[0]);
          byte = got == EOF ? 0 : static_cast<unsigned char>(got);
        } else {
          check(read(pipe[0], &byte, 1) >= 0);
        }
        found.push_back(byte);
        break;
      case Call::Kind::is_there: {
        pollfd end{pipe[0], POLLIN, 0};
        found.push_back(static_cast<unsigned>(poll(&end, 1, 0)));  // the end of the pipe counts, too
        break;
      }
      case Call::Kind::add:
        check(write(counter, &number, sizeof number) == sizeof number);
        break;
      case Call::Kind::take:
        check(read(counter, &number, sizeof number) == sizeof number);
        found.push_back(static_cast<unsigned>(number & 7U));
        break;
    }
  }

 private:
  std::array<std::array<int, 2>, kPipes> pipes_{};
  std::array<std::array<std::FILE*, 2>, kPipes> streams_{};  ///< without a buffer to read from
  std::array<int, kCounters> counters_{};
};

std::string text_of(const Program& program) {
  static constexpr std::array kNames{"write", "read", "is_there", "add", "take"};
  std::string text;
  for (std::size_t n = 0; n < kPipes; ++n)
    text += std::to_string(program.bytes.at(n)) + (program.is_closed.at(n) ? " closed, " : " bytes, ");
  return text + random_calls::text_of(program.threads, [](const Call& call) {
    return std::string(kNames.at(static_cast<std::size_t>(call.kind))) +
           (call.is_of_stream ? " stream(" : "(") + std::to_string(call.which) + ", " +
           std::to_string(call.value) + ")";
  });
}

Program random_program(std::mt19937& random, bool is_small) {
  const auto below = [&](std::size_t end) { return static_cast<unsigned char>(random() % end); };
  Program program;
  for (std::size_t n = 0; n < kPipes; ++n) {
    program.is_closed.at(n) = below(4) == 0;
    program.bytes.at(n) = below(program.is_closed.at(n) ? 3 : 2);
  }
  program.threads.resize(2 + below(2));
  const unsigned most = (program.threads.size() == 2 ? 3U : 2U) - (is_small ? 1U : 0U);
  for (std::vector<Call>& calls : program.threads) {
    const unsigned count = 1U + below(most);
    for (unsigned n = 0; n < count; ++n) {
      // Writes are about as frequent as reads, so that some programs get stuck and some do not.
      static constexpr std::array kKinds{Call::Kind::write, Call::Kind::write, Call::Kind::write,
          Call::Kind::read, Call::Kind::read, Call::Kind::is_there, Call::Kind::add, Call::Kind::take};
      Call call{kKinds.at(below(kKinds.size())), below(kPipes), static_cast<unsigned char>(1 + below(3))};
      if (call.kind == Call::Kind::write && program.is_closed.at(call.which)) call.kind = Call::Kind::read;
      call.is_of_stream = below(2) == 0;
      calls.push_back(call);
    }
  }
  return program;
}

}  // namespace

random_calls::Compared compare_random_program(std::mt19937& random, random_calls::Objects objects) {
  const Program program = random_program(random, objects == random_calls::Objects::from_before);
  return random_calls::compare(
      program.threads, answer_of(program), text_of(program), [&] { return Files(program); }, objects);
}

namespace {

TEST(RandomProgramsThatReadAndWritePipes, HaveAllOutcomesUnderEveryStrategy) {
  random_calls::compare_random_programs(20261126, true,
      [](std::mt19937& random) { return compare_random_program(random, random_calls::Objects::of_body); });
}

TEST(RandomProgramsThatReadAndWritePipesFromBefore, HaveAllOutcomesThoughExecutionsAreCutShort) {
  random_calls::compare_random_programs(20261128, true, [](std::mt19937& random) {
    return compare_random_program(random, random_calls::Objects::from_before);
  });
}

}  // namespace

}  // namespace unmodified::files
