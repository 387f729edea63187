#include "failed_test.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace hocket::testing {

namespace {

/// Leaves out a heading in front of a text, and the empty line behind it, of what is printed while this
/// exists.
class LeavesOut {
 public:
  LeavesOut(const std::string& heading, const std::string& text)
      : heading_(heading.size()),
        whole_(heading + text + (text.ends_with('\n') ? "\n" : "")),
        memory_(open_memstream(&printed_, &size_)) {
    if (memory_ != nullptr) original_ = std::exchange(stdout, memory_);
  }
  ~LeavesOut() {
    if (memory_ == nullptr) return;
    stdout = original_;
    std::fclose(memory_);
    std::string all(printed_, size_);
    std::free(printed_);
    if (const std::size_t begin = all.find(whole_); begin != std::string::npos) {
      if (whole_.ends_with("\n\n")) all.erase(begin + whole_.size() - 1, 1);
      all.erase(begin, heading_);
    }
    std::fwrite(all.data(), 1, all.size(), stdout);
    std::fflush(stdout);
  }
  LeavesOut(const LeavesOut&) = delete;
  LeavesOut& operator=(const LeavesOut&) = delete;

 private:
  std::size_t heading_;  ///< its length
  std::string whole_;
  char* printed_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* memory_;
  std::FILE* original_ = nullptr;
};

void tell_googletest(const std::string& text, const char* file, int line) {
  GTEST_MESSAGE_AT_(file, line, "", ::testing::TestPartResult::kFatalFailure) << text;
}

}  // namespace

void fail_test(const std::string& text, const char* file, int line) {
  // Where it stops at once, it has to print at once.
  if (::testing::GTEST_FLAG(break_on_failure)) return tell_googletest(text, file, line);
  const LeavesOut heading(::testing::internal::FormatFileLocation(file, line) + " Failure\n", text);
  tell_googletest(text, file, line);
}

}  // namespace hocket::testing
