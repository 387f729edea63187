// Statistics of the generated programs: how many there are of each sort.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tests/oracle/brute_force.hpp"

namespace hocket::oracle {

class Census {
 public:
  void count(const Program& program, const Answer& answer);

  [[nodiscard]] std::uint64_t programs() const { return programs_; }
  [[nodiscard]] std::uint64_t too_large() const { return too_large_; }

  // Shares of the programs, from 0 to 1.
  [[nodiscard]] double of_three_threads_or_more() const { return share(of_three_or_more_); }
  [[nodiscard]] double with_a_deadlock() const { return share(with_a_deadlock_); }
  [[nodiscard]] double with_a_failing_check() const { return share(with_a_failing_check_); }
  /// The share of programs in which some execution performs this verb.
  [[nodiscard]] double with(Verb verb) const { return share(with_[static_cast<std::size_t>(verb)]); }

  [[nodiscard]] std::string to_text() const;

 private:
  [[nodiscard]] double share(std::uint64_t count) const {
    return programs_ == 0 ? 0 : static_cast<double>(count) / static_cast<double>(programs_);
  }

  std::uint64_t programs_ = 0;
  std::uint64_t too_large_ = 0;
  std::uint64_t of_three_or_more_ = 0;
  std::uint64_t with_a_deadlock_ = 0;
  std::uint64_t with_a_failing_check_ = 0;
  std::uint64_t classes_ = 0;
  std::array<std::uint64_t, kVerbs> with_{};
};

}  // namespace hocket::oracle
