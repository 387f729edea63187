// Runs the schedules of a program one by one in the abstract machine, and lists the events of each.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/oracle/every_value.hpp"
#include "tests/oracle/happens_before.hpp"
#include "tests/oracle/machine.hpp"

namespace hocket::oracle {

class EverySchedule : public EveryValue {
 public:
  explicit EverySchedule(const Program& program) : machine_(program) {}

  /// Calls ended(state, price) at the end of each schedule. Returns false if there are more than `most`.
  template <class Ended>
  bool run(std::uint64_t most, const Ended& ended) {
    do {
      if (++executions_ > most) return false;
      history_.clear();
      State state = machine_.begin(*this);
      unsigned of_switches = 0;
      Last last;
      for (;;) {
        const std::vector<Candidate> candidates = machine_.candidates(state, last);
        if (candidates.empty()) break;
        // The next thread is a choice like any other.
        const Candidate& chosen = candidates[choose(static_cast<unsigned>(candidates.size()), 0)];
        of_switches += chosen.price;
        last = machine_.step(state, chosen.turn, *this);
      }
      ended(state, of_switches + price());
    } while (next());
    return true;
  }

  [[nodiscard]] std::uint64_t executions() const { return executions_; }

 protected:
  /// Lists the event, and returns those with which it races.
  std::vector<std::size_t> races_with(const Event& event) {
    history_.push_back(event);
    return racing_with_last(history_);
  }
  [[nodiscard]] const Event& event(std::size_t n) const { return history_[n]; }

 private:
  Machine machine_;
  History history_;
  std::uint64_t executions_ = 0;
};

}  // namespace hocket::oracle
