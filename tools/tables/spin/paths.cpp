// `hocket_tables paths`: which short paths violate the properties of models.
#include <iostream>

#include <CLI/CLI.hpp>

#include <hocket/model.hpp>

#include "samples/models/lasso.hpp"
#include "tools/tables/commands.hpp"

namespace tables {

namespace {

/// Prints the letters of each path, where it goes on from, and whether it violates the formula.
void print_paths() {
  for (const auto& formula : samples::lasso::kFormulas) {
    std::cout << "formula " << formula.negated << '\n';
    samples::lasso::for_each_path(formula, 3, [](const samples::lasso::Path& path) {
      const hocket::model::Options options{.try_saved = false, .save_schedules = false};
      for (const auto letter : path.letters) std::cout << letter;
      std::cout << ' ' << path.cycle_begin << ' '
                << (hocket::model::check("path", path, options).failed() ? 1 : 0) << '\n';
    });
  }
}

}  // namespace

void add_paths(CLI::App& program) {
  program
      .add_subcommand(
          "paths", "Which paths of at most three states violate the properties, as Spin says it, too")
      ->callback(print_paths);
}

}  // namespace tables
