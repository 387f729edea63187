// `hocket_tables coverage`: draws, for each sample, how many distinct states each strategy has met after so
// many executions: the curves of Figures 2, 5 and 6 of Musuvathi and Qadeer, Iterative Context Bounding for
// Systematic Testing of Multithreaded Programs, 2007.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>

#include "scheduler/api/number_text.hpp"

#include "tools/tables/commands.hpp"
#include "tools/tables/coverage/curve.hpp"
#include "tools/tables/coverage/drawing.hpp"
#include "tools/tables/measure/markdown.hpp"
#include "tools/tables/measure/programs.hpp"

namespace tables {

namespace {

struct Arguments {
  std::vector<std::string> samples;
  std::vector<std::string> strategies{"icb", "dfs", "idfs", "random"};
  std::uint64_t executions = 10'000;
  std::string out = ".";
};

std::ofstream create(const std::filesystem::path& path) {
  std::ofstream file(path);
  if (!file) throw std::invalid_argument("cannot write " + path.string());
  return file;
}

void finish(std::ofstream& file, const std::filesystem::path& path) {
  file.close();
  if (!file) throw std::runtime_error("could not write all of " + path.string());
}

void draw(const samples::SampleProgram& program, const Arguments& arguments, measure::MarkdownTable& table) {
  const std::filesystem::path name = std::filesystem::path(arguments.out) / measure::file_name(program);
  const std::filesystem::path svg_path = name.string() + ".svg";
  const std::filesystem::path csv_path = name.string() + ".csv";
  std::vector<coverage::Curve> curves;
  std::vector<std::string> row{program.name};
  for (const std::string& strategy : arguments.strategies) {
    curves.push_back(coverage::curve_of(program, strategy, arguments.executions));
    const coverage::Curve& curve = curves.back();
    const coverage::Point& last = curve.points.back();
    row.push_back(hocket::number_text(last.states) +
                  (curve.is_everything ? " (all, after " + hocket::number_text(last.executions) + ")" : ""));
  }
  table.add(row);
  std::ofstream csv = create(csv_path);
  coverage::write_csv(csv, curves);
  finish(csv, csv_path);
  coverage::draw_svg(svg_path, csv_path, program.name, curves);
}

void draw_all(const Arguments& arguments) {
  const std::vector<samples::SampleProgram> programs = measure::programs_named(arguments.samples);
  for (const std::string& strategy : arguments.strategies) coverage::check_strategy(strategy);
  coverage::check_gnuplot();
  std::error_code problem;
  std::filesystem::create_directories(arguments.out, problem);
  if (problem) throw std::invalid_argument("cannot create " + arguments.out + ": " + problem.message());
  std::vector<std::string> header{"program"};
  header.insert(header.end(), arguments.strategies.begin(), arguments.strategies.end());
  measure::MarkdownTable table(header);
  for (const samples::SampleProgram& program : programs) draw(program, arguments, table);
  std::cout << "Distinct happens-before states after " << hocket::number_text(arguments.executions)
            << " executions:\n\n"
            << table;
}

}  // namespace

void add_coverage(CLI::App& program) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *program.add_subcommand(
      "coverage", "Draws how many states strategies meet in a number of executions of the samples");
  command.add_option("--sample", arguments->samples, "this program alone; all if not given")
      ->type_name("NAME");
  command.add_option("--strategy", arguments->strategies, "icb, dfs, idfs and random if not given")
      ->type_name("NAME");
  command
      .add_option(
          "--executions", arguments->executions, "of each strategy; runs that a reduction cuts short count")
      ->check(CLI::Range(std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option(
          "--out", arguments->out, "where the pictures (SVG) and the numbers (CSV) go; created if need be")
      ->type_name("DIR")
      ->capture_default_str();
  command.footer("The pictures are drawn by gnuplot.");
  command.callback([arguments] { draw_all(*arguments); });
}

}  // namespace tables
