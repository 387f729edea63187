#include "tools/tables/measure/programs.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "samples/sample_programs.hpp"

namespace measure {

using samples::SampleProgram;

std::string file_name(const SampleProgram& program) {
  std::string name = program.name;
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    c = std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '-';
  }
  return name;
}

std::vector<SampleProgram> programs_named(const std::vector<std::string>& names) {
  std::vector<SampleProgram> all = samples::sample_programs();
  if (names.empty()) return all;
  std::vector<SampleProgram> chosen;
  for (const std::string& name : names) {
    const auto place = std::find_if(all.begin(), all.end(),
        [&](const SampleProgram& program) { return program.name == name || file_name(program) == name; });
    if (place == all.end()) {
      std::string message = "there is no sample \"" + name + "\"; the samples are ";
      for (const SampleProgram& program : all) {
        message += (&program == all.data() ? "" : ", ") + file_name(program);
      }
      throw std::invalid_argument(message);
    }
    chosen.push_back(*place);
  }
  return chosen;
}

}  // namespace measure
