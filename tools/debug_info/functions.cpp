#include "functions.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include <dwarf.h>

#include "runtime/platform/symbols/short_names.hpp"
#include "runtime/platform/symbols/user_code.hpp"

namespace hocket::debug_info {

namespace {

bool is_class(int tag) {
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool is_function(int tag) {
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/// Without the arguments of templates that take more room than a reader has.
std::string shortened(std::string_view name) {
  constexpr std::size_t kMost = 32;
  const std::size_t begin = name.find('<');
  if (begin == std::string_view::npos || name.size() - begin <= kMost || name.starts_with("operator"))
    return std::string(name);
  return std::string(name.substr(0, begin)) + "<...>";
}

bool is_nameless_lambda(Dwarf_Die& type) {
  const char* const name = dwarf_diename(&type);
  return name == nullptr || std::string_view(name).find("<lambda") != std::string_view::npos;
}

std::string make_full_name(Dwarf_Die origin, bool is_short);

}  // namespace

std::string demangled(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return text == nullptr ? std::string{} : text.get();
}

bool is_body_of_test(std::string_view function) {
  return function.find("hocket_body_of_") != std::string_view::npos || function.ends_with("::TestBody") ||
         runtime::platform::is_test_case(function);
}

bool is_of_library(std::string_view function) {
  return function.starts_with("std::") || function.starts_with("__gnu_cxx::") ||
         function.starts_with("operator new") || function.starts_with("hocket::") ||
         function.starts_with("__gthread_") || function.empty();
}

std::vector<Dwarf_Die> what_is_around(Dwarf_Die die) {
  std::vector<Dwarf_Die> found;
  Dwarf_Die scope;
  if (dwarf_diecu(&die, &scope, nullptr, nullptr) == nullptr) return found;
  // Descriptions come in the order of their offsets, each before those within it.
  const Dwarf_Off offset = dwarf_dieoffset(&die);
  while (dwarf_dieoffset(&scope) != offset) {
    found.push_back(scope);
    Dwarf_Die child;
    Dwarf_Die last_before{};
    for (bool more = dwarf_child(&scope, &child) == 0; more && dwarf_dieoffset(&child) <= offset;
         more = dwarf_siblingof(&child, &child) == 0)
      last_before = child;
    if (last_before.addr == nullptr) break;
    scope = last_before;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

Dwarf_Die origin_of(Dwarf_Die die) {
  constexpr int kMost = 8;
  for (int n = 0; n < kMost; ++n) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    if (dwarf_attr(&die, DW_AT_abstract_origin, &attribute) == nullptr &&
        dwarf_attr(&die, DW_AT_specification, &attribute) == nullptr)
      break;
    if (dwarf_formref_die(&attribute, &next) == nullptr) break;
    die = next;
  }
  return die;
}

namespace {

std::string name_of(Dwarf_Die die, bool is_short) {
  const Dwarf_Die origin = origin_of(die);
  static std::map<std::pair<void*, bool>, std::string> known;
  const auto [entry, is_new] = known.try_emplace({origin.addr, is_short});
  if (is_new) entry->second = make_full_name(origin, is_short);
  return entry->second;
}

}  // namespace

std::string full_name(Dwarf_Die die) {
  return name_of(die, false);
}

std::string short_name(Dwarf_Die die) {
  return name_of(die, true);
}

namespace {

std::string make_full_name(Dwarf_Die origin, bool is_short) {
  const bool is_of_function = is_function(dwarf_tag(&origin));
  const char* const own = dwarf_diename(&origin);
  const auto without_arguments = [is_short](const char* text) {
    std::string whole = shortened(text);
    if (is_short && !whole.starts_with("operator")) whole.erase(std::min(whole.find('<'), whole.size()));
    return whole;
  };
  std::string name = own == nullptr ? std::string{} : without_arguments(own);
  for (Dwarf_Die& scope : what_is_around(origin)) {
    const int tag = dwarf_tag(&scope);
    const char* const text = dwarf_diename(&scope);
    if (is_class(tag) && is_of_function && name == "operator()" && is_nameless_lambda(scope)) {
      name = "lambda";
    } else if (is_class(tag) && text != nullptr) {
      name.insert(0, without_arguments(text).append("::"));
    } else if (tag == DW_TAG_namespace && text != nullptr) {
      if (!is_short && dwarf_hasattr(&scope, DW_AT_export_symbols) == 0 && name != "lambda")
        name.insert(0, std::string(text).append("::"));
    } else if (is_function(tag)) {
      const std::string function = short_name(scope);
      // Clang has no name for a function that was inlined everywhere.
      return function.empty() || is_body_of_test(function) ? name : name.append(" in ").append(function);
    }
  }
  return name;
}

/// Adds the scopes in `die` that contain the address; `die` is one of them.
void descend(Dwarf_Die die, Dwarf_Addr address, std::vector<Dwarf_Die>& into) {
  into.push_back(die);
  Dwarf_Die child;
  for (bool more = dwarf_child(&die, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0) {
    const int tag = dwarf_tag(&child);
    const bool has_code = tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
    if (has_code && dwarf_haspc(&child, address) == 1) return descend(child, address, into);
  }
}

}  // namespace

std::vector<Dwarf_Die> scopes_at(ProcessFiles& files, const File& file, std::uint64_t address) {
  std::vector<Dwarf_Die> scopes;
  const std::optional<Dwarf_Die> unit = files.unit_at(file, address);
  if (!unit) return scopes;
  const std::optional<Dwarf_Die> function = files.function_at(*unit, address - file.bias);
  if (!function) return scopes;
  descend(*function, address - file.bias, scopes);
  std::reverse(scopes.begin(), scopes.end());
  return scopes;
}

namespace {

/// Fills in the names of a function that debug information does not describe: Clang's -g1 describes those
/// alone into which others are inlined.
void name_by_symbol(Frame& frame, const File& file, std::uint64_t address) {
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* const name =
      dwfl_module_addrinfo(file.module, address, &offset, &symbol, nullptr, nullptr, nullptr);
  if (name == nullptr) return;
  const std::string whole = demangled(name);
  frame.function = whole.empty() ? name : runtime::platform::without_signature(whole);
  frame.short_function = whole.empty() ? name : runtime::platform::short_function_name(whole);
}

}  // namespace

std::vector<Frame> frames_at(ProcessFiles& files, std::uint64_t address) {
  std::vector<Frame> frames;
  const std::optional<File> file = files.file_at(address);
  if (!file) return frames;
  Frame next;
  if (Dwfl_Line* const line = dwfl_module_getsrc(file->module, address)) {
    const char* const name = dwfl_lineinfo(line, nullptr, &next.line, nullptr, nullptr, nullptr);
    if (name != nullptr) next.file = name;
  } else if (std::optional<Dwarf_Die> unit = files.unit_at(*file, address)) {
    // Without a table of units libdw finds no lines by itself.
    Dwarf_Die whole = *unit;
    if (Dwarf_Line* const found = dwarf_getsrc_die(&whole, address - file->bias)) {
      dwarf_lineno(found, &next.line);
      if (const char* const name = dwarf_linesrc(found, nullptr, nullptr)) next.file = name;
    }
  }
  Dwarf_Attribute compiled_in;
  std::optional<Dwarf_Die> whole = files.skeleton_at(*file, address);
  const char* folder = nullptr;
  if (whole && dwarf_attr(&*whole, DW_AT_comp_dir, &compiled_in) != nullptr)
    folder = dwarf_formstring(&compiled_in);
  for (Dwarf_Die& scope : scopes_at(files, *file, address)) {
    if (!is_function(dwarf_tag(&scope))) continue;
    next.scope = scope;
    next.function = full_name(scope);
    next.short_function = short_name(scope);
    next.folder = folder == nullptr ? "" : folder;
    frames.push_back(next);
    if (dwarf_tag(&scope) != DW_TAG_inlined_subroutine) break;
    next = {};
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;
    if (dwarf_attr(&scope, DW_AT_call_line, &attribute) != nullptr &&
        dwarf_formudata(&attribute, &number) == 0)
      next.line = static_cast<int>(number);
    Dwarf_Die unit;
    Dwarf_Files* names = nullptr;
    if (dwarf_attr(&scope, DW_AT_call_file, &attribute) != nullptr &&
        dwarf_formudata(&attribute, &number) == 0 &&
        dwarf_diecu(&scope, &unit, nullptr, nullptr) != nullptr &&
        dwarf_getsrcfiles(&unit, &names, nullptr) == 0) {
      if (const char* const name = dwarf_filesrc(names, number, nullptr, nullptr)) next.file = name;
    }
  }
  if (!frames.empty() || next.line == 0) return frames;
  next.folder = folder == nullptr ? "" : folder;
  name_by_symbol(next, *file, address);
  frames.push_back(next);
  return frames;
}

bool is_of_library(Dwarf_Die function) {
  Dwarf_Die origin = origin_of(function);
  static std::map<void*, bool> known;
  const auto [entry, is_new] = known.try_emplace(origin.addr, false);
  if (!is_new) return entry->second;
  if (is_of_library(std::string_view(full_name(origin)))) return entry->second = true;
  // Functions of libc that Hocket defines have debug information where the program was built together with
  // it.
  const char* const file = dwarf_decl_file(&origin);
  if (file != nullptr && runtime::platform::is_of_hocket(file)) return entry->second = true;
  for (Dwarf_Die& scope : what_is_around(origin)) {
    const int tag = dwarf_tag(&scope);
    if (!is_class(tag) && !is_function(tag)) continue;
    const std::string name = full_name(scope);
    if (!name.empty() && is_of_library(std::string_view(name))) return entry->second = true;
  }
  return false;
}

}  // namespace hocket::debug_info
