#include "variables.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <dwarf.h>

#include "functions.hpp"
#include "types.hpp"
#include "unwinding.hpp"

namespace hocket::debug_info {

std::string with_path(std::string name, const std::string& path) {
  const std::size_t function = name.find(" in ");
  name.insert(function == std::string::npos ? name.size() : function, path);
  return name;
}

namespace {

/// Where a variable is for code at `code`.
std::optional<Located> place_of(Dwarf_Die& variable, std::uint64_t code, const Surroundings& around) {
  Dwarf_Attribute attribute;
  if (dwarf_attr(&variable, DW_AT_location, &attribute) == nullptr) return {};
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_getlocation_addr(&attribute, code - around.bias, &operations, &count, 1) != 1) return {};
  return evaluate(operations, count, around, &attribute);
}

/// The address of a variable, where it has one for code at `code`.
std::optional<std::uint64_t> address_of(Dwarf_Die& variable, std::uint64_t code, const Surroundings& around) {
  const std::optional<Located> located = place_of(variable, code, around);
  if (!located || !located->is_address) return {};
  return located->value;
}

/// All variables and parameters in a block and in the blocks and inlined functions within it.
void add_variables(Dwarf_Die scope, bool with_blocks, std::vector<Dwarf_Die>& into) {
  Dwarf_Die child;
  for (bool more = dwarf_child(&scope, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) into.push_back(child);
    if (with_blocks && (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine))
      add_variables(child, true, into);
  }
}

/// Whether the expression is an offset in a thread's storage, and an operation that makes it an address.
bool is_in_thread_storage(const Dwarf_Op* operations, std::size_t count) {
  return count == 2 &&
         (operations[1].atom == DW_OP_form_tls_address || operations[1].atom == DW_OP_GNU_push_tls_address);
}

std::optional<std::uint64_t> frame_base_of(
    Dwarf_Die& function, std::uint64_t code, const Surroundings& around) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute) == nullptr) return {};
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_getlocation_addr(&attribute, code - around.bias, &operations, &count, 1) != 1) return {};
  const std::optional<Located> located = evaluate(operations, count, around, &attribute);
  if (!located) return {};
  return located->value;  // an address, or the register that contains it
}

bool is_namespace_of_library(Dwarf_Die& scope) {
  const char* const name = dwarf_diename(&scope);
  if (name == nullptr) return false;
  constexpr std::array<std::string_view, 6> kLibraries{
      "std", "__gnu_cxx", "testing", "hocket", "Catch", "doctest"};
  return std::find(kLibraries.begin(), kLibraries.end(), name) != kLibraries.end();
}

/// Whether the variable is defined outside of the namespace that it is declared in, and that is a library's.
/// Hocket's own variables are described, too, where the program was built together with it.
bool is_declared_by_library(Dwarf_Die& variable) {
  return dwarf_hasattr(&variable, DW_AT_specification) != 0 &&
         is_of_library(std::string_view(full_name(variable)));
}

}  // namespace

