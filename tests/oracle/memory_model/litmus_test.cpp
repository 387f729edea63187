// Litmus tests: programs of a few lines, each with an outcome about which the literature or the standard says
// whether C++ has it.
//
// Names and shapes are those of Maranget, Sarkar, Sewell: "A Tutorial Introduction to the ARM and POWER
// Relaxed Memory Models" (2012). Where the answer is from is said at each table.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/oracle/memory_model/enumeration.hpp"
#include "tests/oracle/programs/notation.hpp"

namespace hocket::memory_model {

namespace {

using oracle::parse;

constexpr bool kAllowed = true;
constexpr bool kForbidden = false;

struct Litmus {
  std::string_view program;
  std::string_view outcome;
  bool is_allowed;
};

void expect(const std::vector<Litmus>& table, const Rules& rules = {}) {
  for (const Litmus& litmus : table) {
    EXPECT_EQ(shows(enumerate(parse(litmus.program), rules), litmus.outcome), litmus.is_allowed)
        << litmus.program << "\nwith " << litmus.outcome;
  }
}

/// The program with its `$1`, `$2`, ... replaced by these words.
std::string with(std::string program, const std::vector<std::string_view>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string mark = "$" + std::to_string(i + 1);
    program.replace(program.find(mark), mark.size(), words[i]);
  }
  return program;
}

void expect(const std::string& program, std::string_view outcome, bool is_allowed, const Rules& rules = {}) {
  expect({{program, outcome, is_allowed}}, rules);
}

constexpr std::string_view kStores[] = {"rlx", "rel", "sc"};
constexpr std::string_view kLoads[] = {"rlx", "acq", "sc"};
constexpr std::string_view kUpdates[] = {"rlx", "acq", "rel", "acq_rel", "sc"};

bool does_release(std::string_view order) {
  return order == "rel" || order == "acq_rel" || order == "sc";
}
bool does_acquire(std::string_view order) {
  return order == "acq" || order == "acq_rel" || order == "sc";
}

}  // namespace

// Batty, Owens, Sarkar, Sewell, Weber: "Mathematizing C++ Concurrency" (POPL 2011), and [intro.races]: a
// release that is read by an acquire synchronizes with it.
TEST(Litmus, MessagesPassByReleaseAndAcquire) {
  for (const auto store : kStores) {
    for (const auto load : kLoads) {
      expect(with("x = 1 rlx; y = 1 $1 || r0 = y $2; r1 = x rlx", {store, load}), "r0=1 r1=0",
          !does_release(store) || !does_acquire(load));
      expect(with("x = 1 rlx; r2 = add y 1 $1 || r0 = y $2; r1 = x rlx", {store, load}), "r0=1 r1=0",
          !does_release(store) || !does_acquire(load));
    }
  }
  for (const auto one : kUpdates) {
    for (const auto other : kUpdates) {
      expect(with("x = 1 rlx; r2 = swap y 1 $1 || r0 = add y 1 $2; r1 = x rlx", {one, other}), "r0=1 r1=0",
          !does_release(one) || !does_acquire(other));
    }
  }
}

// [atomics.fences]: a release fence before a write, and an acquire fence behind a read, in any combination.
TEST(Litmus, MessagesPassByFences) {
  constexpr std::string_view fences[] = {"acq", "rel", "acq_rel", "sc"};
  for (const auto one : fences) {
    for (const auto other : fences) {
      expect(with("x = 1 rlx; fence $1; y = 1 rlx || r0 = y rlx; fence $2; r1 = x rlx", {one, other}),
          "r0=1 r1=0", !does_release(one) || !does_acquire(other));
    }
    expect(with("x = 1 rlx; fence $1; y = 1 rlx || r0 = y acq; r1 = x rlx", {one}), "r0=1 r1=0",
        !does_release(one));
    expect(with("x = 1 rlx; y = 1 rel || r0 = y rlx; fence $1; r1 = x rlx", {one}), "r0=1 r1=0",
        !does_acquire(one));
  }
  expect({
      {"fence rel; x = 1 rlx; y = 1 rlx || r0 = y acq; r1 = x rlx", "r0=1 r1=0", kAllowed},
      {"x = 1 rlx; y = 1 rlx; fence rel || r0 = y acq; r1 = x rlx", "r0=1 r1=0", kAllowed},
      {"x = 1 rlx; y = 1 rel || fence acq; r0 = y rlx; r1 = x rlx", "r0=1 r1=0", kAllowed},
      {"x = 1 rlx; y = 1 rel || r0 = y rlx; r1 = x rlx; fence acq", "r0=1 r1=0", kAllowed},
  });
}

