// Checks what strategies find in unmodified code that polls and waits against a brute force, for random
// programs, until the time is over. The programs and the brute force are in tests/unmodified/polling/.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <random>
#include <string>

#include <CLI/CLI.hpp>

#include "tests/unmodified/polling/parking_program.hpp"
#include "tests/unmodified/polling/phrases.hpp"
#include "tests/unmodified/polling/polling_brute_force.hpp"
#include "tests/unmodified/polling/polling_program.hpp"
#include "tests/unmodified/polling/polling_searches.hpp"
#include "tools/fuzz/time_option.hpp"

namespace {

using namespace unmodified::polling;
using Wall = std::chrono::steady_clock;

struct Arguments {
  double seconds = 60;
  std::optional<unsigned> seed;
  std::size_t most_states = 2'000;
  bool only_retries = false;
};

/// A program of text that is interpreted. The kinds take turns.
Polling program_of(unsigned seed) {
  std::mt19937 random(seed);
  switch (seed % 6) {
    case 0:
      return Writer(random).program_with_standard_locks();
    case 1:
      return Writer(random).program();
    case 2:
    case 3:
      return Writer(random).program_of_all_kinds();
    default:
      return ParkingWriter(random).program();
  }
}

/// What comes of the program with this seed, every fourth of which is made of compiled phrases. Nothing: it
/// has more states, or is not wanted.
std::optional<Compared> compare(unsigned seed, const Arguments& command) {
  const bool has_phrases = command.only_retries || seed % 4 == 0;
  std::mt19937 random(seed);
  const Say waits = command.only_retries ? Say::retry_claim : Say::poll;
  const PhraseProgram phrases = has_phrases ? PhraseWriter(random, waits).program() : PhraseProgram{};
  const Polling program = has_phrases ? phrases.meaning : program_of(seed);
  if (command.only_retries && !program.retries) return {};
  const std::optional<Answer> answer = answer_of(program, command.most_states);
  if (!answer) return {};
  return has_phrases ? compare(phrases, *answer) : compare(program, *answer);
}

int fuzz(const Arguments& command) {
  constexpr std::chrono::seconds kBetweenLines{30};
  unsigned seed = command.seed ? *command.seed : std::random_device{}();
  std::uint64_t programs = 0;
  std::uint64_t checked = 0;
  std::uint64_t searches = 0;
  std::uint64_t complete = 0;
  const Wall::time_point end = Wall::now() + std::chrono::duration_cast<Wall::duration>(
                                                 std::chrono::duration<double>(command.seconds));
  Wall::time_point next_line = Wall::now();
  do {
    if (Wall::now() >= next_line) {
      std::cout << "from seed " << seed << " on" << std::endl;  // flushed: the next program may crash
      next_line += kBetweenLines;
    }
    ++programs;
    const std::optional<Compared> compared = compare(seed++, command);
    if (!compared) continue;
    ++checked;
    searches += compared->searches;
    complete += compared->complete;
    if (compared->contradiction.empty()) continue;
    std::cout << "seed " << seed - 1 << ": " << compared->contradiction;
    return 1;
  } while (Wall::now() < end);
  std::cout << programs << " programs; " << checked << " checked, the others have more states; " << complete
            << " of " << searches << " searches came to their ends.\n"
            << "No counterexample up to seed " << seed - 1 << ".\n";
  return 0;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): ends with its message
int main(int argc, char** argv) {
  CLI::App app("Looks for unmodified programs that contradict what Hocket finds in them", "fuzz-polls");
  Arguments command;
  hocket::tools::add_time_option(app, command.seconds);
  app.add_option("--seed", command.seed, "the seed of the first program; random if not given")
      ->type_name("N");
  app.add_option("--states", command.most_states, "pass over programs that have more")
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--retries", command.only_retries, "programs of compiled phrases with loops that retry only");
  app.footer("Exit status: 0 nothing was found, 1 a counterexample was found, 2 bad usage.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return fuzz(command);
}
