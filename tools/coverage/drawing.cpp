#include "tools/coverage/drawing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "scheduler/api/number_text.hpp"

namespace coverage {

namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 420;
constexpr double kLeft = 96;
constexpr double kRight = 200;  ///< where the curves are named
constexpr double kTop = 40;
constexpr double kBottom = 50;
constexpr double kLine = 18;  ///< from one line of text to the next

constexpr const char* kInk = "#808080";

struct Pen {
  const char* color;
  const char* dashes;
};
/// In middle shades; dashes tell the curves apart without colours.
constexpr std::array<Pen, 6> kPens{{
    {"#d9480f", "none"},
    {"#1c7ed6", "8 3"},
    {"#2b9348", "2 3"},
    {"#9c5fd0", "10 3 2 3"},
    {"#b08900", "5 5"},
    {"#0f9aa0", "1 2"},
}};

/// Numbers along one axis, from one power of ten to another.
class LogAxis {
 public:
  LogAxis(double least, double most, double from, double to)
      : first_(static_cast<int>(std::floor(std::log10(least)))),
        last_(std::max(first_ + 1, static_cast<int>(std::ceil(std::log10(most))))),
        from_(from),
        to_(to) {}

  [[nodiscard]] double at(double number) const {
    return from_ + (to_ - from_) * (std::log10(number) - first_) / (last_ - first_);
  }
  template <class Visit>
  void for_each_tick(Visit&& visit) const {
    for (int power = first_; power <= last_; ++power) visit(std::pow(10.0, power));
  }

 private:
  int first_;
  int last_;
  double from_;
  double to_;
};

std::string coordinate(double number) {
  char text[32];
  static_cast<void>(std::snprintf(text, sizeof text, "%.1f", number));
  return text;
}

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + value + "\"";
}

void draw_text(std::ostream& out, double x, double y, const char* anchor, const std::string& words,
    const std::string& more = {}) {
  out << "<text" << attribute("x", coordinate(x)) << attribute("y", coordinate(y))
      << attribute("text-anchor", anchor) << more << ">" << words << "</text>\n";
}

void draw_line(std::ostream& out, double x1, double y1, double x2, double y2, const std::string& more) {
  out << "<line" << attribute("x1", coordinate(x1)) << attribute("y1", coordinate(y1))
      << attribute("x2", coordinate(x2)) << attribute("y2", coordinate(y2)) << more << "/>\n";
}

void draw_axes(std::ostream& out, const LogAxis& x, const LogAxis& y) {
  const std::string thin =
      attribute("stroke", kInk) + attribute("stroke-width", "0.5") + attribute("stroke-opacity", "0.5");
  constexpr double kBeside = 8;
  x.for_each_tick([&](double number) {
    draw_line(out, x.at(number), kTop, x.at(number), kHeight - kBottom, thin);
    draw_text(out, x.at(number), kHeight - kBottom + kLine, "middle",
        hocket::number_text(static_cast<std::uint64_t>(number)));
  });
  y.for_each_tick([&](double number) {
    draw_line(out, kLeft, y.at(number), kWidth - kRight, y.at(number), thin);
    draw_text(out, kLeft - kBeside, y.at(number) + kLine / 4, "end",
        hocket::number_text(static_cast<std::uint64_t>(number)));
  });
  draw_text(out, (kLeft + kWidth - kRight) / 2, kHeight - kBottom + 2 * kLine + 4, "middle", "executions");
  const double middle = (kTop + kHeight - kBottom) / 2;
  draw_text(out, kLine, middle, "middle", "distinct happens-before states",
      attribute("transform", "rotate(-90 " + coordinate(kLine) + " " + coordinate(middle) + ")"));
}

void draw_curve(std::ostream& out, const Curve& curve, const Pen& pen, const LogAxis& x, const LogAxis& y) {
  out << "<polyline fill=\"none\"" << attribute("stroke", pen.color) << attribute("stroke-width", "2")
      << attribute("stroke-dasharray", pen.dashes) << " points=\"";
  for (const Point& point : curve.points) {
    out << coordinate(x.at(static_cast<double>(point.executions))) << ','
        << coordinate(y.at(static_cast<double>(point.states))) << ' ';
  }
  out << "\"/>\n";
  if (!curve.is_everything) return;
  out << "<circle" << attribute("cx", coordinate(x.at(static_cast<double>(curve.points.back().executions))))
      << attribute("cy", coordinate(y.at(static_cast<double>(curve.points.back().states))))
      << attribute("r", "4") << attribute("fill", pen.color) << "/>\n";
}

/// The curves by name, the one that ends highest first, each with what it ends with.
void draw_legend(std::ostream& out, const std::vector<Curve>& curves) {
  std::vector<std::size_t> order;
  for (std::size_t n = 0; n < curves.size(); ++n) order.push_back(n);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return curves[a].points.back().states > curves[b].points.back().states;
  });
  constexpr double kSample = 34;  ///< the length of a piece of the curve
  constexpr double kBeside = 12;
  const double x = kWidth - kRight + kBeside;
  double y = kTop + kLine / 2;
  for (const std::size_t n : order) {
    const Pen& pen = kPens.at(n % kPens.size());
    draw_line(out, x, y, x + kSample, y,
        attribute("stroke", pen.color) + attribute("stroke-width", "2") +
            attribute("stroke-dasharray", pen.dashes));
    draw_text(out, x + kSample + kBeside, y + kLine / 4, "start",
        curves[n].strategy + " " + hocket::number_text(curves[n].points.back().states),
        attribute("fill", pen.color));
    y += kLine;
    if (!curves[n].is_everything) continue;
    draw_text(out, x + kSample + kBeside, y + kLine / 4, "start", "\u25cf all there is");
    y += kLine;
  }
}

}  // namespace

void draw_svg(std::ostream& out, const std::string& title, const std::vector<Curve>& curves) {
  std::uint64_t executions = 1;
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t most = 1;
  for (const Curve& curve : curves) {
    executions = std::max(executions, curve.points.back().executions);
    least = std::min(least, curve.points.front().states);
    most = std::max(most, curve.points.back().states);
  }
  const LogAxis x(1, static_cast<double>(executions), kLeft, kWidth - kRight);
  const LogAxis y(static_cast<double>(least), static_cast<double>(most), kHeight - kBottom, kTop);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\"" << attribute("width", coordinate(kWidth))
      << attribute("height", coordinate(kHeight))
      << attribute("viewBox", "0 0 " + coordinate(kWidth) + " " + coordinate(kHeight))
      << attribute("font-family", "sans-serif") << attribute("font-size", "13") << attribute("fill", kInk)
      << ">\n";
  draw_text(out, (kLeft + kWidth - kRight) / 2, kTop - kLine, "middle", title, attribute("font-size", "15"));
  draw_axes(out, x, y);
  for (std::size_t n = 0; n < curves.size(); ++n)
    draw_curve(out, curves[n], kPens.at(n % kPens.size()), x, y);
  draw_legend(out, curves);
  out << "</svg>\n";
}

void write_csv(std::ostream& out, const std::vector<Curve>& curves) {
  out << "strategy,executions,states\n";
  for (const Curve& curve : curves) {
    for (const Point& point : curve.points) {
      out << curve.strategy << ',' << point.executions << ',' << point.states << '\n';
    }
  }
}

}  // namespace coverage
