#include "next_event.hpp"

#include "../../runtime/terms/sabotage.hpp"

namespace hocket::graph {

using runtime::Operation;
using runtime::Sabotage;

bool NextEvent::is_plain_yield() const {
  if (operation == Operation::thread_sleep)
    return runtime::is_sabotaged(Sabotage::sleeps_conflict_with_nothing);
  if (operation != Operation::thread_yield) return false;
  return !step().may_be_futile || runtime::is_sabotaged(Sabotage::futile_yields_conflict_with_nothing);
}

}  // namespace hocket::graph
