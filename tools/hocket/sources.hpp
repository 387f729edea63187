// The lines of source that a document names, to be shown where the sources are not at hand.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace hocket::tool {

/// Where the files are that `document` names, by their names. They are looked for in `folders` and the
/// folders in them; a name that several files have is left out.
std::map<std::string, std::filesystem::path> source_files(
    const nlohmann::ordered_json& document, const std::vector<std::string>& folders);

/// For each file that is named in `document`: lines around the places in it, by their numbers. Files are
/// looked for in `folders` and the folders in them, by their names; a name that several files have is left
/// out.
nlohmann::ordered_json sources_of(
    const nlohmann::ordered_json& document, const std::vector<std::string>& folders);

}  // namespace hocket::tool
