// Operations of std::atomic, of C and of the compiler that ask for a weaker memory order than seq_cst, by
// lines of the user's code, whatever of the standard library lies between.
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/failure_of.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using hocket::WeakerOperation;
using hocket::test::place;

std::atomic<int> flag{0};

std::vector<std::string> weaker(const Report& report) {
  std::vector<std::string> all;
  for (const WeakerOperation& o : report.weaker_operations)
    all.push_back(o.operation + " at " + o.where + " (" + o.order + ")");
  return all;
}

using Lines = std::vector<std::string>;

TEST(WeakerOrdersOfStdAtomics, AreNamedWithTheLineAndTheGlobalVariable) {
  const int line = __LINE__ + 1;
  const Report report = explored([] {
    std::atomic<int> local{0};
    in_parallel([&] { flag.store(1, std::memory_order_release); },
        [&] { local.store(flag.load(std::memory_order_acquire), std::memory_order_relaxed); });
    flag.exchange(0);
  });
  EXPECT_EQ(weaker(report),
      (Lines{"unmodified::(anonymous namespace)::flag.store at " + place(line + 2) + " (release)",
          "unmodified::(anonymous namespace)::flag.load at " + place(line + 3) + " (acquire)",
          "atomic.store at " + place(line + 3) + " (relaxed)"}));
  EXPECT_FALSE(report.may_be_more_weaker_operations);
  EXPECT_NE(to_text(report).find("passed every schedule there is, all operations taken as seq_cst: "),
      std::string::npos);
}

TEST(WeakerOrdersOfStdAtomics, HaveTheNameThatTheBodyGives) {
  const int line = __LINE__ + 4;
  const Report report = explored([] {
    std::atomic<int> local{0};
    hocket::name(local, "ticket");
    local.fetch_add(1, std::memory_order_relaxed);
  });
  EXPECT_EQ(weaker(report), (Lines{"ticket.fetch_add at " + place(line) + " (relaxed)"}));
}

TEST(WeakerOrdersOfBuiltins, AreNamedForEverySize) {
  struct Three {
    std::uint64_t words[3];
  };
  static std::uint8_t bytes[1];
  static std::uint64_t words[1];
  // Clang leaves out operations on objects that nobody else can know.
  std::uint8_t* volatile byte_known_elsewhere = bytes;
  std::uint64_t* volatile word_known_elsewhere = words;
  const int line = __LINE__ + 1;
  const Report report = explored([&] {
    __atomic_store_n(byte_known_elsewhere, std::uint8_t{1}, __ATOMIC_RELEASE);
    __atomic_exchange_n(word_known_elsewhere, 1, __ATOMIC_ACQUIRE);
    __sync_fetch_and_add(word_known_elsewhere, 1);
    std::atomic<Three> three{};
    three.store(Three{}, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    __sync_fetch_and_add(word_known_elsewhere, 1);  // Clang makes one of fences side by side
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::atomic_signal_fence(std::memory_order_acquire);
  });
  ASSERT_EQ(report.weaker_operations.size(), 4U) << report;
  EXPECT_EQ(report.weaker_operations[0].where, place(line + 1));
  EXPECT_EQ(report.weaker_operations[0].order, "release");
  EXPECT_EQ(report.weaker_operations[1].where, place(line + 2));
  EXPECT_EQ(report.weaker_operations[1].order, "acquire");
  EXPECT_EQ(report.weaker_operations[2], (WeakerOperation{"atomic.store", place(line + 5), "relaxed"}));
  EXPECT_EQ(report.weaker_operations[3], (WeakerOperation{"fence", place(line + 6), "acquire"}));
}

[[gnu::noinline]] void give_up(std::shared_ptr<int>& shared) {
  shared.reset();
}

// What the library does is told by the line that calls it, each once, though all come through the same
// instruction where it is not inlined.
TEST(WeakerOrdersOfTheStandardLibrary, AreToldByTheLinesThatCallIt) {
  const int line = __LINE__ + 1;
  const Report report = explored([] {
    auto shared = std::make_shared<int>(1);
    std::shared_ptr<int> other = shared;
    std::shared_ptr<int> third = shared;
    give_up(other);
    give_up(third);
    std::thread([] {}).join();
  });
  std::vector<std::string> places;
  for (const WeakerOperation& o : report.weaker_operations) {
    EXPECT_TRUE(o.order == "acq_rel" || o.order == "acquire") << o.where << o.order;
    EXPECT_EQ(o.where.find("shared_ptr"), std::string::npos) << o.where;
    places.push_back(o.where);
  }
  const auto has = [&](int at) {
    return std::find(places.begin(), places.end(), place(line + at)) != places.end();
  };
  EXPECT_TRUE(has(2)) << report;
  EXPECT_TRUE(has(3)) << report;
}

TEST(WeakerOrdersOfTheStandardLibrary, MayBeMoreThanAreKnown) {
  const Report report = explored([] {
    const auto shared = std::make_shared<int>(1);
    in_parallel([mine = shared] { check(*mine == 1); }, [mine = shared] { check(*mine == 1); });
  });
  EXPECT_FALSE(report.weaker_operations.empty());
  if (report.may_be_more_weaker_operations) {
    EXPECT_NE(to_text(report).find("Note: at least "), std::string::npos) << report;
  }
}

// The compiler looks at the guard of a static with acquire: the language has it so.
TEST(WeakerOrders, OfGuardsOfStaticsAreNotTheProgramS) {
  struct Dear {
    Dear() { flag.fetch_add(1); }
  };
  const Report report = explored([] {
    const auto use = [] {
      static Dear dear;
      static_cast<void>(dear);
    };
    in_parallel(use, use);
  });
  EXPECT_EQ(weaker(report), Lines{});
}

}  // namespace

}  // namespace unmodified
