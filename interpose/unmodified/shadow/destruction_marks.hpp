// The mark that shows that a pthread object has been destroyed.
//
// Some objects can be initialised again without a call, by PTHREAD_MUTEX_INITIALIZER and similar
// initialisers. This happens to std::mutex and std::condition_variable whenever a local one is constructed.
// Destruction therefore leaves a mark in the object, in a field that every initialisation writes. POSIX
// allows that, and the system's own pthread_mutex_destroy() does the same.
#pragma once

#include <type_traits>

#include <pthread.h>

namespace hocket::unmodified {

/// A value that the system never stores in any of these fields. As the kind of a mutex it means a normal one.
inline constexpr unsigned kDestructionMark = 0xdeadd0d0;

/// Where an object of the type has its mark. nullptr if such objects are always initialised by a call and
/// have no mark.
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

/// Whether a destroyed object has since been initialised again without a call.
template <class Object>
bool is_made_again(Object* object) {
  return mark_of(object) != nullptr && !is_marked_destroyed(object);
}

}  // namespace hocket::unmodified
