// HOCKET_INLINED: for the functions of the runtime that every operation goes through.
#pragma once

// They are inlined into the faces, and with these into the user's code. In code that hocket_instrument() has
// compiled they are functions of their own instead, since only a whole function can be kept free of hooks:
// those would tell of accesses to Hocket's own memory, in the middle of a switch too.
#if defined(HOCKET_INSTRUMENTED)
#define HOCKET_INLINED [[gnu::noinline, gnu::no_sanitize_thread]]
#else
#define HOCKET_INLINED [[gnu::always_inline]]
#endif
