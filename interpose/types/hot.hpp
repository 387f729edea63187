// HOCKET_HOT: for what stands between the user's code and a switch. HOCKET_HOT_LAMBDA: for lambdas there.
#pragma once

#include "../../runtime/terms/inlined.hpp"

// Inlining down to the switch spares mispredicted returns; without optimisation it would only make debugging
// harder. In instrumented code see HOCKET_INLINED.
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
