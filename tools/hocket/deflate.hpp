// Compression for pages: the format of RFC 1951, which browsers can read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hocket::tool {

/// `bytes`, less than 4 GB, as one deflate stream without a header; nothing where zlib was not there when
/// this was built.
std::optional<std::string> deflated(const std::string& bytes);

std::string base64(std::string_view bytes);

}  // namespace hocket::tool
