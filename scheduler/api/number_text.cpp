#include "number_text.hpp"

#include <spdlog/fmt/fmt.h>

#include "../../runtime/terms/english.hpp"

namespace hocket {

std::string number_text(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, " ");
  return text;
}

std::string count_text(std::uint64_t count, std::string_view singular) {
  return number_text(count) + " " + runtime::noun_for(count, singular);
}

std::string after_executions(std::uint64_t count) {
  return count == 0 ? "in the first execution" : "after " + count_text(count, "execution");
}

std::string duration_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace hocket
