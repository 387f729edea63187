#include "noted_section.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace hocket::check_hooks {

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

bool add_section(const std::string& program, const std::string& section, const std::set<std::string>& texts,
    const std::string& objcopy) {
  const std::string file = program + "." + section;
  std::ofstream out(file, std::ios::binary);
  for (const std::string& text : texts) out << text << '\0';
  out.close();
  const std::string command =
      shell_word(objcopy) + " --add-section " + shell_word(section + "=" + file) + " " + shell_word(program);
  const bool is_added = out && std::system(command.c_str()) == 0;
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return is_added;
}

}  // namespace hocket::check_hooks
