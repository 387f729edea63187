#include <hocket/interpose/unmodified/spinning.hpp>

#include <algorithm>
#include <bit>

#include <unwind.h>

#include <hocket/runtime/allocations.hpp>

namespace hocket::unmodified {

namespace {

using runtime::execution;

/// What the code that has called one of Hocket's functions will find unchanged when that returns: the
/// registers that calls preserve, and its stack from its frame to the end.
class StateOfCaller {
 public:
  explicit StateOfCaller(const runtime::Thread& thread)
      : return_address_(reinterpret_cast<std::uintptr_t>(thread.caller)) {
    _Unwind_Backtrace(
        [](_Unwind_Context* frame, void* self) {
          return static_cast<StateOfCaller*>(self)->visit(frame) ? _URC_NORMAL_STOP : _URC_NO_REASON;
        },
        this);
    const auto* word = reinterpret_cast<const std::uint64_t*>(stack_);
    const auto* const end = reinterpret_cast<const std::uint64_t*>(thread.stack.top);
    if (stack_ == 0 || word > end) return;  // it is not known
    for (; word < end; ++word) add(*word);
    is_known_ = true;
  }

  [[nodiscard]] bool is_known() const { return is_known_; }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  bool visit(_Unwind_Context* frame) {
    if (_Unwind_GetIP(frame) != return_address_) return false;
    constexpr int kPreserved[] = {
        3, 6, 12, 13, 14, 15};  // rbx, rbp, r12 to r15, as DWARF counts them on x86-64
    for (const int number : kPreserved) add(_Unwind_GetGR(frame, number));
    stack_ = _Unwind_GetCFA(frame);
    return true;
  }
  void add(std::uint64_t word) { hash_ = runtime::mix(hash_, word); }

  std::uintptr_t return_address_;
  std::uintptr_t stack_ = 0;
  std::uint64_t hash_ = 0;
  bool is_known_ = false;
};

/// Whether all that the thread has, and could have changed since one of its last looks, is as it was then.
bool is_as_before(const runtime::Thread& thread, runtime::Looks& looks) {
  const runtime::OwnMemory own;
  const StateOfCaller state(thread);
  if (!state.is_known()) return true;
  const std::uint64_t hash = runtime::mix(state.hash(), thread.plain_writes);
  const bool is_known = std::find(looks.states.begin(), looks.states.end(), hash) != looks.states.end();
  looks.states[looks.next_state++ % looks.states.size()] = hash;
  return is_known;
}

/// Whether to compare states before the look with this number. To do so takes some microseconds: a few looks
/// in a row tell, and a loop that does not wait yet may do so later, as one whose pauses grow up to a limit.
bool is_to_be_compared(unsigned look) {
  constexpr unsigned kInARow = 8;
  return look < kPatience + kInARow || look - std::bit_floor(look) < kInARow;
}

}  // namespace

void Look::look_again(runtime::Looks& looks) {
  constexpr unsigned kLongPoll = 128;
  const runtime::Thread& thread = *execution.current;
  if (!looks.is_waiting) {
    if (!is_to_be_compared(looks.repeated)) return;
    looks.is_waiting = is_as_before(thread, looks);
  }
  if (looks.repeated < kPatience) return;
  if (!looks.is_waiting) {
    if (looks.repeated < kLongPoll || !std::has_single_bit(looks.repeated)) return;
    execution.note_priced_poll(thread.caller);
  }
  execution.yield(runtime::Operation::thread_yield, 0, runtime::Where{});
}

}  // namespace hocket::unmodified
