// Tests that search themselves: they keep their own searches when Hocket searches all tests.
#include <hocket/gtest.hpp>
#include <hocket/model_gtest.hpp>

#include <atomic>
#include <thread>

namespace {

void count_twice(std::atomic<int>& count) {
  std::thread other([&] { ++count; });
  ++count;
  other.join();
}

HOCKET_TEST(OwnSearch, OfAHocketTest) {
  std::atomic<int> count{0};
  count_twice(count);
  EXPECT_EQ(count.load(), 2);
}

class OwnSearchOfAFixture : public ::testing::Test {
 protected:
  void SetUp() override { ++set_ups_; }
  int set_ups_ = 0;
  std::atomic<int> count_{0};
};

TEST_F(OwnSearchOfAFixture, IsMade) {
  EXPECT_EQ(set_ups_, 1);
  hocket::testing::explore([this] {
    count_twice(count_);
    EXPECT_EQ(count_.load(), 2);
  });
}

TEST(OwnSearch, ByAFunction) {
  const hocket::Report report = hocket::explore("by a function", [] {
    std::atomic<int> count{0};
    count_twice(count);
  });
  EXPECT_EQ(report.executions, 2U) << report;
}

struct OneStep {
  struct State {
    int steps = 0;
    bool operator==(const State&) const = default;
  };
  [[nodiscard]] State initial() const { return {}; }
  void successors(const State& state, hocket::model::Emit<State> emit) const {
    if (state.steps == 0) emit(0, "step", State{1});
  }
  [[nodiscard]] bool is_end(const State& state) const { return state.steps == 1; }
};

HOCKET_MODEL_TEST(OwnSearch, OfAModel) {
  return OneStep{};
}

}  // namespace
