// The list of the pages in a folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hocket::tool {

/// Writes index.html, a list of all pages in the folder: several programs may write theirs there. Pages of
/// the same failure of a test are one entry. `refused`: sentences about schedules that have no page, as they
/// could not be read. Returns its path. Throws std::system_error.
std::string write_index(const std::filesystem::path& folder, const std::vector<std::string>& refused);

}  // namespace hocket::tool
