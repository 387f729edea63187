// A shared library that takes part.
#pragma once

namespace unmodified {

void count_in_library();
/// Under a mutex of the library.
void count_in_library_locked();
int counted_in_library();

}  // namespace unmodified
