// `hocket_tables papers`: writes docs/papers.md.
#include <array>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "scheduler/api/number_text.hpp"

#include "tools/tables/choices.hpp"
#include "tools/tables/commands.hpp"
#include "tools/tables/papers/papers.hpp"

namespace papers {

std::string in_a_row(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (const std::uint64_t number : numbers) text += (text.empty() ? "" : ", ") + hocket::number_text(number);
  return text;
}

namespace {

constexpr const char* kIntroduction = R"(# The papers, table by table

Every numbered table, figure, algorithm and theorem of the five papers that Hocket implements, what reproduces it, and what comes of
that. `hocket_tables papers` writes this page, in a minute or two, and a test compares it with what it writes now: no number of
ours is typed in. They are counts, the same on every machine; [tables.md](tables.md) has seconds, too. Programs are in
`build/release`: `tools/hocket_tables`, and tests in `tests/` and `tests/model/`. What is not reproduced is said to be so.

The programs of Musuvathi and Qadeer, the drivers of Udupa, Desai and Rajamani, and the models nbq, tpc, DEOS and mrf of Holzmann and
Florian are not public. Our samples are modelled on the descriptions, and smaller: compare shapes. Models of Spin's examples are as Spin's.
)";

void print(const Paper& paper) {
  std::cout << "\n## " << paper.title
            << "\n\n| there | reproduced by | the paper | Hocket | where they differ |\n"
            << "|---|---|---|---|---|\n";
  for (const Row& row : paper.rows) {
    std::cout << "| " << row.what << " | " << row.command << " | " << row.paper << " | " << row.ours_in_words
              << (row.ours != nullptr ? row.ours() : "") << " | " << row.difference << " |" << std::endl;
  }
}

}  // namespace

}  // namespace papers

namespace tables {

void add_papers(CLI::App& program) {
  const auto names = std::make_shared<std::vector<std::string>>(1, "all");
  CLI::App& command =
      *program.add_subcommand("papers", "The page docs/papers.md: what the papers have, and what we have");
  command.add_option("--paper", *names, "the table of this paper alone: icb, cb-por, spin, depth, automata")
      ->type_name("NAME");
  command.callback([names] {
    const std::array all{papers::iterative_context_bounding(), papers::reduction_with_bounds(),
        papers::bounded_switches_in_spin(), papers::depth_bounds(), papers::reduction_on_the_fly()};
    const auto chosen = chosen_by_name("paper", std::span<const papers::Paper>(all), *names);
    if (*names == std::vector<std::string>{"all"}) std::cout << papers::kIntroduction;
    for (const papers::Paper& paper : chosen) papers::print(paper);
  });
}

}  // namespace tables
