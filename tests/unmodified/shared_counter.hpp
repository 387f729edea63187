// Two shared libraries that take part, made of one source: their objects lie at the same places.
#pragma once

#include <string>

namespace unmodified {

namespace shared_library {

void count();
/// Under a mutex of the library.
void count_locked();
int counted();
/// Keeps the text in a container of the library, under its mutex.
void remember(const std::string& text);
int remembered();

}  // namespace shared_library

namespace other_library {

void count_locked();

}  // namespace other_library

}  // namespace unmodified
