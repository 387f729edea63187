// Prints how many states Hocket visits in models that Spin has, too. tools/compare-with-spin runs it.
#include <cstdint>
#include <exception>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <hocket/model.hpp>

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

Report check(const std::string& model, const Options& options) {
  if (model == "worst-case")
    return hocket::model::check(model, samples::worst_case::WorstCase<10>{}, options);
  if (model == "leader")
    return hocket::model::check(model, samples::leader_election::LeaderElection<5, 3>{}, options);
  if (model == "snoopy") return hocket::model::check(model, samples::snoopy::Snoopy{}, options);
  if (model == "dtp") return hocket::model::check(model, samples::data_transfer::DataTransfer{}, options);
  if (model == "pftp") return hocket::model::check(model, samples::flow_control::FlowControl{}, options);
  throw std::invalid_argument("there is no model \"" + model +
                              "\"; there are worst-case, leader, snoopy, dtp "
                              "and pftp");
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
  app.add_option("model", model, "worst-case, leader, snoopy, dtp or pftp")->type_name("MODEL");
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
  if (model.empty()) throw std::invalid_argument("name a model: worst-case, leader, snoopy, dtp or pftp");
  Options options = plain();
  options.reduce = reduce;
  options.strategy = "dfs";
  const std::uint64_t all = check(model, options).states;
  std::cout << "none " << all << "\n";
  options.strategy = "bcs";
  options.forgets_processes = true;
  for (const unsigned bound : bounds) {
    options.max_preemptions = bound;
    std::cout << bound << ' ' << check(model, options).states << "\n";
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
