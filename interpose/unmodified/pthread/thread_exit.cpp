// std::promise::set_value_at_thread_exit and similar functions. libstdc++ makes the state of a future ready
// when the thread ends. It does so in its own object code, whose atomic operations are not visible to Hocket.
//
// So the function that libstdc++ registers for the thread's end is wrapped in one that operates on the same
// atomics just before and after it. This has the same effect on the ordering.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "../../../runtime/terms/sabotage.hpp"
#include "../hooks/memory_atomic.hpp"
#include "../host/call_origin.hpp"

namespace hocket::unmodified {

namespace {

using Run = void (*)(void*);

/// std::__future_base::_State_baseV2::_Make_ready, which is not public: the function to run at the end of a
/// thread, and a weak_ptr to the state. Its layout and the offsets below are part of libstdc++'s ABI.
struct MakeReady {
  MakeReady* next;
  Run run;
  std::weak_ptr<void> state;
};
constexpr std::size_t kStatus = 16;     ///< byte offset in the state
constexpr std::size_t kReferences = 8;  ///< byte offset in the counts
constexpr std::size_t kWeakReferences = 12;

constinit Run run_by_library = nullptr;

/// A step that leaves the count unchanged. It stands for an operation that the library does unseen.
void operate_on(std::byte* count) {
  if (runtime::is_sabotaged(runtime::Sabotage::promises_are_kept_unseen)) return;
  update<std::uint32_t>(
      count, runtime::Operation::atomic_fetch_add, [](std::uint32_t before) { return before; },
      __ATOMIC_ACQ_REL);
}

void make_ready(void* element) {
  if (!is_from_body()) {
    run_by_library(element);
    return;
  }
  HOCKET_CALLED_FROM_BODY();
  auto& self = *static_cast<MakeReady*>(element);
  // A weak_ptr consists of a pointer to the object and a pointer to its counts.
  auto* const counts = reinterpret_cast<std::byte* const*>(&self.state)[1];
  operate_on(counts + kReferences);
  // A reference that Hocket does not see keeps the state alive for the following steps.
  std::shared_ptr<void> state = self.state.lock();
  operate_on(state != nullptr ? static_cast<std::byte*>(state.get()) + kStatus : counts + kWeakReferences);
  run_by_library(element);
  if (state != nullptr) operate_on(counts + kReferences);
}

}  // namespace

}  // namespace hocket::unmodified

extern "C" {

void __real__ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(hocket::unmodified::MakeReady* self);
void __wrap__ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(hocket::unmodified::MakeReady* self);

void __wrap__ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(hocket::unmodified::MakeReady* self) {
  __real__ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(self);
  hocket::unmodified::run_by_library = self->run;
  self->run = &hocket::unmodified::make_ready;
}

}  // extern "C"
