// Files that are written completely or not at all, despite other processes, a full disk, or a power cut.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "file_steps.hpp"

namespace hocket {

/// The name under which this process writes its n-th file, before the file is whole and gets its own name.
std::string temporary_name(unsigned n);

/// Removes files under such names from `folder` whose processes were killed before they had written them.
/// Files of processes that run, here or in another container, and those of other users stay.
void remove_leftovers(const std::filesystem::path& folder);

/// Writes `text` to a new file in `folder`, which must exist, and returns its path: the first of name(1),
/// name(2), … that is not taken. Existing files are left alone. If it throws std::system_error, there is no
/// new file.
std::filesystem::path write_new_file(const std::filesystem::path& folder,
    const std::function<std::filesystem::path(unsigned)>& name, std::string_view text);

/// Whether nothing of another kind is lost if `text` replaces the contents of `file`: it is not there, or
/// empty, or no regular file, or begins as the text does, apart from spaces.
bool may_be_replaced(const std::filesystem::path& file, std::string_view text);

/// Replaces the contents of `file` with `text`; its rights stay as they are. What is no regular file gets the
/// text. If it throws std::system_error, `file` is unchanged.
void replace_file(const std::filesystem::path& file, std::string_view text,
    file_steps::Outlives what = file_steps::Outlives::power_cuts);

}  // namespace hocket
