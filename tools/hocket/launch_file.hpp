// A launch.json of VS Code: JSON in which comments and commas at the end of lists are allowed.
#pragma once

#include <string>
#include <string_view>

namespace hocket::tool {

/// `text`, which may be empty, with a configuration more at the end. `configuration` is its JSON, in lines
/// that are indented by four spaces a level, and `name` its name. All else stays as it is, with comments. If
/// the same configuration is there already, the result is `text`. Throws UsageError, whose what() does not
/// name the file, if the text is no launch.json or if another configuration has that name.
std::string with_configuration(std::string_view text, std::string_view name, std::string_view configuration);

}  // namespace hocket::tool
