// The entry points of libatomic for atomics of any size, such as a std::atomic of three words. Atomics of a
// size that the machine can access at once are handled like those for which no such call is made.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../../runtime/execution/recording.hpp"
#include "../../../runtime/platform/spin_lock.hpp"
#include "../host/call_origin.hpp"
#include "memory_atomic.hpp"

namespace hocket::unmodified {

namespace {

using runtime::Access;
using runtime::run;
namespace recording = runtime::recording;
using runtime::Operation;
using runtime::VarAccess;
using runtime::Where;

/// Like detail::ModelledCell, for a number of bytes that no machine reads at once. Their object is one cell
/// of the shadow memory, which is kept with their first granule. The bytes in later granules are also checked
/// for races.
class ModelledBytes {
 public:
  explicit ModelledBytes(Cell& cell) : cell_(cell) {}

  /// Whether the newest value equals this one.
  [[nodiscard]] bool is_newest(const void* value) const {
    return std::memcmp(bytes(), value, cell_.size) == 0;
  }
  /// The fingerprint of the newest value.
  [[nodiscard]] std::uint64_t fingerprint() const { return fingerprint_of_bytes(bytes(), cell_.size); }

  void read(bool counts, Operation operation, int order, void* result) const {
    if (counts) act(operation, Access::read, order);
    std::memcpy(result, bytes(), cell_.size);
  }
  /// `before`: where to store the previous value, or nullptr.
  void write(bool counts, Operation operation, int order, const void* desired, void* before) const {
    if (counts) act(operation, Access::write, order);
    if (before != nullptr) std::memcpy(before, bytes(), cell_.size);
    std::memcpy(bytes(), desired, cell_.size);
  }

 private:
  [[nodiscard]] void* bytes() const { return reinterpret_cast<void*>(cell_.address); }

  void act(Operation operation, Access how, int order) const {
    check_atomic_access(cell_.address, cell_.size);
    runtime::step::prepare(cell_);
    unite_order_of(cell_);
    runtime::step::act(cell_, operation, how, order_of(order));
    const VarAccess access = how == Access::read ? VarAccess::atomic_read : VarAccess::atomic_write;
    if (cell_.has(Cell::kOverlaps)) Cells::check_others(cell_, access);
    const std::uintptr_t end = cell_.address + cell_.size;
    for (std::uintptr_t at = (cell_.address / Cells::kGranule + 1) * Cells::kGranule; at < end;
         at += Cells::kGranule) {
      const std::uintptr_t left = end - at < Cells::kGranule ? end - at : Cells::kGranule;
      Cell& rest = cells().find(at, static_cast<std::uint32_t>(left));
      runtime::step::access(rest, access, Where{});
      if (rest.has(Cell::kOverlaps)) Cells::check_others(rest, access);
    }
  }

  Cell& cell_;
};

/// The operations on such a number of bytes.
class BytesAtomic {
 public:
  BytesAtomic(const volatile void* at, std::size_t size)
      : cell_(atomic_cell(reinterpret_cast<std::uintptr_t>(at), size)), shared_(cell_), bytes_(cell_) {}

  void read(void* result, int order) const {
    Look look;
    const bool counts = arrive(Operation::atomic_load, order, order);
    bytes_.read(counts, Operation::atomic_load, order, result);
    look.found(cell_, bytes_.fingerprint(), true);
  }
  void write(Operation operation, const void* desired, void* before, int order) const {
    Look look;
    const bool counts = arrive(operation, order, order);
    const bool is_silent = bytes_.is_newest(desired);
    bytes_.write(counts, operation, order, desired, before);
    look.found(cell_, bytes_.fingerprint(), is_silent);
  }
  bool compare_exchange(void* expected, const void* desired, int success, int failure) const {
    constexpr Operation kOperation = Operation::atomic_compare_exchange;
    Look look;
    if (run.attention == runtime::Attention::to_all)
      runtime::step::expect(fingerprint_of_bytes(expected, cell_.size), false);
    const bool counts = arrive(kOperation, success, failure);
    const bool succeeds = bytes_.is_newest(expected);
    const bool is_silent = !succeeds || bytes_.is_newest(desired);
    if (succeeds) {
      bytes_.write(counts, kOperation, success, desired, nullptr);
    } else {
      bytes_.read(counts, kOperation, failure, expected);
    }
    if (run.recording) recording::note_outcome(succeeds);
    look.found(cell_, bytes_.fingerprint(), is_silent);
    return succeeds;
  }

