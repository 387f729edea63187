// How GoogleTest reports an assertion that fails: with mutexes of its own, which are none of the body's. In
// instrumented code each operation on one would be a step.
//
// The linker's option --wrap (CMakeLists.txt) brings the calls of AssertHelper::operator= here.
#include <gtest/gtest.h>

#include <hocket/runtime/allocations.hpp>
#include <hocket/runtime/execution.hpp>

using ::testing::Message;
using ::testing::internal::AssertHelper;

extern "C" {

void __real__ZNK7testing8internal12AssertHelperaSERKNS_7MessageE(
    const AssertHelper* self, const Message& message);
void __wrap__ZNK7testing8internal12AssertHelperaSERKNS_7MessageE(
    const AssertHelper* self, const Message& message);

void __wrap__ZNK7testing8internal12AssertHelperaSERKNS_7MessageE(
    const AssertHelper* self, const Message& message) {
  if (!hocket::runtime::is_controlled()) {
    __real__ZNK7testing8internal12AssertHelperaSERKNS_7MessageE(self, message);
    return;
  }
  const hocket::runtime::OwnMemory own;
  __real__ZNK7testing8internal12AssertHelperaSERKNS_7MessageE(self, message);
}

}  // extern "C"
