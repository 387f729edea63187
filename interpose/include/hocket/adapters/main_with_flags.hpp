// Takes Hocket's flags from the command line before the framework reads it. The linker option --wrap=main has
// the program begin here.
#pragma once

#include <string>
#include <vector>

#include "../../../../scheduler/options/settings.hpp"
#include "../../../../scheduler/options/test_list.hpp"
#include "../../../../scheduler/process/fresh_start.hpp"

namespace hocket::adapters {

/// The names of all test cases, for `hocket list`.
std::vector<std::string> names_of_tests();

}  // namespace hocket::adapters

extern "C" {

int __real_main(int argc, char** argv);
int __wrap_main(int argc, char** argv);

int __wrap_main(int argc, char** argv) {
  hocket::initialize(&argc, argv);
  hocket::fresh_start::take_over();
  if (hocket::fresh_start::is_one()) hocket::fresh_start::discard_output();
  if (hocket::lists_searches()) {
    for (const std::string& name : hocket::adapters::names_of_tests())
      hocket::list_test(hocket::kPlainTest, name);
    return 0;
  }
  return __real_main(argc, argv);
}

}  // extern "C"
