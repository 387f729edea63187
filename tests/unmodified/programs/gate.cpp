// Alone makes and uses gates, so that all code of theirs is from here.
#include "gate.hpp"

namespace unmodified {

Gate* last_gate = nullptr;

void enter_a_gate_twice() {
  Gate gate;
  last_gate = &gate;
  last_gate->enter();
  last_gate->enter();
}

}  // namespace unmodified
