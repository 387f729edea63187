// With --hocket_memory_model=sc, operations that ask for a weaker memory order than seq_cst are explored as
// seq_cst: whatever is no failure says so, and where they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

#include "tests/support/bodies.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::runtime {

inline void PrintTo(const WeakerOperation& operation, std::ostream* out) {
  *out << operation.operation << " at " << operation.where << " (" << operation.order << ")";
}

}  // namespace hocket::runtime

namespace {

using hocket::Report;
using hocket::Verdict;
using hocket::WeakerOperation;
using hocket::test::exhaustively;
using hocket::test::in_parallel;
using hocket::test::place;
using hocket::test::quietly;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

Report search(const std::function<void()>& body, hocket::Options options = exhaustively()) {
  options.memory_model = hocket::MemoryModel::sc;
  return hocket::explore("weaker", body, options);
}

/// Each thread stores to its flag and looks at the other's.
template <class Look, class Set>
void dekker(Set set, Look look) {
  hocket::atomic<int> a{0};
  hocket::atomic<int> b{0};
  const auto side = [&](hocket::atomic<int>& mine, hocket::atomic<int>& other) {
    return [&] {
      set(mine);
      look(other);
    };
  };
  in_parallel(side(a, b), side(b, a));
}

TEST(WeakerOrders, AreNamedByAPass) {
  const int line = __LINE__ + 1;
  const Report report = search([] {
    dekker([](auto& mine) { mine.store(1, hocket::memory_order_release); },
        [](auto& other) { other.load(hocket::memory_order_acquire); });
  });
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
  EXPECT_THAT(
      report.weaker_operations, ElementsAre(WeakerOperation{"atomic.store", place(line + 1), "release"},
                                    WeakerOperation{"atomic.load", place(line + 2), "acquire"}));
  EXPECT_FALSE(report.may_be_more_weaker_operations);
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("weaker: passed every schedule there is, all operations taken as seq_cst: "));
  EXPECT_THAT(text,
      HasSubstr("Note: 2 operations weaker than seq_cst were explored as seq_cst: atomic.store at " +
                place(line + 1) + " (release) and atomic.load at " + place(line + 2) + " (acquire).\n"));
}

TEST(WeakerOrders, AreNotSpokenOfWhereThereAreNone) {
  const Report report =
      search([] { dekker([](auto& mine) { mine.store(1); }, [](auto& other) { other.load(); }); });
  EXPECT_THAT(report.weaker_operations, IsEmpty());
  EXPECT_THAT(to_text(report), Not(HasSubstr("seq_cst")));
}

TEST(WeakerOrders, OfTheLastSearchAreForgotten) {
  search([] { hocket::atomic<int>{0}.store(1, hocket::memory_order_relaxed); });
  EXPECT_THAT(search([] { hocket::atomic<int>{0}.store(1); }).weaker_operations, IsEmpty());
}

TEST(WeakerOrders, AreNotSpokenOfByAFailure) {
  const Report report = search([] {
    hocket::atomic<int> flag{0};
    flag.store(1, hocket::memory_order_relaxed);
    hocket::check(false, "wrong");
  });
  EXPECT_EQ(report.verdict, Verdict::failed);
  EXPECT_THAT(report.weaker_operations, IsEmpty());
  EXPECT_THAT(to_text(report), Not(HasSubstr("seq_cst")));
}

TEST(WeakerOrders, AreNamedBySamplesAndByStoppedSearches) {
  const auto body = [] {
    dekker(
        [](auto& mine) { mine.store(1, hocket::memory_order_release); }, [](auto& other) { other.load(); });
  };
  hocket::Options options = exhaustively({.max_executions = 2});
  Report report = search(body, options);
  EXPECT_EQ(report.verdict, Verdict::stopped);
  EXPECT_EQ(report.weaker_operations.size(), 1U);
  options.strategy = "random";
  report = search(body, options);
  EXPECT_EQ(report.verdict, Verdict::passed_sample);
  EXPECT_EQ(report.weaker_operations.size(), 1U);
  EXPECT_THAT(
      to_text(report), HasSubstr("passed a sample of schedules (random), all operations taken as seq_cst: "));
  report = search(body, quietly());
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
  EXPECT_EQ(report.weaker_operations.size(), 1U);
}

TEST(WeakerOrders, AreFoundWhereOnlyFewSchedulesCome) {
  const int line = __LINE__ + 1;
  const Report report = search([] {
    hocket::atomic<int> a{0};
    hocket::atomic<int> b{0};
    in_parallel(
        [&] {
          a.store(1);
          b.store(1);
        },
        [&] {
          if (b.load() == 0 && a.load() == 1 && b.load() == 0) a.load(hocket::memory_order_relaxed);
        });
  });
  EXPECT_THAT(
      report.weaker_operations, ElementsAre(WeakerOperation{"atomic.load", place(line + 9), "relaxed"}));
}

