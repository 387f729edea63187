#include "short_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace hocket::runtime::platform {

namespace {

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

/// The position of the bracket that closes the one at `open`; npos if there is none.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '<' || c == '{') ++depth;
    if ((c == ')' || c == '>' || c == '}') && --depth == 0) return at;
  }
  return std::string_view::npos;
}

/// Removes template arguments that a reader can do without: allocators, comparisons, deleters.
void remove_default_arguments(std::string& text) {
  for (const std::string_view what :
      {", std::allocator<", ", std::less<", ", std::char_traits<", ", std::default_delete<", ", std::hash<",
          ", std::equal_to<", ", std::_Select1st<", ", std::_Identity<"}) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what)) {
      const std::size_t end = closing(text, at + what.size() - 1);
      if (end == std::string::npos) break;
      text.erase(at, end + 1 - at);
    }
  }
}

/// Clang calls the classes of lambdas "$_0" and so on; this writes "{lambda}" for them.
void name_lambdas_of_clang(std::string& name) {
  constexpr std::string_view kBegin = "::$_";
  for (std::size_t at = name.find(kBegin); at != std::string::npos; at = name.find(kBegin, at)) {
    const std::size_t number = at + kBegin.size();
    const std::size_t end = std::min(name.find_first_not_of("0123456789", number), name.size());
    name.replace(at, end - at, "::{lambda}");
  }
}

/// The function in which the lambda was written whose call operator, or a function made for it, has this
/// name: "worker" for "__invoke<worker(int)::<lambda()> >". Empty if it is not known.
std::string_view enclosing_function_of_lambda(std::string_view name) {
  std::size_t lambda = std::string_view::npos;
  for (const std::string_view word : {"::<lambda", "::{lambda", "::'lambda"})
    lambda = std::min(lambda, name.find(word));
  if (lambda == std::string_view::npos) return {};
  std::string_view before = name.substr(0, lambda);
  // Go back over the parameters, then to the bracket or comma before the function's name.
  if (before.ends_with(" const")) before.remove_suffix(6);
  if (!before.ends_with(')')) return {};
  std::size_t end = before.size();
  int depth = 0;
  while (end-- > 0) {
    if (before[end] == ')') ++depth;
    if (before[end] == '(' && --depth == 0) break;
  }
  std::size_t begin = end;
  depth = 0;
  while (begin > 0) {
    const char c = before[begin - 1];
    if (c == '>' || c == ')') ++depth;
    if (c == '<' || c == '(') {
      if (depth == 0) break;
      --depth;
    }
    if (depth == 0 && (c == ',' || c == ' ')) break;
    --begin;
  }
  return before.substr(begin, end - begin);
}

/// Whether the function is the call operator of a lambda, and not one that has a lambda among its arguments.
bool is_call_of_lambda(std::string_view name) {
  for (const std::string_view end : {"}::operator()", "'::operator()", ">::operator()"}) {
    const std::size_t at = name.rfind(end);
    if (at != std::string_view::npos && name.substr(0, at + 1).rfind("lambda") != std::string_view::npos &&
        name.find('<', at + end.size()) == std::string_view::npos)
      return true;
  }
  return false;
}

/// The parameters are the last brackets, unless these belong to the name: operator().
void remove_parameters(std::string& name) {
  if (!name.ends_with(')') || name.ends_with("operator()")) return;
  std::size_t open = name.size();
  int depth = 0;
  while (open-- > 0) {
    if (name[open] == ')') ++depth;
    if (name[open] == '(' && --depth == 0) break;
  }
  if (open != std::string::npos) name.resize(open);
}

/// "run<…>" for template arguments that are long or that name a lambda.
void shorten_arguments(std::string& name) {
  constexpr std::size_t kLongest = 24;
  for (std::size_t open = name.find('<'); open != std::string::npos; open = name.find('<', open + 1)) {
    if (name.compare(0, open, "operator") == 0 || (open >= 8 && name.compare(open - 8, 8, "operator") == 0))
      return;
    const std::size_t end = closing(name, open);
    if (end == std::string::npos) return;
    const std::string_view arguments = std::string_view(name).substr(open + 1, end - open - 1);
    if (arguments.size() <= kLongest && arguments.find("lambda") == std::string_view::npos) continue;
    name.replace(open + 1, end - open - 1, "…");
  }
}

/// Names of templates begin with the type that they return.
void remove_return_type(std::string& name) {
  if (name.find("operator") != std::string::npos) return;
  int depth = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] == '<' || name[at] == '(') ++depth;
    if (name[at] == '>' || name[at] == ')') --depth;
    if (name[at] != ' ' || depth != 0) continue;
    name.erase(0, at + 1);
    at = static_cast<std::size_t>(-1);
  }
}

}  // namespace

std::string with_short_arguments(std::string name) {
  for (const std::string_view left_out : {"(anonymous namespace)::", "{anonymous}::"})
    replace_all(name, left_out, "");
  replace_all(name, "std::__cxx11::", "std::");
  replace_all(name, "std::__1::", "std::");
  remove_default_arguments(name);
  replace_all(name, " >", ">");
  replace_all(name, "std::basic_string<char>", "std::string");
  shorten_arguments(name);
  return name;
}

bool is_test_case(std::string_view function) {
  for (const std::string_view begin : {"C_A_T_C_H_T_E_", "CATCH2_INTERNAL_T", "DOCTEST_ANON_"})
    if (function.find(begin) != std::string_view::npos) return true;
  return false;
}

std::string name_of_body(std::string test) {
  if (const std::size_t dot = test.find('_'); dot != std::string::npos) test[dot] = '.';
  return "body of " + test;
}

std::string without_signature(std::string name) {
  if (name.ends_with(" const")) name.resize(name.size() - 6);
  remove_parameters(name);
  remove_return_type(name);
  return name;
}

std::string short_function_name(std::string_view demangled) {
  std::string name(demangled.substr(0, demangled.find(" [clone ")));
  name_lambdas_of_clang(name);
  if (is_call_of_lambda(name)) {
    const std::string_view in = enclosing_function_of_lambda(name);
    if (!in.empty()) return "lambda in " + short_function_name(in);
  }
  name = with_short_arguments(without_signature(std::move(name)));
  if (is_test_case(name)) return std::string(kTestCase);
  if (name.starts_with(kBodyPrefix)) return name_of_body(name.substr(kBodyPrefix.size()));
  return name;
}

}  // namespace hocket::runtime::platform
