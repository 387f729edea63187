// The happens-before graph of an execution, as strategies ask it: what was recorded, the states that are
// prefixes of it, and what leads from one to another.
#pragma once

#include "cuts.hpp"
#include "recording.hpp"
#include "transitions.hpp"

namespace hocket {

struct Graph {
  /// `spurious_wakeups`: Options::spurious_wakeups of the search.
  explicit Graph(bool spurious_wakeups) : recording(spurious_wakeups), cuts(recording), transitions(cuts) {}
  Graph(const Graph&) = delete;  // the parts refer to each other
  Graph& operator=(const Graph&) = delete;

  graph::Recording recording;
  const graph::Cuts cuts;
  const graph::Transitions transitions;
};

}  // namespace hocket
