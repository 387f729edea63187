// The machine finds what the axioms allow, of random programs.

#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "tests/oracle/memory_model/agreement.hpp"
#include "tests/oracle/memory_model/random_programs.hpp"
#include "tests/support/effort.hpp"

namespace hocket::memory_model {

namespace {

constexpr std::uint64_t kPrograms = test::part_of(3200);

Agreement::Counts compare(const Generator& generator) {
  Agreement agreement;
  std::uint64_t seed = 1;
  const std::optional<Counterexample> found = first_counterexample(
      generator, seed, kPrograms, [&](const Program& program) { return agreement.contradiction(program); });
  std::cout << agreement.counts().to_text();
  EXPECT_FALSE(found) << found->to_text();
  return agreement.counts();
}

}  // namespace

TEST(MachineAndAxioms, AgreeOnMixedPrograms) {
  const Agreement::Counts counts = compare(mixed_program);
  EXPECT_LE(counts.too_large, kPrograms / 10);
  EXPECT_GE(counts.stuck, kPrograms / 50);
  EXPECT_GE(counts.weak_graphs, kPrograms / 2);
  EXPECT_GE(counts.with_a_race, kPrograms / 50);
  EXPECT_LE(counts.with_a_race, kPrograms / 5);
}

// Here the machine must refuse choices, or the agreement would say nothing about seq_cst.
TEST(MachineAndAxioms, AgreeOnSeqCstProgramsInWhichChoicesAreRefused) {
  const Agreement::Counts counts = compare(seq_cst_program);
  EXPECT_LE(counts.too_large, kPrograms / 10);
  EXPECT_GE(counts.weak_graphs, kPrograms / 2);
  EXPECT_GE(counts.refused_choices, kPrograms / 2);
}

TEST(MachineAndAxioms, AgreeOnWhatIsSequentiallyConsistent) {
  for (const auto generator : {mixed_program, seq_cst_program}) {
    std::uint64_t seed = 1;
    const auto found =
        first_counterexample(generator, seed, kPrograms / 4, contradiction_without_stale_choices);
    EXPECT_FALSE(found) << found->to_text();
  }
}

TEST(RandomPrograms, AreSoundAndWrittenAsTheyAreRead) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    for (const Program& program : {mixed_program(seed), seq_cst_program(seed)}) {
      EXPECT_TRUE(is_sound(program)) << to_text(program);
      EXPECT_EQ(parse(to_text(program)), program) << to_text(program);
    }
  }
}

TEST(RandomPrograms, DoSomethingOfEverything) {
  constexpr std::uint64_t kSeeds = 2000;
  std::map<Verb, std::uint64_t> programs;
  std::map<std::size_t, std::uint64_t> by_threads;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Program program = mixed_program(seed);
    std::set<Verb> verbs;
    for (const Code& code : program.threads) {
      for (const Instruction& instruction : code) verbs.insert(instruction.verb);
    }
    for (const Verb verb : verbs) ++programs[verb];
    ++by_threads[program.threads.size()];
  }
  for (auto verb = Verb::load; verb <= Verb::skip_if_different;
       verb = static_cast<Verb>(static_cast<unsigned>(verb) + 1)) {
    EXPECT_GE(programs[verb], kSeeds / 50) << static_cast<unsigned>(verb);
  }
  for (std::size_t threads = 2; threads <= kMostThreads; ++threads) {
    EXPECT_GE(by_threads[threads], kSeeds / 4) << threads;
  }
}

}  // namespace hocket::memory_model
