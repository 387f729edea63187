// `hocket_tables states`: how many states Hocket visits in models that Spin has, too.
#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <hocket/model.hpp>

#include "samples/models/flow_control.hpp"
#include "samples/models/peterson.hpp"
#include "samples/models/philosophers.hpp"
#include "samples/models/worst_case.hpp"
#include "tools/tables/commands.hpp"
#include "tools/tables/spin/counted_models.hpp"
#include "tools/tables/spin/counted_states.hpp"

namespace tables {

namespace {

using hocket::model::Options;
using hocket::model::Report;
using hocket::model::Store;

/// A model whose searches are measured.
struct Measured {
  const char* name;  ///< as in tools/compare-with-spin
  Report (*search_depth_first)(const Options& options);
  Report (*search_breadth_first)(const Options& options);
};
template <typename M>
constexpr Measured measured(const char* name) {
  return {name, &spin_models::search_depth_first<M>, &spin_models::search_breadth_first<M>};
}
constexpr std::array kMeasured{
    measured<samples::worst_case::WorstCase<13>>("worst-case"),
    measured<samples::flow_control::FlowControl>("pftp"),
    measured<samples::peterson::Peterson<5>>("peterson"),
    measured<samples::philosophers::Philosophers<12>>("philosophers"),
};

template <typename Models>
std::string names_of(const Models& models) {
  std::string names;
  for (const auto& model : models) names += (names.empty() ? "" : ", ") + std::string(model.name);
  return names;
}

template <typename Models>
const auto& model_called(const std::string& name, const Models& models) {
  for (const auto& model : models) {
    if (name == model.name) return model;
  }
  throw std::invalid_argument("there is no model \"" + name + "\"; there are " + names_of(models));
}

void print_counts(const std::string& name, const std::vector<unsigned>& bounds, bool reduce) {
  const spin_models::Counted& model = spin_models::counted_model(name);
  const auto print = [](const std::string& bound, std::uint64_t states) {
    std::cout << bound << ' ' << states << std::endl;  // the script reads on while this program searches
  };
  print("none", model.search_all(reduce).states);
  for (const unsigned bound : bounds) print(std::to_string(bound), model.search_within(bound, reduce).states);
}

/// Prints what complete searches cost: strategy, store, jobs, states, seconds and bytes for each state.
void print_costs(const std::string& name) {
  const Measured& model = model_called(name, kMeasured);
  const auto print = [](const char* search, const Options& options, const Report& report) {
    std::cout << search << ' ' << options.jobs << ' ' << report.states << ' ' << report.seconds << ' '
              << static_cast<double>(report.store_bytes) / static_cast<double>(report.states) << std::endl;
  };
  for (const Store store : {Store::exact, Store::hash}) {
    const Options options{.strategy = "dfs", .store = store, .keep_going = true};
    print(store == Store::exact ? "dfs exact" : "dfs hash", options, model.search_depth_first(options));
  }
  for (const unsigned jobs : {1U, 2U}) {
    const Options options{.store = Store::hash, .jobs = jobs, .keep_going = true};
    print("bfs hash", options, model.search_breadth_first(options));
  }
}

struct Arguments {
  std::string model;
  std::vector<unsigned> bounds;
  bool reduce = false;
  bool prints_costs = false;
};

}  // namespace

void add_states(CLI::App& program) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *program.add_subcommand(
      "states", "The states of a model without a bound, and with bounds on preemptions as Spin counts them");
  command.add_option("model", arguments->model, "one of: " + names_of(spin_models::counted_models()))
      ->type_name("MODEL")
      ->required();
  command.add_option("--bound", arguments->bounds, "bounds on preemptions")->type_name("N")->delimiter(',');
  command.add_flag("--reduce", arguments->reduce, "explore local steps alone");
  command.add_flag("--costs", arguments->prints_costs,
      "print what searches cost instead, through larger instances of one of: " + names_of(kMeasured));
  command.callback([arguments] {
    if (arguments->prints_costs) {
      print_costs(arguments->model);
    } else {
      print_counts(arguments->model, arguments->bounds, arguments->reduce);
    }
  });
}

}  // namespace tables
