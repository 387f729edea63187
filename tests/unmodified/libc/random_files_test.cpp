// Regular files: random programs of threads that open two names, read, write, seek, cut and ask for sizes,
// and remove, link and rename those names meanwhile. Their outcomes are those of a brute force that knows
// files as POSIX has them: a name leads to a file, a number to an open file description with a position, and
// each call is made as a whole.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/libc/random_programs.hpp"

namespace unmodified::regular_files {

namespace {

using random_calls::Answer;

constexpr std::size_t kNames = 2;
constexpr std::size_t kNumbers = 3;  ///< of open file descriptions: for each name, and one that opens fill
constexpr unsigned kFails = 7;

struct Call {
  enum class Kind : unsigned char {
    read,
    write,
    seek,       ///< to the beginning
    read_at,    ///< the first byte
    write_at,   ///< there
    cut,        ///< ftruncate()
    size,       ///< fstat()
    open,       ///< the third number gets what the name leads to, in a second call
    open_anew,  ///< the same with O_CREAT and O_TRUNC
    make,       ///< a file of that name, with O_CREAT and O_EXCL, which is closed again
    remove,
    rename,       ///< to the other name
    link,         ///< by the other name
    is_there,     ///< access()
    size_at,      ///< stat()
    cut_at,       ///< truncate()
    rest_of_open  ///< of the brute force alone
  };
  Kind kind;
  unsigned char which;  ///< number or name
  unsigned char value;  ///< to write, from 1 to 3
};
using Kind = Call::Kind;
using Program = random_calls::Threads<Call>;

struct Description {
  unsigned file = 0;  ///< 0: not open
  unsigned position = 0;
  auto operator<=>(const Description&) const = default;
};
/// Files are numbered from 1, as they are made.
struct Shared {
  std::vector<std::vector<unsigned>> files{{1}, {2, 3}};
  std::array<unsigned, kNames> names{1, 2};  ///< 0: there is none
  std::array<Description, kNumbers> open{{{1, 0}, {2, 0}, {0, 0}}};
  unsigned opened = 0;  ///< the file that has no number as yet
  auto operator<=>(const Shared&) const = default;

