// Reads the exception tables of the frames on the stack, as the personality routine of the C++ runtime would.
// The format is that of the Itanium C++ ABI's exception handling tables (LSDA), shared by GCC and Clang.
#include "noexcept_barrier.hpp"

#include <cstdint>
#include <cstring>

#include <unwind.h>

namespace hocket::runtime::platform {

namespace {

class TableReader {
 public:
  explicit TableReader(const std::uint8_t* at) : at_(at) {}

  std::uint8_t byte() { return *at_++; }

  std::uint64_t uleb() {
    std::uint64_t value = 0;
    unsigned shift = 0;
    std::uint8_t part = 0;
    do {
      part = byte();
      value |= static_cast<std::uint64_t>(part & 0x7fU) << shift;
      shift += 7;
    } while ((part & 0x80U) != 0);
    return value;
  }

  std::int64_t sleb() {
    std::uint64_t value = 0;
    unsigned shift = 0;
    std::uint8_t part = 0;
    do {
      part = byte();
      value |= static_cast<std::uint64_t>(part & 0x7fU) << shift;
      shift += 7;
    } while ((part & 0x80U) != 0);
    if (shift < 64 && (part & 0x40U) != 0) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }

  /// A value in one of the DW_EH_PE encodings that a call-site table uses.
  std::uint64_t encoded(std::uint8_t encoding) {
    switch (encoding & 0x0fU) {
      case 0x01:
        return uleb();
      case 0x02:
        return fixed<std::uint16_t>();
      case 0x03:
        return fixed<std::uint32_t>();
      case 0x09:
        return static_cast<std::uint64_t>(sleb());
      case 0x0a:
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(fixed<std::int16_t>()));
      case 0x0b:
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(fixed<std::int32_t>()));
      default:
        return fixed<std::uint64_t>();
    }
  }

  [[nodiscard]] const std::uint8_t* at() const { return at_; }

 private:
  template <class T>
  T fixed() {
    T value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  const std::uint8_t* at_;
};

enum class Verdict : std::uint8_t { passes, catches, terminates };

/// Whether the first action with a handler is a catch (...), which catches everything. Handlers of other
/// types do not catch what Hocket throws.
bool has_catch_all(
    const std::uint8_t* actions, std::uint64_t action, const std::uint8_t* types, std::uint8_t encoding) {
  constexpr std::uint8_t kOmitted = 0xff;
  if (action == 0 || types == nullptr || encoding == kOmitted) return false;
  std::size_t width = sizeof(void*);
  if ((encoding & 0x0fU) == 0x02 || (encoding & 0x0fU) == 0x0a) width = 2;
  if ((encoding & 0x0fU) == 0x03 || (encoding & 0x0fU) == 0x0b) width = 4;
  const std::uint8_t* record = actions + action - 1;
  for (;;) {
    TableReader reader(record);
    const std::int64_t filter = reader.sleb();
    const std::uint8_t* link = reader.at();
    const std::int64_t next = reader.sleb();
    if (filter > 0) {
      const std::uint8_t* entry = types - static_cast<std::size_t>(filter) * width;
      bool is_null = true;
      for (std::size_t n = 0; n < width; ++n) is_null &= entry[n] == 0;
      if (is_null) return true;
    }
    if (next == 0) return false;
    record = link + next;
  }
}

/// Whether the landing pad is what Clang makes for the end of a noexcept function: a catch (...) that calls
/// __clang_call_terminate. GCC leaves a gap in the table instead. __clang_call_terminate has no symbol to
/// compare with. But unlike a jump to __cxa_begin_catch, its code begins by saving a register and calling it.
/// It is not recognised where destructors run first.
bool is_clang_terminate(std::uint64_t landing_pad) {
#if defined(__x86_64__)
  constexpr std::uint8_t kEndBranch[] = {0xf3, 0x0f, 0x1e, 0xfa};
  const auto past_end_branch = [&](const std::uint8_t* code) {
    return std::memcmp(code, kEndBranch, sizeof kEndBranch) == 0 ? code + sizeof kEndBranch : code;
  };
  const std::uint8_t* code = past_end_branch(reinterpret_cast<const std::uint8_t*>(landing_pad));
  constexpr std::uint8_t kMoveAndCall[] = {0x48, 0x89, 0xc7, 0xe8};  // mov %rax, %rdi; call …
  if (std::memcmp(code, kMoveAndCall, sizeof kMoveAndCall) != 0) return false;
  std::int32_t distance = 0;
  std::memcpy(&distance, code + sizeof kMoveAndCall, sizeof distance);
  const std::uint8_t* callee = past_end_branch(code + sizeof kMoveAndCall + sizeof distance + distance);
  constexpr std::uint8_t kPushAndCall[] = {0x50, 0xe8};                     // push %rax; call …
  constexpr std::uint8_t kFrameAndCall[] = {0x55, 0x48, 0x89, 0xe5, 0xe8};  // with a frame pointer
  return std::memcmp(callee, kPushAndCall, sizeof kPushAndCall) == 0 ||
         std::memcmp(callee, kFrameAndCall, sizeof kFrameAndCall) == 0;
#else
  static_cast<void>(landing_pad);
  return false;
#endif
}

Verdict judge(const std::uint8_t* table, std::uint64_t function, std::uint64_t ip) {
  constexpr std::uint8_t kOmitted = 0xff;
  TableReader reader(table);
  std::uint64_t landing_pads = function;
  if (const std::uint8_t start_encoding = reader.byte(); start_encoding != kOmitted) {
    landing_pads = reader.encoded(start_encoding);
  }
  const std::uint8_t type_encoding = reader.byte();
  const std::uint8_t* types = nullptr;
  if (type_encoding != kOmitted) {
    const std::uint64_t offset = reader.uleb();
    types = reader.at() + offset;
  }
  const std::uint8_t site_encoding = reader.byte();
  const std::uint64_t length = reader.uleb();
  const std::uint8_t* const actions = reader.at() + length;
  while (reader.at() < actions) {
    const std::uint64_t start = reader.encoded(site_encoding);
    const std::uint64_t size = reader.encoded(site_encoding);
    const std::uint64_t landing_pad = reader.encoded(site_encoding);
    const std::uint64_t action = reader.uleb();
    if (ip < function + start) break;  // the table is sorted, so this is a gap
    if (ip >= function + start + size) continue;
    if (landing_pad == 0) return Verdict::passes;
    if (!has_catch_all(actions, action, types, type_encoding)) return Verdict::passes;
    return is_clang_terminate(landing_pads + landing_pad) ? Verdict::terminates : Verdict::catches;
  }
  return Verdict::terminates;  // a call that is not listed in the table must not throw
}

struct Walk {
  bool terminates = false;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  const auto* table = reinterpret_cast<const std::uint8_t*>(_Unwind_GetLanguageSpecificData(context));
  if (table == nullptr) return _URC_NO_REASON;
  int before_instruction = 0;
  std::uint64_t ip = _Unwind_GetIPInfo(context, &before_instruction);
  if (before_instruction == 0) --ip;
  switch (judge(table, _Unwind_GetRegionStart(context), ip)) {
    case Verdict::passes:
      return _URC_NO_REASON;
    case Verdict::terminates:
      static_cast<Walk*>(argument)->terminates = true;
      return _URC_END_OF_STACK;
    case Verdict::catches:
      return _URC_END_OF_STACK;
  }
  return _URC_NO_REASON;
}

}  // namespace

bool would_terminate() {
  Walk walk;
  _Unwind_Backtrace(&visit, &walk);
  return walk.terminates;
}

}  // namespace hocket::runtime::platform
