// HOCKET_HOT marks the functions between the user's code and a thread switch; HOCKET_HOT_LAMBDA marks lambdas
// there.
#pragma once

#include "../../runtime/terms/inlined.hpp"

// Inlining these functions down to the switch avoids mispredicted returns. Without optimisation it would only
// make debugging harder. For instrumented code see HOCKET_INLINED.
#if defined(HOCKET_INSTRUMENTED)
#define HOCKET_HOT HOCKET_INLINED inline
#define HOCKET_HOT_LAMBDA __attribute__((always_inline))
#elif defined(__OPTIMIZE__)
#define HOCKET_HOT HOCKET_INLINED inline
#define HOCKET_HOT_LAMBDA
#else
#define HOCKET_HOT inline
#define HOCKET_HOT_LAMBDA
#endif
