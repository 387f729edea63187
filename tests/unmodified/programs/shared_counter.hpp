// Two shared libraries that take part, made of one source: their objects lie at the same places.
#pragma once

#include <cstddef>
#include <string>

namespace unmodified {

namespace shared_library {

void count();
/// Under a mutex of the library.
void count_locked();
int counted();
int counted_locked();
/// Keeps the text in a container of the library, under its mutex.
void remember(const std::string& text);
int remembered();
/// Of a megabyte of zeros.
char& byte(std::size_t number);

}  // namespace shared_library

namespace other_library {

void count_locked();

}  // namespace other_library

}  // namespace unmodified
