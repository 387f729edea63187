#include "failed_test.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace hocket::testing {

namespace {

/// Leaves a text out of what is printed while this exists, if it is printed.
class LeavesOut {
 public:
  explicit LeavesOut(std::string text) : text_(std::move(text)), memory_(open_memstream(&printed_, &size_)) {
    if (memory_ != nullptr) original_ = std::exchange(stdout, memory_);
  }
  ~LeavesOut() {
    if (memory_ == nullptr) return;
    stdout = original_;
    std::fclose(memory_);
    const std::string_view all(printed_, size_);
    const std::size_t begin = std::min(all.find(text_), size_);
    const std::size_t end = std::min(begin + text_.size(), size_);
    std::fwrite(printed_, 1, begin, stdout);
    std::fwrite(printed_ + end, 1, size_ - end, stdout);
    std::fflush(stdout);
    std::free(printed_);
  }
  LeavesOut(const LeavesOut&) = delete;
  LeavesOut& operator=(const LeavesOut&) = delete;

 private:
  std::string text_;
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
  if (::testing::UnitTest::GetInstance()->listeners().default_result_printer() == nullptr)
    return tell_googletest(text, file, line);
  std::printf("%s%s", text.c_str(), text.ends_with('\n') ? "" : "\n");
  std::fflush(stdout);
  const LeavesOut without(::testing::internal::FormatFileLocation(file, line) + " Failure\n" + text + "\n");
  tell_googletest(text, file, line);
}

}  // namespace hocket::testing