// POPL 2011 and RC11: all four accesses must be seq_cst, or a seq_cst fence stand between them.
TEST(Litmus, StoreBufferingIsForbiddenBySeqCstAlone) {
  for (const auto w1 : kStores) {
    for (const auto r1 : kLoads) {
      for (const auto w2 : kStores) {
        for (const auto r2 : kLoads) {
          const bool all = w1 == "sc" && r1 == "sc" && w2 == "sc" && r2 == "sc";
          expect(with("x = 1 $1; r0 = y $2 || y = 1 $3; r1 = x $4", {w1, r1, w2, r2}), "r0=0 r1=0", !all);
        }
      }
    }
  }
  expect({
      {"x = 1 rlx; fence sc; r0 = y rlx || y = 1 rlx; fence sc; r1 = x rlx", "r0=0 r1=0", kForbidden},
      {"x = 1 rlx; fence sc; r0 = y rlx || y = 1 rlx; fence acq_rel; r1 = x rlx", "r0=0 r1=0", kAllowed},
      {"x = 1 rlx; fence sc; r0 = y rlx || y = 1 sc; r1 = x sc", "r0=0 r1=0", kForbidden},
      {"x = 1 rlx; fence sc; r0 = y rlx || y = 1 sc; r1 = x acq", "r0=0 r1=0", kAllowed},
      {"x = 1 rlx; fence sc; r0 = y rlx || y = 1 rel; r1 = x sc", "r0=0 r1=0", kAllowed},
      {"fence sc; x = 1 rlx; r0 = y rlx || y = 1 rlx; fence sc; r1 = x rlx", "r0=0 r1=0", kAllowed},
      // Read-modify-writes of one more location order as fences do (two of them read from each other).
      {"x = 1 rlx; r2 = add z 0 acq_rel; r0 = y rlx || y = 1 rlx; r3 = add z 0 acq_rel; r1 = x rlx",
          "r0=0 r1=0", kForbidden},
      {"x = 1 rlx; r2 = add z 0 acq; r0 = y rlx || y = 1 rlx; r3 = add z 0 acq_rel; r1 = x rlx", "r0=0 r1=0",
          kAllowed},
  });
}

// RC11, section 2: no cycle of program order and reads-from, whether or not a value depends on itself.
TEST(Litmus, LoadBufferingIsNeverShown) {
  for (const auto load : kLoads) {
    for (const auto store : kStores) {
      expect(with("r0 = x $1; y = 1 $2 || r1 = y rlx; x = 1 rlx", {load, store}), "r0=1 r1=1", kForbidden);
    }
  }
  expect({
      {"r0 = x rlx; y = r0 rlx || r1 = y rlx; x = r1 rlx", "r0=1 r1=1", kForbidden},
      {"r0 = x rlx; skip 1 if r0 != 1; y = 1 rlx || r1 = y rlx; skip 1 if r1 != 1; x = 1 rlx", "r0=1 r1=1",
          kForbidden},
      {"r0 = x rlx; y = 1 rlx || r1 = y rlx; z = 1 rlx || r2 = z rlx; x = 1 rlx", "r0=1 r1=1 r2=1",
          kForbidden},
  });
}

