// Places in source code, as messages and files print them.
#pragma once

#include <cstdint>
#include <string>

#include "../terms/where.hpp"

namespace hocket::runtime {

/// "file.cpp:12", without folders; empty if no line is known.
std::string place_of(const Where& where);

/// Like place_of(), for platform::user_call_site(where).
std::string user_place_of(const Where& where);

/// The path of the file that places name "queue.cpp", as debug information has it. Only of files in places
/// that user_place_of() has returned in this process; empty for others, and where two have that name.
std::string path_of_user_file(const std::string& name);

/// " at file.cpp:12"; empty if the place is empty.
std::string at(const std::string& place);
std::string at(const Where& where);
/// ", locked at file.cpp:12", if `what` is "locked"; empty if no line is known.
std::string clause(const char* what, const Where& where);

/// Mixes the place into a hash: the line and the full file name.
std::uint64_t mix(std::uint64_t hash, const Where& where);

}  // namespace hocket::runtime
