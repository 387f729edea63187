#include "link_map.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>

namespace hocket::check_hooks {

namespace {

constexpr std::string_view kSpace = " \t";
constexpr std::string_view kLoad = "LOAD ";
constexpr std::string_view kOutput = "OUTPUT(";  // and "program elf64-x86-64)"

/// "lib/libqueue.so", "lib/libqueue.so.1".
bool is_shared_library(std::string_view file) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return name.ends_with(".so") || name.find(".so.") != std::string_view::npos;
}

/// Takes the first word off the line.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kSpace));
  line.remove_prefix(word.size());
  return word;
}

}  // namespace

// " .text._ZN5Queue3popEv", and behind it or on the next line "0x0000000000001190  0x41 queue.o".
LinkMap read_link_map(const std::filesystem::path& map) {
  LinkMap read;
  std::ifstream in(map);
  enum class Part { head, left_out, taken } part = Part::head;
  std::string name;
  for (std::string line; std::getline(in, line);) {
    if (line == "Discarded input sections") part = Part::left_out;
    if (line == "Linker script and memory map") part = Part::taken;
    if (part == Part::head) continue;
    std::string_view rest = line;
    if (line.starts_with(kLoad) && is_shared_library(rest.substr(kLoad.size())))
      read.shared_libraries.push_back(line.substr(kLoad.size()));
    if (line.starts_with(kOutput)) {
      const std::size_t end = std::max(line.rfind(' '), kOutput.size());
      read.output = line.substr(kOutput.size(), end - kOutput.size());
    }
    if (line.starts_with(" .")) {
      name = take_word(rest);
    } else if (!line.starts_with("  ")) {
      name.clear();
    }
    if (!name.starts_with(".text") || rest.find_first_not_of(kSpace) == std::string_view::npos) continue;
    const std::string_view address = take_word(rest);
    const std::string_view size = take_word(rest);
    rest.remove_prefix(std::min(rest.find_first_not_of(kSpace), rest.size()));
    if (address.starts_with("0x") && size.starts_with("0x") && !rest.empty())
      read.sections.push_back({name, std::string(rest), part == Part::taken, size == "0x0"});
    name.clear();
  }
  return read;
}

}  // namespace hocket::check_hooks
