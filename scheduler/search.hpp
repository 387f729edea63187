// The search loop: one strategy, one body, until a failure, the end or a limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <hocket/scheduler/class_set.hpp>
#include <hocket/scheduler/options.hpp>
#include <hocket/scheduler/output_gate.hpp>
#include <hocket/scheduler/progress.hpp>
#include <hocket/scheduler/report.hpp>
#include <hocket/scheduler/schedule.hpp>
#include <hocket/scheduler/strategy.hpp>

namespace hocket {

class Search {
 public:
  Search(std::string test, const std::function<void()>& body, const Options& options);
  Report run();

 private:
  void follow_saved_failures();
  void explore();
  void follow_file();
  void account(const runtime::ExecutionResult& result);
  void failed(const std::vector<std::uint16_t>& codes, const runtime::ClassHash& hash);
  void explain_divergence();
  [[nodiscard]] bool recurs(const runtime::ExecutionResult& result);
  [[nodiscard]] bool is_over();
  void measure_frontier();
  void conclude_within_bound();
  [[nodiscard]] runtime::ExecutionOptions execution_options() const;
  [[nodiscard]] Schedule describe(const runtime::Failure& failure, const runtime::Trace& trace) const;
  void add_failure(Schedule schedule, std::string output, const std::string& already_saved_in);
  BoundReport& bound_report(unsigned bound);

  const std::function<void()>& body_;
  Options options_;
  Report report_;
  std::unique_ptr<Strategy> strategy_;
  ClassSet classes_;
  ClassSet failed_classes_;
  std::set<std::uint64_t> signatures_;
  std::unique_ptr<OutputGate> gate_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point deadline_;
  Progress progress_;
  std::uint64_t max_executions_ = 0;
  std::uint64_t abandoned_ = 0;
  std::uint32_t turns_ = 0;
  bool needs_clock_ = false;
};

}  // namespace hocket
