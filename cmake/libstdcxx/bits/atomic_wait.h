// In place of libstdc++'s <bits/atomic_wait.h>: see hocket_waits.h.
#include "../hocket_waits.h"

#if !defined(HOCKET_KNOWS_WAITS)
#include_next <bits/atomic_wait.h>
#elif !defined(_GLIBCXX_ATOMIC_WAIT_H)
#define _GLIBCXX_ATOMIC_WAIT_H 1

#define __cpp_lib_atomic_wait 201907L

// What the library's header includes: its users find it there.
#include <bits/functexcept.h>
#include <bits/functional_hash.h>
#include <bits/gthr.h>
#include <bits/std_mutex.h>
#include <cerrno>
#include <climits>
#include <ext/numeric_traits.h>
#include <syscall.h>
#include <unistd.h>

namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION

namespace __detail {

using __platform_wait_t = int;
inline constexpr size_t __platform_wait_alignment = 4;

inline void __thread_yield() noexcept {
  __gthread_yield();
}
inline void __thread_relax() noexcept {
  __builtin_ia32_pause();
}

/// Whether an object of the type is a word that the machine reads at once.
template <class T>
inline constexpr bool __is_word = (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) &&
                                  (alignof(T) == sizeof(T) || is_scalar_v<T>);

/// What waits for an atomic that is no word waits for: it counts the notifications.
inline unsigned* __notifications_of(const void* __addr) {
  static unsigned __counts[16];
  return &__counts[(reinterpret_cast<__UINTPTR_TYPE__>(__addr) >> 3) % 16];
}

template <class T>
bool __is_equal(const T& __a, const T& __b) {
  return __builtin_memcmp(&__a, &__b, sizeof(T)) == 0;
}

}  // namespace __detail

template <class _Tp, class _ValFn>
void __atomic_wait_address_v(const _Tp* __addr, _Tp __old, _ValFn __vfn) {
  if constexpr (__detail::__is_word<_Tp>) {
    hocket_std_begin_order();
    static_cast<void>(__vfn());
    const int __order = hocket_std_end_order();
    unsigned long __word = 0;
    __builtin_memcpy(&__word, &__old, sizeof(_Tp));
    hocket_std_wait(__addr, sizeof(_Tp), ~0UL, __word, __order);
  } else {
    unsigned* const __count = __detail::__notifications_of(__addr);
    for (;;) {
      const unsigned __seen = __atomic_load_n(__count, __ATOMIC_SEQ_CST);
      if (!__detail::__is_equal(__old, static_cast<_Tp>(__vfn()))) return;
      hocket_std_wait(__count, sizeof *__count, ~0UL, __seen, __ATOMIC_SEQ_CST);
    }
  }
}

template <class _Tp>
void __atomic_notify_address(const _Tp* __addr, bool __all) {
  if constexpr (__detail::__is_word<_Tp>) {
    hocket_std_notify(__addr, sizeof(_Tp), __all);
  } else {
    unsigned* const __count = __detail::__notifications_of(__addr);
    __atomic_fetch_add(__count, 1, __ATOMIC_SEQ_CST);
    hocket_std_notify(__count, sizeof *__count, true);
    hocket_std_notified(__addr, sizeof(_Tp));
  }
}

_GLIBCXX_END_NAMESPACE_VERSION
}  // namespace std

#endif
