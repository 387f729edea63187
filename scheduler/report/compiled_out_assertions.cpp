#include "compiled_out_assertions.hpp"

#include <string>
#include <utility>
#include <vector>

#include "../../runtime/platform/symbols/build_notes.hpp"
#include "../../runtime/terms/english.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "../process/fresh_start.hpp"
#include "warning.hpp"

namespace hocket {

void warn_of_compiled_out_assertions() {
  static bool was_looked = false;
  if (std::exchange(was_looked, true) || fresh_start::is_one()) return;
  std::vector<std::string> files = runtime::platform::files_with_compiled_out_assertions();
  if (files.empty()) return;
  for (std::string& file : files) file = utf8::printable(file.substr(file.rfind('/') + 1));
  warn(
      "assert() is compiled out in {} of this program ({}), so nothing is checked there; -UNDEBUG switches "
      "it on, and so does hocket_instrument(TARGET ASSERTIONS)",
      runtime::count_of(files.size(), "source"), runtime::first_of(files));
}

}  // namespace hocket
