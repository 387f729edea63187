// Random search: every candidate of a point has the same probability. It makes no claim of completeness.
#include <array>
#include <bit>

#include "random_bits.hpp"
#include "strategy.hpp"

namespace hocket {

namespace {

class Random final : public Strategy {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}

  bool next() override { return true; }

  /// Called for what the draws alone cannot decide: values, candidates of different kinds, and new draws.
  runtime::Code choose(const runtime::ChoicePoint& point) override {
    if (draws.next == draws.end) draw_anew();
    const std::uint32_t draw = *draws.next++;
    const runtime::LogEntry& entry = point.entry;
    switch (entry.kind) {
      case runtime::LogEntry::narrow: {
        std::uint64_t set = entry.what;
        for (auto n = pick(draw, static_cast<std::uint32_t>(std::popcount(set))); n != 0; --n) set &= set - 1;
        return runtime::thread_code(static_cast<unsigned>(std::countr_zero(set)));
      }
      case runtime::LogEntry::wide: {
        const auto first = static_cast<std::uint32_t>(entry.what);
        return point.log->candidates[first + pick(draw, static_cast<std::uint32_t>(entry.what >> 32U))].code;
      }
      default:
        return pick(draw, static_cast<std::uint32_t>(entry.what));
    }
  }

  bool finished(const runtime::ExecutionResult& result) override {
    return result.outcome != runtime::Outcome::diverged;
  }

  [[nodiscard]] bool is_sampling() const override { return true; }

 private:
  void draw_anew() {
    for (std::uint32_t& draw : drawn_) draw = static_cast<std::uint32_t>(bits_() >> 32U);
    draws = {drawn_.data(), drawn_.data() + drawn_.size()};
  }

  RandomBits bits_;
  std::array<std::uint32_t, 256> drawn_{};
};

}  // namespace

std::unique_ptr<Strategy> make_random(const Options& options) {
  return std::make_unique<Random>(options.seed);
}

}  // namespace hocket
