// The commands of hocket_tables, one for each folder beside this file. Each adds itself to the program, and
// does its work when the arguments are parsed. Bad usage is std::invalid_argument with one sentence; another
// exception says that a program did not do what it should.
#pragma once

#include <CLI/CLI.hpp>

namespace tables {

/// `samples`: what real runs of the sample programs do, beside the figures of the papers.
void add_samples(CLI::App& program);
/// `models`: what depth-bounded searches through models cost.
void add_models(CLI::App& program);
/// `coverage`: pictures of how many states strategies have met after so many executions.
void add_coverage(CLI::App& program);
/// `states`: how many states models have that Spin has, too. tools/compare-with-spin runs it.
void add_states(CLI::App& program);
/// `paths`: which paths violate which properties. The script runs this, too.
void add_paths(CLI::App& program);
/// `papers`: the page docs/papers.md.
void add_papers(CLI::App& program);

}  // namespace tables
