#include "tools/tables/coverage/drawing.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "scheduler/api/number_text.hpp"

namespace coverage {

namespace {

/// In middle shades; dashes tell the curves apart without colours.
constexpr std::array<const char*, 6> kPens{
    "linecolor rgb '#d9480f' dashtype solid",
    "linecolor rgb '#1c7ed6' dashtype (8, 3)",
    "linecolor rgb '#2b9348' dashtype (2, 3)",
    "linecolor rgb '#9c5fd0' dashtype (10, 3, 2, 3)",
    "linecolor rgb '#b08900' dashtype (5, 5)",
    "linecolor rgb '#0f9aa0' dashtype (1, 2)",
};

/// All but the curves; `picture`, `data` and `name` are set before.
constexpr const char* kFrame = R"(
set terminal svg size 720,420 font 'sans-serif,13' noenhanced
set output picture
set datafile separator ','
ink = '#808080'
set title name font ',15' textcolor rgb ink
set xlabel 'executions' textcolor rgb ink
set ylabel 'distinct happens-before states' textcolor rgb ink
set border linecolor rgb ink linewidth 0.5
set grid linetype 1 linecolor rgb '#a0808080' linewidth 0.5
set key outside right top Left reverse textcolor variable samplen 3

set logscale xy
set tics nomirror scale 0 textcolor rgb ink
label(power) = power < 3 ? sprintf('%d', 10**power) : label(power - 3) . ' 000'
set for [power = 0:18] xtics add (label(power) 10.0**power)
set for [power = 0:18] ytics add (label(power) 10.0**power)

# Each axis goes from one power of ten to another, and a little farther, lest rounding leave out the marks at its ends.
below(power) = 0.9999 * 10.0**power
above(power) = 1.0001 * 10.0**power
last(most, first) = ceil(log10(most)) > first ? ceil(log10(most)) : first + 1
stats data using 2:3 name 'all' nooutput
first = floor(log10(all_min_y))
set xrange [below(0) : above(last(all_max_x, 0))]
set yrange [below(first) : above(last(all_max_y, first))]
)";

/// A string of gnuplot's.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) result += letter == '\'' ? std::string("''") : std::string(1, letter);
  return result + "'";
}

/// The plot command. The legend begins with the curve that ends highest.
std::string plot_command(const std::vector<Curve>& curves) {
  std::vector<std::size_t> order(curves.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return curves[a].points.back().states > curves[b].points.back().states;
  });
  std::ostringstream command;
  const char* before = "plot ";
  for (const std::size_t n : order) {
    const Curve& curve = curves[n];
    const Point& last = curve.points.back();
    const std::string is_of_curve = "strcol(1) eq " + quoted(curve.strategy);
    const std::string pen = kPens.at(n % kPens.size());
    command << before << "data using (" << is_of_curve << " ? $2 : NaN):3 with lines linewidth 2 " << pen
            << " title " << quoted(curve.strategy + " " + hocket::number_text(last.states));
    before = ", \\\n  ";
    if (!curve.is_everything) continue;
    command << before << "data using (" << is_of_curve << " && $2 == " << last.executions
            << " ? $2 : NaN):3 with points pointtype 7 pointsize 0.6 " << pen << " title 'all there is'";
  }
  return command.str();
}

}  // namespace

void check_gnuplot() {
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0)
    throw std::invalid_argument(
        "gnuplot, which draws the pictures, was not found (on Debian it is in gnuplot-nox)");
}

void write_csv(std::ostream& out, const std::vector<Curve>& curves) {
  out << "strategy,executions,states\n";
  for (const Curve& curve : curves) {
    for (const Point& point : curve.points) {
      out << curve.strategy << ',' << point.executions << ',' << point.states << '\n';
    }
  }
}

void draw_svg(const std::filesystem::path& svg, const std::filesystem::path& csv, const std::string& title,
    const std::vector<Curve>& curves) {
  const std::string script = "picture = " + quoted(svg.string()) + "\ndata = " + quoted(csv.string()) +
                             "\nname = " + quoted(title) + kFrame + plot_command(curves) + "\n";
  std::FILE* const gnuplot = popen("gnuplot", "w");
  const bool is_written = gnuplot != nullptr && std::fputs(script.c_str(), gnuplot) >= 0;
  const bool is_drawn = gnuplot != nullptr && pclose(gnuplot) == 0;
  if (!is_written || !is_drawn) throw std::runtime_error("gnuplot could not draw " + svg.string());
}

}  // namespace coverage
