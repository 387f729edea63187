// What a function of the system's or the C++ library does to the program's memory for the code that calls it.
//
// That object code has no hooks. So the program is linked with the linker's option --wrap for each function F
// for which there is a __wrap_F here: who calls F comes to __wrap_F, which notes what F is about to touch and
// calls F. Hocket's own calls are not wrapped (cmake/HocketLinkUnmodified.cmake), and that is how __wrap_F
// comes to F by its name.
//
// A program may have a variable that is called `read`, or a function of its own. Of such names F itself is
// defined here, weakly, so that the program's is taken where it has one.
#pragma once

#include <cstddef>

#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"

// Of the linker.
extern "C" {
extern const char __executable_start;
extern const char __etext;
}

namespace hocket::unmodified {

/// Whether the code there is the program's own file's.
inline bool is_in_program(const void* code) {
  return code >= static_cast<const void*>(&__executable_start) && code < static_cast<const void*>(&__etext);
}

/// A call from a body. Its accesses are plain ones, of the thread that runs.
struct LibraryCall {
  const void* caller;  ///< where it comes from, which is the place that reports name

  void reads(const volatile void* at, std::size_t size) const;
  void writes(const volatile void* at, std::size_t size) const;
  void copies(volatile void* to, const volatile void* from, std::size_t size) const;
};

/// Defines __wrap_F. `accesses` are statements that use `call`, done before F if the call is from a body.
#define HOCKET_WRAPPED(result, function, parameters, arguments, accesses)        \
  result __wrap_##function parameters {                                          \
    if (::hocket::unmodified::is_from_body()) {                                  \
      const ::hocket::unmodified::LibraryCall call{__builtin_return_address(0)}; \
      accesses;                                                                  \
    }                                                                            \
    return function arguments;                                                   \
  }

/// The same where F itself is defined: then calls of shared libraries come here too, which are none of the
/// program's code.
#define HOCKET_OVERRIDDEN(result, function, parameters, arguments, accesses)     \
  result function parameters {                                                   \
    if (::hocket::unmodified::is_from_body() &&                                  \
        ::hocket::unmodified::is_in_program(__builtin_return_address(0))) {      \
      const ::hocket::unmodified::LibraryCall call{__builtin_return_address(0)}; \
      accesses;                                                                  \
    }                                                                            \
    return HOCKET_REAL(function) arguments;                                      \
  }

}  // namespace hocket::unmodified
