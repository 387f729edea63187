// The lines of source that a document names, to be shown where the sources are not at hand.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "commands.hpp"

namespace hocket::tool {

/// Where the files are that `document` names, by their names. Those from which the program was compiled come
/// first; the others are looked for in folders. Only regular files with names of sources count, and in
/// folders no links. A name that several files have is left out. Throws UsageError if there is no such
/// program.
std::map<std::string, std::filesystem::path> source_files(
    const nlohmann::ordered_json& document, const SourcePlaces& places);

/// For each file that is named in `document`: lines around the places in it, by their numbers. Files are
/// looked for as by source_files().
nlohmann::ordered_json sources_of(const nlohmann::ordered_json& document, const SourcePlaces& places);

}  // namespace hocket::tool
