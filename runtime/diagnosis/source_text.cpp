#include "source_text.hpp"

#include <cstring>

#include "../platform/symbols/call_site.hpp"
#include "../terms/action_hash.hpp"

namespace hocket::runtime {

std::string place_of(const Where& where) {
  if (where.line() == 0) return {};
  const char* file = where.file_name();
  if (const char* slash = std::strrchr(file, '/'); slash != nullptr) file = slash + 1;
  return std::string(file) + ":" + std::to_string(where.line());
}

std::string user_place_of(const Where& where) {
  return place_of(platform::user_call_site(where));
}

std::string at(const std::string& place) {
  return place.empty() ? std::string{} : " at " + place;
}

std::string at(const Where& where) {
  return at(place_of(where));
}

std::string clause(const char* what, const Where& where) {
  const std::string place = at(where);
  return place.empty() ? place : std::string(", ") + what + place;
}

std::uint64_t mix(std::uint64_t hash, const Where& where) {
  hash = mix(hash, std::uint64_t{where.line()});
  for (const char* c = where.file_name(); *c != '\0'; ++c)
    hash = mix(hash, std::uint64_t{static_cast<unsigned char>(*c)});
  return hash;
}

}  // namespace hocket::runtime
