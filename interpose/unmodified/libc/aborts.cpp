// assert() and abort() in a body: they fail the execution, and the search continues as after any other
// failure.
#include <cstdlib>
#include <cstring>
#include <string>

#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"

using hocket::runtime::describe;

using hocket::runtime::execution;

using hocket::runtime::FailureKind;
using hocket::runtime::run;
using hocket::runtime::Where;

extern "C" {

// Declared by assert.h only where assertions are compiled in.
void __assert_fail(const char* assertion, const char* file, unsigned line, const char* function) noexcept;
void __assert_fail(const char* assertion, const char* file, unsigned line, const char* function) noexcept {
  if (hocket::unmodified::is_from_body()) {
    HOCKET_CALLED_FROM_BODY();
    execution.verdict.fail(FailureKind::assertion, "Assertion `" + std::string(assertion) + "' failed",
        Where::current(file, line));
  }
  HOCKET_REAL(__assert_fail)(assertion, file, line, function);
  std::abort();  // not reached
}

void abort() noexcept {
  if (hocket::unmodified::is_from_body()) {
    HOCKET_CALLED_FROM_BODY();
    execution.verdict.fail(FailureKind::terminate, describe(*run.current) + " called abort()", Where{});
  }
  HOCKET_REAL(abort)();
  __builtin_trap();  // not reached
}

}  // extern "C"
