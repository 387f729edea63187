// Prints how many states Hocket visits in models that Spin has, too. tools/compare-with-spin runs it.
#include <array>
#include <cstdint>
#include <exception>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <hocket/model.hpp>

#include "samples/models/cambridge_ring.hpp"
#include "samples/models/data_transfer.hpp"
#include "samples/models/flow_control.hpp"
#include "samples/models/leader_election.hpp"
#include "samples/models/snoopy.hpp"
#include "samples/models/worst_case.hpp"

namespace {

using hocket::model::Options;
using hocket::model::Report;

Options plain() {
  Options options;
  options.store = hocket::model::Store::hash;
  options.keep_going = true;
  options.try_saved = options.save_schedules = false;
  return options;
}

template <typename M>
Report check_model(const std::string& name, const Options& options) {
  return hocket::model::check(name, M{}, options);
}

struct Named {
  const char* name;  ///< as in tools/compare-with-spin
  Report (*check)(const std::string& name, const Options& options);
};
constexpr std::array kModels{
    Named{"worst-case", &check_model<samples::worst_case::WorstCase<10>>},
    Named{"leader", &check_model<samples::leader_election::LeaderElection<5, 3>>},
    Named{"snoopy", &check_model<samples::snoopy::Snoopy>},
    Named{"dtp", &check_model<samples::data_transfer::DataTransfer>},
    Named{"pftp", &check_model<samples::flow_control::FlowControl>},
    Named{"cambridge", &check_model<samples::cambridge_ring::CambridgeRing>},
};

std::string names() {
  std::string names;
  for (const Named& model : kModels) names += (names.empty() ? "" : ", ") + std::string(model.name);
  return names;
}

Report check(const std::string& name, const Options& options) {
  for (const Named& model : kModels) {
    if (name == model.name) return model.check(name, options);
  }
  throw std::invalid_argument("there is no model \"" + name + "\"; there are " + names());
}

/// Prints what complete searches through a large instance cost: strategy, store, jobs, states, seconds and
/// bytes for each state.
void print_costs() {
  using hocket::model::Store;
  struct Row {
    const char* strategy;
    Store store;
    unsigned jobs;
  };
  for (const Row row : {Row{"dfs", Store::exact, 1}, Row{"dfs", Store::hash, 1}, Row{"bfs", Store::hash, 1},
           Row{"bfs", Store::hash, 2}}) {
    Options options = plain();
    options.strategy = row.strategy;
    options.store = row.store;
    options.jobs = row.jobs;
    const Report report = hocket::model::check("worst-case", samples::worst_case::WorstCase<13>{}, options);
    std::cout << row.strategy << (row.store == Store::hash ? " hash " : " exact ") << row.jobs << ' '
              << report.states << ' ' << report.seconds << ' ' << report.store_bytes / report.states << "\n";
  }
}

int carry_out(int argc, char** argv) {
  CLI::App app(
      "Prints the number of states without a bound, and with each bound on preemptions as Spin counts them",
      "hocket_spin_models");
  std::string model;
  std::vector<unsigned> bounds;
  bool reduce = false;
  bool prints_costs = false;
  app.add_option("model", model, "one of: " + names())->type_name("MODEL");
  app.add_option("--bound", bounds, "bounds on preemptions")->type_name("N")->delimiter(',');
  app.add_flag("--reduce", reduce, "explore local steps alone");
  app.add_flag("--costs", prints_costs, "print what searches through a large instance of worst-case cost");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);  // --help
    throw std::invalid_argument(error.what());
  }
  if (prints_costs) {
    print_costs();
    return 0;
  }
  if (model.empty()) throw std::invalid_argument("name a model, one of: " + names());
  Options options = plain();
  options.reduce = reduce;
  options.strategy = "dfs";
  const std::uint64_t all = check(model, options).states;
  std::cout << "none " << all << "\n" << std::flush;  // the script reads on while this goes on
  options.strategy = "bcs";
  options.forgets_processes = true;
  for (const unsigned bound : bounds) {
    options.max_preemptions = bound;
    std::cout << bound << ' ' << check(model, options).states << "\n" << std::flush;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return carry_out(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "hocket_spin_models: " << error.what() << '\n';
    return 2;
  }
}
