#include "deflate.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#ifdef HOCKET_HAS_ZLIB
#include <zlib.h>
#endif

namespace hocket::tool {

std::optional<std::string> deflated([[maybe_unused]] const std::string& bytes) {
#ifdef HOCKET_HAS_ZLIB
  constexpr int kNoHeader = -MAX_WBITS;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kNoHeader, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    return {};
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<const Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const bool is_complete = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  result.resize(stream.total_out);
  deflateEnd(&stream);
  if (is_complete) return result;
#endif
  return {};
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    for (std::size_t n = 0; n < 3; ++n)
      group = group << 8U | (n < count ? static_cast<unsigned char>(bytes[at + n]) : 0U);
    for (std::size_t n = 0; n < 4; ++n) text += n <= count ? kDigits[group >> (18 - 6 * n) & 63U] : '=';
  }
  return text;
}

}  // namespace hocket::tool
