// A range of numbers is changed while other threads ask whether a number lies in it. Each end is atomic, but
// the two do not change at once: a thread may see the new beginning and the old end.
#pragma once

#include <atomic>
#include <hocket/hocket.hpp>
#include <thread>

#include "samples/unmodified/version.hpp"

namespace samples::torn_invariant {

struct Range {
  int begin;
  int end;
};

template <Version version>
class SharedRange;

template <>
class SharedRange<Version::buggy> {
 public:
  void set(Range range) {
    begin_ = range.begin;
    end_ = range.end;
  }
  [[nodiscard]] Range get() const { return {begin_, end_}; }

 private:
  std::atomic<int> begin_{0};
  std::atomic<int> end_{10};
};

template <>
class SharedRange<Version::corrected> {
 public:
  void set(Range range) { range_ = range; }
  [[nodiscard]] Range get() const { return range_; }

 private:
  std::atomic<Range> range_{Range{0, 10}};
};

template <Version version>
void body() {
  SharedRange<version> range;
  std::thread setter([&] { range.set({20, 30}); });
  const Range found = range.get();
  hocket::check(found.begin <= found.end, "a range that ends before it begins");  // @check
  setter.join();
}

}  // namespace samples::torn_invariant
