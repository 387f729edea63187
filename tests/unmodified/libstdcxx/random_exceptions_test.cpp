// Exceptions that threads share: random programs that copy, rethrow and let go of them have the outcomes of a
// brute force that counts who refers to them ([propagation]). The thread that lets go of an exception last
// destroys it, which never races with the threads that have looked at it.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/libc/random_programs.hpp"

namespace unmodified::exceptions {

namespace {

using random_calls::Answer;

constexpr std::size_t kExceptions = 1;
constexpr std::size_t kThreads = 3;
constexpr unsigned kSeen = 7;  ///< in place of all greater numbers

struct Call {
  /// The last two are of the brute force alone: a thread leaves the handler, and has seen the destruction.
  enum class Kind : unsigned char { let_go, rethrow, rethrow_and_count, count, leave, destroy };
  Kind kind;
  unsigned char which = 0;
};
using Kind = Call::Kind;
using Program = random_calls::Threads<Call>;

struct Shared {
  std::array<unsigned, kExceptions> owners{};
  std::array<std::array<bool, kThreads>, kExceptions> refers{};
  std::array<bool, kThreads> has_to_destroy{};
  std::array<bool, kThreads> handles{};
  unsigned count = 0;
  auto operator<=>(const Shared&) const = default;

  void let_go(std::size_t exception, std::size_t thread) {
    has_to_destroy.at(thread) = --owners.at(exception) == 0;
  }
};

Answer answer_of(const Program& program) {
  Program halves(program.size());
  Shared first;
  for (std::size_t t = 0; t < program.size(); ++t) {
    for (const Call& call : program[t]) {
      halves[t].push_back(call);
      if (call.kind == Kind::rethrow || call.kind == Kind::rethrow_and_count) {
        if (call.kind == Kind::rethrow_and_count) halves[t].push_back({Kind::count});
        halves[t].push_back({Kind::leave, call.which});
      }
      if (call.kind != Kind::count) halves[t].push_back({Kind::destroy});
    }
    for (std::size_t n = 0; n < kExceptions; ++n) {
      first.refers.at(n).at(t) = true;
      ++first.owners.at(n);
    }
  }
  const auto make = [](const Call& call, std::size_t thread, Shared& shared, std::vector<unsigned>& found) {
    bool& refers = shared.refers.at(call.which).at(thread);
    switch (call.kind) {
      case Kind::let_go:
        if (refers) shared.let_go(call.which, thread);
        refers = false;
        break;
      case Kind::rethrow:
      case Kind::rethrow_and_count:
        shared.handles.at(thread) = refers;
        if (refers) ++shared.owners.at(call.which);
        break;
      case Kind::leave:
        if (shared.handles.at(thread)) shared.let_go(call.which, thread);
        shared.handles.at(thread) = false;
        break;
      case Kind::destroy:
        if (shared.has_to_destroy.at(thread)) ++shared.count;
        shared.has_to_destroy.at(thread) = false;
        break;
      case Kind::count:
        found.push_back(shared.count < kSeen ? shared.count : kSeen);
        ++shared.count;
        break;
    }
    return true;
  };
  return random_calls::answer_of(halves, first, make);
}

/// Counts how often it is destroyed. Temporary objects that it is copied from do not count.
struct Error {
  explicit Error(std::atomic<unsigned>& its_count) : count(&its_count) {}
  Error(const Error& other) : text(other.text), count(other.count), is_copy(true) {}
  Error& operator=(const Error&) = delete;
  ~Error() {
    if (is_copy) count->fetch_add(1);
    text.clear();
  }

  std::string text = "a text that is too long for the string itself";
  std::atomic<unsigned>* count;
  bool is_copy = false;
};

class Exceptions {
 public:
  explicit Exceptions(std::size_t threads) {
    for (std::size_t n = 0; n < kExceptions; ++n) {
      const std::exception_ptr made = thrown();
      for (std::size_t t = 0; t < threads; ++t) pointers_.at(t).at(n) = made;
    }
  }

  void make(const Call& call, std::size_t thread, std::vector<unsigned>& found) {
    std::exception_ptr& pointer = pointers_.at(thread).at(call.which);
    switch (call.kind) {
      case Kind::let_go:
        pointer = nullptr;
        break;
      case Kind::count:
        count(found);
        break;
      default:
        if (pointer == nullptr) {
          if (call.kind == Kind::rethrow_and_count) count(found);
          break;
        }
        try {
          std::rethrow_exception(pointer);
        } catch (const Error& error) {
          check(error.text[2] == 't');
          if (call.kind == Kind::rethrow_and_count) count(found);
        }
    }
  }

 private:
  std::exception_ptr thrown() {
    const Error error(count_);
    try {
      throw error;
    } catch (...) {
      return std::current_exception();
    }
  }
  void count(std::vector<unsigned>& found) {
    const unsigned before = count_.fetch_add(1);
    found.push_back(before < kSeen ? before : kSeen);
  }

  std::atomic<unsigned> count_{0};
  std::array<std::array<std::exception_ptr, kExceptions>, kThreads> pointers_;
};

std::string text_of(const Program& program) {
  static constexpr std::array kNames{"let_go", "rethrow", "rethrow_and_count", "count"};
  return random_calls::text_of(program, [](const Call& call) {
    return std::string(kNames.at(static_cast<std::size_t>(call.kind))) + "(" + std::to_string(call.which) +
           ")";
  });
}

Program random_program(std::mt19937& random) {
  const auto below = [&](std::size_t end) { return static_cast<unsigned char>(random() % end); };
  Program program(2);
  for (std::vector<Call>& calls : program) {
    for (unsigned left = 1U + below(2); left != 0; --left) {
      static constexpr std::array kKinds{
          Kind::let_go, Kind::let_go, Kind::rethrow, Kind::rethrow_and_count, Kind::count};
      calls.push_back({kKinds.at(below(kKinds.size())), below(kExceptions)});
    }
    for (unsigned char n = 0; n < kExceptions; ++n) calls.push_back({Kind::let_go, n});
  }
  return program;
}

}  // namespace

random_calls::Compared compare_random_program(std::mt19937& random) {
  const Program program = random_program(random);
  return random_calls::compare(
      program, answer_of(program), text_of(program), [&] { return Exceptions(program.size()); });
}

TEST(RandomProgramsThatShareExceptions, HaveAllOutcomesUnderEveryStrategy) {
  random_calls::compare_random_programs(20261203, false, compare_random_program);
}

}  // namespace unmodified::exceptions
