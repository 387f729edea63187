// Prints tables of what real runs of the samples do. What each holds is in the file of its name.
#include <array>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/measure/programs.hpp"
#include "tools/tables/tables.hpp"

namespace tables {

std::span<const Table> all_tables() {
  static constexpr std::array<Table, 5> kAll{{
      {"characteristics", "The samples", print_characteristics},
      {"bugs", "Bugs by bound", print_bugs},
      {"queue", "The work-stealing queue with and without reduction", print_queue},
      {"coverage", "Coverage by bound", print_coverage},
      {"searches", "What searches cost", print_searches},
  }};
  return kAll;
}

}  // namespace tables

namespace {

constexpr unsigned kMostBound = 100;

std::string names_of_tables() {
  std::string names;
  for (const tables::Table& table : tables::all_tables()) names += std::string(table.name) + ", ";
  return names + "all";
}

std::vector<tables::Table> tables_named(const std::vector<std::string>& names) {
  std::vector<tables::Table> chosen;
  for (const std::string& name : names) {
    const std::size_t before = chosen.size();
    for (const tables::Table& table : tables::all_tables()) {
      if (name == "all" || name == table.name) chosen.push_back(table);
    }
    if (chosen.size() == before) {
      throw std::invalid_argument("there is no table \"" + name + "\"; the tables are " + names_of_tables());
    }
  }
  return chosen;
}

int carry_out(int argc, char** argv) {
  CLI::App app("Prints tables of what real runs of the samples do, in Markdown", "hocket_tables");
  std::vector<std::string> names{"all"};
  std::vector<std::string> samples;
  tables::Request request;
  const std::map<std::string, double> units{{"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}};
  app.add_option("--table", names, names_of_tables())->type_name("NAME");
  app.add_option("--sample", samples, "this program alone; the queue's table has its own")->type_name("NAME");
  app.add_option(
         "--time-limit", request.seconds, "stop each search after this: 500ms, 20s, 5m; 20s if not given")
      ->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_REQUIRED))
      ->check(CLI::PositiveNumber)
      ->type_name("T");
  app.add_option("--max-bound", request.max_bound, "the last bound searched, by tables that have one")
      ->check(CLI::Range(0U, kMostBound))
      ->type_name("N")
      ->capture_default_str();
  app.footer("Exit status: 0 the tables were printed, 1 a program did not do what it should, 2 bad usage.");
  std::vector<tables::Table> chosen;
  try {
    app.parse(argc, argv);
    chosen = tables_named(names);
    request.programs = measure::programs_named(samples);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);  // --help
    throw std::invalid_argument(error.what());
  }
  bool is_first = true;
  for (const tables::Table& table : chosen) {
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
    std::cerr << "hocket_tables: " << sentence.substr(0, sentence.find('\n')) << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "hocket_tables: " << error.what() << '\n';
    return 1;
  }
}
