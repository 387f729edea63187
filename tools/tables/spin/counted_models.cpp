#include "tools/tables/spin/counted_models.hpp"

#include <array>
#include <stdexcept>

#include "samples/models/cambridge_ring.hpp"
#include "samples/models/data_transfer.hpp"
#include "samples/models/flow_control.hpp"
#include "samples/models/leader_election.hpp"
#include "samples/models/peterson.hpp"
#include "samples/models/philosophers.hpp"
#include "samples/models/snoopy.hpp"
#include "samples/models/worst_case.hpp"
#include "tools/tables/spin/counted_states.hpp"

namespace spin_models {

namespace {

template <typename M>
constexpr Counted counted(const char* name) {
  return {name, &search_all<M>, &search_within<M>};
}

constexpr std::array kCounted{
    counted<samples::worst_case::WorstCase<10>>("worst-case"),
    counted<samples::leader_election::LeaderElection<5, 3>>("leader"),
    counted<samples::peterson::Peterson<5>>("peterson"),
    counted<samples::philosophers::Philosophers<11>>("philosophers"),
    counted<samples::snoopy::Snoopy>("snoopy"),
    counted<samples::data_transfer::DataTransfer>("dtp"),
    counted<samples::flow_control::FlowControl>("pftp"),
    counted<samples::cambridge_ring::CambridgeRing>("cambridge"),
};

}  // namespace

std::span<const Counted> counted_models() {
  return kCounted;
}

const Counted& counted_model(const std::string& name) {
  std::string names;
  for (const Counted& model : kCounted) {
    if (name == model.name) return model;
    names += (names.empty() ? "" : ", ") + std::string(model.name);
  }
  throw std::invalid_argument("there is no model \"" + name + "\"; there are " + names);
}

}  // namespace spin_models
