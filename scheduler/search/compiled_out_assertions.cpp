#include "compiled_out_assertions.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../../runtime/platform/symbols/compiled_out_assertions.hpp"
#include "../../runtime/terms/english.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "../process/fresh_start.hpp"
#include "warning.hpp"

namespace hocket {

void warn_of_compiled_out_assertions() {
  static bool was_looked = false;
  if (std::exchange(was_looked, true) || fresh_start::is_one()) return;
  constexpr std::size_t kShown = 3;
  const std::vector<std::string> files = runtime::platform::files_with_compiled_out_assertions();
  if (files.empty()) return;
  std::string names;
  for (std::size_t n = 0; n < std::min(files.size(), kShown); ++n)
    names += (n == 0 ? "" : ", ") + utf8::printable(files[n].substr(files[n].rfind('/') + 1));
  if (files.size() > kShown) names += ", …";
  warn(
      "assert() is compiled out in {} of this program ({}), so nothing is checked there; -UNDEBUG "
      "switches it on, and so does hocket_instrument(TARGET ASSERTIONS)",
      runtime::count_of(files.size(), "source"), names);
}

}  // namespace hocket