TEST(WeakerOrders, AreNamedByTheirObjects) {
  const int line = __LINE__ + 1;
  hocket::atomic<int> outside{0};
  const Report report = search([&outside] {
    hocket::atomic<int> flag{0};
    hocket::name(flag, "flag");
    hocket::name(outside, "outside");
    flag.load(hocket::memory_order_acquire);
    outside.fetch_add(1, hocket::memory_order_relaxed);
  });
  EXPECT_THAT(
      report.weaker_operations, ElementsAre(WeakerOperation{"flag.load", place(line + 5), "acquire"},
                                    WeakerOperation{"outside.fetch_add", place(line + 6), "relaxed"}));
}

TEST(WeakerOrders, OfFailingCompareExchangesAreToldBesideTheOther) {
  const int line = __LINE__ + 1;
  const Report report = search([] {
    hocket::atomic<int> x{0};
    int expected = 0;
    x.compare_exchange_strong(expected, 1, hocket::memory_order_acq_rel);
    x.compare_exchange_strong(expected, 1, hocket::memory_order_acq_rel, hocket::memory_order_relaxed);
    x.compare_exchange_weak(expected, 1, hocket::memory_order_seq_cst, hocket::memory_order_acquire);
    x.compare_exchange_weak(expected, 1);
  });
  const std::string operation = "atomic.compare_exchange";
  EXPECT_THAT(report.weaker_operations,
      ElementsAre(WeakerOperation{operation, place(line + 3), "acq_rel"},
          WeakerOperation{operation, place(line + 4), "acq_rel, relaxed on failure"},
          WeakerOperation{operation, place(line + 5), "seq_cst, acquire on failure"}));
}

TEST(WeakerOrders, OfAllOtherOperationsAndOfFencesAreNamed) {
  const int line = __LINE__ + 1;
  const Report report = search([] {
    hocket::atomic_flag flag;
    flag.test_and_set(hocket::memory_order_acquire);
    flag.wait(false, hocket::memory_order_acquire);
    flag.clear(hocket::memory_order_release);
    hocket::atomic_thread_fence(hocket::memory_order_acq_rel);
    hocket::atomic_thread_fence(hocket::memory_order_seq_cst);
    hocket::atomic_signal_fence(hocket::memory_order_release);
    hocket::var<int> plain{0};
    hocket::atomic_ref(plain).fetch_sub(1, hocket::memory_order_consume);
  });
  EXPECT_THAT(
      report.weaker_operations, ElementsAre(WeakerOperation{"atomic.exchange", place(line + 2), "acquire"},
                                    WeakerOperation{"atomic.wait", place(line + 3), "acquire"},
                                    WeakerOperation{"atomic.store", place(line + 4), "release"},
                                    WeakerOperation{"fence", place(line + 5), "acq_rel"},
                                    WeakerOperation{"atomic.fetch_sub", place(line + 9), "consume"}));
}

TEST(WeakerOrders, OfTwoOperationsOnOneLineAreTwo) {
  const int line = __LINE__ + 3;
  const Report report = search([] {
    hocket::atomic<int> x{0};
    x.store(x.load(hocket::memory_order_acquire) + 1, hocket::memory_order_release);
  });
  EXPECT_THAT(
      report.weaker_operations, UnorderedElementsAre(WeakerOperation{"atomic.load", place(line), "acquire"},
                                    WeakerOperation{"atomic.store", place(line), "release"}));
}

TEST(WeakerOrders, BeyondTheFirstThreeAreCounted) {
  const auto body = [](bool has_fifth) {
    hocket::atomic<int> x{0};
    x.load(hocket::memory_order_relaxed);
    x.load(hocket::memory_order_relaxed);
    x.load(hocket::memory_order_relaxed);
    x.load(hocket::memory_order_relaxed);
    if (has_fifth) x.load(hocket::memory_order_relaxed);
  };
  const int line = __LINE__ - 6;
  const auto at = [=](int n) { return "atomic.load at " + place(line + n) + " (relaxed)"; };
  EXPECT_THAT(to_text(search([&] { body(true); })),
      HasSubstr("Note: 5 operations weaker than seq_cst were explored as seq_cst: " + at(0) + ", " + at(1) +
                ", " + at(2) + " and 2 more.\n"));
  EXPECT_THAT(to_text(search([&] { body(false); })),
      HasSubstr("Note: 4 operations weaker than seq_cst were explored as seq_cst: " + at(0) + ", " + at(1) +
                ", " + at(2) + " and " + at(3) + ".\n"));
}

// More places than the hot path has room for, each of which comes many times.
TEST(WeakerOrders, AreAllFoundHoweverManyThereAre) {
  constexpr unsigned kPlaces = 3000;
  const Report report = search(
      [] {
        hocket::atomic<int> x{0};
        for (unsigned round = 0; round < 3; ++round) {
          for (unsigned n = 1; n <= kPlaces; ++n)
            x.load(hocket::memory_order_relaxed, hocket::runtime::Where::current("many.cpp", n));
        }
      },
      quietly());
  EXPECT_EQ(report.weaker_operations.size(), kPlaces);
  EXPECT_FALSE(report.may_be_more_weaker_operations);
}

}  // namespace
