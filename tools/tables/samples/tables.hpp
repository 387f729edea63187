// The tables: each runs what it needs, prints Markdown, and sets the figures of the papers beside its own.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "samples/sample_program.hpp"

namespace tables {

/// The input of a table, and limits for its searches.
struct Request {
  std::vector<samples::SampleProgram> programs;
  double seconds = 20;     ///< wall time after which a search is stopped
  unsigned max_bound = 4;  ///< the last bound searched, by tables that have one
};

struct Table {
  const char* name;
  const char* title;
  void (*print)(const Request& request, std::ostream& out);
};

void print_characteristics(const Request& request, std::ostream& out);
void print_bugs(const Request& request, std::ostream& out);
void print_queue(const Request& request, std::ostream& out);
void print_coverage(const Request& request, std::ostream& out);
void print_searches(const Request& request, std::ostream& out);

}  // namespace tables
