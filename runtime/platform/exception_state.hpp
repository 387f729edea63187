// The C++ exceptions in flight. The C++ ABI keeps them per OS thread; here they belong to a fiber.
#pragma once

#include <cxxabi.h>

namespace hocket::runtime::platform {

/// The layout that the Itanium C++ ABI (section 2.2.2) specifies for __cxa_eh_globals.
struct ExceptionState {
  void* caught = nullptr;
  unsigned int uncaught = 0;
  unsigned int unused = 0;  ///< padding in the ABI; a named member lets a copy be one instruction
};

/// The calling OS thread's exception state. Its address does not change while the OS thread lives.
inline ExceptionState* exception_state() {
  return reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals());
}

}  // namespace hocket::runtime::platform
