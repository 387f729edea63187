#include "missed_stores.hpp"

#include <cstddef>
#include <vector>

#include "../../runtime/terms/semantics.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "shown_steps.hpp"

namespace hocket {

namespace {

using runtime::Operation;
using runtime::RecordedChoice;

/// Looks for cycles that a schedule's stale reads close.
class MissedStores {
 public:
  explicit MissedStores(const Schedule& schedule) : schedule_(schedule), choices_(schedule.choices) {}

  /// The cycle of the stale read at this choice.
  [[nodiscard]] std::string text_of(std::size_t stale) const {
    const std::size_t read = step_before(schedule_, stale);
    const std::size_t missed = choices_[stale].newest.step;
    if (missed == 0 || missed > read || choices_[read].operation == Operation::atomic_store) return {};
    const unsigned thread = choices_[read].thread;
    const unsigned other = choices_[missed - 1].thread;
    if (thread == other) return {};
    for (std::size_t n = missed; n < choices_.size(); ++n) {
      if (choices_[n].thread != other || choices_[n].is_value || !is_load(n)) continue;
      for (std::size_t store = read; store-- > 0;) {
        if (choices_[store].thread == thread && misses(n, store)) return text(missed - 1, n, store, read);
      }
    }
    return {};
  }

 private:
  [[nodiscard]] bool is_load(std::size_t n) const {
    return choices_[n].operation == Operation::atomic_load || choices_[n].operation == Operation::atomic_wait;
  }
  [[nodiscard]] bool is_stale_step(std::size_t n) const {
    return n + 1 < choices_.size() && is_stale(choices_[n + 1]);
  }

  /// Whether what the step `store` stores is newer than what the load reads.
  [[nodiscard]] bool misses(std::size_t load, std::size_t store) const {
    const RecordedChoice& choice = choices_[store];
    if (choice.object != choices_[load].object || choice.is_value || choice.has_failed || is_load(store) ||
        is_stale_step(store) || !runtime::is_atomic(runtime::semantics_of(choice.operation).synchronization))
      return false;
    return load < store || (is_stale_step(load) && choices_[load + 1].newest.step == store + 1);
  }

  [[nodiscard]] std::string text(
      std::size_t one, std::size_t its_load, std::size_t other, std::size_t load) const {
    const auto label = [&](std::size_t n) {
      return utf8::printable(schedule_.threads.at(choices_[n].thread).label);
    };
    const auto object = [&](std::size_t n) { return utf8::printable(choices_[n].object); };
    const auto step = [](std::size_t n) { return "step " + std::to_string(n + 1); };
    return "Each misses the other's store: " + label(one) + " stores to " + object(one) + " in " + step(one) +
           " and then reads " + object(its_load) + " in " + step(its_load) + ", without what " +
           label(other) + " stores there in " + step(other) + "; " + label(other) + " then reads " +
           object(load) + " in " + step(load) + ", without that of " + step(one) + ".\n";
  }

  const Schedule& schedule_;
  const std::vector<RecordedChoice>& choices_;
};

}  // namespace

std::string missed_stores_text(const Schedule& schedule) {
  constexpr std::size_t kMost = 2000;
  if (schedule.choices.size() > kMost) return {};
  const MissedStores missed(schedule);
  for (std::size_t n = 1; n < schedule.choices.size(); ++n) {
    if (!is_stale(schedule.choices[n])) continue;
    if (std::string text = missed.text_of(n); !text.empty()) return text;
  }
  return {};
}

}  // namespace hocket
