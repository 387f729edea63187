// Iterative context bounding: Musuvathi & Qadeer, Iterative Context Bounding for Systematic Testing of
// Multithreaded Programs (PLDI 2007), Algorithm 1. It is complete within each bound.
#include "icb.hpp"

namespace hocket {

std::unique_ptr<Strategy> make_icb(const Options& options) {
  return std::make_unique<FrontierSearch<IcbRules>>(options.max_preemptions, IcbRules{}, options.shard);
}

}  // namespace hocket
