// A shared library without hooks, with data of its own, which no snapshot knows.
#pragma once

namespace library {

/// One more than the last call has returned; first 1.
int count();
/// How often it was called.
int calls();

/// In the middle of 64 MB.
char& middle();

}  // namespace library
