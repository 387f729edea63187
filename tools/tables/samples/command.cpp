// `hocket_tables samples`: tables of what real runs of the samples do. What each holds is in the file of its
// name.
#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/tables/choices.hpp"
#include "tools/tables/commands.hpp"
#include "tools/tables/measure/programs.hpp"
#include "tools/tables/samples/tables.hpp"

namespace tables {

namespace {

constexpr unsigned kMostBound = 100;

constexpr std::array<Table, 6> kAll{{
    {"characteristics", "The samples", print_characteristics},
    {"bugs", "Bugs by bound", print_bugs},
    {"strategies", "Executions until a bug is found", print_strategies},
    {"queue", "The work-stealing queue with and without reduction", print_queue},
    {"coverage", "Coverage by bound", print_coverage},
    {"searches", "What searches cost", print_searches},
}};

struct Arguments {
  std::vector<std::string> tables{"all"};
  std::vector<std::string> samples;
  Request request;
};

}  // namespace

void add_samples(CLI::App& program) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *program.add_subcommand("samples", "Tables of what real runs of the samples do");
  const std::map<std::string, double> units{{"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}};
  command
      .add_option(
          "--table", arguments->tables, "characteristics, bugs, strategies, queue, coverage, searches, all")
      ->type_name("NAME");
  command.add_option("--sample", arguments->samples, "this program alone; the queue's table has its own")
      ->type_name("NAME");
  command
      .add_option("--time-limit", arguments->request.seconds,
          "stop each search after this: 500ms, 20s, 5m; 20s if not given")
      ->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_REQUIRED))
      ->check(CLI::PositiveNumber)
      ->type_name("T");
  command.add_option("--max-bound", arguments->request.max_bound, "highest bound, of tables that have one")
      ->check(CLI::Range(0U, kMostBound))
      ->type_name("N")
      ->capture_default_str();
  command.callback([arguments] {
    const std::vector<Table> chosen =
        chosen_by_name("table", std::span<const Table>(kAll), arguments->tables);
    arguments->request.programs = measure::programs_named(arguments->samples);
    arguments->request.small_bugs = arguments->samples.empty();
    print_tables(chosen, arguments->request);
  });
}

}  // namespace tables
