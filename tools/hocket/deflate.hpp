// Compression for pages: the format of RFC 1951, which browsers can read. A library for it would be one more
// to install.
#pragma once

#include <string>
#include <string_view>

namespace hocket::tool {

/// `bytes` as one deflate stream without a header.
std::string deflated(std::string_view bytes);

std::string base64(std::string_view bytes);

}  // namespace hocket::tool
