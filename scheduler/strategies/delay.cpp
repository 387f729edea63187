// Iterative delay bounding: Emmi, Qadeer, Rakamarić, Delay-Bounded Scheduling (POPL 2011). It is complete
// within each bound, which counts delays and not preemptions.
//
// The default schedule keeps a thread running until it blocks. A delay skips the thread whose turn it is; the
// next thread is the next one in round-robin order of creation. So choosing the n-th candidate after the
// default costs n delays, whether or not the default thread could continue.
#include <algorithm>

#include "frontier_search.hpp"

namespace hocket {

namespace {

class DelayRules : public FrontierRules {
 public:
  static constexpr bool has_bounds = true;
  static constexpr std::string_view unit = "delay";

  void branch(
      const runtime::ChoiceLog& log, std::uint32_t position, unsigned bound, std::vector<Child>& children) {
    const runtime::LogEntry& entry = log.entries[position];
    candidates_.clear();
    log.for_each_candidate(
        entry, [&](const runtime::Candidate& candidate) { candidates_.push_back(candidate); });
    const auto chosen = std::find_if(candidates_.begin(), candidates_.end(),
        [&](const runtime::Candidate& candidate) { return candidate.code == entry.code; });
    std::rotate(candidates_.begin(), chosen, candidates_.end());
    for (std::size_t n = 1; n < candidates_.size(); ++n) {
      // The choice of a value is not a scheduling decision, so it keeps its usual price.
      const bool is_value = entry.kind == runtime::LogEntry::value;
      const unsigned delays = is_value ? candidates_[n].price : static_cast<unsigned>(n);
      children.push_back({position, candidates_[n].code, entry.check, bound + delays});
    }
  }

 private:
  std::vector<runtime::Candidate> candidates_;
};

}  // namespace

std::unique_ptr<Strategy> make_delay(const Options& options) {
  return std::make_unique<FrontierSearch<DelayRules>>(options.max_preemptions, DelayRules{}, options.shard);
}

}  // namespace hocket
