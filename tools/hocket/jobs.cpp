#include "jobs.hpp"

#include <charconv>
#include <system_error>

#include <sched.h>

#include <spdlog/fmt/fmt.h>

#include "scheduler/process/program.hpp"

#include "commands.hpp"

namespace hocket::tool {

unsigned count_of_jobs(const std::string& text) {
  unsigned count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && count <= kMostPrograms;
  if (text != "auto" && !is_number)
    throw UsageError(fmt::format(
        "--jobs: \"{}\" is not a number of jobs; give a number from 0 to {}, or auto", text, kMostPrograms));
  if (count != 0) return count;
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return static_cast<unsigned>(CPU_COUNT(&cores));
}

}  // namespace hocket::tool
