// What a function of the system's or the C++ library does to the program's memory for the code that calls it.
//
// That object code has no hooks. So the program is linked with the linker's option --wrap for each function F
// for which there is a __wrap_F here: who calls F comes to __wrap_F, which notes what F is about to touch and
// calls F. Hocket's own calls are not wrapped (cmake/HocketLinkUnmodified.cmake), and that is how __wrap_F
// comes to F by its name.
#pragma once

#include <cstddef>

#include <hocket/interpose/unmodified/entry.hpp>

namespace hocket::unmodified {

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

}  // namespace hocket::unmodified
