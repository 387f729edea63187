// The sample programs that are asked for.
#pragma once

#include <string>
#include <vector>

#include "samples/sample_program.hpp"

namespace measure {

/// Those with these names, which may also be written as in file names; all of them if none is given. Throws
/// std::invalid_argument, naming those there are.
std::vector<samples::SampleProgram> programs_named(const std::vector<std::string>& names);

/// A name fit for a file: "bluetooth-driver".
std::string file_name(const samples::SampleProgram& program);

}  // namespace measure
