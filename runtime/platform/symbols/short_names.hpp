// Names of functions as a person says them, from those that compilers write.
#pragma once

#include <string>
#include <string_view>

namespace hocket::runtime::platform {

/// What HOCKET_TEST puts before the name of the function that is the body of a test.
constexpr std::string_view kBodyPrefix = "hocket_body_of_";

/// A demangled name of a function without what a reader can do without: parameters, the returned type, and
/// what with_short_arguments() leaves out. "lambda in Cache::get" for the call operator of a lambda.
std::string short_function_name(std::string_view demangled);

/// A demangled name of a function without its parameters and the returned type.
std::string without_signature(std::string name);

/// A name without anonymous namespaces and those that are inline in the standard library, and without the
/// arguments of templates that a reader can do without: defaults such as allocators are left out, and
/// "run<…>" stands for arguments that are long or name a lambda.
std::string with_short_arguments(std::string name);

/// Whether a macro of Catch2 or doctest has made the function, or its class, for a test case.
bool is_test_case(std::string_view function);

/// What a person calls it: only its line says which it is.
constexpr std::string_view kTestCase = "the test case";

/// "body of Cache.CountsItsHits" for the test "Cache_CountsItsHits".
std::string name_of_body(std::string test);

}  // namespace hocket::runtime::platform
