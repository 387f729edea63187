// What the command has to say beside its results.
#pragma once

#include <cstdio>
#include <string>

#include "runtime/terms/utf8.hpp"

namespace hocket::tool {

/// Prints the sentence to stderr, with the name of the command before it, so that nothing in it can command
/// the terminal.
inline void tell(const std::string& sentence) {
  std::fprintf(stderr, "hocket: %s\n", utf8::printable(sentence).c_str());
}

}  // namespace hocket::tool
