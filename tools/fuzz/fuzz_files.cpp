// Gives Hocket schedule files, values of options and suppressions that are nearly right, until the time is
// over. What must hold is in file_claims.hpp. With HOCKET_LIBFUZZER, Clang's libFuzzer makes the inputs;
// otherwise the loop in this file does, from a corpus.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "scheduler/options/option_table.hpp"
#include "tools/fuzz/file_claims.hpp"

#ifdef HOCKET_LIBFUZZER

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static hocket::tools::Accepted accepted;
  try {
    hocket::tools::check_input({reinterpret_cast<const char*>(bytes), size}, accepted);
  } catch (const hocket::tools::Contradiction& contradiction) {
    std::fprintf(stderr, "%s\n", contradiction.what());
    std::abort();
  }
  return 0;
}

#else

#include <CLI/CLI.hpp>

#include "tools/fuzz/mutation.hpp"
#include "tools/fuzz/time_option.hpp"

namespace {

using namespace hocket::tools;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

struct Command {
  double seconds = 60;
  std::optional<std::uint64_t> seed;
  std::string corpus = HOCKET_FUZZ_CORPUS;
  std::string kept_in = "fuzz-files-input";
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The files of the corpus, a value for each option, and some suppressions.
std::vector<std::string> seeds_of(const std::string& corpus) {
  std::vector<std::string> seeds;
  for (const fs::directory_entry& entry : fs::directory_iterator(corpus))
    seeds.push_back(text_of(entry.path()));
  for (const hocket::OptionInfo& option : hocket::option_table()) {
    if (!option.is_file_to_read) seeds.push_back("o " + std::string(option.name) + " 10");
    for (const std::string& word : option.words)
      seeds.push_back("o " + std::string(option.name) + " " + word);
  }
  seeds.emplace_back("s race:Cache::get\nrace:*queue.cpp\n# a comment\ndeadlock:Log::*\n");
  return seeds;
}

/// Where the input is kept while it is tried: it may end the process.
class KeptInput {
 public:
  explicit KeptInput(fs::path file) : file_(std::move(file)) {}
  void keep(const std::string& input) const { std::ofstream(file_, std::ios::binary) << input; }
  void forget() const { fs::remove(file_); }
  [[nodiscard]] const fs::path& file() const { return file_; }

 private:
  fs::path file_;
};

/// One number is enough to make the input again, with the same corpus.
std::string input_of(std::uint64_t seed, const std::vector<std::string>& seeds) {
  std::mt19937_64 random(seed);
  const std::string& text = seeds[random() % seeds.size()];
  const std::string& other = seeds[random() % seeds.size()];
  return Mutation(random).changed(text, other);
}

int fuzz(const Command& command) {
  constexpr std::uint64_t kBetweenKept = 2000;
  const std::vector<std::string> seeds = seeds_of(command.corpus);
  const KeptInput kept(command.kept_in);
  Accepted accepted;
  std::uint64_t inputs = 0;
  std::uint64_t seed = command.seed ? *command.seed : std::random_device{}();
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(command.seconds));
  std::string input;
  try {
    for (const std::string& text : seeds) {
      input = text;
      check_input(input, accepted);
    }
    for (; Clock::now() < end; ++seed, ++inputs) {
      if (inputs % kBetweenKept == 0) kept.keep("seed " + std::to_string(seed) + " or one soon after it\n");
      input = input_of(seed, seeds);
      check_input(input, accepted);
    }
  } catch (const std::exception& error) {
    kept.keep(input);
    std::cout << "seed " << seed << ": " << error.what() << "; the input is in " << kept.file().string()
              << "\n";
    return 1;
  }
  kept.forget();
  std::cout << inputs << " inputs, up to seed " << seed - 1 << "; " << accepted.schedules
            << " schedule files and " << accepted.values << " values were accepted, and nothing was found\n";
  return 0;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): ends with its message
int main(int argc, char** argv) {
  CLI::App app(
      "Gives Hocket files and options that are nearly right, and looks what becomes of them", "fuzz-files");
  Command command;
  add_time_option(app, command.seconds);
  app.add_option("--seed", command.seed, "the seed of the first input; random if not given")->type_name("N");
  app.add_option("--corpus", command.corpus, "a folder with the inputs to begin with")->type_name("DIR");
  app.add_option("--keep", command.kept_in, "where to leave the input that ended it")
      ->type_name("FILE")
      ->capture_default_str();
  app.footer("Exit status: 0 nothing was found, 1 a claim does not hold for an input, 2 bad usage.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return fuzz(command);
}

#endif
