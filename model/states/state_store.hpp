// What a search remembers of the states that it has met: the states, their
// fingerprints, or bits. The searches know this interface only, so that the
// compiler translates each of them once for a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../api/report.hpp"
#include "fingerprint.hpp"
#include "records.hpp"

namespace hocket::model {

template <typename State>
class StateStore {
 public:
  virtual ~StateStore() = default;

  /// Whether it tells how many preemptions a state needs.
  [[nodiscard]] virtual bool counts_preemptions() const = 0;

  virtual Admission visit(const Fingerprint& fingerprint, const State& state, const Arrival& arrival) = 0;
  [[nodiscard]] virtual bool is_on_stack(const Fingerprint& fingerprint, const State& state) = 0;
  /// The state's number on the stack is 0 again.
  virtual void left_stack(const Fingerprint& fingerprint) = 0;

  /// A state that waits for its visit.
  struct Visitor {
    Fingerprint fingerprint;
    State state;
    Arrival arrival;
  };
  /// Visits states of one part together, so that the part moves only once to
  /// the calling thread's processor, which fetches what it has of all of them
  /// at once.
  virtual void visit_together(std::span<const Visitor> visitors, std::vector<Admission>& admissions) = 0;
  [[nodiscard]] virtual std::size_t part_of(const Fingerprint& fingerprint) const = 0;
  [[nodiscard]] virtual std::size_t parts() const = 0;

  // The figures are those of one moment only if no other thread adds states.
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  virtual void conclude(Report& report) const = 0;
};

}  // namespace hocket::model
