// Iterative depth bounding: everything that differs from the default in the first d choices comes before what
// differs later, for d = 1, 2, … Complete when it comes to its end.
//
// Where depth-bounded searches cut an execution off at the bound, and run it again when the bound rises, here
// it goes on by default: the same states are reached at each depth, and nothing is run twice.
#include "frontier_search.hpp"

namespace hocket {

namespace {

struct DepthRules : FrontierRules {
  void branch(const runtime::ChoiceLog& log, std::uint32_t position, unsigned /*bound*/,
      std::vector<Child>& children) {
    FrontierRules::branch(log, position, position, children);
  }
};

}  // namespace

std::unique_ptr<Strategy> make_idfs(const Options& /*options*/) {
  return std::make_unique<FrontierSearch<DepthRules>>(unbounded);
}

}  // namespace hocket