// RC11, sections 1 and 3: with writes and the second reads seq_cst, but the first reads acquire, IRIW is
// allowed, because trailing-sync compilers to Power show it.
TEST(Litmus, IndependentReadsOfIndependentWrites) {
  const std::string iriw = "x = 1 $1 || r0 = x $2; r1 = y $3 || r2 = y $4; r3 = x $5 || y = 1 $6";
  const std::string_view outcome = "r0=1 r1=0 r2=1 r3=0";
  expect(with(iriw, {"rlx", "rlx", "rlx", "rlx", "rlx", "rlx"}), outcome, kAllowed);
  expect(with(iriw, {"rel", "acq", "acq", "acq", "acq", "rel"}), outcome, kAllowed);
  expect(with(iriw, {"sc", "acq", "acq", "acq", "acq", "sc"}), outcome, kAllowed);
  expect(with(iriw, {"sc", "acq", "sc", "acq", "sc", "sc"}), outcome, kAllowed);
  expect(with(iriw, {"sc", "sc", "sc", "sc", "sc", "sc"}), outcome, kForbidden);
  expect({
      {"x = 1 rlx || r0 = x rlx; fence sc; r1 = y rlx || r2 = y rlx; fence sc; r3 = x rlx || y = 1 rlx",
          outcome, kForbidden},
      {"x = 1 rlx || r0 = x rlx; fence sc; r1 = y rlx || r2 = y rlx; fence acq_rel; r3 = x rlx || y = 1 rlx",
          outcome, kAllowed},
  });
}

// GenMC's tests 2+2W+..., and RC11: a release in place of one of the four seq_cst writes is enough.
TEST(Litmus, TwoThreadsThatWriteTwice) {
  for (int weaker = 0; weaker < 16; ++weaker) {
    std::vector<std::string_view> orders;
    for (int i = 0; i < 4; ++i) orders.emplace_back((weaker >> i & 1) != 0 ? "rel" : "sc");
    expect(with("x = 1 $1; y = 2 $2 || y = 1 $3; x = 2 $4", orders), "x=1 y=1", weaker != 0);
  }
  expect({
      {"x = 1 rlx; fence sc; y = 2 rlx || y = 1 rlx; fence sc; x = 2 rlx", "x=1 y=1", kForbidden},
      {"x = 1 rlx; fence sc; y = 2 rlx || y = 1 rlx; fence acq_rel; x = 2 rlx", "x=1 y=1", kAllowed},
      {"x = 1 sc; y = 2 sc || y = 1 rlx; fence sc; x = 2 rlx", "x=1 y=1", kForbidden},
  });
}

// POPL 2011: happens-before is transitive, so a message that is handed on brings what came before it.
TEST(Litmus, MessagesAreHandedOn) {
  for (int weak = 0; weak < 16; ++weak) {
    const auto pick = [&](int i, std::string_view strong) {
      return (weak >> i & 1) != 0 ? std::string_view("rlx") : strong;
    };
    const bool all = weak == 0;
    expect(with("x = 1 $1 || r0 = x $2; y = 1 $3 || r1 = y $4; r2 = x rlx",
               {pick(0, "rel"), pick(1, "acq"), pick(2, "rel"), pick(3, "acq")}),
        "r0=1 r1=1 r2=0", (weak & 12) != 0);
    expect(with("z = 1 rlx; x = 1 $1 || r0 = x $2; y = 1 $3 || r1 = y $4; r2 = z rlx",
               {pick(0, "rel"), pick(1, "acq"), pick(2, "rel"), pick(3, "acq")}),
        "r0=1 r1=1 r2=0", !all);
  }
}

// Tutorial, and RC11: what looks back over a seq_cst fence has two of them to fear.
TEST(Litmus, ReadThatOvertakesAWriteBehindAMessage) {
  expect({
      {"x = 1 rlx || r0 = x rlx; fence sc; r1 = y rlx || y = 1 rlx; fence sc; r2 = x rlx", "r0=1 r1=0 r2=0",
          kForbidden},
      {"x = 1 rlx || r0 = x acq; fence acq_rel; r1 = y rlx || y = 1 rlx; fence sc; r2 = x rlx",
          "r0=1 r1=0 r2=0", kAllowed},
      {"x = 1 sc || r0 = x sc; r1 = y sc || y = 1 sc; r2 = x sc", "r0=1 r1=0 r2=0", kForbidden},
      {"x = 1 sc || r0 = x acq; r1 = y sc || y = 1 sc; r2 = x sc", "r0=1 r1=0 r2=0", kAllowed},
      // W+RWC: the message in the middle need not be seq_cst.
      {"x = 1 sc; z = 1 rel || r0 = z acq; r1 = y sc || y = 1 sc; r2 = x sc", "r0=1 r1=0 r2=0", kForbidden},
      {"x = 1 rlx; z = 1 rel || r0 = z acq; fence sc; r1 = y rlx || y = 1 rlx; fence sc; r2 = x rlx",
          "r0=1 r1=0 r2=0", kForbidden},
  });
}

