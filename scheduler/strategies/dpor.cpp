// Dynamic partial-order reduction: every class once to its end, without bounds, in memory for one execution.
#include "persistent_set_search.hpp"

namespace hocket {

std::unique_ptr<Strategy> make_dpor(const Options& options) {
  return make_persistent_set_search(options, Moves::steps);
}

}  // namespace hocket