  std::vector<unsigned>& contents(unsigned file) { return files.at(file - 1); }
  unsigned made() {
    files.emplace_back();
    return static_cast<unsigned>(files.size());
  }
};

void put(std::vector<unsigned>& contents, unsigned position, unsigned value) {
  if (contents.size() <= position) contents.resize(position + 1);
  contents[position] = value;
}

bool make(const Call& call, std::size_t /*thread*/, Shared& shared, std::vector<unsigned>& found) {
  Description& number = shared.open.at(call.which % kNumbers);
  unsigned& name = shared.names.at(call.which % kNames);
  unsigned& other_name = shared.names.at((call.which + 1) % kNames);
  if (call.kind == Kind::rest_of_open) {
    if (shared.opened != 0) shared.open.back() = {shared.opened, 0};
    shared.opened = 0;
    return true;
  }
  const bool is_of_number = call.kind <= Kind::size;
  const bool makes = call.kind == Kind::open_anew || call.kind == Kind::make;
  if (is_of_number ? number.file == 0 : name == 0 && !makes) {
    found.push_back(kFails);
    return true;
  }
  std::vector<unsigned> none;
  std::vector<unsigned>& contents = is_of_number ? shared.contents(number.file)
                                    : name != 0  ? shared.contents(name)
                                                 : none;
  switch (call.kind) {
    case Kind::read:
      found.push_back(number.position < contents.size() ? contents[number.position++] : 0);
      break;
    case Kind::write:
      put(contents, number.position++, call.value);
      break;
    case Kind::seek:
      number.position = 0;
      break;
    case Kind::read_at:
      found.push_back(contents.empty() ? 0 : contents[0]);
      break;
    case Kind::write_at:
      put(contents, 0, call.value);
      break;
    case Kind::cut:
    case Kind::cut_at:
      contents.clear();
      break;
    case Kind::size:
    case Kind::size_at:
      found.push_back(static_cast<unsigned>(contents.size()));
      break;
    case Kind::open_anew:
      contents.clear();
      if (name == 0) name = shared.made();
      shared.opened = name;
      break;
    case Kind::open:
      shared.opened = name;
      break;
    case Kind::make:
      if (name != 0) {
        found.push_back(kFails);
      } else {
        name = shared.made();
      }
      break;
    case Kind::remove:
      name = 0;
      break;
    case Kind::rename:
      if (other_name != name) {  // of two names of one file, none is removed
        other_name = name;
        name = 0;
      }
      break;
    case Kind::link:
      if (other_name != 0) {
        found.push_back(kFails);
      } else {
        other_name = name;
      }
      break;
    case Kind::is_there:
    case Kind::rest_of_open:
      break;
  }
  return true;
}

Answer answer_of(const Program& program) {
  Program halves(program.size());
  for (std::size_t t = 0; t < program.size(); ++t) {
    for (const Call& call : program[t]) {
      halves[t].push_back(call);
      if (call.kind == Kind::open || call.kind == Kind::open_anew)
        halves[t].push_back({Kind::rest_of_open, call.which, 0});
    }
  }
  return random_calls::answer_of(halves, Shared{}, make);
}

/// The same calls of the system.
class Files {
 public:
  Files() {
    for (std::size_t n = 0; n < kNames; ++n) {
      const int file = ::open(name(n).c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
      put_at(n, file);
      static constexpr std::array<std::array<char, 2>, kNames> kBytes{{{1}, {2, 3}}};
      check(::write(number(n), kBytes.at(n).data(), n + 1) == static_cast<ssize_t>(n) + 1);
      ::lseek(number(n), 0, SEEK_SET);
    }
  }
  ~Files() {
    for (std::size_t n = 0; n < kNumbers; ++n) ::close(number(n));
    for (std::size_t n = 0; n < kNames; ++n) ::unlink(name(n).c_str());
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  void make(const Call& call, std::size_t /*thread*/, std::vector<unsigned>& found) {
    const int descriptor = number(call.which % kNumbers);
    const std::string its_name = name(call.which % kNames);
    const std::string other = name((call.which + 1) % kNames);
    struct stat status {};
    unsigned char byte = call.value;
    const auto fails_if = [&](bool fails) {
      if (fails) found.push_back(kFails);
      return fails;
    };
    switch (call.kind) {
      case Kind::read:
        byte = 0;
        if (!fails_if(::read(descriptor, &byte, 1) < 0)) found.push_back(byte);
        break;
      case Kind::write:
        fails_if(::write(descriptor, &byte, 1) < 0);
        break;
      case Kind::seek:
        fails_if(::lseek(descriptor, 0, SEEK_SET) < 0);
        break;
      case Kind::read_at:
        byte = 0;
        if (!fails_if(::pread(descriptor, &byte, 1, 0) < 0)) found.push_back(byte);
        break;
      case Kind::write_at:
        fails_if(::pwrite(descriptor, &byte, 1, 0) < 0);
        break;
      case Kind::cut:
        fails_if(::ftruncate(descriptor, 0) < 0);
        break;
      case Kind::size:
        if (!fails_if(::fstat(descriptor, &status) < 0)) found.push_back(size_of(status));
        break;
      case Kind::open:
      case Kind::open_anew: {
        const int anew = call.kind == Kind::open ? 0 : O_CREAT | O_TRUNC;
        const int file = ::open(its_name.c_str(), O_RDWR | anew, 0600);
        if (!fails_if(file < 0)) put_at(kNumbers - 1, file);
        break;
      }
      case Kind::make: {
        const int file = ::open(its_name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
        if (!fails_if(file < 0)) ::close(file);
        break;
      }
      case Kind::remove:
        fails_if(::unlink(its_name.c_str()) < 0);
        break;
      case Kind::rename:
        fails_if(::rename(its_name.c_str(), other.c_str()) < 0);
        break;
      case Kind::link:
        fails_if(::link(its_name.c_str(), other.c_str()) < 0);
        break;
      case Kind::is_there:
        fails_if(::access(its_name.c_str(), F_OK) < 0);
        break;
      case Kind::size_at:
        if (!fails_if(::stat(its_name.c_str(), &status) < 0)) found.push_back(size_of(status));
        break;
      case Kind::cut_at:
        fails_if(::truncate(its_name.c_str(), 0) < 0);
        break;
      case Kind::rest_of_open:
        break;
    }
  }

 private:
  static int number(std::size_t place) { return static_cast<int>(220 + place); }
  static unsigned size_of(const struct stat& status) { return static_cast<unsigned>(status.st_size); }
  static std::string name(std::size_t place) {
    return own_path("random-files") + "-" + std::to_string(place);
  }
  /// The number stands for the file from now on.
  static void put_at(std::size_t place, int file) {
    check(file >= 0 && dup2(file, number(place)) >= 0);
    ::close(file);
  }
};

std::string text_of(const Program& program) {
  static constexpr std::array kWords{"read", "write", "seek", "read_at", "write_at", "cut", "size", "open",
      "open_anew", "make", "remove", "rename", "link", "is_there", "size_at", "cut_at"};
  return random_calls::text_of(program, [](const Call& call) {
    return std::string(kWords.at(static_cast<std::size_t>(call.kind))) + "(" + std::to_string(call.which) +
           ", " + std::to_string(call.value) + ")";
  });
}

Program random_program(std::mt19937& random) {
  const auto below = [&](std::size_t end) { return static_cast<unsigned char>(random() % end); };
  Program program(2 + below(2));
  const unsigned most = program.size() == 2 ? 2 : 1;  // a call is up to three steps
  for (std::vector<Call>& calls : program) {
    for (unsigned left = 1U + below(most + (&calls == &program.front() ? 1 : 0)); left != 0; --left) {
      Call call{static_cast<Kind>(below(16)), below(kNumbers), static_cast<unsigned char>(1 + below(3))};
      if (below(2) == 0) call.which = 0;
      const bool opens = call.kind == Kind::open || call.kind == Kind::open_anew;
      // Only the first thread uses the number for which it opens files: others do not know what that stands
      // for.
      const bool is_first = &calls == &program.front();
      if (!is_first && (opens || call.which == kNumbers - 1)) call = {Kind::read, 0, 1};
      calls.push_back(call);
    }
  }
  return program;
}

}  // namespace

random_calls::Compared compare_random_program(std::mt19937& random) {
  const Program program = random_program(random);
  return random_calls::compare(program, answer_of(program), text_of(program), [] { return Files(); });
}

TEST(RandomProgramsThatShareFiles, HaveAllOutcomesUnderEveryStrategy) {
  random_calls::compare_random_programs(20261201, false, compare_random_program);
}

}  // namespace unmodified::regular_files
