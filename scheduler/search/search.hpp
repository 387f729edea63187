// The search loop: one strategy, one body, until a failure, the end or a limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "../api/options.hpp"
#include "../api/report.hpp"
#include "../graph/class_set.hpp"
#include "../process/search_guards.hpp"
#include "../strategies/strategy.hpp"
#include "exploration.hpp"
#include "progress.hpp"

namespace hocket {

/// The process is searching from its construction to its destruction.
class Search {
 public:
  Search(std::string test, const std::function<void()>& body, const Options& options);
  Report run();

 private:
  class Visitor;

  void add_note(const std::string& text);
  [[nodiscard]] bool begins_untouched() const;
  void warm_up();
  void explore();
  /// Runs what the strategy has. Returns whether that is all: otherwise the search is to begin anew.
  bool explore_with_strategy();
  /// After an execution that has failed, which the strategy has learned of. Returns whether to go on.
  bool take_failure(const runtime::ExecutionResult& result);
  void note_overlaps();
  /// After an unfair execution: the search is fair from here on. Returns false if the strategy cannot be.
  bool switch_to_fair();
  /// What executions have shown so far does not count, and another strategy takes over.
  void begin_anew();
  void account(const runtime::ExecutionResult& result);
  void account_for_polling(const runtime::ExecutionResult& result);
  [[nodiscard]] bool is_over();
  [[nodiscard]] bool limit_is_reached(bool measures_memory);
  void measure_frontier();
  void conclude_within_bound();
  void conclude();
  BoundReport& bound_report(unsigned bound);

  const SearchGuard guard_;  // first: what is allocated from here on is not the program's
  Exploration exploration_;
  const Options& options_ = exploration_.options;
  Report& report_ = exploration_.report;
  std::unique_ptr<Strategy> strategy_;
  ClassSet classes_;
  ClassSet failed_classes_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point deadline_;
  Progress progress_;
  std::uint64_t max_executions_ = 0;
  std::uint64_t abandoned_ = 0;
  std::uint64_t cut_at_limit_ = 0;  ///< executions that had not come to an end there, and were unfair
  std::uint32_t turns_ = 0;
  std::uint32_t completed_ = 0;  ///< executions that came to their end
  std::size_t bytes_kept_ = 0;
  runtime::Where last_poll_;  ///< of the last execution that had one
  bool left_out_unfair_ = false;
  bool needs_clock_ = false;
  bool is_over_ = false;  ///< a limit was reached
  bool has_found_overlaps_ = false;
};

}  // namespace hocket
