// Whether the agreement of machine and axioms (agreement_test.cpp) says anything: each rule that the machine
// forgets must be noticed, by a program that was written for it and by random ones.

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "tests/oracle/memory_model/agreement.hpp"
#include "tests/oracle/programs/counterexample.hpp"
#include "tests/oracle/programs/generator.hpp"
#include "tests/oracle/programs/notation.hpp"

namespace hocket::memory_model {

namespace {

using oracle::mixed_program;
using oracle::parse;
using oracle::seq_cst_program;

struct Fault {
  std::string_view name;
  void (*forget)(MachineRules& rules);
  std::string_view program;  ///< on which it makes a difference
  oracle::Generator generator;
  std::uint64_t within;  ///< so many programs of the generator
};

const Fault kFaults[] = {
    {"ReadsNeedNotBeCoherent", [](MachineRules& rules) { rules.axioms.is_coherent = false; },
        "x = 1 rlx || r0 = x rlx; r1 = x rlx", mixed_program, 100},
    {"AReadModifyWriteIsNotAdjacent", [](MachineRules& rules) { rules.axioms.is_atomic = false; },
        "r0 = add x 1 rlx || r1 = add x 1 rlx", mixed_program, 100},
    {"SeqCstIsNotOrdered", [](MachineRules& rules) { rules.axioms.orders_seq_cst = false; },
        "x = 1 sc; r0 = y sc || y = 1 sc; r1 = x sc", seq_cst_program, 50},
    {"SeqCstFencesAreNotOrdered", [](MachineRules& rules) { rules.axioms.orders_seq_cst_fences = false; },
        "x = 1 rlx; fence sc; r0 = y rlx || y = 1 rlx; fence sc; r1 = x rlx", seq_cst_program, 200},
    {"SeqCstIsNeverStale", [](MachineRules& rules) { rules.seq_cst_may_be_stale = false; },
        "x = 1 rlx; y = 1 rlx || r0 = y rlx; r1 = x sc", seq_cst_program, 200},
    {"ANotificationWrites", [](MachineRules& rules) { rules.notices_are_no_writes = false; },
        "x = 1 rel; notify_all x || r0 = wait x 0 acq", mixed_program, 100},
    {"APlainReadForgetsOldWrites", [](MachineRules& rules) { rules.plain_reads_keep_history = false; },
        "x = 1 rlx; r0 = x na; y = 1 rlx || r1 = y rlx; r2 = x rlx", mixed_program, 1000},
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

class PlantedFaults : public ::testing::TestWithParam<Fault> {};

}  // namespace

TEST_P(PlantedFaults, AreNoticed) {
  MachineRules rules;
  GetParam().forget(rules);
  const Program program = parse(GetParam().program);
  EXPECT_TRUE(Agreement(rules).contradiction(program)) << GetParam().program;
  EXPECT_FALSE(Agreement().contradiction(program));
  Agreement agreement(rules);
  std::uint64_t seed = 1;
  const std::optional<oracle::Counterexample> found = first_counterexample(GetParam().generator, seed,
      GetParam().within, [&](const Program& random) { return agreement.contradiction(random); });
  EXPECT_TRUE(found);
}

INSTANTIATE_TEST_SUITE_P(Each, PlantedFaults, ::testing::ValuesIn(kFaults),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace hocket::memory_model
