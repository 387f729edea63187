// Readable names of exception types.
#pragma once

#include <string>
#include <typeinfo>

namespace hocket::runtime::platform {

/// The name of `type` as in source code, for example "std::runtime_error".
std::string type_name(const std::type_info& type);

}  // namespace hocket::runtime::platform
