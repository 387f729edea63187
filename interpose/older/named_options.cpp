#include "named_options.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "../../scheduler/options/option_table.hpp"
#include "../../scheduler/options/settings.hpp"
#include "../../scheduler/options/spelling.hpp"

namespace hocket::older {

hocket::Options named_options(const Options& options) {
  hocket::Options result;
  Settings ignored;
  for (const auto& [name, value] : options) {
    const auto table = option_table();
    const auto option = std::find_if(
        table.begin(), table.end(), [&name = name](const OptionInfo& info) { return info.name == name; });
    if (option == table.end()) {
      const OptionInfo* const meant = option_meant_by(name);
      throw std::invalid_argument("hocket: there is no option \"" + name + "\"" +
                                  did_you_mean(meant == nullptr ? "" : std::string(meant->name)) +
                                  " the options are those of the flags --hocket_…");
    }
    set_option(*option, name, value, result, ignored);
  }
  return result;
}

}  // namespace hocket::older
