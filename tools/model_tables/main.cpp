// Prints tables of what depth-bounded searches through the models of protocols cost. What each holds is in
// the file of its name.
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/model_tables/tables.hpp"

namespace model_tables {

std::span<const Table> all_tables() {
  static constexpr std::array<Table, 2> kAll{{
      {"revisits", "Revisits with and without thresholds", print_revisits},
      {"frontiers", "Frontiers as states, as traces and as a tree", print_frontiers},
  }};
  return kAll;
}

std::string reduction_text(double before, double after) {
  if (before <= 0) return "";
  char text[32];
  static_cast<void>(std::snprintf(text, sizeof text, "%.1f %%", 100 * (before - after) / before));
  return text;
}

std::string seconds_text(double seconds) {
  char text[32];
  static_cast<void>(std::snprintf(text, sizeof text, "%.2f", seconds));
  return text;
}

std::vector<std::uint32_t> increments(std::uint32_t depth) {
  return {depth, depth / 5, depth / 20};
}

}  // namespace model_tables

namespace {

constexpr std::uint32_t kLeastDepth = 20;  // so that a twentieth is a step
constexpr std::uint32_t kMostDepth = 100'000;

/// Those of `all` that have one of these names. Throws std::invalid_argument if there is no such one.
template <typename T>
std::vector<T> named(std::string_view what, std::span<const T> all, const std::vector<std::string>& names) {
  std::vector<T> chosen;
  for (const std::string& name : names) {
    const std::size_t before = chosen.size();
    std::string known;
    for (const T& one : all) {
      if (name == "all" || name == one.name) chosen.push_back(one);
      known += std::string(one.name) + ", ";
    }
    if (chosen.size() == before) {
      std::string message = "there is no ";
      message.append(what).append(" \"").append(name).append("\"; there are ").append(known).append("all");
      throw std::invalid_argument(message);
    }
  }
  return chosen;
}

int carry_out(int argc, char** argv) {
  CLI::App app(
      "Prints tables of what depth-bounded searches through models cost, in Markdown", "hocket_model_tables");
  std::vector<std::string> tables{"all"};
  std::vector<std::string> models{"all"};
  model_tables::Request request;
  app.add_option("--table", tables, "revisits, frontiers, all")->type_name("NAME");
  app.add_option(
         "--model", models, "this model alone: philosophers, bakery, filter, fast, files, commit, german")
      ->type_name("NAME");
  app.add_option("--max-depth", request.depth,
         "the most steps of a path; if not given, 1000 for the bakery and 100 for the others")
      ->check(CLI::Range(kLeastDepth, kMostDepth))
      ->type_name("N");
  app.footer("Exit status: 0 the tables were printed, 1 a search did not find what it should, 2 bad usage.");
  std::vector<model_tables::Table> chosen;
  try {
    app.parse(argc, argv);
    chosen = named("table", model_tables::all_tables(), tables);
    request.subjects = named("model", model_tables::all_subjects(), models);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);  // --help
    throw std::invalid_argument(error.what());
  }
  bool is_first = true;
  for (const model_tables::Table& table : chosen) {
    std::cout << (is_first ? "" : "\n") << "## " << table.title << "\n\n";
    table.print(request, std::cout);
    std::cout.flush();
    is_first = false;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return carry_out(argc, argv);
  } catch (const std::invalid_argument& error) {
    const std::string_view sentence = error.what();
    std::cerr << "hocket_model_tables: " << sentence.substr(0, sentence.find('\n')) << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "hocket_model_tables: " << error.what() << '\n';
    return 1;
  }
}
