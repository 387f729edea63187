#include "supervised_search.hpp"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/platform/files.hpp"
#include "../process/supervised_area.hpp"
#include "../schedules/schedule_file.hpp"

namespace hocket {

namespace {

using namespace supervised_area;
using runtime::Run;
using runtime::run;

static_assert(sizeof(Run) <= kMostState && Run::kLogBytes <= kMostLog);

struct SupervisorLink {
  pid_t process = 0;  ///< 0: there is none
  int file = 0;       ///< its number there
};

SupervisorLink supervisor_in_environment() {
  const char* const value = std::getenv(kVariable);
  if (value == nullptr) return {};
  const std::string_view text(value);
  SupervisorLink result;
  const char* const end = text.data() + text.size();
  const auto [colon, error] = std::from_chars(text.data(), end, result.process);
  if (error != std::errc{} || colon == end || std::from_chars(colon + 1, end, result.file).ec != std::errc{})
    return {};
  return result;
}

template <class Field>
std::uint32_t offset_of(const Field& field) {
  return static_cast<std::uint32_t>(
      reinterpret_cast<const std::byte*>(&field) - reinterpret_cast<const std::byte*>(&run));
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
  if (header.magic != kMagic || header.phase == Phase::searching) return false;
  std::int32_t owner = header.owner;
  const bool is_owned = owner != 0 && owner != getpid() && (kill(owner, 0) == 0 || errno != ESRCH);
  return !is_owned && std::atomic_ref(header.owner).compare_exchange_strong(owner, getpid());
}

std::byte* map_area() {
  const SupervisorLink supervisor = supervisor_in_environment();
  if (supervisor.process == 0) return nullptr;
  if (supervisor.process == getppid()) prctl(PR_SET_PDEATHSIG, SIGTERM);  // nobody would wait for its end
  const std::string path =
      "/proc/" + std::to_string(supervisor.process) + "/fd/" + std::to_string(supervisor.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) {
    warn(errno);
    return nullptr;
  }
  struct stat status {};
  void* mapped = MAP_FAILED;
  if (fstat(file, &status) == 0 && static_cast<std::size_t>(status.st_size) == kBytes)
    mapped = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  const int error = errno;
  close(file);
  if (mapped == MAP_FAILED) {
    warn(error);
    return nullptr;
  }
  if (take(*static_cast<Header*>(mapped))) return static_cast<std::byte*>(mapped);
  munmap(mapped, kBytes);
  return nullptr;
}

std::byte* area() {
  static std::byte* const mapped = map_area();
  return mapped;
}

Header& header() {
  return *reinterpret_cast<Header*>(area());
}

/// What describe() needs to write the folder again.
std::string folder_of_search;  // NOLINT(cert-err58-cpp)

/// Returns whether there is room.
bool write_texts(const Schedule& about, const std::string& folder) {
  Schedule schedule = about;
  schedule.complete = false;
  schedule.choices.clear();
  schedule.threads.clear();
  schedule.kind = runtime::FailureKind::signal;
  const std::string text = to_json(schedule);
  if (text.size() + folder.size() > kMostTexts) return false;
  std::memcpy(area() + kTexts, text.data(), text.size());
  std::memcpy(area() + kTexts + text.size(), folder.data(), folder.size());
  header().text_size = static_cast<std::uint32_t>(text.size());
  header().folder_size = static_cast<std::uint32_t>(folder.size());
  return true;
}

void write_where_things_are() {
  Header& h = header();
  h.position = offset_of(run.position);
  h.os_thread = offset_of(run.os_thread);
  h.entry_size = sizeof(runtime::LogEntry);
  h.code = offsetof(runtime::LogEntry, code);
  h.executions = 0;
}

}  // namespace

SupervisedSearch::SupervisedSearch(const Schedule& about, const std::string& folder) {
  if (about.own_process || area() == nullptr) return;  // children tell their parent
  folder_of_search = folder.empty() ? folder : runtime::platform::absolute_path(folder).string();
  if (!write_texts(about, folder_of_search)) return;
  static_cast<void>(runtime::execution.cold_state());  // makes a log
  if (!runtime::Execution::move_run_to(area() + kState)) return;
  runtime::execution.write_log_to(area() + kLog);
  write_where_things_are();
  header().phase = Phase::searching;
  executions = &header().executions;
  is_seen_ = true;
}

SupervisedSearch::~SupervisedSearch() {
  if (!is_seen_) return;
  executions = nullptr;
  header().phase = Phase::idle;
  runtime::execution.write_log_to(nullptr);
  runtime::Execution::move_run_back();
}

void SupervisedSearch::look_for_supervisor() {
  static_cast<void>(area());
}

bool SupervisedSearch::has_supervisor() {
  return area() != nullptr || supervisor_in_environment().process == getppid();
}

void SupervisedSearch::describe(const Schedule& about) {
  if (area() == nullptr || header().phase != Phase::searching) return;
  header().phase = Phase::idle;
  if (write_texts(about, folder_of_search)) header().phase = Phase::searching;
}

void SupervisedSearch::told() {
  if (area() == nullptr) return;
  header().phase = Phase::told;
  header().deaths = header().deaths + 1;
}

}  // namespace hocket
