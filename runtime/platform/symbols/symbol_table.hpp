// The symbols of an executable or a shared library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace hocket::runtime::platform {

struct FileSymbol {
  enum class Kind { data, function };
  Kind kind;
  std::uintptr_t offset;  ///< from the load address
  std::size_t size;
  std::string_view name;  ///< the linker's; lives during the visit
};

/// Calls `visit` for each variable and function that the file at `path` defines and that has a size. Calls it
/// for none if the file was stripped or cannot be read.
void for_each_symbol_in(const std::string& path, const std::function<void(const FileSymbol&)>& visit);

}  // namespace hocket::runtime::platform
