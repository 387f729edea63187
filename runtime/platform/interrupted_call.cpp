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

/// The machine code with which libc makes a call: the number into eax, sometimes an argument from the stack,
/// `syscall`.
constexpr Byte kMoveToEax = 0xb8;
constexpr std::size_t kMoveSize = 5;
constexpr std::array<Byte, 2> kSyscall{0x0f, 0x05};
constexpr std::array<Byte, 3> kLoadEdi{0x8b, 0x7c, 0x24};
constexpr std::array<Byte, 4> kLoadRsi{0x48, 0x8b, 0x74, 0x24};

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

/// Where the number of the call is set that ends before `code`; nullptr if it is not known.
const Byte* beginning_of_call(const Byte* code) {
  if (!is_at(code - kSyscall.size(), kSyscall)) return nullptr;
  const Byte* const before = code - kSyscall.size();
  for (const std::size_t load : {std::size_t{0}, kLoadEdi.size() + 1, kLoadRsi.size() + 1}) {
    if (load == kLoadEdi.size() + 1 && !is_at(before - load, kLoadEdi)) continue;
    if (load == kLoadRsi.size() + 1 && !is_at(before - load, kLoadRsi)) continue;
    if (is_number_moved(before - load - kMoveSize)) return before - load - kMoveSize;
  }
  return nullptr;
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
