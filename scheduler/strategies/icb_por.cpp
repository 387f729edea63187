// Iterative context bounding with persistent sets of contexts. It is complete within each bound, and threads
// that share nothing run in one order.
#include "persistent_set_search.hpp"

namespace hocket {

std::unique_ptr<Strategy> make_icb_por(const Options& options) {
  return make_persistent_set_search(options, Moves::contexts);
}

}  // namespace hocket
