#include "caller_registers.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include <unwind.h>

#include "../../../runtime/execution/run.hpp"
#include "../../../runtime/terms/action_hash.hpp"
#include "../../../runtime/threads/thread.hpp"

// Between a hook's entry and here, functions of Hocket have saved the registers on the stack, each where its
// own unwind information says. An unwinder takes some ten thousand instructions to find that out. It depends
// on nothing but where these functions call each other; so it is found out once for each such path, and
// remembered with the return addresses on it, by which the path is known again. All of them are compared: two
// hooks may come here with frames of one size and have the registers in different places.

/// Calls `function` with `argument` and the six registers as they are, in the order of CallerRegisters.
extern "C" void hocket_with_registers(
    void (*function)(void* argument, const std::uint64_t* registers), void* argument);
asm(R"(
	.pushsection .text
	.type hocket_with_registers, @function
hocket_with_registers:
	.cfi_startproc
	pushq %r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r15, 0
	pushq %r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r14, 0
	pushq %r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r13, 0
	pushq %r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r12, 0
	pushq %rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	pushq %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	movq %rdi, %rax
	movq %rsi, %rdi
	leaq 8(%rsp), %rsi
	call *%rax
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	popq %rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	popq %rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	popq %r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r12
	popq %r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r13
	popq %r14
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r14
	popq %r15
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r15
	ret
	.cfi_endproc
	.size hocket_with_registers, . - hocket_with_registers
	.popsection
)");

namespace hocket::unmodified {

namespace {

constexpr unsigned kRegisters = 6;
constexpr int kNumbers[kRegisters] = {3, 6, 12, 13, 14, 15};  // as DWARF counts them on x86-64
constexpr unsigned kRbp = 1;

/// A word of the stack, counted from the registers that hocket_with_registers() has saved.
using Place = std::uint32_t;

/// A path from a call of a hook to here.
struct Path {
  static constexpr unsigned kMost = 8;
  struct Return {
    Place place;
    std::uintptr_t address;
  };
  std::array<Return, kMost> returns{};  ///< the last one leads into the calling code
  unsigned count = 0;                   ///< 0: not known
  std::array<Place, kRegisters> saved{};
  bool has_frame_pointer = false;
};

/// The paths that were found last, by a hash of where they begin and how long they are.
Path& path_of(std::uintptr_t called_from, std::size_t words) {
  constexpr std::size_t kKept = 256;
  static std::array<Path, kKept> paths;
  return paths[runtime::mix(called_from, words) % kKept];
}

/// Looks at the frames from here to the caller of the hook.
class Walk {
 public:
  Walk(const std::uint64_t* registers, std::uintptr_t caller, CallerRegisters& found)
      : registers_(registers), caller_(caller), found_(found) {}

  /// Returns the path, if it can be remembered: its count is not 0 then.
  Path walk() {
    _Unwind_Backtrace(
        [](_Unwind_Context* frame, void* self) {
          return static_cast<Walk*>(self)->visit(frame) ? _URC_NORMAL_STOP : _URC_NO_REASON;
        },
        this);
    if (!is_whole_) path_.count = 0;
    path_.has_frame_pointer = found_.has_frame_pointer;
    return path_;
  }

 private:
  /// Returns whether no further frame is needed.
  bool visit(_Unwind_Context* frame) {
    if (found_.stack != 0) {
      found_.has_frame_pointer = is_in_frame_pointer(_Unwind_GetIP(frame));
      return true;
    }
    note_return(frame);
    if (_Unwind_GetIP(frame) != caller_) return false;
    for (unsigned n = 0; n < kRegisters; ++n) {
      found_.values[n] = _Unwind_GetGR(frame, kNumbers[n]);
      is_whole_ &= find_place(frame, n);
    }
    found_.stack = _Unwind_GetCFA(frame);
    return false;
  }

