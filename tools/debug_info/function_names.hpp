// Names of functions as a person says them.
#pragma once

#include <string>

#include <elfutils/libdw.h>

namespace hocket::debug_info {

/// The name of a function without its parameters and without arguments of templates that take more room than
/// they say. Classes and named namespaces are in it, inline ones and those without a name are not:
/// "store::Cache::get", "lambda in store::Cache::get", "body of Cache.CountsItsHits" for the body of a test.
/// Empty if nothing is known.
std::string name_of_function(Dwarf_Die function);

/// The same with all arguments of templates, and with the names that test frameworks give to bodies of tests.
std::string whole_name_of_function(Dwarf_Die function);

}  // namespace hocket::debug_info
