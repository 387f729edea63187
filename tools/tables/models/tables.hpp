// The tables: each runs what it needs and prints Markdown.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "tools/tables/models/models.hpp"

namespace model_tables {

struct Request {
  std::vector<Subject> subjects;
  std::uint32_t depth = 0;  ///< the most steps of a path; 0: what each model has
};

struct Table {
  const char* name;
  const char* title;
  void (*print)(const Request& request, std::ostream& out);
};

void print_revisits(const Request& request, std::ostream& out);
void print_frontiers(const Request& request, std::ostream& out);

/// The share of `before` that `after` saves: "12.3 %", or "" if there is nothing to save.
std::string reduction_text(double before, double after);

/// "1.23".
std::string seconds_text(double seconds);

/// How much the depth bound rises, from large to small: all at once, a fifth, a twentieth.
std::vector<std::uint32_t> increments(std::uint32_t depth);

}  // namespace model_tables
