// Takes Hocket's flags from the command line before the framework reads it. The linker option --wrap=main has
// the program begin here.
#pragma once

#include "../../../../scheduler/search/settings.hpp"

extern "C" {

int __real_main(int argc, char** argv);
int __wrap_main(int argc, char** argv);

int __wrap_main(int argc, char** argv) {
  hocket::initialize(&argc, argv);
  return __real_main(argc, argv);
}

}  // extern "C"
