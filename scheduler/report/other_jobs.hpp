// Jobs: processes of one `hocket run --jobs`, each of which searches another shard of the same tests. What
// one of them has found ends the searches of the others as soon as they could only find what needs as many
// preemptions.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>

namespace hocket {

/// The jobs that search other shards of a test. They leave a file for each search that has failed, in a
/// folder of their own.
class OtherJobs {
 public:
  /// The variable that names the folder.
  static constexpr const char* kVariable = "HOCKET_JOBS_FOLDER";
  /// A file in the folder that is as old as the jobs.
  static constexpr const char* kBegin = "begin";

  /// There are none.
  OtherJobs() = default;
  /// Those that search `test`, if there are any. To be called before its search is in the report file.
  explicit OtherJobs(const std::string& test);
  /// Those that search `test` for the n-th time in their program, from 0, if there are any.
  OtherJobs(const std::string& test, std::size_t n);

  [[nodiscard]] bool are_there() const { return !file_.empty(); }
  /// Tells them that the search has failed with this bound.
  void tell_of_failure(unsigned bound) const;
  /// Whether one of them is known to have failed with this bound or a lower one. Looks for news seldom.
  [[nodiscard]] bool have_failed(unsigned bound, std::chrono::steady_clock::time_point now);

  /// Whether one of them may have saved this file, which is then no failure of an earlier run.
  static bool may_have_saved(const std::filesystem::path& file);

 private:
  std::filesystem::path file_;
  std::chrono::steady_clock::time_point looked_;
  unsigned least_ = std::numeric_limits<unsigned>::max();  ///< bound of their failures, when this looked
};

}  // namespace hocket
