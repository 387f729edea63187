// How long a test tries random programs: for a time, not a number of them, so that people wait equally long
// for every test.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iostream>

namespace hocket::test {

/// Counts what a test tries. It is enough after a second of CPU time, which other work of the machine does
/// not make shorter, or after those in the environment variable RANDOM_TESTS_SECONDS; but never before the
/// first three. RANDOM_TESTS_SEED, a number, makes all tests try other programs than usual; what failed, and
/// this number, say which.
class RandomTries {
 public:
  /// Tries begin with this seed and go on with the next ones. The test takes so many times as long as others.
  explicit RandomTries(std::uint64_t first_seed = 1, double times_as_long = 1)
      : seed_(first_seed + static_cast<std::uint64_t>(number_in("RANDOM_TESTS_SEED", 0)) * kSeedsOfARun),
        time_(number_in("RANDOM_TESTS_SECONDS", 1) * times_as_long) {}

  RandomTries(const RandomTries&) = delete;
  RandomTries& operator=(const RandomTries&) = delete;
  ~RandomTries() { std::cout << "tried " << tried_ << " random programs\n"; }

  /// Whether to try another one, which is counted.
  [[nodiscard]] bool goes_on() {
    const bool another = tried_ < kLeast || seconds_of_cpu() - begin_ < time_;
    tried_ += another ? 1 : 0;
    return another;
  }

  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] std::uint64_t tried() const { return tried_; }

  /// Whether so many were tried that a share of them says something about how they are made.
  [[nodiscard]] bool are_many() const { return tried_ >= 100; }

  /// Whether so many were tried that what most of them are like holds for them.
  [[nodiscard]] bool are_some() const { return tried_ >= 10; }

 private:
  static constexpr std::uint64_t kSeedsOfARun = 1'000'000;

  static constexpr std::uint64_t kLeast = 3;

  static double number_in(const char* variable, double otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtod(text, nullptr);
  }
  static double seconds_of_cpu() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  std::uint64_t seed_;
  std::uint64_t tried_ = 0;
  double time_;
  double begin_ = seconds_of_cpu();
};

}  // namespace hocket::test
