// The tests of this program expect the names that objects have without debug information: most of them are
// about other things, and the names are the same whatever the compiler makes of the code.
// tests/debug_info/ has the tests with it.
#include <cstdlib>

namespace unmodified {

namespace {

[[maybe_unused]] const int set = setenv("HOCKET_DEBUG_INFO", "", 0);

}  // namespace

}  // namespace unmodified