 private:
  /// Returns whether the operation is modelled. It is not while the execution is being ended.
  [[nodiscard]] bool arrive(Operation operation, int success, int failure) const {
    if (!runtime::step::arrive(cell_, operation, true, Where{})) return false;
    runtime::step::note_order(&cell_, operation, order_of(success), order_of(failure), Where{});
    return true;
  }

  Cell& cell_;
  TouchesShared shared_;
  ModelledBytes bytes_;
};

/// Calls `run` with an integer of `size` bytes if the machine can do such an operation there at once.
template <class Run>
bool is_done_at_once(std::size_t size, const volatile void* at, Run run_on) {
  if (size == 0 || reinterpret_cast<std::uintptr_t>(at) % size != 0) return false;
  switch (size) {
    case 1:
      return run_on(std::uint8_t{}), true;
    case 2:
      return run_on(std::uint16_t{}), true;
    case 4:
      return run_on(std::uint32_t{}), true;
    case 8:
      return run_on(std::uint64_t{}), true;
    case 16:
      return run_on(TwoWords{}), true;
    default:
      return false;
  }
}

template <class T>
T value_at(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Guards all atomics outside bodies. The machine's own operations on small atomics do not take this lock.
/// That is safe because for a given object compilers call these functions always or never.
struct OutsideAtomics;
using OutsideLock = runtime::platform::SpinLock<OutsideAtomics>;

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside
using hocket::runtime::Operation;

extern "C" {

// These are names of builtins, which cannot be defined directly.
void load_bytes(std::size_t size, const volatile void* at, void* result, int order) __asm__("__atomic_load");
void store_bytes(std::size_t size, volatile void* at, const void* desired, int order) __asm__(
    "__atomic_store");
void exchange_bytes(std::size_t size, volatile void* at, const void* desired, void* before,
    int order) __asm__("__atomic_exchange");
bool compare_exchange_bytes(std::size_t size, volatile void* at, void* expected, const void* desired,
    int success, int failure) __asm__("__atomic_compare_exchange");

void load_bytes(std::size_t size, const volatile void* at, void* result, int order) {
  if (!is_from_body()) {
    const OutsideLock lock;
    std::memcpy(result, const_cast<const void*>(at), size);
    return;
  }
  HOCKET_CALLED_FROM_BODY();
  const auto at_once = [&]<class T>(T) {
    const T found = load<T>(at, order);
    std::memcpy(result, &found, sizeof found);
  };
  if (!is_done_at_once(size, at, at_once)) BytesAtomic(at, size).read(result, order);
}

void store_bytes(std::size_t size, volatile void* at, const void* desired, int order) {
  if (!is_from_body()) {
    const OutsideLock lock;
    std::memcpy(const_cast<void*>(at), desired, size);
    return;
  }
  HOCKET_CALLED_FROM_BODY();
  const auto at_once = [&]<class T>(T) { store<T>(at, value_at<T>(desired), order); };
  if (!is_done_at_once(size, at, at_once))
    BytesAtomic(at, size).write(Operation::atomic_store, desired, nullptr, order);
}

void exchange_bytes(std::size_t size, volatile void* at, const void* desired, void* before, int order) {
  if (!is_from_body()) {
    const OutsideLock lock;
    std::memcpy(before, const_cast<const void*>(at), size);
    std::memcpy(const_cast<void*>(at), desired, size);
    return;
  }
  HOCKET_CALLED_FROM_BODY();
  const auto at_once = [&]<class T>(T) {
    const T found = exchange<T>(at, value_at<T>(desired), order);
    std::memcpy(before, &found, sizeof found);
  };
  if (!is_done_at_once(size, at, at_once))
    BytesAtomic(at, size).write(Operation::atomic_exchange, desired, before, order);
}

bool compare_exchange_bytes(
    std::size_t size, volatile void* at, void* expected, const void* desired, int success, int failure) {
  if (!is_from_body()) {
    const OutsideLock lock;
    const bool succeeds = std::memcmp(const_cast<const void*>(at), expected, size) == 0;
    std::memcpy(
        succeeds ? const_cast<void*>(at) : expected, succeeds ? desired : const_cast<const void*>(at), size);
    return succeeds;
  }
  HOCKET_CALLED_FROM_BODY();
  bool succeeds = false;
  const auto at_once = [&]<class T>(T) {
    T found = value_at<T>(expected);
    succeeds = compare_exchange<T>(at, found, value_at<T>(desired), false, success, failure);
    std::memcpy(expected, &found, sizeof found);
  };
  if (is_done_at_once(size, at, at_once)) return succeeds;
  return BytesAtomic(at, size).compare_exchange(expected, desired, success, failure);
}

}  // extern "C"
