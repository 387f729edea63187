// In place of libstdc++'s <bits/semaphore_base.h>: see hocket_waits.h.
#include "../hocket_waits.h"

#if !defined(HOCKET_KNOWS_WAITS)
#include_next <bits/semaphore_base.h>
#elif !defined(_GLIBCXX_SEMAPHORE_BASE_H)
#define _GLIBCXX_SEMAPHORE_BASE_H 1

#include <bits/atomic_base.h>
#include <bits/chrono.h>
#include <bits/this_thread_sleep.h>  // as the library's, like the next four
#include <cerrno>
#include <climits>
#include <exception>
#include <semaphore.h>
#include <ext/numeric_traits.h>

namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION

class __semaphore_impl {
 public:
  static constexpr ptrdiff_t _S_max = __gnu_cxx::__int_traits<int>::__max;

  explicit __semaphore_impl(ptrdiff_t __count) noexcept : _M_counter(static_cast<int>(__count)) {
    hocket_std_semaphore_begin(&_M_counter);
  }
  __semaphore_impl(const __semaphore_impl&) = delete;
  __semaphore_impl& operator=(const __semaphore_impl&) = delete;

  void _M_acquire() { hocket_std_semaphore_acquire(&_M_counter); }
  bool _M_try_acquire() { return hocket_std_semaphore_try_acquire(&_M_counter); }
  template <class _Rep, class _Period>
  bool _M_try_acquire_for(const chrono::duration<_Rep, _Period>& __time) {
    return hocket_std_semaphore_try_acquire_for(&_M_counter, chrono::ceil<chrono::nanoseconds>(__time).count());
  }
  template <class _Clock, class _Dur>
  bool _M_try_acquire_until(const chrono::time_point<_Clock, _Dur>& __time) {
    constexpr bool __is_steady = is_same_v<_Clock, chrono::steady_clock>;
    if constexpr (__is_steady || is_same_v<_Clock, chrono::system_clock>) {
      return hocket_std_semaphore_try_acquire_until(&_M_counter, __is_steady,
          chrono::ceil<chrono::nanoseconds>(__time.time_since_epoch()).count());
    } else {
      return _M_try_acquire_for(__time - _Clock::now());
    }
  }
  void _M_release(ptrdiff_t __by, ptrdiff_t __max = _S_max) {
    hocket_std_semaphore_release(&_M_counter, __by, __max);
  }

 private:
  alignas(__detail::__platform_wait_alignment) int _M_counter;
};

_GLIBCXX_END_NAMESPACE_VERSION
}  // namespace std

#endif
