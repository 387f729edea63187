#include "outer_files.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/platform/files.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../libc/inner_files.hpp"
#include "body_descriptors.hpp"

namespace hocket::unmodified {

namespace {

using runtime::HostSearches;

/// What a file held before the running execution changed it.
struct Changed {
  int number;
  int flags;
  ino_t file = 0;
  const void* code;                          ///< which has changed it
  std::optional<std::uint64_t> count{};      ///< of events
  std::optional<std::vector<char>> bytes{};  ///< in a pipe
  bool has_contents = false;                 ///< those were looked at
};

struct OuterFiles {
  std::vector<int> numbers;  ///< open when the search began, ordered
  std::vector<Changed> changed;
  std::vector<HostSearches::LeftChanged> left;
};

// Not a local static: a body may be the first to come by, and the guard would then be the body's.
constinit OuterFiles* all_files = nullptr;

OuterFiles& outer_files() {
  const runtime::OwnMemory own;
  if (all_files == nullptr) all_files = new OuterFiles;
  return *all_files;
}

/// The descriptor by a path, as for open() and for what the system says of it.
std::string path_of(const char* folder, int descriptor) {
  return std::string("/proc/self/") + folder + "/" + std::to_string(descriptor);
}

void close_own(int descriptor) {
  if (descriptor >= 0) HOCKET_REAL(close)(descriptor);
}

/// How many events the descriptor has counted; nothing if it does not count any.
std::optional<std::uint64_t> count_of(int descriptor) {
  if (!is_counter(descriptor)) return {};
  const int file = HOCKET_REAL(open)(path_of("fdinfo", descriptor).c_str(), O_RDONLY | O_CLOEXEC);
  std::array<char, 512> text{};
  const ssize_t size = file < 0 ? 0 : HOCKET_REAL(read)(file, text.data(), text.size() - 1);
  close_own(file);
  constexpr std::string_view kField = "eventfd-count:";
  const std::string_view all(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const std::size_t at = all.find(kField);
  if (at == std::string_view::npos) return {};
  constexpr int kHexadecimal = 16;
  return std::strtoull(text.data() + at + kField.size(), nullptr, kHexadecimal);
}

bool set_count(int descriptor, std::uint64_t count) {
  std::optional<std::uint64_t> now = count_of(descriptor);
  for (std::uint64_t taken = 0; now && *now > count; *now -= std::min(taken, *now)) {
    if (HOCKET_REAL(read)(descriptor, &taken, sizeof taken) != sizeof taken || taken == 0) return false;
  }
  if (!now) return false;
  const std::uint64_t more = count - *now;
  return more == 0 || HOCKET_REAL(write)(descriptor, &more, sizeof more) == sizeof more;
}

/// A pipe, by descriptors of Hocket's own. They stay open only for a moment: a pipe of which an end is open
/// does not come to its end.
class Pipe {
 public:
  explicit Pipe(int descriptor)
      : read_(HOCKET_REAL(open)(path_of("fd", descriptor).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)),
        write_(HOCKET_REAL(open)(path_of("fd", descriptor).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~Pipe() {
    close_own(read_);
    close_own(write_);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  /// The bytes, which stay in it; nothing if they could not be had.
  [[nodiscard]] std::optional<std::vector<char>> bytes() const {
    int size = 0;
    if (read_ < 0 || write_ < 0 || HOCKET_REAL(ioctl)(read_, FIONREAD, &size) != 0) return {};
    std::vector<char> all(static_cast<std::size_t>(size));
    if (size == 0) return all;
    std::array<int, 2> copy{-1, -1};
    if (HOCKET_REAL(pipe2)(copy.data(), O_NONBLOCK | O_CLOEXEC) != 0) return {};
    HOCKET_REAL(fcntl)(copy[1], F_SETPIPE_SZ, HOCKET_REAL(fcntl)(read_, F_GETPIPE_SZ));
    const bool is_had = tee(read_, copy[1], all.size(), SPLICE_F_NONBLOCK) == size &&
                        HOCKET_REAL(read)(copy[0], all.data(), all.size()) == size;
    close_own(copy[0]);
    close_own(copy[1]);
    if (!is_had) return {};
    return all;
  }

  [[nodiscard]] bool set(const std::vector<char>& wanted) const {
    const std::optional<std::vector<char>> now = bytes();
    if (!now) return false;
    if (*now == wanted) return true;
    std::array<char, 4096> some{};
    while (HOCKET_REAL(read)(read_, some.data(), some.size()) > 0) {
    }
    return wanted.empty() ||
           HOCKET_REAL(write)(write_, wanted.data(), wanted.size()) == static_cast<ssize_t>(wanted.size());
  }

 private:
  int read_;
  int write_;
};

ino_t file_of(int descriptor) {
  struct stat file {};
  return fstat(descriptor, &file) == 0 ? file.st_ino : 0;
}

bool is_outer(int descriptor) {
  if (descriptor <= STDERR_FILENO || all_files == nullptr || !is_from_body()) return false;
  if (runtime::run.options.keeps_memory) return false;
  const std::vector<int>& numbers = all_files->numbers;
  return std::binary_search(numbers.begin(), numbers.end(), descriptor) && !is_opened_by_body(descriptor);
}

Changed& changed_file(int descriptor) {
  std::vector<Changed>& all = outer_files().changed;
  const auto known = std::find_if(
      all.begin(), all.end(), [descriptor](const Changed& one) { return one.number == descriptor; });
  if (known != all.end()) return *known;
  const int flags = HOCKET_REAL(fcntl)(descriptor, F_GETFL);
  const void* const code = runtime::run.current->instrumented.caller;
  return all.emplace_back(Changed{descriptor, flags, file_of(descriptor), code});
}

void leave_changed(const Changed& file, const char* sort) {
  note_left_changed(sort, file.number, file.code);
}

void put_back(const Changed& file) {
  if (file_of(file.number) != file.file) return leave_changed(file, "a file that the body closes");
  bool is_put_back = HOCKET_REAL(fcntl)(file.number, F_SETFL, file.flags) == 0;
  if (file.count) is_put_back = set_count(file.number, *file.count);
  if (file.bytes && !runtime::is_sabotaged(runtime::Sabotage::pipes_stay_changed))
    is_put_back = Pipe(file.number).set(*file.bytes);
  if (!is_put_back) leave_changed(file, file.count ? "a counter of events" : "a pipe");
}

}  // namespace

void note_left_changed(const char* sort, int descriptor, const void* code) {
  std::vector<HostSearches::LeftChanged>& left = outer_files().left;
  const bool is_known = std::any_of(left.begin(), left.end(),
      [&](const auto& one) { return descriptor >= 0 ? one.descriptor == descriptor : one.code == code; });
  if (!is_known) left.push_back({sort, descriptor, code});
}

void note_outer_flags(int descriptor) {
  if (!is_outer(descriptor)) return;
  const runtime::OwnMemory own;
  const KeepsErrno keeps;
  changed_file(descriptor);
}

void note_outer_file(int descriptor, const char* sort) {
  if (!is_outer(descriptor)) return;
  const runtime::OwnMemory own;
  const KeepsErrno keeps;
  Changed& file = changed_file(descriptor);
  if (file.has_contents) return;
  file.has_contents = true;
  struct stat status {};
  if (sort != nullptr || fstat(descriptor, &status) != 0)
    return leave_changed(file, sort != nullptr ? sort : "a file that the body closes");
  constexpr int kInPackets = O_DIRECT;
  if (S_ISSOCK(status.st_mode)) {
    leave_changed(file, "a socket");
  } else if (!S_ISFIFO(status.st_mode)) {
    file.count = count_of(descriptor);
  } else if ((file.flags & kInPackets) != 0 || !is_inner_file(descriptor) ||
             !(file.bytes = Pipe(descriptor).bytes())) {
    leave_changed(file, "a pipe");
  }
}

void note_outer_pipe(int descriptor) {
  if (!is_outer(descriptor)) return;
  const KeepsErrno keeps;
  struct stat status {};
  const bool is_between_processes =
      fstat(descriptor, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
  if (is_between_processes) note_outer_file(descriptor);
}

void find_outer_files() {
  OuterFiles& files = outer_files();
  const runtime::OwnMemory own;
  files = {};
  for (const std::string& name : runtime::platform::names_in("/proc/self/fd"))
    files.numbers.push_back(std::atoi(name.c_str()));
  std::sort(files.numbers.begin(), files.numbers.end());
}

void put_outer_files_back(const runtime::ExecutionOptions& /*options*/) {
  if (all_files == nullptr || all_files->changed.empty()) return;
  const runtime::OwnMemory own;
  // Of two descriptors for one file, the one that was used first knows what it held.
  std::for_each(all_files->changed.rbegin(), all_files->changed.rend(), put_back);
  all_files->changed.clear();
}

const std::vector<HostSearches::LeftChanged>& files_left_changed() {
  return outer_files().left;
}

}  // namespace hocket::unmodified
