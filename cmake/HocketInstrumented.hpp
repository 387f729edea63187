// The compiler includes this before each C++ file of a target of hocket_instrument().
//
// It tells Hocket's own headers where they are.
#define HOCKET_INSTRUMENTED 1

// Up to C++17 libstdc++ keeps the members of std::string in its own object code, which has no hooks. Its own
// switch for that, set to -1, has them instantiated where they are used, as they are from C++20 on.
#if __cplusplus <= 201703L && defined(__has_include)
#if __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#if _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
#endif
#endif
