#include "tools/tables/models/models.hpp"

#include <array>
#include <ctime>

#include "samples/models/bakery.hpp"
#include "samples/models/fast_mutex.hpp"
#include "samples/models/file_server.hpp"
#include "samples/models/filter_lock.hpp"
#include "samples/models/german.hpp"
#include "samples/models/philosophers.hpp"
#include "samples/models/two_phase_commit.hpp"

namespace model_tables {

namespace {

using hocket::model::Options;
using hocket::model::Report;

template <typename Model>
Report check(const Options& options) {
  Options without_files = options;
  without_files.try_saved = without_files.save_schedules = false;
  return hocket::model::check("a protocol", Model{}, without_files);
}

/// The same with the strategy `depth` alone, which compiles sooner.
template <typename Model>
Report check_by_depth(const Options& options) {
  Options without_files = options;
  without_files.try_saved = without_files.save_schedules = false;
  using hocket::model::detail::Searches;
  return hocket::model::detail::check_by<Searches::depth_bounded>("a protocol", Model{}, without_files);
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

std::span<const Subject> all_subjects() {
  static constexpr std::array<Subject, 7> kAll{{
      {"philosophers", "9 dining philosophers", 100, check<samples::philosophers::Philosophers<9>>},
      {"bakery", "bakery, 3 processes", 1'000, check<samples::bakery::Bakery<3, 100>>},
      {"filter", "filter lock, 4 threads", 100, check<samples::filter_lock::FilterLock<4>>},
      {"fast", "fast mutex, 4 processes", 100, check<samples::fast_mutex::FastMutex<4>>},
      {"files", "file server, 6 clients", 100, check<samples::file_server::FileServer<6>>},
      {"commit", "two-phase commit, 6 participants", 100,
          check<samples::two_phase_commit::TwoPhaseCommit<6>>},
      {"german", "German's protocol, 4 clients", 100, check<samples::german::German<4>>},
  }};
  return kAll;
}

std::span<const Subject> large_subjects() {
  static constexpr std::array<Subject, 4> kAll{{
      {"bakery", "bakery, 3 processes", 1'000, check_by_depth<samples::bakery::Bakery<3, 250>>},
      {"filter", "filter lock, 5 threads", 100, check_by_depth<samples::filter_lock::FilterLock<5>>},
      {"fast", "fast mutex, 5 processes", 100, check_by_depth<samples::fast_mutex::FastMutex<5>>},
      {"german", "German's protocol, 4 clients", 100, check_by_depth<samples::german::German<4>>},
  }};
  return kAll;
}

Run run(const Subject& subject, const Options& options) {
  const double begin = cpu_seconds();
  Run result{subject.check(options)};
  result.seconds = cpu_seconds() - begin;
  if (result.report.failed())
    throw Contradiction(std::string("a correct model has failed: ") + subject.title);
  if (result.report.verdict == hocket::Verdict::stopped)
    throw std::runtime_error("a search was stopped by " + result.report.stopped_by);
  return result;
}

std::uint64_t states_within(const Subject& subject, std::uint32_t depth) {
  return run(subject, {.strategy = "bfs", .store = hocket::model::Store::hash, .max_depth = depth})
      .report.states;
}

Run run_depth_bounded(const Subject& subject, Options options, std::uint64_t expected) {
  options.strategy = "depth";
  options.store = hocket::model::Store::hash;
  Run result = run(subject, options);
  if (result.report.states != expected) {
    throw Contradiction(std::string(subject.title) + ": a depth-bounded search has met " +
                        std::to_string(result.report.states) + " states, and a breadth-first search " +
                        std::to_string(expected));
  }
  return result;
}

}  // namespace model_tables
