// Locks of files: random programs of threads that lock files as wholes and bytes of them, for their open file
// descriptions and for the process, ask who has a lock, and close and replace descriptors meanwhile. Their
// outcomes are those of a brute force that knows flock(2), and fcntl(2) and its locks as Linux has them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/support/folder.hpp"
#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/libc/random_programs.hpp"

namespace unmodified::file_locks {

namespace {

using random_calls::Answer;

constexpr std::size_t kMostThreads = 3;
constexpr std::size_t kBytes = 2;  ///< of each file that can be locked
constexpr unsigned kFirstNumber = 200;

// Numbers lead to open file descriptions, which have numbers, too: 1 to 3 are of one file, 4 is of another.
constexpr std::size_t kNumbers = 4;
constexpr unsigned kOther = 4;

// What a call finds.
constexpr unsigned kFree = 0;
constexpr unsigned kDone = 1;
constexpr unsigned kTaken = 2;
constexpr unsigned kIsNotOpen = 7;

enum class Of : unsigned char { whole, description, process };  ///< whom a lock excludes and belongs to
enum class Lock : unsigned char { none, shared, exclusive };

struct Call {
  /// The rest and the end of a wait are of the brute force alone.
  enum class Kind : unsigned char { wait, rest_of_wait, end_of_wait, attempt, unlock, ask, close, replace };
  Kind kind;
  unsigned char number;
  Of of = Of::whole;
  Lock lock = Lock::none;
  unsigned char bytes = 3;  ///< one bit for each
};
using Kind = Call::Kind;
using Program = random_calls::Threads<Call>;

struct Shared {
  std::array<unsigned, kNumbers> table{1, 2, 3, kOther};  ///< 0: the number is free
  std::array<unsigned, kMostThreads> kept{};              ///< by a thread that waits
  std::array<Lock, kNumbers + 1> wholes{};                ///< by description
  /// By owner: a description, 0 for the process at the first file, 5 at the other.
  std::array<std::array<Lock, kBytes>, kNumbers + 2> records{};
  auto operator<=>(const Shared&) const = default;

