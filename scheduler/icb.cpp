// Iterative context bounding: Musuvathi & Qadeer, Iterative Context Bounding for Systematic Testing of
// Multithreaded Programs (PLDI 2007), Algorithm 1. Complete within each bound.
#include <hocket/scheduler/frontier_search.hpp>

namespace hocket {

namespace {
struct Preemptions {
  static constexpr bool counts = true;
};
}  // namespace

std::unique_ptr<Strategy> make_icb(const Options& options) {
  return std::make_unique<FrontierSearch<Preemptions>>(options.max_preemptions);
}

}  // namespace hocket
