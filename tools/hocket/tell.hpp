// What the command has to say beside its results.
#pragma once

#include <cstdio>
#include <string>

namespace hocket::tool {

/// Prints the sentence to stderr, with the name of the command before it.
inline void tell(const std::string& sentence) {
  std::fprintf(stderr, "hocket: %s\n", sentence.c_str());
}

}  // namespace hocket::tool
