#include "library_waits.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../../../runtime/platform/symbols/loaded_images.hpp"
#include "../../../runtime/platform/symbols/symbol_table.hpp"

namespace hocket::unmodified {

namespace {

using runtime::platform::FileSymbol;

/// Parts of the linker names of the functions with which libstdc++ waits. Hocket's headers define none of
/// them.
constexpr std::array<std::string_view, 5> kOfLibrary{
    "__waiter_pool", "__waiter_base", "__atomic_semaphore", "__platform_waitI", "__tree_barrier"};
/// The library's table of those who wait. Where its functions are inlined, the code refers to it.
constexpr std::string_view kTable = "_ZZNSt8__detail18__waiter_pool_base6_S_forEPKvE3__w";
/// Hocket's headers define it where they leave the waits to a library that they do not know.
constexpr std::string_view kLeftToLibrary = "hocket_waits_are_the_librarys";

struct Code {
  std::uintptr_t begin;
  std::uintptr_t end;

  [[nodiscard]] bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
};

/// What the program's symbols say.
struct Symbols {
  std::vector<std::uintptr_t> hooks;
  bool has_any_of_library = false;
  Code table{};
  bool are_left_to_library = false;
};

Code place_of(const FileSymbol& symbol) {
  const std::uintptr_t begin = runtime::platform::main_program().base + symbol.offset;
  return {begin, begin + symbol.size};
}

template <class Visit>
void for_each_symbol(Visit visit) {
  runtime::platform::for_each_symbol_in("/proc/self/exe", visit);
}

bool is_of_library(std::string_view name) {
  // Nearly all other names are told by their beginning: these are in or of classes of std that begin with __.
  const auto skip = [&name](std::string_view letters) {
    name.remove_prefix(std::min(name.size(), name.find_first_not_of(letters)));
  };
  skip("_ZNK");
  if (!name.starts_with("St")) return false;
  name.remove_prefix(2);
  skip("0123456789");
  return name.starts_with("__") &&
         std::any_of(kOfLibrary.begin(), kOfLibrary.end(),
             [name](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

Symbols read_symbols() {
  Symbols found;
  for_each_symbol([&](const FileSymbol& symbol) {
    const bool is_function = symbol.kind == FileSymbol::Kind::function;
    if (is_function && symbol.name.starts_with("__tsan_")) {
      found.hooks.push_back(place_of(symbol).begin);
    } else if (is_function && is_of_library(symbol.name)) {
      found.has_any_of_library = true;
    } else if (!is_function && symbol.name == kTable) {
      found.table = place_of(symbol);
    } else if (symbol.name == kLeftToLibrary) {
      found.are_left_to_library = true;
    }
  });
  std::sort(found.hooks.begin(), found.hooks.end());
  return found;
}

std::uintptr_t plus(std::uintptr_t address, std::int32_t distance) {
  return address + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(distance));
}

/// A number in the code, of four bytes, and the bytes before it, which say what it is.
struct Operand {
  const unsigned char* at;

  [[nodiscard]] std::int32_t value() const {
    std::int32_t number = 0;
    std::memcpy(&number, at, sizeof number);
    return number;
  }
  /// The address that it means, if it is a distance from the next instruction.
  [[nodiscard]] std::uintptr_t target() const {
    return plus(reinterpret_cast<std::uintptr_t>(at) + sizeof(std::int32_t), value());
  }
  [[nodiscard]] bool is_of_call() const { return at[-1] == 0xe8; }
  /// lea DISTANCE(%rip), REGISTER
  [[nodiscard]] bool is_of_address() const { return (at[-1] & 0xc7U) == 0x05 && at[-2] == 0x8d; }
};

template <class Is>
bool has_operand(const Code& code, Is is) {
  constexpr std::size_t kMostBefore = 2;
  for (std::uintptr_t at = code.begin + kMostBefore; at + sizeof(std::int32_t) <= code.end; ++at) {
    if (is(Operand{reinterpret_cast<const unsigned char*>(at)})) return true;
  }
  return false;
}

/// Whether the code calls a hook, as instrumented code does.
bool calls_hook(const Code& code, const std::vector<std::uintptr_t>& hooks) {
  return has_operand(code, [&](const Operand& operand) {
    return operand.is_of_call() && std::binary_search(hooks.begin(), hooks.end(), operand.target());
  });
}

bool refers_to(const Code& target, const Code& code) {
  return has_operand(code, [&](const Operand& operand) {
    if (operand.is_of_address()) return target.contains(operand.target());
    return target.begin == static_cast<std::uint32_t>(operand.value());  // where addresses have four bytes
  });
}

/// The linker name of a function with hooks that waits as the library has it, or empty.
std::string find_function() {
  const Symbols symbols = read_symbols();
  const bool has_table = symbols.table.end != 0;
  if (symbols.are_left_to_library || (!symbols.has_any_of_library && !has_table)) return {};
  std::string found;
  for_each_symbol([&](const FileSymbol& symbol) {
    if (!found.empty() || symbol.kind != FileSymbol::Kind::function) return;
    const Code code = place_of(symbol);
    const bool waits = is_of_library(symbol.name) || (has_table && refers_to(symbols.table, code));
    if (waits && calls_hook(code, symbols.hooks)) found = symbol.name;
  });
  return found;
}

}  // namespace

void warn_of_library_waits() {
  const std::string function = find_function();
  if (function.empty()) return;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(
      abi::__cxa_demangle(function.c_str(), nullptr, nullptr, &status), std::free);
  std::fprintf(stderr,
      "hocket: warning: %s is instrumented, and waits as the C++ library's own headers have it: each of the "
      "many looks of std::atomic::wait, semaphores, latches and barriers is a step then, and may seem to be "
      "a livelock. Compile instrumented code as hocket_instrument() does, with the folder libstdcxx of "
      "Hocket's CMake package before the library's headers (-isystem)\n",
      status == 0 ? readable.get() : function.c_str());
}

}  // namespace hocket::unmodified
