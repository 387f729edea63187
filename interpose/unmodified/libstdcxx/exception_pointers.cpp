// References to exceptions: std::exception_ptr and running handlers share an exception, and the last one to
// go destroys it. libstdc++ counts them in its own object code. As long as only one thread has references,
// the count orders nothing, and there is no step.
#include <cstdint>
#include <cstring>

#include <cxxabi.h>

#include "../../../runtime/terms/sabotage.hpp"
#include "../hooks/memory_atomic.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

namespace {

using hocket::runtime::is_sabotaged;
using hocket::runtime::Sabotage;

/// What precedes the object that was thrown, as the Itanium C++ ABI and libstdc++ have it on x86-64. A
/// handler of std::rethrow_exception() has a header of its own, which points to the object.
struct Header {
  void* object;  ///< if this is such a header
  void* functions[3];
  Header* next;
  int handlers;  ///< below 0 while it is thrown again
  int switch_value;
  void* places[4];
  std::uint64_t kind;
  std::uint64_t unwinding[3];
};
static_assert(sizeof(Header) == 112);
constexpr std::uint64_t kOwnObject = 0x474e5543432b2b00U;  // "GNUCC++"
constexpr std::uint64_t kObjectElsewhere = kOwnObject + 1;

/// Before the header.
std::uint32_t& count_of(void* object) {
  constexpr std::size_t kBefore = sizeof(Header) + 16;
  return *reinterpret_cast<std::uint32_t*>(static_cast<char*>(object) - kBefore);
}

bool was_shared(std::uint32_t& count) {
  bool is_known = false;
  cells().for_each_in(
      reinterpret_cast<std::uintptr_t>(&count), sizeof count, [&](Cell&) { is_known = true; });
  return is_known;
}

/// The step of the current thread that gives up a reference, which libstdc++ does next.
void step_of_release(void* object) {
  if (is_sabotaged(Sabotage::exceptions_are_let_go_unseen)) return;
  std::uint32_t& count = count_of(object);
  if (count <= 1 && !was_shared(count)) return;
  bool is_done = false;
  update<std::uint32_t>(
      &count, hocket::runtime::Operation::atomic_fetch_sub,
      [&](std::uint32_t before) {
        is_done = true;
        return before - 1;
      },
      is_sabotaged(Sabotage::exceptions_order_nothing) ? __ATOMIC_RELAXED : __ATOMIC_ACQ_REL);
  if (is_done) ++count;
}

}  // namespace

extern "C" {

void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void** pointer) noexcept;
void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void** pointer) noexcept {
  HOCKET_ENTRY(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv, pointer);
  if (*pointer != nullptr) step_of_release(*pointer);
  HOCKET_REAL(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv)(pointer);
}

void __cxa_end_catch() {
  HOCKET_ENTRY(__cxa_end_catch);
  auto* const header = *reinterpret_cast<Header**>(abi::__cxa_get_globals());
  if (header != nullptr) {  // exceptions of other languages have less before the kind
    if (header->kind == kOwnObject && header->handlers == 1) step_of_release(header + 1);
    if (header->kind == kObjectElsewhere && header->handlers == 1) step_of_release(header->object);
  }
  HOCKET_REAL(__cxa_end_catch)();
}

}  // extern "C"
