// What the check has found, left in the program, so that each search of it can say so.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace hocket::check_hooks {

/// `text` as one word of a shell's command.
std::string shell_word(std::string_view text);

/// Adds a section that is not loaded to the program or library, with the texts, each with a zero byte behind
/// it. `objcopy` is the program that does it. Returns whether it could be done; if not, the file is as it
/// was.
bool add_section(const std::string& program, const std::string& section, const std::set<std::string>& texts,
    const std::string& objcopy);

}  // namespace hocket::check_hooks
