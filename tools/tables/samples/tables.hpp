// The tables: each runs what it needs, prints Markdown.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "samples/sample_program.hpp"
#include "samples/work_stealing_queue.hpp"
#include "scheduler/api/report.hpp"
#include "tools/tables/measure/markdown.hpp"

namespace tables {

/// The input of a table, and limits for its searches.
struct Request {
  std::vector<samples::SampleProgram> programs;
  bool small_bugs = true;  ///< whether the table of strategies has those, too
  double seconds = 20;     ///< wall time after which a search is stopped
  unsigned max_bound = 4;  ///< the last bound searched, by tables that have one
};

/// The most that was seen of everything in executions of a correct program.
struct Characteristics {
  std::uint64_t executions = 0;
  unsigned threads = 0;
  unsigned steps = 0;
  unsigned may_wait = 0;
  unsigned had_to_wait = 0;
  unsigned preemptions = 0;
};
/// Four strategies share the time, each with so many executions at most.
Characteristics characteristics_of(const samples::SampleProgram& program, double seconds,
    std::uint64_t executions = std::numeric_limits<std::uint64_t>::max());

/// The bugs of a program by the preemptions with which `icb` finds them.
struct FoundBugs {
  std::vector<unsigned> by_bound;
  unsigned not_found = 0;
};
/// `each` gets a row for each of them.
FoundBugs find_bugs(
    const samples::SampleProgram& program, const Request& request, measure::MarkdownTable& each);

/// Searches through the work-stealing queue of each size, by `icb` and by `cb-por`. `attempts`: how often the
/// thief tries to steal.
std::vector<hocket::Report> searches_of_queue(int attempts, const Request& request);

/// The body of searches_of_queue() with a queue whose variables are of other kinds, which decides what
/// conflicts and where threads are switched.
struct QueueVariant {
  const char* name;
  void (*run)(const samples::StealingSetup& setup);
};
std::span<const QueueVariant> queue_variants();

/// A program that is there for its bug alone.
struct SmallBug {
  const char* name;
  std::function<void()> body;
};
std::vector<SmallBug> small_bugs();

struct Table {
  const char* name;
  const char* title;
  void (*print)(const Request& request, std::ostream& out);
};

void print_characteristics(const Request& request, std::ostream& out);
void print_bugs(const Request& request, std::ostream& out);
void print_strategies(const Request& request, std::ostream& out);
void print_queue(const Request& request, std::ostream& out);
void print_coverage(const Request& request, std::ostream& out);
void print_searches(const Request& request, std::ostream& out);

}  // namespace tables
