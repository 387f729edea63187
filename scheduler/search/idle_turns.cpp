#include "idle_turns.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "../../runtime/terms/choice.hpp"

namespace hocket {

namespace {

using runtime::Candidate;
using runtime::ChoiceLog;
using runtime::Code;
using runtime::LogEntry;
using runtime::Mode;

/// Whether a thread has run at no price where a wait could have expired at none: so all threads that could
/// run did so in vain.
bool is_idle_turn(const ChoiceLog& log, const LogEntry& entry) {
  if (entry.kind != LogEntry::wide || runtime::mode_of(entry.code) != Mode::run) return false;
  bool was_free = false;
  bool might_expire = false;
  log.for_each_candidate(entry, [&](const Candidate& candidate) {
    was_free |= candidate.code == entry.code && candidate.price == 0;
    might_expire |= runtime::mode_of(candidate.code) == Mode::expire && candidate.price == 0;
  });
  return was_free && might_expire;
}

/// Follows an execution up to its last idle turn, and then lets no wait expire while a thread can run.
class TakesIdleTurns final : public runtime::Chooser {
 public:
  explicit TakesIdleTurns(std::vector<Code> before) : before_(std::move(before)) {}

  Code choose(const runtime::ChoicePoint& point) override {
    if (point.position < before_.size()) return before_[point.position];
    const Code usual = point.entry.code;
    if (point.entry.kind != LogEntry::wide || runtime::mode_of(usual) != Mode::expire) return usual;
    Code taken = usual;
    point.log->for_each_candidate(point.entry, [&](const Candidate& candidate) {
      const bool is_first = taken == usual;
      const bool goes_on = !before_.empty() && candidate.code == before_.back();
      if (runtime::mode_of(candidate.code) == Mode::run && (is_first || goes_on)) taken = candidate.code;
    });
    return taken;
  }

 private:
  std::vector<Code> before_;
};

}  // namespace

bool IdleTurns::never_end_after(const Exploration& exploration, const runtime::ExecutionResult& result) {
  constexpr std::uint32_t kFewestTurns = 16;
  constexpr std::uint32_t kShare = 4;  ///< of the steps, at least one in so many
  const ChoiceLog& log = result.log;
  next_length_ = std::max(2 * log.size, next_length_);
  std::uint32_t turns = 0;
  std::vector<Code> before;
  std::size_t until = 0;
  for (std::uint32_t n = 0; n < log.size; ++n) {
    before.push_back(log.entries[n].code);
    if (!is_idle_turn(log, log.entries[n])) continue;
    ++turns;
    until = before.size();
  }
  if (turns < kFewestTurns || turns < log.size / kShare) return false;
  before.resize(until);
  TakesIdleTurns chooser(std::move(before));
  return exploration.run(chooser, exploration.interruptible_options()).outcome == runtime::Outcome::unfair;
}

}  // namespace hocket
