#include "single_thread.hpp"

#include <utility>

#include <sys/single_threaded.h>

#include "next_symbol.hpp"

namespace hocket::unmodified {

namespace {

constinit bool is_hidden = false;

}  // namespace

void hide_that_thread_is_single() {
  if (__libc_single_threaded == 0) return;
  __libc_single_threaded = 0;
  is_hidden = true;
}

int make_real_thread(
    pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) {
  const bool is_first = std::exchange(is_hidden, false);
  if (is_first) __libc_single_threaded = 1;
  const int error = HOCKET_REAL(pthread_create)(handle, attributes, function, argument);
  if (is_first) __libc_single_threaded = 0;  // where it could not be made, too
  return error;
}

}  // namespace hocket::unmodified
