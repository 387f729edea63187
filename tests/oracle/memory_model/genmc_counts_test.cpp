// How many execution graphs programs have: as many as GenMC expects of its own tests under RC11, with
// modification orders counted (version 0.11, tests/correct/litmus; Kokologiannakis, Vafeiadis: "GenMC: A
// Model Checker for Weak Memory Models", CAV 2021). The programs are written anew, in the words of
// program.hpp.

#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>

#include "tests/oracle/memory_model/bounded_search.hpp"
#include "tests/oracle/memory_model/enumeration.hpp"
#include "tests/oracle/programs/notation.hpp"

namespace hocket::memory_model {

namespace {

using oracle::parse;

struct Count {
  std::string_view name;
  std::size_t graphs;
  std::string_view program;
};

constexpr Count kCounts[] = {
    {"SB", 4, "x = 1 rlx; r0 = y rlx || y = 1 rlx; r1 = x rlx"},
    {"SB+4sc", 3, "x = 1 sc; r0 = y sc || y = 1 sc; r1 = x sc"},
    {"SB+2sc+scf", 3, "x = 1 sc; r0 = y sc || y = 1 rlx; fence sc; r1 = x rlx"},
    {"SB+3sc+acq", 4, "x = 1 sc; r0 = y sc || y = 1 sc; r1 = x acq"},
    {"SB+rfis", 4, "x = 1 rel; r0 = x sc; r1 = y sc || y = 1 rel; r2 = y sc; r3 = x sc"},
    {"2+2W", 4, "x = 1 rlx; y = 2 rlx || y = 1 rlx; x = 2 rlx"},
    {"2+2W+scfs", 3, "x = 1 rlx; fence sc; y = 2 rlx || y = 1 rlx; fence sc; x = 2 rlx"},
    {"2+2W+2sc+scf", 3, "x = 1 sc; y = 2 sc || y = 1 rlx; fence sc; x = 2 rlx"},
    {"2+2W+3sc+rel1", 4, "x = 1 sc; y = 2 sc || y = 1 rel; x = 2 sc"},
    {"2+2W+3sc+rel2", 4, "x = 1 sc; y = 2 sc || y = 1 sc; x = 2 rel"},
    {"2+2W+4sc", 3, "x = 1 sc; y = 2 sc || y = 1 sc; x = 2 sc"},
    {"MP", 4, "x = 1 rlx; y = 1 rlx || r0 = y rlx; r1 = x rlx"},
    {"MP+rel+acq", 3, "x = 1 rlx; y = 1 rel || r0 = y acq; r1 = x rlx"},
    {"LB", 3, "r0 = x rlx; y = 1 rlx || r1 = y rlx; x = 1 rlx"},
    {"LB3", 7, "r0 = x rlx; y = 1 rlx || r1 = y rlx; z = 1 rlx || r2 = z rlx; x = 1 rlx"},
    {"IRIW", 16, "x = 1 rlx || r0 = x rlx; r1 = y rlx || r2 = y rlx; r3 = x rlx || y = 1 rlx"},
    {"IRIW+acq+sc", 16, "x = 1 sc || r0 = x acq; r1 = y sc || r2 = y acq; r3 = x sc || y = 1 sc"},
    {"IRIW+sc", 15, "x = 1 sc || r0 = x sc; r1 = y sc || r2 = y sc; r3 = x sc || y = 1 sc"},
    {"W+RWC", 7,
        "x = 1 rlx; z = 1 rel || r0 = z acq; fence sc; r1 = y rlx || y = 1 rlx; fence sc; r2 = x rlx"},
    {"RWC+syncs", 7, "x = 1 rlx || r0 = x rlx; fence sc; r1 = y rlx || y = 1 rlx; fence sc; r2 = x rlx"},
    {"WWmerge1", 17, "r0 = x acq; r1 = y sc || x = 1 sc; x = 2 sc || y = 1 sc; r2 = x sc"},
    {"relseq of updates", 180,
        "r0 = add x 1 acq; r1 = add x 1 rlx || r2 = add x 1 rlx; r3 = add x 1 rlx || r4 = add x 1 rel"
        " || r5 = add x 1 rlx"},
    {"relacq-B-cumul", 8,
        "x = 1 rlx; y = 1 rel || r0 = y rlx; z = r0 rlx || r1 = z rlx; fence acq_rel; r2 = x rlx"},
    {"IRIWish", 28,
        "x = 1 rlx || r0 = x rlx; y = r0 rel || r1 = x rlx; fence acq_rel; r2 = y rlx"
        " || r3 = y rlx; fence acq_rel; r4 = x rlx"},
    {"CoRR2", 72, "x = 1 rel || x = 2 rel || r0 = x acq; r1 = x acq || r2 = x acq; r3 = x acq"},
    {"LB+incMPs", 15,
        "r0 = x acq; r1 = add w 1 acq_rel || r2 = add w 1 acq_rel; y = 1 rel || r3 = y acq; r4 = add z 1 "
        "acq_rel"
        " || r5 = add z 1 acq_rel; x = 1 rel"},
    {"rel-B-cumul-acq", 16,
        "x = 1 rlx; y = 1 rel || r0 = y rlx; z = r0 rlx || r1 = z rlx; fence acq_rel; r2 = x rlx || r3 = y "
        "acq"},
    {"CoRR", 6, "x = 1 rel; x = 2 rel || r0 = x acq; r1 = x acq"},
    {"MP2", 9,
        "x = 1 rlx; z = 1 rlx; fence acq_rel; y = 1 rlx; w = 1 rlx || r0 = y rlx; fence acq_rel; r1 = x rlx"
        " || r2 = w rlx; fence acq_rel; r3 = z rlx"},
    {"MPU+rel+acq", 6, "x = 1 na; y = 1 rel || r0 = add y 1 rlx || r1 = y acq; skip 1 if r1 != 2; x = 2 na"},
    {"MPU+rels+acqf", 13,
        "x = 1 rlx; y = 0 rel; y = 1 rlx || r0 = add y 1 rlx"
        " || r1 = y rlx; skip 2 if r1 != 2; fence acq; x = 2 rlx"},
    {"S+rels+acq", 4, "x = 1 rlx; y = 0 rel; y = 1 rlx || r0 = y acq; skip 1 if r0 == 0; x = 2 rlx"},
    {"S+rels+acqf", 4,
        "x = 1 rlx; y = 0 rel; y = 1 rlx || r0 = y rlx; skip 2 if r0 == 0; fence acq; x = 2 rlx"},
    {"relseq", 20,
        "x = 1 rlx; y = 1 rel; y = 2 rlx || r0 = swap y 3 rlx || r1 = y rlx; fence acq_rel; r2 = x rlx"},
    {"LB+fr-fr-data+data", 18, "r0 = x rlx; y = 1 rlx || r1 = y rlx; r2 = y rlx; x = 1 rlx || y = 2 rlx"},
    {"RMWFix", 4,
        "r0 = y sc; skip 2 if r0 == 0; r1 = add x 1 sc; r2 = add x 1 sc || r3 = add x 1 sc || y = 42 sc"},
    {"cii", 6, "r0 = cas x 1 2 rlx rlx || r1 = add x 1 rlx || r2 = add x 1 rlx"},
    {"isa2", 7, "x = 1 rlx; y = 1 rel || r0 = y acq; z = 1 rel || r1 = z acq; r2 = x rlx"},
    {"Z6+acq", 7,
        "x = 1 rlx; fence sc; y = 1 rlx || r0 = y acq; z = 1 rlx || z = 2 rlx; fence sc; r1 = x rlx"},
};

}  // namespace

TEST(Graphs, AreAsManyAsGenmcCounts) {
  for (const auto& [name, graphs, program] : kCounts) {
    EXPECT_EQ(enumerate(parse(program)).complete.size(), graphs) << name;
    EXPECT_EQ(explore(parse(program)).complete.size(), graphs) << name;
  }
}

// GenMC takes a read-modify-write for two events; here it is one, and the program has two graphs more.
TEST(Graphs, OfReadModifyWritesAmongSeqCstAccessesAreMoreThanGenmcCounts) {
  const Program z6u = parse("x = 1 sc; y = 1 rel || r0 = add y 1 sc; r1 = y rlx || y = 3 sc; r2 = x sc");
  Rules as_genmc;
  as_genmc.splits_updates = true;
  EXPECT_EQ(enumerate(z6u, as_genmc).complete.size(), 22);
  EXPECT_EQ(enumerate(z6u).complete.size(), 24);
  EXPECT_EQ(explore(z6u).complete.size(), 24);
}

}  // namespace hocket::memory_model
