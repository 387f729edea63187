// Places in source code, as messages and files name them.
#pragma once

#include <cstdint>
#include <string>

#include "../terms/where.hpp"

namespace hocket::runtime {

/// "file.cpp:12", without folders; empty where no line is known.
std::string place_of(const Where& where);

/// As place_of(), of platform::user_call_site(where).
std::string user_place_of(const Where& where);

/// " at file.cpp:12"; empty if the place is.
std::string at(const std::string& place);
std::string at(const Where& where);
/// ", locked at file.cpp:12", where `what` was "locked"; empty where no line is known.
std::string clause(const char* what, const Where& where);

/// Mixes the place into a hash: the line and the whole name of the file.
std::uint64_t mix(std::uint64_t hash, const Where& where);

}  // namespace hocket::runtime