  void note_return(_Unwind_Context* frame) {
    const std::uintptr_t at = _Unwind_GetCFA(frame) - sizeof(std::uint64_t);
    const auto begin = reinterpret_cast<std::uintptr_t>(registers_);
    if (at < begin) return;  // inside hocket_with_registers(), which is the same for all
    const auto end = reinterpret_cast<std::uintptr_t>(runtime::run.current->stack.top);
    is_whole_ &= path_.count < Path::kMost && at < end;  // the outermost frame has no end
    if (!is_whole_) return;
    const std::size_t place = (at - begin) / sizeof(std::uint64_t);
    is_whole_ = registers_[place] == _Unwind_GetIP(frame);
    if (is_whole_) path_.returns[path_.count++] = {static_cast<Place>(place), registers_[place]};
  }

  /// Which word has the register: the one that changes with it.
  bool find_place(_Unwind_Context* frame, unsigned n) {
    const std::uint64_t value = found_.values[n];
    const std::size_t words = path_.count == 0 ? 0 : path_.returns[path_.count - 1].place;
    constexpr std::uint64_t kOther = 0x5bd1e9955bd1e995U;
    _Unwind_SetGR(frame, kNumbers[n], value ^ kOther);
    const auto* const at = std::find(const_cast<const volatile std::uint64_t*>(registers_),
        const_cast<const volatile std::uint64_t*>(registers_ + words), value ^ kOther);
    const auto place = static_cast<std::size_t>(at - registers_);
    const bool is_found = place != words;
    _Unwind_SetGR(frame, kNumbers[n], value);
    path_.saved[n] = static_cast<Place>(place);
    return is_found && registers_[place] == value;
  }

  /// Whether rbp points to the caller's frame, above which the caller's own return address is.
  [[nodiscard]] bool is_in_frame_pointer(std::uintptr_t return_address) const {
    constexpr std::uintptr_t kMost = std::uintptr_t{64} << 10U;
    const std::uintptr_t pointer = found_.values[kRbp];
    if (pointer % sizeof pointer != 0 || pointer - found_.stack > kMost) return false;
    const std::uintptr_t above = pointer + sizeof pointer;
    return above < reinterpret_cast<std::uintptr_t>(runtime::run.current->stack.top) &&
           *reinterpret_cast<const std::uintptr_t*>(above) == return_address;
  }

  const std::uint64_t* registers_;
  std::uintptr_t caller_;
  CallerRegisters& found_;
  Path path_;
  bool is_whole_ = true;
};

bool is_same(const Path& path, const std::uint64_t* registers) {
  for (unsigned n = 0; n < path.count; ++n) {
    if (registers[path.returns[n].place] != path.returns[n].address) return false;
  }
  return path.count != 0;
}

[[maybe_unused]] bool is_as_walked(
    const std::uint64_t* registers, std::uintptr_t caller, const CallerRegisters& found) {
  CallerRegisters walked;
  Walk(registers, caller, walked).walk();
  return walked.values == found.values && walked.stack == found.stack;
}

void find_registers(void* result, const std::uint64_t* registers) {
  CallerRegisters& found = *static_cast<CallerRegisters*>(result);
  const runtime::InstrumentedThread& thread = runtime::run.current->instrumented;
  const auto caller = reinterpret_cast<std::uintptr_t>(thread.caller);
  const std::size_t words =
      (thread.entered_at - reinterpret_cast<std::uintptr_t>(registers)) / sizeof(std::uint64_t);
  Path& path = path_of(caller, words);
  const bool is_known = path.count != 0 && path.returns[path.count - 1].place + 1 == words &&
                        path.returns[path.count - 1].address == caller && is_same(path, registers);
  if (is_known) {
    for (unsigned n = 0; n < kRegisters; ++n) found.values[n] = registers[path.saved[n]];
    found.stack = thread.entered_at;
    found.has_frame_pointer = path.has_frame_pointer;
    assert(is_as_walked(registers, caller, found));
    return;
  }
  Path walked = Walk(registers, caller, found).walk();
  if (walked.count != 0 && found.stack == thread.entered_at) path = walked;
}

}  // namespace

CallerRegisters registers_of_caller() {
  CallerRegisters found;
  hocket_with_registers(find_registers, &found);
  return found;
}

}  // namespace hocket::unmodified