  [[nodiscard]] bool is_open(unsigned description) const {
    return std::count(table.begin(), table.end(), description) +
               std::count(kept.begin(), kept.end(), description) !=
           0;
  }
};

bool exclude(Lock one, Lock other) {
  return one != Lock::none && other != Lock::none && (one == Lock::exclusive || other == Lock::exclusive);
}

bool is_of_other(std::size_t owner) {
  return owner >= kOther;
}

std::size_t owner_of(const Call& call, unsigned description) {
  if (call.of == Of::description) return description;
  return description == kOther ? kOther + 1 : 0;
}

/// Whether somebody else's lock excludes it.
bool is_excluded(const Call& call, unsigned description, const Shared& shared) {
  if (call.of == Of::whole) {
    for (unsigned other = 1; other <= kNumbers; ++other) {
      if (other != description && is_of_other(other) == is_of_other(description) &&
          exclude(shared.wholes.at(other), call.lock))
        return true;
    }
    return false;
  }
  const std::size_t owner = owner_of(call, description);
  for (std::size_t other = 0; other < shared.records.size(); ++other) {
    if (other == owner || is_of_other(other) != is_of_other(owner)) continue;
    for (std::size_t byte = 0; byte < kBytes; ++byte) {
      if ((call.bytes >> byte & 1U) != 0 && exclude(shared.records.at(other).at(byte), call.lock))
        return true;
    }
  }
  return false;
}

void set(const Call& call, unsigned description, Lock lock, Shared& shared) {
  if (call.of == Of::whole) {
    shared.wholes.at(description) = lock;
    return;
  }
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    if ((call.bytes >> byte & 1U) != 0) shared.records.at(owner_of(call, description)).at(byte) = lock;
  }
}

/// Locks, or fails. A whole file's lock of another kind is given back first, and lost if that fails.
bool lock(const Call& call, unsigned description, Shared& shared) {
  if (call.of == Of::whole && shared.wholes.at(description) != call.lock)
    shared.wholes.at(description) = Lock::none;
  if (is_excluded(call, description, shared)) return false;
  set(call, description, call.lock, shared);
  return true;
}

/// Its last descriptor may be closed, and then its own locks are free.
void let_go(unsigned description, Shared& shared) {
  if (shared.is_open(description)) return;
  shared.records.at(description) = {};
  shared.wholes.at(description) = Lock::none;
}

/// A descriptor of it was closed: what the process has locked of the file is free, whatever it was locked by.
void close_one_of(unsigned description, Shared& shared) {
  shared.records.at(description == kOther ? kOther + 1 : 0) = {};
  let_go(description, shared);
}

bool make(const Call& call, std::size_t thread, Shared& shared, std::vector<unsigned>& found) {
  unsigned& described = shared.table.at(call.number);
  unsigned& kept = shared.kept.at(thread);
  // If its descriptor was closed while a call waited, the call closes the file in a step of its own.
  if (call.kind == Kind::rest_of_wait && kept != 0) {
    if (!lock(call, kept, shared)) return false;
    if (described == kept) {
      found.push_back(kDone);
      kept = 0;
    }
    return true;
  }
  if (call.kind == Kind::end_of_wait && kept != 0) {
    const unsigned description = std::exchange(kept, 0);
    // A lock of the process that comes when its descriptor is another one, or none, is taken back.
    const bool comes_too_late = call.of == Of::process;
    found.push_back(comes_too_late ? kIsNotOpen : kDone);
    comes_too_late ? close_one_of(description, shared) : let_go(description, shared);
    return true;
  }
  if (call.kind == Kind::rest_of_wait || call.kind == Kind::end_of_wait) return true;
  if (call.kind == Kind::replace) {
    const unsigned other = shared.table.at(kOther - 1);
    if (other == 0) found.push_back(kIsNotOpen);
    if (other == 0 || call.number == kOther - 1) return true;
    const unsigned before = std::exchange(described, other);
    if (before != 0) close_one_of(before, shared);
    return true;
  }
  if (described == 0) {
    found.push_back(kIsNotOpen);
    return true;
  }
  switch (call.kind) {
    case Kind::wait:
      if (lock(call, described, shared)) {
        found.push_back(kDone);
      } else {
        kept = described;
      }
      return true;
    case Kind::attempt:
      found.push_back(lock(call, described, shared) ? kDone : kTaken);
      return true;
    case Kind::unlock:
      set(call, described, Lock::none, shared);
      return true;
    case Kind::ask:
      found.push_back(is_excluded(call, described, shared) ? kTaken : kFree);
      return true;
    case Kind::close:
      close_one_of(std::exchange(described, 0), shared);
      return true;
    default:
      return false;
  }
}

std::vector<Kind> parts_of(Kind kind) {
  if (kind == Kind::wait) return {Kind::rest_of_wait, Kind::end_of_wait};
  return {};
}

Answer answer_of(const Program& program) {
  return random_calls::answer_of(random_calls::in_parts(program, parts_of), Shared{}, make);
}

/// The same calls of the system.
class Files {
 public:
  explicit Files(const std::string& folder) {
    for (std::size_t n = 0; n < kNumbers; ++n) {
      const int file =
          open((folder + (n + 1 == kOther ? "/other" : "/locked")).c_str(), O_RDWR | O_CREAT, 0600);
      check(dup2(file, number(n)) == number(n));
      ::close(file);
    }
  }
  ~Files() {
    for (std::size_t n = 0; n < kNumbers; ++n) ::close(number(n));
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  void make(const Call& call, std::size_t /*thread*/, std::vector<unsigned>& found) {
    const int file = number(call.number);
    switch (call.kind) {
      case Kind::close:
        if (::close(file) != 0) found.push_back(kIsNotOpen);
        return;
      case Kind::replace:
        if (dup2(number(kOther - 1), file) < 0) found.push_back(kIsNotOpen);
        return;
      case Kind::ask:
        found.push_back(ask(file, call));
        return;
      default: {
        const int result = call.of == Of::whole ? flock(file, operation(call)) : change(file, call);
        const int error = errno;
        if (result == 0 && call.kind == Kind::unlock) return;
        check(result == 0 || error == EBADF || error == EAGAIN);
        found.push_back(result == 0 ? kDone : error == EBADF ? kIsNotOpen : kTaken);
      }
    }
  }

 private:
  static int number(std::size_t place) { return static_cast<int>(kFirstNumber + place); }

  static int operation(const Call& call) {
    if (call.kind == Kind::unlock) return LOCK_UN;
    return (call.lock == Lock::shared ? LOCK_SH : LOCK_EX) | (call.kind == Kind::attempt ? LOCK_NB : 0);
  }

  static struct flock record_of(const Call& call) {
    struct flock record {};
    const bool is_free = call.kind == Kind::unlock;
    record.l_type = static_cast<short>(is_free ? F_UNLCK : call.lock == Lock::shared ? F_RDLCK : F_WRLCK);
    record.l_whence = SEEK_SET;
    record.l_start = call.bytes == 2 ? 1 : 0;
    record.l_len = call.bytes == 3 ? 2 : 1;
    return record;
  }

  static int change(int file, const Call& call) {
    struct flock record = record_of(call);
    const bool waits = call.kind == Kind::wait;
    if (call.of == Of::process) return fcntl(file, waits ? F_SETLKW : F_SETLK, &record);
    return fcntl(file, waits ? F_OFD_SETLKW : F_OFD_SETLK, &record);
  }

  static unsigned ask(int file, const Call& call) {
    struct flock record = record_of(call);
    if (fcntl(file, call.of == Of::process ? F_GETLK : F_OFD_GETLK, &record) != 0) return kIsNotOpen;
    return record.l_type == F_UNLCK ? kFree : kTaken;
  }
};

std::string text_of(const Program& program) {
  static constexpr std::array kNames{"wait", "", "", "try", "unlock", "ask", "close", "replace"};
  static constexpr std::array kOf{"whole", "description", "process"};
  static constexpr std::array kLocks{"", "shared", "exclusive"};
  return random_calls::text_of(program, [](const Call& call) {
    const std::string text =
        std::string(kNames.at(static_cast<std::size_t>(call.kind))) + "(" + std::to_string(call.number);
    if (call.kind == Kind::close || call.kind == Kind::replace) return text + ")";
    return text + ", " + kOf.at(static_cast<std::size_t>(call.of)) + " " +
           kLocks.at(static_cast<std::size_t>(call.lock)) + " " + std::to_string(call.bytes) + ")";
  });
}

/// A program uses one or two sorts of locks, so that its threads meet. Mostly one thread waits for what
/// another has locked before.
Program random_program(std::mt19937& random) {
  const auto below = [&](std::size_t end) { return static_cast<unsigned char>(random() % end); };
  std::array sorts{static_cast<Of>(below(3)), static_cast<Of>(below(3))};
  if (below(2) == 0) sorts = {Of::process, Of::description};  // which exclude each other
  Program program(2 + below(2));
  unsigned left = below(3) == 0 ? 5 : 4;  // calls: with more, a search takes minutes
  for (std::size_t t = program.size(); t-- != 0;) {
    const unsigned most = std::min(left - static_cast<unsigned>(t), program.size() == 2 || t == 1 ? 4U : 1U);
    const unsigned count = 1U + below(most);
    left -= count;
    for (unsigned n = 0; n < count; ++n) {
      static constexpr std::array kKinds{Kind::wait, Kind::wait, Kind::wait, Kind::attempt, Kind::attempt,
          Kind::unlock, Kind::unlock, Kind::unlock, Kind::ask, Kind::close, Kind::close, Kind::replace};
      Call call{kKinds.at(below(kKinds.size())), static_cast<unsigned char>(t)};
      if (n == 0 && below(4) != 0) call.kind = t == 1 ? Kind::attempt : Kind::wait;
      // Mostly a thread locks by its own descriptor, and closes that of another one, which may wait.
      const bool closes = call.kind == Kind::close || call.kind == Kind::replace;
      if (closes && below(2) == 0) call.number = static_cast<unsigned char>((t + 1) % program.size());
      if (below(6) == 0) call.number = below(kNumbers);
      call.of = sorts.at(below(6) == 0 ? below(2) : t % 2);
      // Nobody asks who has locked a whole file.
      if (call.kind == Kind::ask && call.of == Of::whole) call.kind = Kind::attempt;
      call.lock = below(4) == 0 ? Lock::shared : Lock::exclusive;
      call.bytes = static_cast<unsigned char>(below(2) == 0 ? 3 : 1 + below(3));
      program[t].push_back(call);
    }
  }
  return program;
}

}  // namespace

random_calls::Compared compare_random_program(std::mt19937& random) {
  static const hocket::test::Folder folder;
  const Program program = random_program(random);
  return random_calls::compare(
      program, answer_of(program), text_of(program), [] { return Files(folder.path()); });
}

TEST(RandomProgramsThatLockFiles, HaveAllOutcomesUnderEveryStrategy) {
  random_calls::compare_random_programs(20261128, true, compare_random_program);
}

}  // namespace unmodified::file_locks
