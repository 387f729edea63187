#include "results_in_body.hpp"

#include "../../runtime/execution/step.hpp"

namespace hocket::testing {

namespace {

struct Results {
  runtime::Life life{};  ///< the execution to which they belong
  bool fatal = false;
  bool nonfatal = false;
  bool skipped = false;
};
constinit Results results;

Results& results_now() {
  if (results.life != runtime::run.life) results = {.life = runtime::run.life};
  return results;
}

}  // namespace

void note_result(const ::testing::TestPartResult& result) {
  Results& now = results_now();
  now.fatal |= result.fatally_failed();
  now.nonfatal |= result.nonfatally_failed();
  now.skipped |= result.skipped();
}

bool has_fatal_failure() {
  return results_now().fatal;
}

bool has_nonfatal_failure() {
  return results_now().nonfatal;
}

bool is_skipped() {
  return results_now().skipped;
}

}  // namespace hocket::testing

// The linker option --wrap (CMakeLists.txt) redirects the questions of tests to this file.
extern "C" {

bool __real__ZN7testing4Test15HasFatalFailureEv();
bool __wrap__ZN7testing4Test15HasFatalFailureEv();
bool __wrap__ZN7testing4Test15HasFatalFailureEv() {
  return hocket::runtime::is_controlled() ? hocket::testing::has_fatal_failure()
                                          : __real__ZN7testing4Test15HasFatalFailureEv();
}

bool __real__ZN7testing4Test18HasNonfatalFailureEv();
bool __wrap__ZN7testing4Test18HasNonfatalFailureEv();
bool __wrap__ZN7testing4Test18HasNonfatalFailureEv() {
  return hocket::runtime::is_controlled() ? hocket::testing::has_nonfatal_failure()
                                          : __real__ZN7testing4Test18HasNonfatalFailureEv();
}

bool __real__ZN7testing4Test9IsSkippedEv();
bool __wrap__ZN7testing4Test9IsSkippedEv();
bool __wrap__ZN7testing4Test9IsSkippedEv() {
  return hocket::runtime::is_controlled() ? hocket::testing::is_skipped()
                                          : __real__ZN7testing4Test9IsSkippedEv();
}

}  // extern "C"
