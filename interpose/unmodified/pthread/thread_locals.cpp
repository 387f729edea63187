// thread_local objects and pthread keys, which are destroyed when a thread ends.
#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <pthread.h>
#include <climits>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../host/call_origin.hpp"
#include "../host/logical_threads.hpp"
#include "../host/next_symbol.hpp"
#include "../host/system_library.hpp"
#include "../restore/kept_states.hpp"

namespace hocket::unmodified {

namespace {

using runtime::is_sabotaged;
using runtime::run;
using runtime::Sabotage;

/// A pthread key, by its number.
struct Key {
  void (*destructor)(void*) = nullptr;
  bool is_of_body = false;
};

constinit std::array<Key, PTHREAD_KEYS_MAX> keys{};  ///< by key; the system gives out each key only once
constinit bool has_keys_of_body = false;

void** value_of(pthread_key_t key) {
  const runtime::OwnMemory own;
  std::vector<void*>& values = logical_thread(run.current->index).values;
  if (values.size() <= key) values.resize(key + std::size_t{1});
  return &values[key];
}

}  // namespace

constinit std::array<LogicalThread*, runtime::kMaxThreads> all_logical_threads{};

void make_logical_thread(unsigned index) {
  const runtime::OwnMemory own;
  all_logical_threads[index] = new LogicalThread;
}

void destroy_thread_locals(unsigned index) {
  LogicalThread& self = logical_thread(index);
  while (!self.destructors.empty()) {
    const auto next = is_sabotaged(Sabotage::thread_locals_go_in_order) ? self.destructors.begin()
                                                                        : self.destructors.end() - 1;
    const LogicalThread::Destructor destructor = *next;
    self.destructors.erase(next);
    destructor.call(destructor.object);
  }
  bool is_something_left = true;
  for (unsigned round = 0; is_something_left && round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    is_something_left = false;
    for (std::size_t key = 0; key < self.values.size(); ++key) {
      void* const value = self.values[key];
      self.values[key] = nullptr;
      const auto destructor = key < keys.size() ? keys[key].destructor : nullptr;
      if (value == nullptr || destructor == nullptr) continue;
      is_something_left = !is_sabotaged(Sabotage::keys_are_looked_at_once);
      destructor(value);
    }
  }
}

void forget_keys_of_body(const runtime::ExecutionOptions& options) {
  if (!has_keys_of_body) return;
  has_keys_of_body = false;
  for (std::size_t key = 0; key < keys.size(); ++key) {
    if (!std::exchange(keys[key].is_of_body, false) || !is_to_be_given_back(options)) continue;
    keys[key] = {};
    HOCKET_REAL(pthread_key_delete)(static_cast<pthread_key_t>(key));
  }
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside
using hocket::runtime::execution;

extern "C" {

int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* module) noexcept;

int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* module) noexcept {
  HOCKET_ENTRY_WITHOUT_STEP(__cxa_thread_atexit_impl, destructor, object, module);
  const hocket::runtime::OwnMemory own;
  logical_thread(run.current->index).destructors.push_back({destructor, object});
  return 0;
}
int __cxa_thread_atexit(void (*destructor)(void*), void* object, void* module) noexcept {
  return __cxa_thread_atexit_impl(destructor, object, module);
}

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  const int error = HOCKET_REAL(pthread_key_create)(key, destructor);
  if (error != 0) return error;
  // The C++ library creates its keys when it first needs them, for good. It records that in its own data,
  // which outlives the execution. Those in objects, such as pools of std::pmr, are the body's.
  const bool is_for_good = is_in_cxx_library(__builtin_return_address(0)) && is_in_cxx_library(key);
  keys[*key] = {destructor, is_from_body() && !is_for_good};
  has_keys_of_body |= keys[*key].is_of_body;
  return 0;
}
int pthread_key_delete(pthread_key_t key) noexcept {
  if (key < keys.size()) keys[key] = {};
  return HOCKET_REAL(pthread_key_delete)(key);
}
void* pthread_getspecific(pthread_key_t key) noexcept {
  HOCKET_ENTRY_WITHOUT_STEP(pthread_getspecific, key);
  return *value_of(key);
}
int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  HOCKET_ENTRY_WITHOUT_STEP(pthread_setspecific, key, value);
  *value_of(key) = const_cast<void*>(value);
  return 0;
}

}  // extern "C"
