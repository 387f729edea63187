#include "supervised_search.hpp"

#include <chrono>
#include <cstddef>
#include <cstring>

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

template <class Field>
std::uint32_t offset_of(const Field& field) {
  return static_cast<std::uint32_t>(
      reinterpret_cast<const std::byte*>(&field) - reinterpret_cast<const std::byte*>(&run));
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

/// The last byte of a choice in the log, of which everything else is 0.
std::uint8_t marks_of(runtime::LogEntry::Kind kind, bool gives_way) {
  runtime::LogEntry entry{};
  entry.kind = kind & 3U;
  entry.gives_way = gives_way ? 1 : 0;
  std::uint8_t marks = 0;
  std::memcpy(&marks, reinterpret_cast<const std::byte*>(&entry) + sizeof entry - 1, 1);
  return marks;
}

void write_where_things_are() {
  Header& h = header();
  h.position = offset_of(run.position);
  h.os_thread = offset_of(run.os_thread);
  h.entry_size = sizeof(runtime::LogEntry);
  h.code = offsetof(runtime::LogEntry, code);
  using runtime::LogEntry;
  h.marks = sizeof(LogEntry) - 1;
  h.gives_way = marks_of(LogEntry::narrow, true) ^ marks_of(LogEntry::narrow, false);
  h.is_value = marks_of(LogEntry::value, false);
  h.kind = marks_of(LogEntry::wide, false) | marks_of(LogEntry::value, false);
  h.counts = {};
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
  header().begin = std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  header().phase = Phase::searching;
  counts = &header().counts;
  is_seen_ = true;
}

SupervisedSearch::~SupervisedSearch() {
  if (!is_seen_) return;
  counts = nullptr;
  header().phase = Phase::idle;
  runtime::execution.write_log_to(nullptr);
  runtime::Execution::move_run_back();
}

void SupervisedSearch::look_for_supervisor() {
  static_cast<void>(area());
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
