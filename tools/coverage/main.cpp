// Draws, for each sample, how many distinct states each strategy has met after so many executions: the curves
// of Figures 2, 5 and 6 of Musuvathi and Qadeer, Iterative Context Bounding for Systematic Testing of
// Multithreaded Programs, 2007.
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "scheduler/api/number_text.hpp"

#include "tools/coverage/curve.hpp"
#include "tools/coverage/drawing.hpp"
#include "tools/measure/markdown.hpp"
#include "tools/measure/programs.hpp"

namespace {

struct Command {
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

void draw(const samples::SampleProgram& program, const Command& command, measure::MarkdownTable& table) {
  const std::filesystem::path name = std::filesystem::path(command.out) / measure::file_name(program);
  const std::filesystem::path svg_path = name.string() + ".svg";
  const std::filesystem::path csv_path = name.string() + ".csv";
  std::vector<coverage::Curve> curves;
  std::vector<std::string> row{program.name};
  for (const std::string& strategy : command.strategies) {
    curves.push_back(coverage::curve_of(program, strategy, command.executions));
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

int carry_out(int argc, char** argv) {
  CLI::App app("Draws how many distinct states strategies meet in a number of executions of the samples",
      "hocket_coverage");
  Command command;
  app.add_option("--sample", command.samples, "this program alone; all if not given")->type_name("NAME");
  app.add_option("--strategy", command.strategies, "icb, dfs, idfs and random if not given")
      ->type_name("NAME");
  app.add_option(
         "--executions", command.executions, "of each strategy; runs that a reduction cuts short count")
      ->check(CLI::Range(std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()))
      ->type_name("N")
      ->capture_default_str();
  app.add_option(
         "--out", command.out, "where the pictures (SVG) and the numbers (CSV) go; created if need be")
      ->type_name("DIR")
      ->capture_default_str();
  app.footer(
      "Exit status: 0 all was drawn, 1 a program did not do what it should, 2 bad usage or no gnuplot.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);  // --help
    throw std::invalid_argument(error.what());
  }
  const std::vector<samples::SampleProgram> programs = measure::programs_named(command.samples);
  for (const std::string& strategy : command.strategies) coverage::check_strategy(strategy);
  coverage::check_gnuplot();
  std::error_code problem;
  std::filesystem::create_directories(command.out, problem);
  if (problem) throw std::invalid_argument("cannot create " + command.out + ": " + problem.message());
  std::vector<std::string> header{"program"};
  header.insert(header.end(), command.strategies.begin(), command.strategies.end());
  measure::MarkdownTable table(header);
  for (const samples::SampleProgram& program : programs) draw(program, command, table);
  std::cout << "Distinct happens-before states after " << hocket::number_text(command.executions)
            << " executions:\n\n"
            << table;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::string_view kName = "hocket_coverage: ";
  constexpr std::string_view kLibrary = "hocket: ";  // errors of the library come with its name
  try {
    return carry_out(argc, argv);
  } catch (const std::invalid_argument& error) {
    std::string_view sentence = error.what();
    if (sentence.starts_with(kLibrary)) sentence.remove_prefix(kLibrary.size());
    std::cerr << kName << sentence.substr(0, sentence.find('\n')) << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << kName << error.what() << '\n';
    return 1;
  }
}
