// hocket_tables prints the tables of docs/tables.md, writes docs/papers.md and draws pictures: a command for
// each kind.
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string_view>

#include <CLI/CLI.hpp>

#include "tools/tables/commands.hpp"

namespace {

/// The first line, without the name that the library puts before its own errors.
std::string_view sentence_of(const std::exception& error) {
  constexpr std::string_view kLibrary = "hocket: ";
  std::string_view sentence = error.what();
  if (sentence.starts_with(kLibrary)) sentence.remove_prefix(kLibrary.size());
  return sentence.substr(0, sentence.find('\n'));
}

int refuse(const std::exception& error) {
  std::cerr << "hocket_tables: " << sentence_of(error) << '\n';
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program(
      "Prints what the samples and models do, and what searches cost, in Markdown", "hocket_tables");
  program.require_subcommand(1);
  program.footer(
      "Exit status: 0 all was done, 1 a program or a search did not do what it should, 2 bad usage.");
  tables::add_samples(program);
  tables::add_models(program);
  tables::add_coverage(program);
  tables::add_states(program);
  tables::add_paths(program);
  tables::add_papers(program);
  try {
    program.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
      return program.exit(error);  // --help
    return refuse(error);
  } catch (const std::invalid_argument& error) {
    return refuse(error);
  } catch (const std::exception& error) {
    std::cerr << "hocket_tables: " << error.what() << '\n';
    return 1;
  }
}
