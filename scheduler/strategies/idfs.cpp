// Iterative depth bounding: for d = 1, 2, …, executions that deviate from the default only in the first d
// choices run before those that deviate later. It is complete when it ends.
//
// Usual depth-bounded searches cut an execution off at the bound and run it again when the bound rises. Here
// it continues with default choices instead: the same states are reached at each depth, and nothing is run
// twice.
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
