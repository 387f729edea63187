#include "limits.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

#include <spdlog/fmt/fmt.h>

#include "../../scheduler/api/number_text.hpp"

namespace hocket::model {

ProcessMemory::ProcessMemory()
    : file_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)), at_first_(own_bytes()) {}

ProcessMemory::~ProcessMemory() {
  if (file_ >= 0) close(file_);
}

std::size_t ProcessMemory::added() const {
  const std::size_t now = own_bytes();
  return now > at_first_ ? now - at_first_ : 0;
}

std::size_t ProcessMemory::own_bytes() const {
  std::array<char, 128> text{};
  if (file_ < 0 || pread(file_, text.data(), text.size() - 1, 0) <= 0) return 0;
  std::size_t size = 0;
  std::size_t resident = 0;
  std::size_t of_files = 0;
  if (std::sscanf(text.data(), "%zu %zu %zu", &size, &resident, &of_files) != 3 || of_files > resident)
    return 0;
  return (resident - of_files) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

namespace {

using namespace std::chrono_literals;

// The figures cost some microseconds.
constexpr std::uint64_t kFiguresInterval = 1024;
constexpr auto kFiguresPause = 2ms;

/// Of the machine, with what the system keeps in it of files.
std::size_t free_memory() {
  constexpr std::size_t kKilobyte = 1024;
  std::size_t kilobytes = 0;
  if (std::FILE* const file = std::fopen("/proc/meminfo", "r")) {
    std::array<char, 256> line{};
    while (kilobytes == 0 && std::fgets(line.data(), line.size(), file) != nullptr)
      static_cast<void>(std::sscanf(line.data(), "MemAvailable: %zu", &kilobytes));
    std::fclose(file);
  }
  return kilobytes != 0 ? kilobytes * kKilobyte : ~std::size_t{0};
}

}  // namespace

Limits::Limits(std::string_view name, const Options& options)
    : name_(name),
      begin_(std::chrono::steady_clock::now()),
      time_limit_(options.time_limit),
      free_at_first_(free_memory()),
      memory_limit_(options.memory_limit != 0 ? options.memory_limit : free_at_first_ / 4 * 3),
      is_own_memory_limit_(options.memory_limit != 0),
      max_states_(options.max_states != 0 ? options.max_states : ~std::uint64_t{0}),
      max_transitions_(options.max_transitions != 0 ? options.max_transitions : ~std::uint64_t{0}),
      pace_(begin_),
      figures_interval_(std::min<std::uint64_t>(kFiguresInterval, max_states_)),
      figures_due_(begin_) {}

bool Limits::is_due() {
  const Time now = std::chrono::steady_clock::now();
  next_look_ = turns_ + pace_.visits_after(now);
  const bool is_over = time_limit_.count() != 0 && now - begin_ >= time_limit_;
  if (turns_ < next_figures_ && now < figures_due_ && !is_over && !was_interrupted() && stopped_by_.empty())
    return false;
  next_figures_ = turns_ + figures_interval_;
  figures_due_ = now + kFiguresPause;
  return true;
}

void Limits::show_status(std::uint64_t states, std::size_t bytes, Time now) {
  constexpr double kMegabyte = 1e6;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double rate = seconds > 0 ? static_cast<double>(states) / seconds : 0;
  status_line_.show(fmt::format("{}: {} states ({}/s), {} MB, {}", name_, number_text(states),
                        number_text(static_cast<std::uint64_t>(rate)),
                        number_text(static_cast<std::uint64_t>(static_cast<double>(bytes) / kMegabyte)),
                        duration_text(seconds)),
      now);
}

double Limits::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Limits::stop_at_transitions() {
  if (stopped_by_.empty()) stop(fmt::format("the limit of {}", count_text(max_transitions_, "transition")));
}

bool Limits::look(std::uint64_t states, std::size_t bytes) {
  if (!stopped_by_.empty()) return true;
  if (!is_own_memory_limit_) {  // others may need memory, too: a quarter of what was free stays so
    const std::size_t now_free = free_memory();
    const std::size_t kept = free_at_first_ / 4;
    memory_limit_ =
        std::min(memory_limit_, process_memory_.added() + (now_free > kept ? now_free - kept : 0));
  }
  const Time now = std::chrono::steady_clock::now();
  if (status_line_.is_due(now)) show_status(states, bytes, now);
  if (was_interrupted()) {
    stopped_by_ = interrupted_by();
  } else if (states >= max_states_) {
    stopped_by_ = fmt::format("the limit of {} states", number_text(max_states_));
  } else if (time_limit_.count() != 0 && now - begin_ >= time_limit_) {
    reached_time_limit_ = true;
    stopped_by_ = "the time limit of " + duration_text(std::chrono::duration<double>(time_limit_).count());
  } else if (bytes > memory_limit_ || process_memory_.added() > memory_limit_) {
    stopped_by_ = fmt::format("{} of {} bytes, with {} states stored",
        is_own_memory_limit_ ? "the memory limit" : "the memory that is free: three quarters",
        number_text(memory_limit_), number_text(states));
  }
  return !stopped_by_.empty();
}

}  // namespace hocket::model
