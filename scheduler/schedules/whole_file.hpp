// Files that are there in full or not at all, whatever happens meanwhile: another process, a full disk, a
// power cut.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace hocket {

/// Writes `text` to a new file in `folder`, which must exist: the first of name(1), name(2), … that is not
/// taken. A file that exists is left alone. Returns its path. Throws std::system_error, and then there is no
/// new file.
std::filesystem::path write_new_file(const std::filesystem::path& folder,
    const std::function<std::filesystem::path(unsigned)>& name, std::string_view text);

/// Writes `text` to `file`, in the place of what it held. Throws std::system_error, and then `file` is as it
/// was.
void replace_file(const std::filesystem::path& file, std::string_view text);

}  // namespace hocket
