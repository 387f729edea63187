#include "annotations.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/execution/recording.hpp"
#include "../../../runtime/platform/symbols/data_symbols.hpp"
#include "../host/call_origin.hpp"
#include "../shadow/cells.hpp"
#include "../shadow/models.hpp"

/// From the compiler's coverage library.
extern "C" [[gnu::weak]] void __gcov_merge_add(long* counters, unsigned count);

namespace hocket::unmodified {

using runtime::Access;
using runtime::execution;
using runtime::run;
namespace recording = runtime::recording;
using runtime::Operation;
using runtime::VarAccess;
using runtime::Where;

// ---------------------------------------------------------------------------------------------------------------------
// Memory

void BenignMemory::add(std::uintptr_t address, std::size_t size) {
  if (size == 0) return;
  const bool in_body = is_from_body();
  const runtime::OwnMemory own;
  (in_body ? in_execution_ : always_).add(address, address + size);
  if (in_body) cells().for_each_in(address, size, [](Cell& cell) { cell.flags |= Cell::kIsBenign; });
}

void BenignMemory::Extents::add(std::uintptr_t begin, std::uintptr_t end) {
  // Ranges that touch the new one are merged with it.
  auto next = end_of_.upper_bound(begin);
  if (next != end_of_.begin() && std::prev(next)->second >= begin) --next;
  while (next != end_of_.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = end_of_.erase(next);
  }
  end_of_.emplace(begin, end);
}

bool BenignMemory::Extents::overlap(std::uintptr_t begin, std::uintptr_t end) const {
  const auto next = end_of_.lower_bound(end);
  return next != end_of_.begin() && std::prev(next)->second > begin;
}

constinit BenignMemory* known_benign_memory = nullptr;

BenignMemory& make_benign_memory() {
  const runtime::OwnMemory own;
  return *(known_benign_memory = new BenignMemory);
}

void begin_to_pass_over_counters_of_coverage() {
  // Without optimisation, GCC's instrumentation also covers the counters. Programs that do not measure
  // coverage do not have this function.
  static bool has_begun = false;
  if (&__gcov_merge_add == nullptr || std::exchange(has_begun, true)) return;
  runtime::platform::for_each_data_symbol(
      "__gcov", [](std::uintptr_t address, std::size_t size) { benign_memory().add(address, size); });
}

namespace {

// ---------------------------------------------------------------------------------------------------------------------
// Order

runtime::Annotation& model_of(const volatile void* address) {
  return models().annotations.find(const_cast<const void*>(address),
      [](auto& pool, runtime::FoundAt place) -> runtime::Annotation& { return pool.make(place); });
}

void annotate_order(const volatile void* address, Operation operation, const void* caller) {
  if (!is_from_body()) return;
  run.current->instrumented.caller = caller;
  runtime::Annotation& model = model_of(address);
  if (!runtime::step::arrive(model, operation, true, Where{})) return;
  runtime::step::act(
      model, operation, operation == Operation::annotation_happens_before ? Access::write : Access::read);
}

void ignore(VarAccess access, int change) {
  if (is_from_body()) execution.races.ignore_races(access, change);
}

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside
using hocket::runtime::execution;
using hocket::runtime::Operation;
using hocket::runtime::VarAccess;

// All of these are weak, because programs may bring along their own versions, which do nothing.
#define HOCKET_ANNOTATION extern "C" [[gnu::weak]]
#define HOCKET_BEFORE(address) \
  annotate_order(address, Operation::annotation_happens_before, __builtin_return_address(0))
#define HOCKET_AFTER(address) \
  annotate_order(address, Operation::annotation_happens_after, __builtin_return_address(0))

using Address = const volatile void*;
using File = const char*;

// -- Order

HOCKET_ANNOTATION void __tsan_release(void* address) {
  HOCKET_BEFORE(address);
}
HOCKET_ANNOTATION void __tsan_acquire(void* address) {
  HOCKET_AFTER(address);
}
HOCKET_ANNOTATION void AnnotateHappensBefore(File, int, Address address) {
  HOCKET_BEFORE(address);
}
HOCKET_ANNOTATION void AnnotateHappensAfter(File, int, Address address) {
  HOCKET_AFTER(address);
}
HOCKET_ANNOTATION void WTFAnnotateHappensBefore(File, int, Address address) {
  HOCKET_BEFORE(address);
}
HOCKET_ANNOTATION void WTFAnnotateHappensAfter(File, int, Address address) {
  HOCKET_AFTER(address);
}

// -- Accesses without data races

HOCKET_ANNOTATION void AnnotateIgnoreReadsBegin(File, int) {
  ignore(VarAccess::read, 1);
}
HOCKET_ANNOTATION void AnnotateIgnoreReadsEnd(File, int) {
  ignore(VarAccess::read, -1);
}
HOCKET_ANNOTATION void AnnotateIgnoreWritesBegin(File, int) {
  ignore(VarAccess::write, 1);
}
HOCKET_ANNOTATION void AnnotateIgnoreWritesEnd(File, int) {
  ignore(VarAccess::write, -1);
}
HOCKET_ANNOTATION void __tsan_ignore_thread_begin() {
  ignore(VarAccess::read, 1);
  ignore(VarAccess::write, 1);
}
HOCKET_ANNOTATION void __tsan_ignore_thread_end() {
  ignore(VarAccess::read, -1);
  ignore(VarAccess::write, -1);
}
HOCKET_ANNOTATION void AnnotateBenignRace(File, int, Address at, const char* /*why*/) {
  benign_memory().add(reinterpret_cast<std::uintptr_t>(at), 1);
}
HOCKET_ANNOTATION void AnnotateBenignRaceSized(File, int, Address at, std::size_t size, const char* /*why*/) {
  benign_memory().add(reinterpret_cast<std::uintptr_t>(at), size);
}
HOCKET_ANNOTATION void WTFAnnotateBenignRaceSized(
    File, int, Address at, std::size_t size, const char* /*why*/) {
  benign_memory().add(reinterpret_cast<std::uintptr_t>(at), size);
}
HOCKET_ANNOTATION void AnnotateThreadName(File, int, const char* name) {
  if (is_from_body()) recording::name(*run.current, name);
}

// -- Locks. The code that implements a lock is instrumented and explored itself, so these annotations add
// nothing.

HOCKET_ANNOTATION void __tsan_mutex_create(void*, unsigned) {}
HOCKET_ANNOTATION void __tsan_mutex_destroy(void*, unsigned) {}
HOCKET_ANNOTATION void __tsan_mutex_pre_lock(void*, unsigned) {}
HOCKET_ANNOTATION void __tsan_mutex_post_lock(void*, unsigned, int) {}
HOCKET_ANNOTATION int __tsan_mutex_pre_unlock(void*, unsigned) {
  return 0;  // how many more times its owner holds it
}
HOCKET_ANNOTATION void __tsan_mutex_post_unlock(void*, unsigned) {}
HOCKET_ANNOTATION void __tsan_mutex_pre_signal(void*, unsigned) {}
HOCKET_ANNOTATION void __tsan_mutex_post_signal(void*, unsigned) {}
HOCKET_ANNOTATION void __tsan_mutex_pre_divert(void*, unsigned) {}
HOCKET_ANNOTATION void __tsan_mutex_post_divert(void*, unsigned) {}
HOCKET_ANNOTATION void AnnotateRWLockCreate(File, int, Address) {}
HOCKET_ANNOTATION void AnnotateRWLockCreateStatic(File, int, Address) {}
HOCKET_ANNOTATION void AnnotateRWLockDestroy(File, int, Address) {}
HOCKET_ANNOTATION void AnnotateRWLockAcquired(File, int, Address, std::uintptr_t) {}
HOCKET_ANNOTATION void AnnotateRWLockReleased(File, int, Address, std::uintptr_t) {}
HOCKET_ANNOTATION void AnnotateCondVarSignal(File, int, Address) {}
HOCKET_ANNOTATION void AnnotateCondVarSignalAll(File, int, Address) {}
HOCKET_ANNOTATION void AnnotateCondVarWait(File, int, Address, Address) {}
HOCKET_ANNOTATION void AnnotateMutexIsNotPHB(File, int, Address) {}
HOCKET_ANNOTATION void AnnotateMutexIsUsedAsCondVar(File, int, Address) {}

// -- The program's own fibers: its stacks all count as part of the thread that switches between them

HOCKET_ANNOTATION void* __tsan_get_current_fiber() {
  return nullptr;
}
HOCKET_ANNOTATION void* __tsan_create_fiber(unsigned) {
  return nullptr;
}
HOCKET_ANNOTATION void __tsan_destroy_fiber(void*) {}
HOCKET_ANNOTATION void __tsan_switch_to_fiber(void*, unsigned) {}
HOCKET_ANNOTATION void __tsan_set_fiber_name(void*, const char*) {}

// -- What has no meaning here: the internal workings of the sanitizer

HOCKET_ANNOTATION void AnnotateNewMemory(File, int, Address, std::size_t) {}
HOCKET_ANNOTATION void AnnotateIgnoreSyncBegin(File, int) {}
HOCKET_ANNOTATION void AnnotateIgnoreSyncEnd(File, int) {}
HOCKET_ANNOTATION void AnnotatePublishMemoryRange(File, int, Address, std::size_t) {}
HOCKET_ANNOTATION void AnnotateUnpublishMemoryRange(File, int, Address, std::size_t) {}
HOCKET_ANNOTATION void AnnotateTraceMemory(File, int, Address) {}
HOCKET_ANNOTATION void AnnotateFlushState(File, int) {}
HOCKET_ANNOTATION void AnnotateFlushExpectedRaces(File, int) {}
HOCKET_ANNOTATION void AnnotateExpectRace(File, int, Address, const char*) {}
HOCKET_ANNOTATION void AnnotateNoOp(File, int, Address) {}
HOCKET_ANNOTATION void AnnotateEnableRaceDetection(File, int, int) {}
HOCKET_ANNOTATION void AnnotatePCQCreate(File, int, Address) {}
HOCKET_ANNOTATION void AnnotatePCQDestroy(File, int, Address) {}
HOCKET_ANNOTATION void AnnotatePCQPut(File, int, Address) {}
HOCKET_ANNOTATION void AnnotatePCQGet(File, int, Address) {}
HOCKET_ANNOTATION void AnnotateMemoryIsInitialized(File, int, Address, std::size_t) {}
HOCKET_ANNOTATION void AnnotateMemoryIsUninitialized(File, int, Address, std::size_t) {}
HOCKET_ANNOTATION void __tsan_flush_memory() {}
HOCKET_ANNOTATION void* __tsan_external_register_tag(const char*) {
  return nullptr;
}
HOCKET_ANNOTATION void __tsan_external_register_header(void*, const char*) {}
HOCKET_ANNOTATION void __tsan_external_assign_tag(void*, void*) {}
HOCKET_ANNOTATION void __tsan_external_read(void*, void*, void*) {}
HOCKET_ANNOTATION void __tsan_external_write(void*, void*, void*) {}
