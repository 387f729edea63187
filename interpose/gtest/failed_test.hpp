// How a test fails with a text of Hocket's, which stands for itself.
#pragma once

#include <string>

namespace hocket::testing {

/// Has the current test fail, at a line of it. GoogleTest's own printer would print the place and "Failure"
/// above `text`: it does not. Files of results and other listeners learn of the failure as of any other.
void fail_test(const std::string& text, const char* file, int line);

}  // namespace hocket::testing
