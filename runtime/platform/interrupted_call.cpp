#include "interrupted_call.hpp"

#include "system_call.hpp"

#ifdef HOCKET_HAS_SYSTEM_CALLS

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <sys/syscall.h>
#include <ucontext.h>

namespace hocket::runtime::platform {

namespace {

using Byte = unsigned char;

constexpr std::array kNeverRestarted{SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6, SYS_epoll_wait,
    SYS_epoll_pwait, SYS_epoll_pwait2, SYS_nanosleep, SYS_clock_nanosleep, SYS_pause, SYS_rt_sigsuspend,
    SYS_rt_sigtimedwait, SYS_semop, SYS_semtimedop, SYS_msgrcv, SYS_msgsnd, SYS_io_getevents,
    SYS_io_pgetevents, SYS_read, SYS_readv, SYS_write, SYS_writev, SYS_accept, SYS_accept4, SYS_connect,
    SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_sendto, SYS_sendmsg,
    SYS_sendmmsg};  // from `read` on only with a timeout of the socket, or of an inotify descriptor

/// The machine code with which libc makes a call: the number into eax, perhaps arguments from the stack (in a
/// process that has had several threads), `syscall`.
constexpr Byte kMoveToEax = 0xb8;
constexpr std::size_t kMoveSize = 5;
constexpr std::array<Byte, 2> kSyscall{0x0f, 0x05};
constexpr unsigned kMostLoads = 6;  ///< a call has so many arguments

template <std::size_t Size>
bool is_at(const Byte* code, const std::array<Byte, Size>& expected) {
  return std::equal(expected.begin(), expected.end(), code);
}

/// Whether the code is the move of a number of one of those calls into eax.
bool is_number_moved(const Byte* code) {
  const bool is_to_another_register = (code[-1] & 0xf0U) == 0x40;
  if (code[0] != kMoveToEax || is_to_another_register) return false;
  std::uint32_t number = 0;
  std::memcpy(&number, code + 1, sizeof number);
  return std::find(kNeverRestarted.begin(), kNeverRestarted.end(), static_cast<long>(number)) !=
         kNeverRestarted.end();
}

/// Whether the code, of four bytes without a prefix, loads a register from the stack.
bool is_load(const Byte* code) {
  const bool is_from_stack = (code[1] & 0xc7U) == 0x44 && code[2] == 0x24;
  return code[0] == 0x8b && is_from_stack;
}
bool is_prefix(Byte byte) {
  return (byte & 0xf0U) == 0x40;
}

/// Where the number of the call is set, in the code before `end`, with at most so many loads behind it;
/// nullptr if it is not known.
const Byte* number_before(const Byte* end, unsigned loads) {
  constexpr std::size_t kLoadSize = 4;
  if (is_number_moved(end - kMoveSize)) return end - kMoveSize;
  if (loads == 0 || !is_load(end - kLoadSize)) return nullptr;
  const Byte* const load = end - kLoadSize;
  if (is_prefix(load[-1])) {  // or the last byte of another instruction
    if (const Byte* const found = number_before(load - 1, loads - 1); found != nullptr) return found;
  }
  return number_before(load, loads - 1);
}

/// Where the number of the call is set that ends before `code`; nullptr if it is not known. What lies between
/// can be done once more: the stack still has the arguments.
const Byte* beginning_of_call(const Byte* code) {
  const Byte* const call = code - kSyscall.size();
  return is_at(call, kSyscall) ? number_before(call, kMostLoads) : nullptr;
}

}  // namespace

void restart_interrupted_call(void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (registers[REG_RAX] != -EINTR) return;
  const Byte* const begin = beginning_of_call(reinterpret_cast<const Byte*>(registers[REG_RIP]));
  if (begin != nullptr) registers[REG_RIP] = reinterpret_cast<greg_t>(begin);
}

}  // namespace hocket::runtime::platform

#else

namespace hocket::runtime::platform {

void restart_interrupted_call(void* /*context*/) {}

}  // namespace hocket::runtime::platform

#endif
