// Members of GoogleTest's classes that it keeps to itself, for the search of tests that were not written for
// Hocket. GoogleTest has them under these names at least from 1.10 to 1.17.
#pragma once

#include <gtest/gtest.h>

namespace hocket::testing::internals {

/// Gives `member` to reach(Tag). In the arguments of an explicit instantiation names are not checked for
/// access.
template <typename Tag, typename Tag::Member member>
struct Opened {
  friend typename Tag::Member reach(Tag /*tag*/) { return member; }
};

struct Factory {
  using Member = ::testing::internal::TestFactoryBase* const ::testing::TestInfo::*;
  friend Member reach(Factory);
};
template struct Opened<Factory, &::testing::TestInfo::factory_>;

struct ShouldRun {
  using Member = bool ::testing::TestInfo::*;
  friend Member reach(ShouldRun);
};
template struct Opened<ShouldRun, &::testing::TestInfo::should_run_>;

struct SuiteShouldRun {
  using Member = bool ::testing::TestSuite::*;
  friend Member reach(SuiteShouldRun);
};
template struct Opened<SuiteShouldRun, &::testing::TestSuite::should_run_>;

struct SetUp {
  using Member = void (::testing::Test::*)();
  friend Member reach(SetUp);
};
template struct Opened<SetUp, &::testing::Test::SetUp>;

struct TestBody {
  using Member = void (::testing::Test::*)();
  friend Member reach(TestBody);
};
template struct Opened<TestBody, &::testing::Test::TestBody>;

struct TearDown {
  using Member = void (::testing::Test::*)();
  friend Member reach(TearDown);
};
template struct Opened<TearDown, &::testing::Test::TearDown>;

struct RunTest {
  using Member = void (::testing::Test::*)();
  friend Member reach(RunTest);
};
template struct Opened<RunTest, &::testing::Test::Run>;

struct RunSuite {
  using Member = void (::testing::TestSuite::*)();
  friend Member reach(RunSuite);
};
template struct Opened<RunSuite, &::testing::TestSuite::Run>;

}  // namespace hocket::testing::internals
