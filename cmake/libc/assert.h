// As the system's, which may be included several times, with and without NDEBUG. In addition, each file with an
// assertion that is compiled out leaves its name in the object code, so that Hocket can say so. The linker keeps
// one of equal names.
#pragma GCC system_header
#include_next <assert.h>

#ifdef NDEBUG
#undef assert
#undef HOCKET_LEAVE_NAME_OF_FILE
#define HOCKET_LEAVE_NAME_OF_FILE \
  __asm__(".pushsection hocket_asserts,\"aMS\",@progbits,1\n\t.asciz \"" __FILE__ "\"\n\t.popsection")
#if defined(__cplusplus) && __cplusplus >= 201103L
#ifndef HOCKET_ASSERT_IS_CONSTANT
#define HOCKET_ASSERT_IS_CONSTANT
// A function, because compilers warn where they know the answer.
inline constexpr bool hocket_assert_is_constant() noexcept {
  return __builtin_is_constant_evaluated();
}
#endif
#define assert(...) \
  (hocket_assert_is_constant() ? static_cast<void>(0) : [] { HOCKET_LEAVE_NAME_OF_FILE; }())
#elif defined(__cplusplus)
#define assert(expression) (static_cast<void>(0))
#else
#define assert(expression)       \
  (__extension__({               \
    HOCKET_LEAVE_NAME_OF_FILE;   \
    (void)0;                     \
  }))
#endif
#endif
