#include "environment.hpp"

#include <cstddef>
#include <cstring>
#include <ctime>
#include <vector>

#include <unistd.h>

namespace hocket::unmodified {

namespace {

struct Environment {
  std::vector<char*> first;  ///< the environment when the search began, with the final nullptr
  std::vector<char*> now;    ///< what `environ` points to; bodies change it
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
  tzset();  // the body may have changed TZ and had libc read it
}

}  // namespace hocket::unmodified
