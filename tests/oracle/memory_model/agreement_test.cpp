// The machine finds what the axioms allow, of random programs.

#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <map>
#include <set>

#include "tests/oracle/memory_model/agreement.hpp"
#include "tests/oracle/programs/expect_none.hpp"
#include "tests/oracle/programs/generator.hpp"
#include "tests/support/random_tries.hpp"

namespace hocket::memory_model {

namespace {

using oracle::Generator;
using oracle::mixed_program;
using oracle::seq_cst_program;

Agreement::Counts compare(test::RandomTries& tries, const Generator& generator) {
  Agreement agreement;
  oracle::expect_none(
      tries, generator, [&](const Program& program) { return agreement.contradiction(program); });
  std::cout << agreement.counts().to_text();
  return agreement.counts();
}

}  // namespace

TEST(MachineAndAxioms, AgreeOnMixedPrograms) {
  test::RandomTries tries;
  const Agreement::Counts counts = compare(tries, mixed_program);
  if (!tries.are_many()) return;
  EXPECT_LE(counts.too_large, tries.tried() / 10);
  EXPECT_GE(counts.stuck, tries.tried() / 50);
  EXPECT_GE(counts.weak_graphs, tries.tried() / 2);
  EXPECT_GE(counts.with_a_race, tries.tried() / 100);
  EXPECT_LE(counts.with_a_race, tries.tried() / 5);
}

// Here the machine must refuse choices, or the agreement would say nothing about seq_cst.
TEST(MachineAndAxioms, AgreeOnSeqCstProgramsInWhichChoicesAreRefused) {
  test::RandomTries tries;
  const Agreement::Counts counts = compare(tries, seq_cst_program);
  if (!tries.are_many()) return;
  EXPECT_LE(counts.too_large, tries.tried() / 10);
  EXPECT_GE(counts.weak_graphs, tries.tried() / 2);
  EXPECT_GE(counts.refused_choices, tries.tried() / 2);
}

TEST(MachineAndAxioms, AgreeOnWhatIsSequentiallyConsistent) {
  for (const auto generator : {mixed_program, seq_cst_program}) {
    test::RandomTries tries(1, 0.5);
    oracle::expect_none(tries, generator, contradiction_without_stale_choices);
  }
}

TEST(RandomPrograms, DoSomethingOfEverything) {
  constexpr std::uint64_t kSeeds = 2000;
  std::map<Verb, std::uint64_t> programs;
  std::map<std::size_t, std::uint64_t> by_threads;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Program program = mixed_program(seed);
    std::set<Verb> verbs;
    for (unsigned thread = 1; thread < program.threads.size(); ++thread) {
      for (const Instruction& instruction : program.threads[thread].code) verbs.insert(instruction.verb);
    }
    for (const Verb verb : verbs) ++programs[verb];
    ++by_threads[program.threads.size() - 1];
  }
  using enum Verb;
  for (const Verb verb : {load, store, add, exchange, compare_exchange, compare_exchange_weak, await_change,
           wake_one, wake_all, read_var, write_var, fence, lock, unlock, wait, notify_one, notify_all, start,
           join, skip_if, skip_unless}) {
    EXPECT_GE(programs[verb], kSeeds / 50) << to_string(verb);
  }
  for (std::size_t threads = 2; threads <= 4; ++threads)
    EXPECT_GE(by_threads[threads], kSeeds / 4) << threads;
}

}  // namespace hocket::memory_model
