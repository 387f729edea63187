#include "call_site.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <unwind.h>

#include "debug_info.hpp"
#include "loaded_images.hpp"
#include "stack_frames.hpp"
#include "stack_walk.hpp"
#include "symbol_table.hpp"
#include "user_code.hpp"

namespace hocket::runtime::platform {

namespace {

constexpr std::size_t kMostFrames = 128;

/// The functions of the machine instruction at `address`, those that are inlined there first. Only those
/// whose lines are known.
const std::vector<StackFrame>& origins_of_instruction(std::uintptr_t address) {
  static auto* const known = new std::unordered_map<std::uintptr_t, std::vector<StackFrame>>;
  const auto [entry, is_new] = known->try_emplace(address);
  if (is_new && image_at(address) != nullptr) {
    entry->second = frames_at(address);
    std::erase_if(entry->second, [](const StackFrame& frame) { return frame.line == 0; });
  }
  return entry->second;
}

/// The place of the frame. Places point to names of files, so these are never freed.
Where place_of_frame(const StackFrame& frame) {
  static auto* const files = new std::unordered_set<std::string>;
  return Where::current(files->insert(frame.file).first->c_str(), frame.line);
}

/// The innermost of those functions that is in the user's code, or nullptr.
const StackFrame* user_function_of_instruction(std::uintptr_t address) {
  for (const StackFrame& frame : origins_of_instruction(address)) {
    if (holds_user_code(frame.file)) return &frame;
  }
  return nullptr;
}

/// Its place, or no place.
Where user_code_of_instruction(std::uintptr_t address) {
  const StackFrame* const frame = user_function_of_instruction(address);
  return frame != nullptr ? place_of_frame(*frame) : Where{};
}

/// A function in a symbol table, by offsets from the load address.
struct Function {
  std::uintptr_t begin;
  std::uintptr_t end;
  std::string name;  ///< without what marks a part of it, as in "_ZN4main.cold"
};

/// The functions of a program or library in the order of their addresses.
const std::vector<Function>& functions_of(const Image& image) {
  static auto* const known = new std::unordered_map<const Image*, std::vector<Function>>;
  const auto [entry, is_new] = known->try_emplace(&image);
  std::vector<Function>& functions = entry->second;
  if (!is_new) return functions;
  for_each_symbol_in(image.file.empty() ? "/proc/self/exe" : image.file, [&](const FileSymbol& symbol) {
    if (symbol.kind != FileSymbol::Kind::function) return;
    const std::string_view name = symbol.name.substr(0, symbol.name.find('.', 1));
    functions.push_back({symbol.offset, symbol.offset + symbol.size, std::string(name)});
  });
  std::sort(functions.begin(), functions.end(),
      [](const Function& one, const Function& other) { return one.begin < other.begin; });
  return functions;
}

struct Walk {
  std::array<std::uintptr_t, kMostFrames> addresses;
  std::size_t size = 0;
  std::size_t most = kMostFrames;
};

volatile std::sig_atomic_t looking_up = 0;

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  int before_instruction = 0;
  std::uintptr_t address = _Unwind_GetIPInfo(context, &before_instruction);
  // A return address is that of the next instruction, which may belong to another line.
  if (before_instruction == 0) --address;
  if (image_at(address) != nullptr) walk.addresses[walk.size++] = address;
  return walk.size < walk.most ? _URC_NO_REASON : _URC_END_OF_STACK;
}

Where user_code_among(std::span<const std::uintptr_t> addresses) {
  Where found;
  for (std::size_t n = 0; n < addresses.size() && found.line() == 0; ++n)
    found = user_code_of_instruction(addresses[n]);
  return found;
}

}  // namespace

bool is_looking_up_places() {
  return looking_up != 0;
}

Where user_call_site(const Where& where) {
  if (where.line() != 0 && holds_user_code(where.file_name())) return where;
  const int user_errno = errno;
  looking_up = 1;
  Walk walk;
  if (!has_no_debug_info()) walk_stack(&visit, &walk);
  const Where found = user_code_among(std::span(walk.addresses).first(walk.size));
  looking_up = 0;
  errno = user_errno;
  return found;
}

