// A log in a ring: thousands of entries are written before the one that wraps around.
#include <array>
#include <atomic>
#include <cstddef>
#include <thread>

#include <hocket/gtest.hpp>

namespace {

class Log {
 public:
  static constexpr std::size_t kEntries = 800;

  void write(int entry) {
    const std::size_t next = next_.load();
    entries_[next].store(entry);
    if (next + 1 == kEntries) ++laps_;
    next_.store((next + 1) % kEntries);
  }
  // The number of all entries ever written.
  std::size_t written() const {
    const std::size_t laps = laps_.load();
    return laps * kEntries + next_.load();
  }

 private:
  std::array<std::atomic<int>, kEntries> entries_{};
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> laps_ = 0;
};

}  // namespace

HOCKET_TEST(Failures, OnePreemptionAmong5000Steps) {
  static Log log;
  std::thread writer([] {
    for (int entry = 0; entry < 1590; ++entry) log.write(entry);
  });
  const std::size_t before = log.written();
  writer.join();
  EXPECT_GE(log.written(), before) << "entries are never taken back";
}
