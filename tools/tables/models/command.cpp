// `hocket_tables models`: tables of what depth-bounded searches through the models of protocols cost. What
// each holds is in the file of its name.
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/tables/choices.hpp"
#include "tools/tables/commands.hpp"
#include "tools/tables/models/tables.hpp"

namespace model_tables {

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

namespace tables {

namespace {

constexpr std::uint32_t kLeastDepth = 20;  // so that a twentieth is a step
constexpr std::uint32_t kMostDepth = 100'000;

constexpr std::array<model_tables::Table, 2> kAll{{
    {"revisits", "Revisits with and without thresholds", model_tables::print_revisits},
    {"frontiers", "Frontiers as states, as traces and as a tree", model_tables::print_frontiers},
}};

struct Arguments {
  std::vector<std::string> tables{"all"};
  std::vector<std::string> models{"all"};
  model_tables::Request request;
};

}  // namespace

void add_models(CLI::App& program) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *program.add_subcommand("models", "Tables of what depth-bounded searches cost");
  command.add_option("--table", arguments->tables, "revisits, frontiers, all")->type_name("NAME");
  command
      .add_option("--model", arguments->models,
          "this model alone: philosophers, bakery, filter, fast, files, commit, german")
      ->type_name("NAME");
  command
      .add_option("--max-depth", arguments->request.depth,
          "the most steps of a path; if not given, 1000 for the bakery and 100 for the others")
      ->check(CLI::Range(kLeastDepth, kMostDepth))
      ->type_name("N");
  command.callback([arguments] {
    const std::vector<model_tables::Table> chosen =
        chosen_by_name("table", std::span<const model_tables::Table>(kAll), arguments->tables);
    arguments->request.subjects = chosen_by_name("model", model_tables::all_subjects(), arguments->models);
    print_tables(chosen, arguments->request);
  });
}

}  // namespace tables
