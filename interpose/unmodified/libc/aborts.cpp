// assert(), abort() and the checks that compilers insert (-fstack-protector, _FORTIFY_SOURCE) in a body: they
// fail the execution, and the search continues as after any other failure.
#include "aborts.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

#include "../../../runtime/execution/recording.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"

using hocket::runtime::describe;

using hocket::runtime::FailureKind;
using hocket::runtime::run;
using hocket::runtime::Where;

namespace hocket::unmodified {

void fail_if_too_small(const char* function, std::size_t size, std::size_t room) {
  if (size <= room) return;
  runtime::step::fail(FailureKind::terminate,
      describe(*run.current) + " was ended by a check of the C library (_FORTIFY_SOURCE): buffer overflow " +
          "detected: " + function + "() writes " + std::to_string(size) + " bytes to an object that has " +
          std::to_string(room),
      Where{});
}

}  // namespace hocket::unmodified

extern "C" {

[[noreturn]] void __chk_fail();

// Where checked_calls.s jumps to.
[[noreturn]] void hocket_note_overflow(const char* function, std::size_t size, std::size_t room);
[[noreturn]] void hocket_note_overflow(const char* function, std::size_t size, std::size_t room) {
  if (hocket::unmodified::is_from_body()) {
    HOCKET_CALLED_FROM_BODY();
    hocket::unmodified::fail_if_too_small(function, size, room);
  }
  HOCKET_REAL(__chk_fail)();
  __builtin_trap();  // not reached
}

[[noreturn]] void hocket_note_missing_mode(const char* function);
[[noreturn]] void hocket_note_missing_mode(const char* function) {
  if (hocket::unmodified::is_from_body()) {
    HOCKET_CALLED_FROM_BODY();
    hocket::runtime::step::fail(FailureKind::terminate,
        describe(*run.current) + " was ended by a check of the C library (_FORTIFY_SOURCE): " + function +
            "() makes a file and is not given its mode",
        Where{});
  }
  HOCKET_REAL(__chk_fail)();
  __builtin_trap();  // not reached
}

// What functions compiled with -fstack-protector call when they find that the end of their frame was
// overwritten.
[[noreturn]] void __stack_chk_fail();
[[noreturn]] void __stack_chk_fail() {
  if (hocket::unmodified::is_from_body()) {
    HOCKET_CALLED_FROM_BODY();
    hocket::runtime::step::fail(FailureKind::terminate,
        describe(*run.current) +
            " was ended by a check of the compiler (-fstack-protector): stack smashing " +
            "detected: a function has written beyond its local variables",
        Where{});
  }
  HOCKET_REAL(__stack_chk_fail)();
  __builtin_trap();  // not reached
}

// Declared by assert.h only where assertions are compiled in.
void __assert_fail(const char* assertion, const char* file, unsigned line, const char* function) noexcept;
void __assert_fail(const char* assertion, const char* file, unsigned line, const char* function) noexcept {
  if (hocket::unmodified::is_from_body()) {
    HOCKET_CALLED_FROM_BODY();
    hocket::runtime::step::fail(FailureKind::assertion, "Assertion `" + std::string(assertion) + "' failed",
        Where::current(file, line));
  }
  HOCKET_REAL(__assert_fail)(assertion, file, line, function);
  std::abort();  // not reached
}

void abort() noexcept {
  if (hocket::unmodified::is_from_body()) {
    HOCKET_CALLED_FROM_BODY();
    hocket::runtime::step::fail(FailureKind::terminate, describe(*run.current) + " called abort()", Where{});
  }
  HOCKET_REAL(abort)();
  __builtin_trap();  // not reached
}

}  // extern "C"
