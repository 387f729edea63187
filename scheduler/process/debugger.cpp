#include "debugger.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/operation.hpp"
#include "../../runtime/terms/utf8.hpp"

namespace {

using hocket::runtime::execution;

using hocket::runtime::kOperations;
using hocket::runtime::Operation;
using hocket::runtime::run;
using hocket::runtime::Thread;

/// With a zero at the end.
using Text = std::array<char, 200>;
using Name = std::array<char, 48>;

/// All words but the first are addresses or offsets in a Thread. The scripts identify them by their order.
struct ForDebuggers {
  std::uintptr_t format = 3;        ///< changes with the order
  const void* os_thread = nullptr;  ///< address of the execution's OS thread, which is 0 while none runs
  const void* count = nullptr;      ///< a 32-bit number
  const void* threads = nullptr;    ///< an array of pointers
  const void* current = nullptr;    ///< a pointer
  std::uintptr_t context = 0;
  std::uintptr_t ordinal = 0;  ///< 32 bits
  std::uintptr_t creator = 0;
  std::uintptr_t state = 0;          ///< 8 bits: fresh, running, stopped, ended
  std::uintptr_t operation = 0;      ///< 8 bits
  std::uintptr_t joins = 0;          ///< a pointer
  const void* steps_made = nullptr;  ///< 64 bits: the steps begun in this replay
  const void* steps = nullptr;       ///< 64 bits: the steps of the replayed schedule
  const void* stop_before = nullptr;
  const void* step = nullptr;    ///< text: the step that was begun last
  const void* report = nullptr;  ///< the address of the address of a text
  const void* failed = nullptr;  ///< 8 bits: whether it has failed as the report says
  const void* names = nullptr;   ///< of threads: an array of texts of name_size bytes
  std::uintptr_t name_size = std::tuple_size_v<Name>;
  std::array<const char*, kOperations> operations{};
};

std::uint64_t steps_made = 0;
std::uint64_t steps_in_all = 0;
Text step{};
std::string report;
const char* address_of_report = report.c_str();
bool has_failed = false;
std::array<Name, hocket::runtime::kMaxThreads> names{};

void copy(std::string_view from, std::span<char> to) {
  const std::string text = hocket::utf8::printable(from);
  std::size_t size = std::min(text.size(), to.size() - 1);
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80U)
    --size;  // not in the middle of a character
  std::fill(std::copy_n(text.begin(), size, to.begin()), to.end(), '\0');
}

template <class Member>
std::uintptr_t offset_of(const Thread& thread, const Member& member) {
  return reinterpret_cast<std::uintptr_t>(&member) - reinterpret_cast<std::uintptr_t>(&thread);
}

}  // namespace

extern "C" {

[[gnu::used]] ForDebuggers hocket_for_debuggers;

[[gnu::noinline]] void hocket_gdb_replay_begins() {
  __asm__ volatile("");  // keeps the compiler from removing the call
}

}  // extern "C"

namespace hocket {

void tell_debuggers() {
  ForDebuggers& it = hocket_for_debuggers;
  it.os_thread = &run.os_thread;
  it.count = execution.threads.address_of_count();
  it.threads = execution.threads.addresses();
  it.current = &run.current;
  static const Thread thread{};
  it.context = offset_of(thread, thread.context);
  it.ordinal = offset_of(thread, thread.ordinal);
  it.creator = offset_of(thread, thread.creator);
  it.state = offset_of(thread, thread.state);
  it.operation = offset_of(thread, thread.pending.operation);
  it.joins = offset_of(thread, thread.joins);
  it.steps_made = &steps_made;
  it.steps = &steps_in_all;
  it.stop_before = const_cast<const std::uint64_t*>(&debugger::stop_before);
  it.step = step.data();
  it.report = &address_of_report;
  it.failed = &has_failed;
  it.names = names.data();
  for (std::size_t n = 0; n < kOperations; ++n)
    it.operations[n] = to_string(static_cast<Operation>(n)).data();
}

namespace debugger {

volatile std::uint64_t stop_before = 0;

void set_report(std::string text, std::uint64_t steps) {
  report = std::move(text);
  address_of_report = report.c_str();
  steps_in_all = steps;
  steps_made = 0;
  has_failed = false;
  step = {};
  names = {};
}

void set_step(const runtime::Trace& trace, std::string_view said) {
  steps_made = trace.choices().size();
  copy(said, step);
  for (std::size_t n = 0; n < std::min(trace.threads().size(), names.size()); ++n)
    copy(trace.threads()[n].label, names[n]);
}

void set_failed(std::string_view headline) {
  has_failed = report.starts_with(headline);
}

}  // namespace debugger

}  // namespace hocket