// Tutorial. R: a write against a write, and then a read. S: a read against a write.
TEST(Litmus, AWriteAgainstAWriteAndThenARead) {
  for (int weak = 0; weak < 16; ++weak) {
    const auto pick = [&](int i, std::string_view weaker) {
      return (weak >> i & 1) != 0 ? weaker : std::string_view("sc");
    };
    expect(with("x = 1 $1; y = 1 $2 || y = 2 $3; r0 = x $4",
               {pick(0, "rel"), pick(1, "rel"), pick(2, "rel"), pick(3, "acq")}),
        "y=2 r0=0", weak != 0);
  }
  expect({
      {"x = 1 rlx; fence sc; y = 1 rlx || y = 2 rlx; fence sc; r0 = x rlx", "y=2 r0=0", kForbidden},
      {"x = 1 rlx; fence rel; y = 1 rlx || y = 2 rlx; fence sc; r0 = x rlx", "y=2 r0=0", kAllowed},
  });
  for (const auto store : kStores) {
    for (const auto load : kLoads) {
      expect(with("x = 2 rlx; y = 1 $1 || r0 = y $2; x = 1 rlx", {store, load}), "r0=1 x=2",
          !does_release(store) || !does_acquire(load));
    }
  }
}

// [intro.races], the four rules of coherence. They hold for every order.
TEST(Litmus, OneLocationIsCoherent) {
  expect({
      {"x = 1 rlx; x = 2 rlx || r0 = x rlx; r1 = x rlx", "r0=2 r1=1", kForbidden},
      {"x = 1 rlx || r0 = x rlx; r1 = x rlx", "r0=1 r1=0", kForbidden},
      {"x = 1 rlx || x = 2 rlx || r0 = x rlx; r1 = x rlx || r2 = x rlx; r3 = x rlx", "r0=1 r1=2 r2=2 r3=1",
          kForbidden},
      {"x = 1 rlx; r0 = x rlx || x = 2 rlx", "r0=2 x=1", kForbidden},  // CoWR
      {"x = 1 rlx; r0 = x rlx", "r0=0", kForbidden},
      {"r0 = x rlx; x = 1 rlx", "r0=1", kForbidden},                   // CoRW
      {"r0 = x rlx; x = 1 rlx || x = 2 rlx", "r0=2 x=2", kForbidden},  // CoRW with another writer
      {"x = 1 rlx; x = 2 rlx", "x=1", kForbidden},                     // CoWW
      {"x = 1 rlx; y = 1 rel || r0 = y acq; x = 2 rlx; r1 = x rlx", "r0=1 r1=1", kForbidden},
      {"x = 1 rlx; y = 1 rel || r0 = y acq; x = 2 rlx", "r0=1 x=1", kForbidden},
      {"r0 = x rlx; y = 1 rel || r1 = y acq; x = 1 rlx", "r1=1 r0=1", kForbidden},
      {"x = 1 rlx || r0 = x rlx; y = 1 rel || r1 = y acq; r2 = x rlx", "r0=1 r1=1 r2=0", kForbidden},
  });
}

