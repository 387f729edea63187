// Models in GoogleTest: HOCKET_MODEL_TEST is a TEST that checks a model.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "gtest.hpp"
#include "model.hpp"

namespace hocket::testing {

/// Turns the report of `check` into a GoogleTest result, as run_test() does for searches: if a limit stops
/// the search, the test passes and prints what was covered, unless `requires_bound` or nothing was. A failure
/// is reported at `where`.
void run_model_test(const char* suite, const char* name,
    const std::function<model::Report(const std::string& test)>& check, bool requires_bound,
    runtime::Where where);

/// Checks the model that Test::model() returns. This is a template because the type of the model is known
/// only after the body of the test, where the compiler instantiates it.
template <typename Test>
void check_model_of(
    const char* suite, const char* name, const model::Options& options, runtime::Where where) {
  const auto check = [&options](
                         const std::string& test) { return model::check(test, Test::model(), options); };
  run_model_test(suite, name, check, options.require_bound, where);
}

}  // namespace hocket::testing

/// HOCKET_MODEL_TEST(Suite, Name) { return Model{}; }
#define HOCKET_MODEL_TEST(suite, name) HOCKET_MODEL_TEST_WITH(suite, name, {})

/// HOCKET_MODEL_TEST_WITH(Suite, Name, {.strategy = "icb"}) { return Model{}; }; the braces initialise a
/// hocket::model::Options.
#define HOCKET_MODEL_TEST_WITH(suite, name, ...)                                                   \
  struct HocketModelOf_##suite##_##name {                                                          \
    static auto model();                                                                           \
  };                                                                                               \
  [[maybe_unused]] static const bool hocket_names_##suite##_##name =                               \
      ::hocket::testing::name_search(#suite, #name);                                               \
  TEST(suite, name) {                                                                              \
    ::hocket::testing::check_model_of<HocketModelOf_##suite##_##name>(                             \
        #suite, #name, ::hocket::model::Options __VA_ARGS__, ::hocket::runtime::Where::current()); \
  }                                                                                                \
  auto HocketModelOf_##suite##_##name::model()
