// Random runs: the thread that made the last step makes the next one, too, with a probability that is drawn
// for each execution. Otherwise any thread does.
//
// A choice at every step is hardly ever the same often enough in a row for a queue to fill, or for a thread
// to fall far behind. How long the runs must be depends on the bug, so their mean length is a random power of
// two.
#include <cstdint>
#include <limits>

#include "sampling.hpp"

namespace hocket {

namespace {

class Sticky final : public Sampling {
 public:
  using Sampling::Sampling;

  bool next() override {
    mean_length_ = 2U << bits_.below(kLengths);
    return true;
  }

  runtime::Code choose(const runtime::ChoicePoint& point) override {
    if (point.entry.kind == runtime::LogEntry::value) return any_value(point);
    const bool stays = bits_.below(mean_length_) != 0;
    return with_highest_rank(point, [&](unsigned thread) {
      return stays && thread == point.entry.previous ? std::numeric_limits<std::uint64_t>::max() : bits_();
    });
  }

 private:
  static constexpr std::uint32_t kLengths = 6;  ///< 2 to 64 steps

  std::uint32_t mean_length_ = 2;
};

}  // namespace

std::unique_ptr<Strategy> make_sticky(const Options& options) {
  return std::make_unique<Sticky>(options.seed);
}

}  // namespace hocket
