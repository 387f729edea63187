// A search has its OS thread to itself.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "tests/support/bodies.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

/// A thread of the system that was there before a search, and does something while a body runs: `does` is
/// given what the body lets it have.
class Stranger {
 public:
  explicit Stranger(std::function<void(atomic<int>&)> does)
      : thread_([this, does = std::move(does)] {
          while (given_ == nullptr) std::this_thread::yield();
          does(*given_);
          is_done_ = true;
        }) {}
  ~Stranger() { thread_.join(); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  /// A body, which waits until the thread has done it.
  void run() {
    atomic<int> x{0};
    given_ = &x;
    while (!is_done_) std::this_thread::yield();
  }

 private:
  std::atomic<atomic<int>*> given_{nullptr};
  std::atomic<bool> is_done_{false};
  std::thread thread_;
};

TEST(ASecondOsThreadDeathTest, ThatTouchesAnObjectDuringASearchIsRefused) {
  const auto search = [] {
    Stranger stranger([](atomic<int>& x) { x.store(1); });
    report_of(quietly(), [&] { stranger.run(); });
  };
  EXPECT_DEATH(
      search(), "an OS thread that is not under control used a hocket:: object while a search was running");
}

TEST(ASecondOsThread, ThatExploresDuringASearchIsRefused) {
  std::string message;
  Stranger stranger([&](atomic<int>& /*x*/) {
    try {
      report_of(quietly(), [] {});
    } catch (const std::logic_error& error) {
      message = error.what();
    }
  });
  report_of(quietly(), [&] { stranger.run(); });
  EXPECT_EQ(message,
      "hocket: explore() was called while another search runs in this process; run one after the other");
}

TEST(ASearch, CanRunOnAnyOsThreadInTurn) {
  const auto search = [] { expect_to_pass([] { in_parallel([] { choose(2); }, [] { choose(2); }); }); };
  search();
  std::thread(search).join();
  search();
}

}  // namespace

}  // namespace hocket::test
