// Death tests in bodies: the test is skipped, because the process that such a test makes would end the
// search. The linker option --wrap (CMakeLists.txt) redirects the calls of DeathTest::Create() to this file.
#include <gtest/gtest.h>

#include <string>

#include "../../runtime/execution/step.hpp"
#include "results_in_body.hpp"

using ::testing::Matcher;
using ::testing::internal::DeathTest;

extern "C" {

bool __real__ZN7testing8internal9DeathTest6CreateEPKcNS_7MatcherIRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEES3_iPPS1_(
    const char* statement, Matcher<const std::string&> matcher, const char* file, int line, DeathTest** test);
bool __wrap__ZN7testing8internal9DeathTest6CreateEPKcNS_7MatcherIRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEES3_iPPS1_(
    const char* statement, Matcher<const std::string&> matcher, const char* file, int line, DeathTest** test);

bool __wrap__ZN7testing8internal9DeathTest6CreateEPKcNS_7MatcherIRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEES3_iPPS1_(
    const char* statement, Matcher<const std::string&> matcher, const char* file, int line,
    DeathTest** test) {
  if (!hocket::runtime::is_controlled()) {
    return __real__ZN7testing8internal9DeathTest6CreateEPKcNS_7MatcherIRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEES3_iPPS1_(
        statement, std::move(matcher), file, line, test);
  }
  *test = nullptr;  // the statement is not run
  GTEST_MESSAGE_AT_(file, line, "", ::testing::TestPartResult::kSkip)
      << "This test has death tests, which make processes of their own: run it without Hocket.";
  return true;
}

}  // extern "C"