void Variables::collect(
    Dwarf_Die scope, const File& file, bool with_functions, bool is_of_program, Index& into) {
  Dwarf_Die child;
  for (bool more = dwarf_child(&scope, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0) {
    switch (dwarf_tag(&child)) {
      case DW_TAG_variable: {
        const Surroundings around{nullptr, {}, {}, file.bias, nullptr};
        Dwarf_Attribute attribute;
        Dwarf_Op* operations = nullptr;
        std::size_t count = 0;
        if (dwarf_attr(&child, DW_AT_location, &attribute) == nullptr ||
            dwarf_getlocation(&attribute, &operations, &count) != 0)
          break;
        const bool is_thread_local = is_in_thread_storage(operations, count);
        if (count != 1 && !is_thread_local) break;
        const std::optional<Located> located = evaluate(operations, 1, around, &attribute);
        const std::optional<Dwarf_Die> type = type_of(child);
        if (!located || !located->is_address || !type) break;
        const std::uint64_t size = size_of(*type).value_or(0);
        if (size == 0) break;
        (is_thread_local ? into.thread_locals : into.by_begin)[located->value] = {
            located->value + size, child, is_of_program && !is_declared_by_library(child)};
        break;
      }
      case DW_TAG_namespace:
        collect(child, file, with_functions, is_of_program && !is_namespace_of_library(child), into);
        break;
      case DW_TAG_subprogram:
      case DW_TAG_lexical_block:
      case DW_TAG_inlined_subroutine:
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
        if (with_functions) collect(child, file, true, false, into);
        break;
      default:
        break;
    }
  }
}

std::string Variables::named_in(
    std::map<std::uint64_t, Static>& by_begin, std::uint64_t address, std::uint64_t size) {
  auto after = by_begin.upper_bound(address);
  if (after == by_begin.begin()) return {};
  --after;
  if (address >= after->second.end) return {};
  Dwarf_Die& die = after->second.die;
  const std::optional<Dwarf_Die> type = type_of(die);
  const std::string name = full_name(die);
  if (!type || name.empty()) return {};
  return with_path(name, path_to(*type, address - after->first, size));
}

Variables::Index& Variables::globals_of(const File& file) {
  const auto [known, is_new] = statics_.try_emplace(file.dwarf);
  Index& index = known->second;
  if (is_new)
    for (const Dwarf_Die& unit : ProcessFiles::units_of(file)) collect(unit, file, false, true, index);
  return index;
}

void Variables::for_each_global(
    const File& file, const std::function<void(Dwarf_Die variable, std::uint64_t address)>& visit) {
  for (const auto& [begin, variable] : globals_of(file).by_begin)
    if (variable.is_of_program) visit(variable.die, begin);
}

std::string Variables::sought_in(const File& file, std::map<std::uint64_t, Static> Index::*by_begin,
    std::uint64_t address, std::uint64_t size) {
  Index& index = globals_of(file);
  std::string name = named_in(index.*by_begin, address, size);
  if (name.empty() && !index.has_functions) {
    index.has_functions = true;
    for (const Dwarf_Die& unit : ProcessFiles::units_of(file)) collect(unit, file, true, true, index);
    name = named_in(index.*by_begin, address, size);
  }
  return name;
}

std::string Variables::in_static_storage(std::uint64_t address, std::uint64_t size) {
  std::optional<File> file = files_.file_at(address);
  if (!file) file = files_.file_below(address);
  return file ? sought_in(*file, &Index::by_begin, address, size) : std::string{};
}

std::string Variables::in_thread_storage(std::uint64_t module, std::uint64_t offset, std::uint64_t size) {
  const std::optional<File> file = files_.file_at(module);
  return file ? sought_in(*file, &Index::thread_locals, offset, size) : std::string{};
}

namespace {

/// Whether the variable is declared on the line or below it.
bool comes_later(Dwarf_Die& variable, int line) {
  int declared = 0;
  Dwarf_Die origin = origin_of(variable);
  return dwarf_tag(&variable) == DW_TAG_variable && dwarf_decl_line(&origin, &declared) == 0 &&
         declared >= line;
}

}  // namespace

std::vector<Local> Variables::visible_from(const Registers& registers) {
  std::vector<std::vector<Local>> calls;
  unwind(files_, read_, registers, [&](const StackFrame& frame) {
    const std::optional<File> file = files_.file_at(frame.code);
    if (!file) return true;  // a library without debug information between functions of the program
    std::vector<Dwarf_Die> scopes = scopes_at(files_, *file, frame.code);
    if (scopes.empty()) return true;
    Surroundings around{&frame.registers, frame.end, {}, file->bias, &read_};
    around.frame_base = frame_base_of(scopes.back(), frame.code, around);
    const std::vector<Frame> functions = frames_at(files_, frame.code);
    std::size_t function = 0;
    std::vector<Local> found;
    // Blocks and inlined functions come before the functions that they are in.
    for (auto scope = scopes.begin(); scope != scopes.end();) {
      auto of_function = scope;
      while (of_function + 1 != scopes.end() && dwarf_tag(&*of_function) == DW_TAG_lexical_block)
        ++of_function;
      const int line = function < functions.size() ? functions[function].line : 0;
      for (; scope <= of_function; ++scope) {
        std::vector<Dwarf_Die> variables;
        if (!is_of_library(*of_function)) add_variables(*scope, false, variables);
        std::vector<Local> visible;
        for (Dwarf_Die& variable : variables) {
          if (comes_later(variable, line)) continue;
          if (const std::optional<Located> at = place_of(variable, frame.code, around))
            visible.push_back({variable, *at});
        }
        found.insert(found.begin(), visible.begin(), visible.end());
      }
      ++function;
    }
    calls.push_back(std::move(found));
    return true;
  });
  std::vector<Local> all;
  for (auto call = calls.rbegin(); call != calls.rend(); ++call)
    all.insert(all.end(), call->begin(), call->end());
  return all;
}

std::string Variables::on_stack(std::uint64_t address, std::uint64_t size, const Registers& registers) {
  std::string name;
  unwind(files_, read_, registers, [&](const StackFrame& frame) {
    // Arguments on the stack and the return address lie behind the frame, and belong to the caller's part.
    if (address >= frame.end) return true;
    const std::optional<File> file = files_.file_at(frame.code);
    if (!file) return false;
    std::vector<Dwarf_Die> scopes = scopes_at(files_, *file, frame.code);
    if (scopes.empty()) return false;
    Surroundings around{&frame.registers, frame.end, {}, file->bias, &read_};
    around.frame_base = frame_base_of(scopes.back(), frame.code, around);
    // The blocks around the instruction first: others may use the same memory.
    std::vector<Dwarf_Die> variables;
    for (const Dwarf_Die& scope : scopes) add_variables(scope, false, variables);
    add_variables(scopes.back(), true, variables);
    for (Dwarf_Die& variable : variables) {
      const std::optional<std::uint64_t> begin = address_of(variable, frame.code, around);
      const std::optional<Dwarf_Die> type = type_of(variable);
      if (!begin || !type || address < *begin) continue;
      const std::optional<std::uint64_t> bytes = size_of(*type);
      const char* const own = dwarf_diename(&variable);
      if (!bytes || address >= *begin + *bytes || own == nullptr) continue;
      name = with_path(full_name(variable), path_to(*type, address - *begin, size));
      return false;
    }
    return false;
  });
  return name;
}

}  // namespace hocket::debug_info
