// A list of free buffers whose head is replaced if it is what it was: it may have come back meanwhile.
#include <atomic>
#include <thread>

#include <hocket/gtest.hpp>

namespace {

class FreeList {
 public:
  static constexpr int kNone = -1;

  int take() {
    int first = head_;
    while (first != kNone && !head_.compare_exchange_weak(first, next_[first])) continue;
    return first;
  }
  void give_back(int buffer) {
    int first = head_;
    do {
      next_[buffer] = first;
    } while (!head_.compare_exchange_weak(first, buffer));
  }

 private:
  std::atomic<int> head_{0};
  std::atomic<int> next_[3] = {1, 2, kNone};
};

}  // namespace

HOCKET_TEST(Failures, HeadThatCameBack) {
  FreeList buffers;
  int kept = FreeList::kNone;
  std::thread other([&] {
    const int first = buffers.take();
    kept = buffers.take();
    buffers.give_back(first);
  });
  buffers.take();
  const int second = buffers.take();
  other.join();
  EXPECT_NE(second, kept) << "two have the same buffer";
}
