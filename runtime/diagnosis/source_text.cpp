#include "source_text.hpp"

#include <cstring>
#include <string_view>
#include <unordered_map>

#include "../platform/symbols/call_site.hpp"
#include "../terms/action_hash.hpp"

namespace hocket::runtime {

std::string place_of(const Where& where) {
  if (where.line() == 0) return {};
  const char* file = where.file_name();
  if (const char* slash = std::strrchr(file, '/'); slash != nullptr) file = slash + 1;
  return std::string(file) + ":" + std::to_string(where.line());
}

namespace {

/// The files of the places that user_place_of() has returned, by their names without folders. Empty where two
/// files have the same name.
std::unordered_map<std::string, std::string>& paths() {
  static auto* const all = new std::unordered_map<std::string, std::string>;
  return *all;
}

}  // namespace

std::string user_place_of(const Where& where) {
  const Where found = platform::user_call_site(where);
  std::string place = place_of(found);
  if (place.empty()) return place;
  const std::string_view path = found.file_name();
  const auto [known, is_new] = paths().try_emplace(place.substr(0, place.rfind(':')), path);
  if (!is_new && known->second != path) known->second.clear();
  return place;
}

std::string path_of_user_file(const std::string& name) {
  const auto found = paths().find(name);
  return found == paths().end() ? std::string{} : found->second;
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
