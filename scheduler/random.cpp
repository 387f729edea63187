// Random search: at every point, each candidate with the same probability. Claims nothing.
#include <bit>

#include <hocket/scheduler/random_bits.hpp>
#include <hocket/scheduler/strategy.hpp>

namespace hocket {

namespace {

class Random final : public Strategy {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}

  bool next() override { return true; }

  runtime::Code choose(const runtime::ChoicePoint& point) override {
    const runtime::LogEntry& entry = point.entry;
    switch (entry.kind) {
      case runtime::LogEntry::narrow: {
        std::uint64_t set = entry.what;
        std::uint32_t count =
            0;  // few threads: quicker than std::popcount, which is a call on baseline x86-64
        for (std::uint64_t left = set; left != 0; left &= left - 1) ++count;
        for (std::uint32_t n = bits_.below(count); n != 0; --n) set &= set - 1;
        return runtime::thread_code(static_cast<unsigned>(std::countr_zero(set)));
      }
      case runtime::LogEntry::wide: {
        const auto first = static_cast<std::uint32_t>(entry.what);
        return point.log->candidates[first + bits_.below(static_cast<std::uint32_t>(entry.what >> 32U))].code;
      }
      default:
        return bits_.below(static_cast<std::uint32_t>(entry.what));
    }
  }

  bool finished(const runtime::ExecutionResult& result) override {
    return result.outcome != runtime::Outcome::diverged;
  }

  [[nodiscard]] bool is_sampling() const override { return true; }

 private:
  RandomBits bits_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const Options& options) {
  return std::make_unique<Random>(options.seed);
}

}  // namespace hocket
