// Files that are written completely or not at all, despite other processes, a full disk, or a power cut.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace hocket {

/// Writes `text` to a new file in `folder`, which must exist, and returns its path: the first of name(1),
/// name(2), … that is not taken. Existing files are left alone. If it throws std::system_error, there is no
/// new file.
std::filesystem::path write_new_file(const std::filesystem::path& folder,
    const std::function<std::filesystem::path(unsigned)>& name, std::string_view text);

/// Replaces the contents of `file` with `text`. If it throws std::system_error, `file` is unchanged.
void replace_file(const std::filesystem::path& file, std::string_view text);

}  // namespace hocket
