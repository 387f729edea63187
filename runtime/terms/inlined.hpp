// HOCKET_INLINED: for the functions of the runtime that every operation goes through.
#pragma once

// They are inlined into the public types, and with these into the user's code. In code compiled by
// hocket_instrument() they are separate functions instead, because only a whole function can be kept free of
// hooks. Hooks would report accesses to Hocket's own memory, even in the middle of a switch.
#if defined(HOCKET_INSTRUMENTED)
#define HOCKET_INLINED [[gnu::noinline, gnu::no_sanitize_thread]]
#else
#define HOCKET_INLINED [[gnu::always_inline]]
#endif
