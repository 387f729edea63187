// What a destroyed object of pthreads looks like.
//
// Some may be initialised again without a call, by PTHREAD_MUTEX_INITIALIZER and its like: std::mutex and
// std::condition_variable are, whenever a local one of them begins. So the destruction leaves a mark in the
// object, in a field that every initialisation writes. POSIX allows that, and the system's own
// pthread_mutex_destroy() does so.
#pragma once

#include <type_traits>

#include <pthread.h>

namespace hocket::unmodified {

/// No value that the system puts into any of the fields. As the kind of a mutex it is a normal one.
inline constexpr unsigned kDestructionMark = 0xdeadd0d0;

/// Where an object of the type has its mark; nullptr: it begins by a call, and has none.
inline int* mark_of(pthread_mutex_t* mutex) {
  return &mutex->__data.__kind;
}
inline unsigned long* mark_of(pthread_rwlock_t* lock) {
  return &lock->__data.__pad2;
}
inline unsigned* mark_of(pthread_cond_t* condition) {
  return &condition->__data.__g1_orig_size;
}
inline volatile int* mark_of(pthread_spinlock_t* lock) {
  return lock;
}
inline unsigned* mark_of(const void* /*object*/) {
  return nullptr;
}

template <class Object>
bool is_marked_destroyed(Object* object) {
  const auto* const mark = mark_of(object);
  return mark != nullptr && static_cast<unsigned>(*mark) == kDestructionMark;
}
template <class Object>
void mark_destroyed(Object* object) {
  auto* const mark = mark_of(object);
  using Field = std::remove_volatile_t<std::remove_pointer_t<decltype(mark_of(object))>>;
  if (mark != nullptr) *mark = static_cast<Field>(kDestructionMark);
}

/// Whether an object that was destroyed has been initialised since, without a call.
template <class Object>
bool is_made_again(Object* object) {
  return mark_of(object) != nullptr && !is_marked_destroyed(object);
}

}  // namespace hocket::unmodified
