#include "address_names.hpp"

#include <array>
#include <map>
#include <optional>

#include <dlfcn.h>
#include <unistd.h>

#include "../../../runtime/diagnosis/trace.hpp"
#include "../../../runtime/diagnosis/values.hpp"
#include "../../../runtime/diagnosis/variable_names.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/platform/symbols/data_symbols.hpp"
#include "../../../runtime/platform/symbols/debug_info.hpp"
#include "../../../runtime/platform/symbols/short_names.hpp"
#include "../host/control_blocks.hpp"
#include "../memory/heap.hpp"
#include "../memory/outer_blocks.hpp"
#include "../restore/outer_maps.hpp"
#include "../restore/shared_maps.hpp"
#include "../shadow/cells.hpp"
#include "block_names.hpp"
#include "outer_names.hpp"

extern "C" void* __libc_stack_end;  // from the loader

namespace hocket::unmodified {

namespace {

using runtime::describe;

using runtime::execution;

using runtime::mix;
using runtime::Part;
using runtime::run;

enum class Area : std::uint64_t {
  heap = 1,
  stack,
  thread_local_storage,
  program,
  elsewhere,
  unstable,
  kept,
  outer_heap,
  mapped,
  outer_map
};

/// The thread whose stack contains the address, and the distance from the top of the stack, where its use
/// begins.
struct OnStack {
  const runtime::Thread& thread;
  std::uintptr_t depth;
};

std::optional<OnStack> find_stack(std::uintptr_t address) {
  for (unsigned t = 0; t < execution.thread_count(); ++t) {
    const runtime::Thread& thread = execution.thread(t);
    const auto top = reinterpret_cast<std::uintptr_t>(thread.stack.top);
    if (address >= reinterpret_cast<std::uintptr_t>(thread.stack.bottom) && address < top)
      return OnStack{thread, top - address};
  }
  return {};
}

/// Whether the address lies on the stack on which main() runs, and usually also the search.
bool is_on_first_stack(std::uintptr_t address) {
  constexpr std::uintptr_t kMost = std::uintptr_t{128} << 20U;  // less than the system leaves free there
  const auto top = reinterpret_cast<std::uintptr_t>(__libc_stack_end);
  return address < top && address >= top - kMost;
}

std::uint64_t name_in(Area area, std::uint64_t owner, std::uint64_t offset) {
  return mix(mix(static_cast<std::uint64_t>(area), owner), offset);
}

std::map<std::uintptr_t, std::string>& given_names() {
  static auto* const all = new std::map<std::uintptr_t, std::string>;
  return *all;
}

/// The approximate beginning of the system's heap: the library is loaded before the program allocates much.
const auto heap_begin = reinterpret_cast<std::uintptr_t>(sbrk(0)) - (std::uintptr_t{1} << 20U);

/// A key for memory whose address is the same in all executions of the process: the system's heap, from which
/// bodies are given nothing, and the data of libraries. 0 if the address is not there.
std::uint64_t key_in_stable_memory(std::uintptr_t address) {
  if (address >= heap_begin && address < reinterpret_cast<std::uintptr_t>(sbrk(0)))
    return name_in(Area::elsewhere, 0, address - heap_begin);
  Dl_info library;
  if (dladdr(reinterpret_cast<void*>(address), &library) == 0) return 0;
  std::string_view file(library.dli_fname);  // without folders, which may differ in another process
  file.remove_prefix(file.rfind('/') + 1);
  std::uint64_t owner = file.size();
  for (const char c : file) owner = mix(owner, static_cast<unsigned char>(c));
  return name_in(Area::elsewhere, owner, address - reinterpret_cast<std::uintptr_t>(library.dli_fbase));
}

/// For each thread: how many objects without a better name it was the first to use.
constinit std::array<std::uint64_t, runtime::kMaxThreads> first_used{};
constinit bool is_any_first_used = false;

/// How many names have been given for each kind and owner.
std::map<std::string, unsigned>& numbers() {
  static auto* const all = new std::map<std::string, unsigned>;
  return *all;
}

std::string plus(std::ptrdiff_t offset) {
  return offset == 0 ? std::string{} : "+" + std::to_string(offset);
}

/// Blocks of the outer heap that are reached from stacks or libraries and not from a variable, numbered in
/// the order of their use.
std::map<std::uintptr_t, std::size_t>& unknown_blocks() {
  static auto* const all = new std::map<std::uintptr_t, std::size_t>;
  return *all;
}

/// "node->lock", "lock of Node (made at stack.hpp:31)"; empty if the address is in no block of the heap that
/// is in use, or nothing is known of it.
std::string name_in_block_at(std::uintptr_t address, Part part) {
  if (!Heap::contains(address) || !heap().distance_of(address)) return {};
  const Heap::Location at = heap().locate(address);
  if (at.block == nullptr || at.offset < 0) return {};
  const auto offset = static_cast<std::size_t>(at.offset);
  if (offset >= at.block->size) return {};
  const runtime::HeapBlock block{at.block->address, at.block->size};
  if (std::string name = runtime::name_by_pointers(address, part, block, runtime::Pointers::of_owners);
      !name.empty())
    return name;
  // A pointer that is free to change says less than what the block is.
  NameInBlock made = name_in_block(block.begin, block.size, offset, part);
  if (made.has_type) return made.text;
  std::string name = runtime::name_by_pointers(address, part, block, runtime::Pointers::all);
  return name.empty() ? made.text : name;
}

/// "counter of thread 1"; empty if the address is not that of a thread_local variable whose name is known.
std::string name_of_thread_local(std::uintptr_t address, Part part) {
  for (unsigned t = 0; t < execution.thread_count(); ++t) {
    const std::optional<PlaceInModule> at = place_in_control_block(t, address);
    if (!at) continue;
    std::string name = runtime::remembered(address, part,
        runtime::platform::name_in_thread_storage(at->module, at->offset, runtime::size_of(part)));
    const std::size_t end = run.recording ? run.trace()->in_short(name).size() : name.size();
    return name.empty() ? name : name.insert(end, " of " + describe(execution.thread(t)));
  }
  return {};
}

std::string name_in_outer(std::uintptr_t block) {
  if (std::string name = name_of_outer_block(block); !name.empty()) return name;
  const auto known = unknown_blocks().emplace(block, unknown_blocks().size() + 1).first;
  return "block " + std::to_string(known->second) + " from before the search";
}

}  // namespace

std::uint64_t key_of(std::uintptr_t address) {
  if (Heap::contains(address)) {
    const std::uintptr_t in_heap = address - Heap::kBegin;
    const std::optional<std::uintptr_t> distance = heap().distance_of(address);
    if (!distance) return name_in(Area::kept, 0, in_heap);
    const auto part = static_cast<unsigned>(in_heap / Heap::kSizeOfPart);
    return name_in(Area::heap, execution.thread(part).key, *distance);
  }
  if (OuterHeap::contains(address)) return name_in(Area::outer_heap, 0, address - OuterHeap::kBegin);
  if (const std::optional<OnStack> on = find_stack(address))
    return name_in(Area::stack, on->thread.key, on->depth);
  if (const std::uintptr_t offset = runtime::platform::offset_in_this_program(address); offset != 0)
    return name_in(Area::program, 0, offset);
  for (unsigned t = 0; t < execution.thread_count(); ++t) {
    const runtime::Thread& thread = execution.thread(t);
    if (const auto distance = distance_in_control_block(t, address))
      return name_in(Area::thread_local_storage, thread.key, *distance);
  }
  if (const std::uint64_t key = key_in_shared_map(address); key != 0) return name_in(Area::mapped, 0, key);
  if (const std::uint64_t key = key_in_outer_map(address); key != 0) return name_in(Area::outer_map, 0, key);
  if (const std::uint64_t key = key_in_stable_memory(address); key != 0) return key;
  // The memory comes from another allocator, which returns different addresses each time.
  is_any_first_used = true;
  return name_in(Area::unstable, run.current->key, ++first_used[run.current->index]);
}

/// "the guard of table in Cache::find" for "guard variable for Cache::find(int)::table", which the language
/// asks for where a static variable of a function is made. Other symbols as they are.
std::string guard_in_words(std::string symbol) {
  constexpr std::string_view kGuard = "guard variable for ";
  if (!symbol.starts_with(kGuard)) return symbol;
  symbol.erase(0, kGuard.size());
  const std::string_view whole = symbol;
  const std::size_t end = whole.rfind("::");
  const std::string_view scope = whole.substr(0, end == std::string_view::npos ? 0 : end);
  const bool is_function = scope.ends_with(')') || scope.ends_with(" const");
  std::string text = "the guard of ";
  text += is_function ? whole.substr(end + 2) : whole;
  const std::string function = is_function ? runtime::platform::short_function_name(scope) : std::string{};
  const bool is_body = function.starts_with("body of ") || function.ends_with("::TestBody");
  if (!function.empty() && !is_body) text.append(" in ").append(function);
  return text;
}

std::string name_of(std::string_view kind, std::uintptr_t address, Part part) {
  if (const auto given = given_names().find(address); given != given_names().end()) return given->second;
  const auto of = [](const runtime::Thread& thread) {
    return thread.creator == nullptr ? std::string{} : " of " + describe(thread);
  };
  if (Heap::contains(address)) {
    const Heap::Location at = heap().locate(address);
    if (!heap().distance_of(address)) return "a kept block" + plus(at.offset);
    if (std::string name = name_in_block_at(address, part); !name.empty()) return name;
    return "block " + std::to_string(at.number) + of(execution.thread(at.thread)) + plus(at.offset);
  }
  if (OuterHeap::contains(address)) {
    if (const OuterHeap::Block block = outer_heap().find(address); block.address != 0) {
      std::string name =
          runtime::name_by_pointers(address, part, {block.address, block.size}, runtime::Pointers::all);
      if (!name.empty()) return name;
      return name_in_outer(block.address) + plus(static_cast<std::ptrdiff_t>(address - block.address));
    }
  }
  if (std::string symbol = runtime::platform::data_symbol_at(address); !symbol.empty()) {
    const std::string name = runtime::remembered(
        address, part, runtime::platform::name_in_static_storage(address, runtime::size_of(part)));
    return name.empty() ? guard_in_words(std::move(symbol)) : name;
  }
  if (std::string name = name_of_thread_local(address, part); !name.empty()) return name;
  std::string counted(kind);
  std::string owner;
  if (const std::optional<OnStack> on = find_stack(address)) {
    if (std::string name = runtime::name_of_local(on->thread, address, part); !name.empty()) return name;
    owner = of(on->thread);
    if (kind == kVariable) {
      counted = "local variable";
      owner = " of " + describe(on->thread);
    }
  } else if (is_on_first_stack(address)) {
    if (kind == kVariable) counted = "local variable";
    owner = " from outside the body";
  } else if (std::string name = runtime::name_by_pointers(address, part, {}, runtime::Pointers::all);
             !name.empty()) {
    return name;
  }
  return counted + " " + std::to_string(++numbers()[counted + owner]) + owner;
}

namespace {

/// Whether the name does not depend on when it is asked for, or had better be asked for late.
bool is_named_late(std::uintptr_t address) {
  return Heap::contains(address) || OuterHeap::contains(address) ||
         !runtime::platform::data_symbol_at(address).empty();
}

}  // namespace

std::string name_of_found(std::string_view kind, std::uintptr_t address) {
  const bool waits = is_named_late(address) && !given_names().contains(address);
  return waits ? std::string{} : name_of(kind, address);
}

void give_name(std::uintptr_t address, std::string_view name) {
  given_names()[address] = name;
}

namespace {

/// Where the value of the current thread's last step is, or 0.
std::uintptr_t place_of_step() {
  const runtime::Object* const object = run.current->pending.object;
  const Cell* const cell = object != nullptr ? as_cell(*object) : nullptr;
  return cell != nullptr ? cell->address : 0;
}

bool is_in_known_memory(std::uintptr_t address) {
  const bool is_in_heap =
      Heap::contains(address) && (address - Heap::kBegin) / Heap::kSizeOfPart < execution.thread_count();
  return is_in_heap || (OuterHeap::contains(address) && outer_heap().find(address).address != 0) ||
         find_stack(address) || !runtime::platform::data_symbol_at(address).empty();
}

/// What a pointer points to, as pointer_text() shows it.
std::string name_of_pointed_to(std::uintptr_t address) {
  if (const std::optional<OnStack> on = find_stack(address)) {
    std::string name = runtime::name_of_local(on->thread, address, Part::largest);
    return name.empty() ? "a local variable" : name;
  }
  return is_in_known_memory(address) ? name_of(kVariable, address, Part::largest) : std::string{};
}

[[maybe_unused]] const bool is_registered = [] {
  runtime::name_of_memory = [](std::uintptr_t address, Part part) {
    return is_named_late(address) ? name_of(kVariable, address, part) : std::string{};
  };
  runtime::found_memory = {[](const runtime::Object& object) {
                             const Cell* const cell = as_cell(object);
                             return cell != nullptr ? cell->address : 0;
                           },
      [](std::uintptr_t address) { return name_of(kVariable, address); }};
  runtime::name_of_target = &name_of_pointed_to;
  return true;
}();

}  // namespace

std::string text_of_number(std::uint64_t number, std::size_t bytes) {
  if (std::string text = runtime::text_of_known(place_of_step(), number, bytes); !text.empty()) return text;
  if (bytes == sizeof(std::uintptr_t) && is_in_known_memory(number)) return runtime::pointer_text(number);
  // A value close to the largest one is more likely to be a negative number.
  constexpr std::uint64_t kFew = 1000;
  const std::uint64_t largest = ~std::uint64_t{0} >> (64 - 8 * bytes);
  if (bytes > 1 && largest - number < kFew) return "-" + std::to_string(largest - number + 1);
  return runtime::number_text(number);
}

void forget_names() {
  given_names().clear();
  numbers().clear();
  forget_blocks();
  if (is_any_first_used) first_used = {};
  is_any_first_used = false;
  unknown_blocks().clear();
}

}  // namespace hocket::unmodified
