// Selects sample programs by name.
#pragma once

#include <string>
#include <vector>

#include "samples/sample_program.hpp"

namespace measure {

/// The programs with these names, which may also be written as in file names; all programs if no name is
/// given. Throws std::invalid_argument, which lists the programs, for an unknown name.
std::vector<samples::SampleProgram> programs_named(const std::vector<std::string>& names);

/// A name fit for a file: "bluetooth-driver".
std::string file_name(const samples::SampleProgram& program);

}  // namespace measure
