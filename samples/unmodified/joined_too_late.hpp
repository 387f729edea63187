// A log that its own thread writes. Members are destroyed in the reverse order of their declaration, so the
// lines are destroyed before the thread, which is declared first, is joined.
#pragma once

#include <atomic>
#include <hocket/hocket.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "samples/unmodified/version.hpp"

namespace samples::joined_too_late {

/// A log of two lines.
class Lines {  // @allocate
 public:
  void add(int number) { lines_.at(added_++) = number; }  // @write

 private:
  std::vector<int> lines_ = std::vector<int>(2);
  std::atomic<std::size_t> added_{0};
};

template <Version version>
class Log;

template <>
class Log<Version::buggy> {
 public:
  void start() {
    thread_ = std::jthread([this] { lines_.add(1); });
  }

 private:
  std::jthread thread_;
  Lines lines_;
};

template <>
class Log<Version::corrected> {
 public:
  void start() {
    thread_ = std::jthread([this] { lines_.add(1); });
  }

 private:
  Lines lines_;
  std::jthread thread_;
};

template <Version version>
void body() {
  Log<version> log;
  log.start();
}  // @free

}  // namespace samples::joined_too_late