std::vector<std::uintptr_t> calling_stack(std::size_t most) {
  const int user_errno = errno;
  Walk walk;
  walk.most = std::min(most + 1, kMostFrames);
  walk_stack(&visit, &walk);
  errno = user_errno;
  // The first frame is that of walk_stack().
  const auto first = walk.addresses.begin() + (walk.size != 0 ? 1 : 0);
  return {first, walk.addresses.begin() + static_cast<std::ptrdiff_t>(walk.size)};
}

Where user_code_on(std::span<const std::uintptr_t> stack) {
  if (has_no_debug_info()) return {};
  const int user_errno = errno;
  looking_up = 1;
  const Where found = user_code_among(stack);
  looking_up = 0;
  errno = user_errno;
  return found;
}

namespace {

/// The functions of the user's code at the addresses that user_function_on_stack() has come by; nullptr if
/// there is none.
using UserFunctions = std::unordered_map<std::uintptr_t, const StackFrame*>;

/// A walk that ends where it comes to an address at which there is one.
struct WalkToUserCode : Walk {
  const UserFunctions& known;
  const StackFrame* found = nullptr;
};

_Unwind_Reason_Code visit_until_known(_Unwind_Context* context, void* argument) {
  WalkToUserCode& walk = *static_cast<WalkToUserCode*>(argument);
  const std::size_t before = walk.size;
  const _Unwind_Reason_Code goes_on = visit(context, static_cast<Walk*>(&walk));
  if (walk.size == before) return goes_on;
  const auto function = walk.known.find(walk.addresses[before]);
  if (function != walk.known.end()) walk.found = function->second;
  return walk.found == nullptr ? goes_on : _URC_END_OF_STACK;
}

}  // namespace

const StackFrame* user_function_on_stack() {
  static auto* const known = new UserFunctions;
  if (has_no_debug_info()) return nullptr;
  const int user_errno = errno;
  looking_up = 1;
  WalkToUserCode walk{{}, *known};
  walk_stack(&visit_until_known, &walk);
  for (std::size_t n = 0; n < walk.size && walk.found == nullptr; ++n) {
    const auto [entry, is_new] = known->try_emplace(walk.addresses[n]);
    if (is_new) entry->second = user_function_of_instruction(walk.addresses[n]);
    walk.found = entry->second;
  }
  looking_up = 0;
  errno = user_errno;
  return walk.found;
}

std::vector<StackFrame> frames_of(std::span<const std::uintptr_t> stack) {
  std::vector<StackFrame> frames;
  if (has_no_debug_info()) return frames;
  const int user_errno = errno;
  looking_up = 1;
  for (const std::uintptr_t address : stack) {
    const std::vector<StackFrame>& here = origins_of_instruction(address);
    frames.insert(frames.end(), here.begin(), here.end());
  }
  looking_up = 0;
  errno = user_errno;
  return frames;
}

namespace {

/// The result of `ask` for the address of the call that returns to `return_address`.
template <class Ask>
auto ask_of_call(const void* return_address, Ask&& ask) -> decltype(ask(std::uintptr_t{})) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  if (image_at(address) == nullptr || has_no_debug_info()) return {};
  const int user_errno = errno;
  looking_up = 1;
  const auto answer = ask(address);
  looking_up = 0;
  errno = user_errno;
  return answer;
}

}  // namespace

Where user_code_at(const void* return_address) {
  return ask_of_call(return_address, &user_code_of_instruction);
}

std::string_view function_with(const void* return_address) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  const Image* const image = image_at(address);
  if (image == nullptr) return {};
  const std::vector<Function>& functions = functions_of(*image);
  const auto next = std::upper_bound(functions.begin(), functions.end(), address - image->base,
      [](std::uintptr_t offset, const Function& function) { return offset < function.begin; });
  if (next == functions.begin() || address - image->base >= std::prev(next)->end) return {};
  return std::prev(next)->name;
}

bool passes_through(const void* return_address, std::string_view file) {
  return ask_of_call(return_address, [file](std::uintptr_t address) {
    const std::vector<StackFrame>& origins = origins_of_instruction(address);
    return std::any_of(origins.begin(), origins.end(),
        [file](const StackFrame& frame) { return std::string_view(frame.file).ends_with(file); });
  });
}

}  // namespace hocket::runtime::platform
