// HOCKET_HOT: for what stands between the user's code and a switch.
#pragma once

// Inlining down to the switch spares mispredicted returns; without optimisation it would only make debugging
// harder.
#if defined(__OPTIMIZE__)
#define HOCKET_HOT [[gnu::always_inline]] inline
#else
#define HOCKET_HOT inline
#endif
