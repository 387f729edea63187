#include "function_names.hpp"

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <dwarf.h>

#include "functions.hpp"
#include "runtime/platform/symbols/short_names.hpp"

namespace hocket::debug_info {

namespace {

/// The name of the enumerator with the value; nothing if the type is no enumeration or has none.
std::optional<std::string> enumerator(Dwarf_Die type, Dwarf_Sword value) {
  Dwarf_Die peeled;
  if (dwarf_peel_type(&type, &peeled) != 0 || dwarf_tag(&peeled) != DW_TAG_enumeration_type) return {};
  Dwarf_Die child;
  for (bool more = dwarf_child(&peeled, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0) {
    Dwarf_Attribute attribute;
    Dwarf_Sword own = 0;
    const bool has_value = dwarf_attr(&child, DW_AT_const_value, &attribute) != nullptr &&
                           dwarf_formsdata(&attribute, &own) == 0;
    if (dwarf_tag(&child) != DW_TAG_enumerator || !has_value || own != value) continue;
    const char* const name = dwarf_diename(&child);
    if (name == nullptr) return {};
    const std::string of = full_name(peeled);
    return of.empty() ? name : of + "::" + name;
  }
  return {};
}

/// Writes enumerators for the numbers that compilers write: "run<shop::Seed::third>" for
/// "run<(shop::Seed)2>".
std::string with_enumerators(std::string name, Dwarf_Die of) {
  Dwarf_Die child;
  for (bool more = dwarf_child(&of, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0) {
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    Dwarf_Sword value = 0;
    if (dwarf_tag(&child) != DW_TAG_template_value_parameter ||
        dwarf_attr(&child, DW_AT_type, &attribute) == nullptr ||
        dwarf_formref_die(&attribute, &type) == nullptr ||
        dwarf_attr(&child, DW_AT_const_value, &attribute) == nullptr ||
        dwarf_formsdata(&attribute, &value) != 0)
      continue;
    const std::optional<std::string> called = enumerator(type, value);
    if (!called) continue;
    const std::string number = ")" + std::to_string(value);
    const std::size_t end = name.find(number);
    if (end == std::string::npos) continue;
    const std::size_t begin = name.rfind('(', end);
    if (begin != std::string::npos) name.replace(begin, end + number.size() - begin, *called);
  }
  return name;
}

/// The name of a class, namespace or function by itself.
std::string own_name(Dwarf_Die die, bool is_short) {
  const char* const text = dwarf_diename(&die);
  if (text == nullptr) return {};
  std::string name = text;
  if (!is_short) return name;
  if (name.find(')') != std::string::npos && name.find('<') != std::string::npos)
    name = with_enumerators(std::move(name), die);
  return runtime::platform::with_short_arguments(std::move(name));
}

/// Whether a namespace is no part of names in source code. Not all compilers tell which are inline.
bool is_left_out(Dwarf_Die space) {
  const char* const name = dwarf_diename(&space);
  return name == nullptr || dwarf_hasattr(&space, DW_AT_export_symbols) != 0 ||
         std::string_view(name).starts_with("__");
}

/// Whether a member function of the class is the code of a lambda: its call operator, or the function to
/// which the lambda can be converted.
bool is_code_of_lambda(Dwarf_Die type, std::string_view function) {
  const char* const name = dwarf_diename(&type);
  if (name != nullptr) return std::string_view(name).starts_with("<lambda");  // as GCC has it
  return function.starts_with("operator()") || function == "__invoke";
}

/// What the function's symbol says; empty if it has none, or one without classes, namespaces and functions.
std::string demangled_name(Dwarf_Die function) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(&function, DW_AT_linkage_name, &attribute) == nullptr) return {};
  const char* const symbol = dwarf_formstring(&attribute);
  if (symbol == nullptr) return {};
  const std::string_view text = symbol;
  if (!text.starts_with("_ZN") && !text.starts_with("_ZZ")) return {};
  return demangled(symbol);
}

/// Whether a function is described at the top level of its unit. With -g1 there are no descriptions of what
/// it is in.
bool is_at_top(Dwarf_Die origin) {
  return what_is_around(origin).size() == 1;
}

std::string known_name(Dwarf_Die function, bool is_short);

/// `origin`: that of the function.
std::string make_name(Dwarf_Die function, Dwarf_Die origin, bool is_short) {
  constexpr std::string_view kGoogleTestsClass = "_Test";
  const auto by_symbol = [&] {
    const std::string whole = demangled_name(function);
    return is_short ? runtime::platform::short_function_name(whole)
                    : runtime::platform::without_signature(whole);
  };
  if (is_at_top(origin)) {
    if (std::string name = by_symbol(); !name.empty()) return name;
  }
  std::string name = own_name(origin, is_short);
  using runtime::platform::kBodyPrefix;
  using runtime::platform::name_of_body;
  if (is_short && name.starts_with(kBodyPrefix)) return name_of_body(name.substr(kBodyPrefix.size()));
  if (is_short && runtime::platform::is_test_case(name)) return std::string(runtime::platform::kTestCase);
  bool is_of_lambda = false;
  for (Dwarf_Die& scope : what_is_around(origin)) {
    switch (dwarf_tag(&scope)) {
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
      case DW_TAG_union_type: {
        if (is_code_of_lambda(scope, name)) {
          name = "lambda";
          is_of_lambda = true;
          break;
        }
        std::string of = own_name(scope, is_short);
        if (is_short && name == "TestBody" && of.ends_with(kGoogleTestsClass))
          return name_of_body(of.substr(0, of.size() - kGoogleTestsClass.size()));
        if (is_short && !is_of_lambda && runtime::platform::is_test_case(of))
          return std::string(runtime::platform::kTestCase);
        if (!of.empty()) name.insert(0, of.append("::"));
        break;
      }
      case DW_TAG_namespace:
        if (!is_of_lambda && !is_left_out(scope)) name.insert(0, own_name(scope, is_short).append("::"));
        break;
      case DW_TAG_subprogram: {
        std::string around = known_name(scope, is_short);
        // A lambda within another is told like that one: the line says which it is.
        if (is_of_lambda && around.starts_with("lambda in ")) return around;
        if (!around.empty()) return name.append(" in ").append(around);
        // Clang tells nothing of a function that it has inlined everywhere.
        std::string by = is_of_lambda && is_short ? by_symbol() : std::string{};
        return by.empty() ? name : by;
      }
      default:
        break;
    }
  }
  return name == "operator()" ? "lambda" : name;  // -g1 tells nothing of a lambda in an anonymous namespace
}

std::string known_name(Dwarf_Die function, bool is_short) {
  const Dwarf_Die origin = origin_of(function);
  static std::map<std::pair<void*, bool>, std::string> known;
  const auto [entry, is_new] = known.try_emplace({origin.addr, is_short});
  if (is_new) entry->second = make_name(function, origin, is_short);
  return entry->second;
}

}  // namespace

std::string name_of_function(Dwarf_Die function) {
  return known_name(function, true);
}

std::string whole_name_of_function(Dwarf_Die function) {
  return known_name(function, false);
}

}  // namespace hocket::debug_info
