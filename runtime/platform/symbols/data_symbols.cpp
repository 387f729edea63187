#include "data_symbols.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "loaded_images.hpp"
#include "symbol_table.hpp"

namespace hocket::runtime::platform {

namespace {

struct Symbol {
  std::uintptr_t offset;
  std::size_t size;
  std::string name;
};

std::vector<Symbol> read_data_symbols(const std::string& path) {
  std::vector<Symbol> symbols;
  for_each_symbol_in(path, [&](const FileSymbol& symbol) {
    if (symbol.kind == FileSymbol::Kind::data)
      symbols.push_back({symbol.offset, symbol.size, std::string(symbol.name)});
  });
  std::sort(
      symbols.begin(), symbols.end(), [](const Symbol& a, const Symbol& b) { return a.offset < b.offset; });
  return symbols;
}

// C names, which are not mangled, could be read as types: "s" is short. Names in libraries have a version:
// "_ZSt4cout@GLIBCXX_3.4".
std::string demangled(std::string name) {
  name.erase(std::min(name.find('@'), name.size()));
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

const std::vector<Symbol>& symbols_of(const Image& image) {
  static auto* const all = new std::map<const Image*, std::vector<Symbol>>;
  const auto [known, is_new] = all->try_emplace(&image);
  if (is_new) known->second = read_data_symbols(image.file.empty() ? "/proc/self/exe" : image.file);
  return known->second;
}

}  // namespace

void for_each_data_symbol(
    std::string_view prefix, const std::function<void(std::uintptr_t, std::size_t)>& visit) {
  const Image& program = main_program();
  for (const Symbol& symbol : symbols_of(program)) {
    if (symbol.name.starts_with(prefix)) visit(program.base + symbol.offset, symbol.size);
  }
}

std::uintptr_t offset_in_this_program(std::uintptr_t address) {
  static const Image& program = main_program();
  return program.contains(address) ? address - program.base : 0;
}

std::string data_symbol_at(std::uintptr_t address) {
  const Image* const image = image_at(address);
  if (image == nullptr) return {};
  const std::vector<Symbol>& symbols = symbols_of(*image);
  const std::uintptr_t offset = address - image->base;
  const auto behind = std::upper_bound(symbols.begin(), symbols.end(), offset,
      [](std::uintptr_t at, const Symbol& symbol) { return at < symbol.offset; });
  if (behind == symbols.begin()) return {};
  const Symbol& symbol = *std::prev(behind);
  const std::size_t inside = offset - symbol.offset;
  if (inside >= symbol.size) return {};
  return demangled(symbol.name) + (inside == 0 ? std::string{} : "+" + std::to_string(inside));
}

}  // namespace hocket::runtime::platform
