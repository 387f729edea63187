#include "environment.hpp"

#include <cstddef>
#include <cstring>
#include <ctime>
#include <vector>

#include <unistd.h>

namespace hocket::unmodified {

namespace {

struct Environment {
  std::vector<char*> first;  ///< as the search has found it, with the nullptr at the end
  std::vector<char*> now;    ///< what `environ` points to, and bodies change
};

Environment& environment() {
  static auto* const only = new Environment;
  return *only;
}

}  // namespace

void hold_environment() {
  Environment& e = environment();
  e.first.clear();
  if (environ != nullptr) {
    for (char** variable = environ; *variable != nullptr; ++variable) e.first.push_back(*variable);
  }
  e.first.push_back(nullptr);
  e.now = e.first;
  environ = e.now.data();
}

void put_environment_back() {
  Environment& e = environment();
  const std::size_t size = e.first.size() * sizeof(char*);
  if (environ == e.now.data() && std::memcmp(e.now.data(), e.first.data(), size) == 0) return;
  std::memcpy(e.now.data(), e.first.data(), size);
  environ = e.now.data();
  tzset();  // who has changed TZ may have had it read
}

}  // namespace hocket::unmodified
