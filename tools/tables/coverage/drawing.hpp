// Writes curves as numbers (CSV), and as a picture (SVG) that gnuplot draws from the CSV file.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "tools/tables/coverage/curve.hpp"

namespace coverage {

/// Throws std::invalid_argument if there is no gnuplot.
void check_gnuplot();

/// A line for each point: strategy, executions, states.
void write_csv(std::ostream& out, const std::vector<Curve>& curves);

/// Draws the curves that were written to `csv`. Both axes are logarithmic. Colours are such that the picture
/// can be read on white and on black. Throws std::runtime_error if gnuplot fails.
void draw_svg(const std::filesystem::path& svg, const std::filesystem::path& csv, const std::string& title,
    const std::vector<Curve>& curves);

}  // namespace coverage
