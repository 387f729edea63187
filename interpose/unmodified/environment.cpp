#include <hocket/interpose/unmodified/environment.hpp>

#include <cstring>
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
  std::memcpy(e.now.data(), e.first.data(), e.first.size() * sizeof(char*));
  environ = e.now.data();
}

}  // namespace hocket::unmodified
