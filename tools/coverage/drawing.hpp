// Curves as a picture (SVG) and as numbers (CSV).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tools/coverage/curve.hpp"

namespace coverage {

/// Both axes are logarithmic. Colours are such that the picture can be read on white and on black.
void draw_svg(std::ostream& out, const std::string& title, const std::vector<Curve>& curves);

/// A line for each point: strategy, executions, states.
void write_csv(std::ostream& out, const std::vector<Curve>& curves);

}  // namespace coverage
