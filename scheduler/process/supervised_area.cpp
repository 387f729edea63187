#include "supervised_area.hpp"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hocket::supervised_area {

namespace {

struct SupervisorLink {
  pid_t process = 0;  ///< 0: there is none
  int file = 0;       ///< its number there
  bool begins_anew = false;
};

SupervisorLink supervisor_in_environment() {
  const char* const value = std::getenv(kVariable);
  if (value == nullptr) return {};
  const std::string_view text(value);
  SupervisorLink result;
  const char* const end = text.data() + text.size();
  const auto [colon, error] = std::from_chars(text.data(), end, result.process);
  if (error != std::errc{} || colon == end) return {};
  const auto [rest, error_of_file] = std::from_chars(colon + 1, end, result.file);
  if (error_of_file != std::errc{}) return {};
  result.begins_anew = std::string_view(rest, end) == kBeginsAnew;
  return result;
}

void warn(int error) {
  std::fprintf(stderr,
      "hocket: this program is not supervised, since the memory of its supervisor is out of reach (%s): an "
      "execution that ends it silently is not saved\n",
      std::generic_category().message(error).c_str());
}

/// Whether the area becomes this process's. Processes that a test starts find the variable in their
/// environment, too, and the program may have been started by a script.
bool take(Header& header) {
  // What a search has left must stay: a body may have had this program take the place of its own.
  const bool is_in_use = header.phase == Phase::searching || header.phase == Phase::checking;
  if (header.magic != kMagic || is_in_use) return false;
  std::int32_t owner = header.owner;
  const bool is_owned = owner != 0 && owner != getpid() && (kill(owner, 0) == 0 || errno != ESRCH);
  return !is_owned && std::atomic_ref(header.owner).compare_exchange_strong(owner, getpid());
}

struct Shared {
  std::byte* area = nullptr;
  bool is_child = false;  ///< the supervisor waits for the end of this very process, and can start it again
  bool begins_anew = false;
};

Shared map_area() {
  const SupervisorLink supervisor = supervisor_in_environment();
  if (supervisor.process == 0) return {};
  const bool is_child = supervisor.process == getppid();
  if (is_child) prctl(PR_SET_PDEATHSIG, SIGTERM);  // nobody would wait for its end
  const std::string path =
      "/proc/" + std::to_string(supervisor.process) + "/fd/" + std::to_string(supervisor.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) {
    warn(errno);
    return {};
  }
  struct stat status {};
  void* mapped = MAP_FAILED;
  if (fstat(file, &status) == 0 && static_cast<std::size_t>(status.st_size) == kBytes)
    mapped = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  const int error = errno;
  close(file);
  if (mapped == MAP_FAILED) {
    warn(error);
    return {};
  }
  if (take(*static_cast<Header*>(mapped)))
    return {static_cast<std::byte*>(mapped), is_child, is_child && supervisor.begins_anew};
  munmap(mapped, kBytes);
  return {};
}

Shared& shared() {
  static Shared instance = map_area();
  return instance;
}

Header& header() {
  return *reinterpret_cast<Header*>(area());
}

}  // namespace

std::byte* area() {
  std::byte* const area = shared().area;  // a child that the program has forked inherits it, and has none
  return area != nullptr && reinterpret_cast<Header*>(area)->owner == getpid() ? area : nullptr;
}

bool has_supervisor() {
  return (area() != nullptr && shared().is_child) || supervisor_in_environment().process == getppid();
}

void share_with_parent(std::byte* area) {
  auto& header = *reinterpret_cast<Header*>(area);
  header.owner = getpid();
  shared() = {area, true, header.records_size != 0};
}

std::string_view records_from_before() {
  return shared().begins_anew && area() != nullptr ? records_in(area()) : std::string_view{};
}

std::string_view records_in(const std::byte* area) {
  const std::size_t size = reinterpret_cast<const Header*>(area)->records_size;
  if (size > kMostRecords) return {};
  return {reinterpret_cast<const char*>(area + kRecords), size};
}

bool can_begin_anew() {
  return area() != nullptr && shared().is_child && header().records_size <= kMostRecords;
}

void begin_anew(BeginsAnew how) {
  header().begins_anew = how;
}

void keep_order(int seed) {
  header().order = seed;
}

bool add_record(std::string_view record) {
  const std::uint32_t size = header().records_size;
  const bool has_room = record.size() <= kMostRecords - size;
  if (has_room) std::memcpy(area() + kRecords + size, record.data(), record.size());
  header().records_size = has_room ? size + static_cast<std::uint32_t>(record.size()) : kMostRecords + 1;
  return has_room;
}

}  // namespace hocket::supervised_area
