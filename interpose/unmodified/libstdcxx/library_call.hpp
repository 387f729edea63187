// The effects that functions of the system or the C++ library have on the program's memory on behalf of their
// callers.
//
// The object code of those functions has no hooks. So the program is linked with the linker's option --wrap
// for each function F for which there is a __wrap_F here. A call of F becomes a call of __wrap_F, which
// records what F is about to touch and then calls F. Hocket's own calls are not wrapped
// (cmake/HocketLinkUnmodified.cmake), and so __wrap_F can call F by its name.
//
// A program may define a variable called `read`, or a function of that name. For such names F itself is
// defined here, as a weak symbol, so that the program's definition is used if there is one.
#pragma once

#include <cstddef>

#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"

// Defined by the linker.
extern "C" {
extern const char __executable_start;
extern const char __etext;
}

namespace hocket::unmodified {

/// Whether this code belongs to the program's own executable.
inline bool is_in_program(const void* code) {
  return code >= static_cast<const void*>(&__executable_start) && code < static_cast<const void*>(&__etext);
}

/// A call from a body. Its accesses are plain ones by the running thread.
struct LibraryCall {
  const void* caller;  ///< the place of the call, which reports show

  void reads(const volatile void* at, std::size_t size) const;
  void writes(const volatile void* at, std::size_t size) const;
  void copies(volatile void* to, const volatile void* from, std::size_t size) const;
};

/// To be called when a function has written a result of `size` bytes there for its caller; nullptr: nowhere.
inline void note_result(const void* caller, const volatile void* at, std::size_t size) {
  if (at != nullptr && size != 0 && is_from_body() && is_in_program(caller))
    LibraryCall{caller}.writes(at, size);
}
template <class T>
void note_result(const void* caller, const T* result) {
  note_result(caller, result, sizeof *result);
}

/// Defines __wrap_F. `accesses`: statements that use `call`; they are executed before F if the call is from a
/// body.
#define HOCKET_WRAPPED(result, function, parameters, arguments, accesses)        \
  result __wrap_##function parameters {                                          \
    if (::hocket::unmodified::is_from_body()) {                                  \
      const ::hocket::unmodified::LibraryCall call{__builtin_return_address(0)}; \
      accesses;                                                                  \
    }                                                                            \
    return function arguments;                                                   \
  }

/// The same for a name of which F itself is defined. Calls from shared libraries then also end up here; they
/// are ignored, because they do not come from the program's code.
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