// RC11; Boehm, Giroux, Vafeiadis: "P0668R5: Revising the C++ memory model". C++11
// forbade it, but Power shows it.
TEST(Litmus, SeqCstAndWeakerAccessesOfOneLocation) {
  const std::string_view program =
      "x = 1 sc; y = 1 rel || r0 = add y 1 sc; r1 = y rlx || y = 3 sc; r2 = x sc";
  expect({{program, "r0=1 r1=3 r2=0", kAllowed}});
  expect({
      {"x = 1 sc; y = 1 sc || r0 = add y 1 sc; r1 = y rlx || y = 3 sc; r2 = x sc", "r0=1 r1=3 r2=0",
          kForbidden},
      {"x = 1 sc; y = 1 rel || r0 = add y 1 sc; r3 = z rlx; y = 4 sc || y = 5 sc; r2 = x sc", "r0=1 y=5 r2=0",
          kForbidden},
  });
  // GenMC takes a read-modify-write for two events, and forbids it.
  Rules as_genmc;
  as_genmc.splits_updates = true;
  expect({{program, "r0=1 r1=3 r2=0", kForbidden}}, as_genmc);
}

// [intro.races]: a release sequence is a release and the read-modify-writes behind it, of any thread and any
// order. Boehm, Giroux, Vafeiadis: "P0982R1: Weaken release sequences": no longer the same thread's writes.
TEST(Litmus, ReleaseSequences) {
  for (const auto update : kUpdates) {
    expect(with("x = 1 rlx; y = 1 rel || r2 = add y 1 $1 || r0 = y acq; r1 = x rlx", {update}), "r0=2 r1=0",
        kForbidden);
    expect(with("x = 1 rlx; y = 1 rlx || r2 = add y 1 $1 || r0 = y acq; r1 = x rlx", {update}), "r0=2 r1=0",
        kAllowed);
  }
  expect({
      {"x = 1 rlx; y = 1 rel || r2 = add y 1 rlx; r3 = add y 1 rlx || r0 = y acq; r1 = x rlx",
          "r2=1 r0=3 r1=0", kForbidden},
      {"x = 1 rlx; y = 1 rel || r2 = cas y 1 2 rlx rlx || r0 = y acq; r1 = x rlx", "r0=2 r1=0", kForbidden},
      // A write of another thread ends it.
      {"x = 1 rlx; y = 1 rel || r2 = y rlx; y = 2 rlx || r0 = y acq; r1 = x rlx", "r2=1 r0=2 r1=0", kAllowed},
      // So does one of the same thread.
      {"x = 1 rlx; y = 1 rel; y = 2 rlx || r0 = y acq; r1 = x rlx", "r0=2 r1=0", kAllowed},
      // A fence heads the sequence of each write behind it.
      {"x = 1 rlx; fence rel; y = 1 rlx; y = 2 rlx || r0 = y acq; r1 = x rlx", "r0=2 r1=0", kForbidden},
      {"x = 1 rlx; fence rel; y = 1 rlx || r2 = add y 1 rlx || r0 = y acq; r1 = x rlx", "r0=2 r1=0",
          kForbidden},
      // Both heads of a sequence in a sequence synchronize.
      {"x = 1 rlx; y = 1 rel || z = 1 rlx; r2 = add y 1 rel || r0 = y acq; r1 = x rlx; r3 = z rlx",
          "r0=2 r1=0", kForbidden},
      {"x = 1 rlx; y = 1 rel || z = 1 rlx; r2 = add y 1 rel || r0 = y acq; r1 = x rlx; r3 = z rlx",
          "r0=2 r3=0", kForbidden},
  });
  Rules as_cxx11;
  as_cxx11.continues_in_same_thread = true;
  expect({{"x = 1 rlx; y = 1 rel; y = 2 rlx || r0 = y acq; r1 = x rlx", "r0=2 r1=0", kForbidden}}, as_cxx11);
}

