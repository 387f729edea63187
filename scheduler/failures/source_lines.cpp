#include "source_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include <sys/stat.h>

#include "../../runtime/diagnosis/source_text.hpp"
#include "../../runtime/platform/files.hpp"

namespace hocket {

namespace {

/// Whether the file was changed after this program was built.
bool is_newer_than_program(const std::string& file) {
  struct stat source {};
  struct stat program {};
  if (stat(file.c_str(), &source) != 0 || stat("/proc/self/exe", &program) != 0) return true;
  return source.st_mtim.tv_sec > program.st_mtim.tv_sec;
}

}  // namespace

std::string line_of_source(const std::string& file, unsigned line) {
  constexpr std::size_t kMost = 200;
  const runtime::platform::FileBytes source(file);
  std::string_view rest = source.bytes();
  if (rest.empty()) return {};
  if (is_newer_than_program(file))
    return "(" + file.substr(file.rfind('/') + 1) + " was changed after the program was built)";
  for (; line > 1 && !rest.empty(); --line)
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  rest = rest.substr(0, rest.find('\n'));
  constexpr std::string_view kSpaces = " \t\r";
  rest.remove_prefix(std::min(rest.find_first_not_of(kSpaces), rest.size()));
  // The bracket at which destructors run says nothing.
  if (rest.find_first_not_of(" \t\r{});") == std::string_view::npos) return {};
  return std::string(rest.substr(0, std::min(rest.find_last_not_of(kSpaces) + 1, kMost)));
}

std::string line_of_source(std::string_view place) {
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) return {};
  unsigned line = 0;
  std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
  const std::string path = runtime::path_of_user_file(std::string(place.substr(0, colon)));
  return path.empty() || line == 0 ? std::string{} : line_of_source(path, line);
}

}  // namespace hocket