// [atomics.order]: a read-modify-write reads the last value before the one that it writes.
TEST(Litmus, NothingComesBetweenTheHalvesOfAReadModifyWrite) {
  expect({
      {"r0 = add x 1 rlx || r1 = add x 1 rlx", "r0=0 r1=0", kForbidden},
      {"r0 = add x 1 rlx || r1 = add x 1 rlx", "r0=0 r1=1 x=2", kAllowed},
      {"r0 = swap x 1 rlx || r1 = swap x 2 rlx || r2 = swap x 3 rlx", "r0=0 r1=0", kForbidden},
      {"r0 = cas x 0 1 rlx rlx || r1 = cas x 0 2 rlx rlx", "r0=0 r1=0", kForbidden},
      {"r0 = add x 1 rlx || x = 5 rlx", "r0=0 x=1", kForbidden},
      {"r0 = add x 1 rlx || x = 5 rlx", "r0=0 x=5", kAllowed},
      {"r0 = add x 1 rlx || x = 5 rlx; x = 7 rlx", "r0=5 x=7", kAllowed},
      {"r0 = add x 1 rlx || x = 5 rlx; x = 7 rlx", "r0=5 x=6", kForbidden},
      // It may read an old value, since its thread need not know of a newer one.
      {"x = 1 rlx; y = 1 rlx || r0 = y rlx; r1 = add x 4 rlx", "r0=1 r1=0 x=1", kAllowed},
      {"x = 1 rlx; y = 1 rel || r0 = y acq; r1 = add x 4 rlx", "r0=1 r1=0", kForbidden},
  });
}

// [atomics.types.operations]: the order of failure is that of a load, and the store of success is not made.
TEST(Litmus, CompareExchangesThatFailHaveTheirOwnOrder) {
  for (const auto failure : kLoads) {
    expect(with("x = 1 rlx; y = 1 rel || r0 = cas y 0 2 acq_rel $1; r1 = x rlx", {failure}), "r0=1 r1=0",
        !does_acquire(failure));
    expect(with("x = 1 sc; r0 = cas y 5 6 sc $1 || y = 1 sc; r1 = cas x 5 6 sc sc", {failure}), "r0=0 r1=0",
        failure != "sc");
  }
  expect({
      {"x = 1 rlx; r0 = cas y 5 6 rel rlx || r1 = y acq; r2 = x rlx", "y=6", kForbidden},
      {"r0 = cas x 0 1 rlx rlx || r1 = x rlx", "r0=0 x=1", kAllowed},
      {"r0 = cas x 0 1 rlx rlx", "r0=0 x=0", kForbidden},
      {"r0 = cas_weak x 0 1 rlx rlx", "r0=0 x=0", kAllowed},
      {"r0 = cas_weak x 0 1 rlx rlx", "r0=0 x=1", kAllowed},
      // Whether it fails depends on which write it reads.
      {"x = 1 rlx; y = 1 rlx || r0 = y rlx; r1 = cas x 1 2 rlx rlx", "r0=1 r1=0", kAllowed},
      {"x = 1 rlx; y = 1 rel || r0 = y acq; r1 = cas x 1 2 rlx rlx", "r0=1 r1=0", kForbidden},
  });
}

// [atomics.order]: an access may be coherence-ordered before another by way of a weaker write. C++20 orders
// the two if they are seq_cst; RC11 does not, and nor do compilers for x86 (LWG 3941).
TEST(Litmus, TheStandardOrdersMoreSeqCstAccessesThanRc11) {
  Rules of_standard;
  of_standard.orders_all_coherent = true;
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"x = 1 rlx || r0 = x sc; r1 = y sc || r2 = y sc; r3 = x sc || y = 1 rlx", "r0=1 r1=0 r2=1 r3=0"},
      {"x = 1 rlx; r0 = x sc; r1 = y sc || y = 1 rlx; r2 = y sc; r3 = x sc", "r0=1 r1=0 r2=1 r3=0"},
  };
  for (const auto& [program, outcome] : rows) {
    expect({{program, outcome, kAllowed}});
    expect({{program, outcome, kForbidden}}, of_standard);
  }
  // The first store is before the second one of its thread, at the same atomic, and so before what acquires
  // that.
  const std::string_view both = "r0 = x acq; r1 = y sc || y = 2 sc; r2 = x sc || x = 1 sc; x = 2 rel";
  expect({{both, "r0=2 r1=0 r2=0", kForbidden}});
  expect({{both, "r0=2 r1=0 r2=0", kForbidden}}, of_standard);
}

}  // namespace hocket::memory_model
