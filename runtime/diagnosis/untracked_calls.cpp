#include "untracked_calls.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

#include <cxxabi.h>
#include <sys/mman.h>

#include "../platform/symbols/call_site.hpp"
#include "source_text.hpp"

namespace hocket::runtime {

constinit UntrackedCalls* untracked_calls = nullptr;

void add_untracked_call(const UntrackedCall& call) {
  if (untracked_calls == nullptr) {
    void* const memory =
        mmap(nullptr, sizeof(UntrackedCalls), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    untracked_calls = new (memory) UntrackedCalls;
  }
  untracked_calls->add(call);
}

void UntrackedCalls::add(const UntrackedCall& call) {
  const auto is_it = [&](const UntrackedCall& other) {
    return other.function == call.function && other.code == call.code;
  };
  auto* const end = calls.data() + count;
  if (count != calls.size() && std::find_if(calls.data(), end, is_it) == end) calls[count++] = call;
}

namespace {

/// What a user calls the function.
std::string name_of(const char* function) {
  int status = 0;
  char* const text = abi::__cxa_demangle(function, nullptr, nullptr, &status);
  if (text == nullptr) return function;
  std::string name = text;
  std::free(text);  // NOLINT(cppcoreguidelines-no-malloc): as the function says
  return name.substr(0, name.find('('));
}

std::string in_words(const UntrackedCall& call) {
  return name_of(call.function) + at(place_of(platform::user_code_at(call.code)));
}

}  // namespace

std::string untracked_calls_in_words() {
  if (untracked_calls == nullptr) return {};
  std::string text;
  std::vector<std::string> kinds;
  const UntrackedCall* const begin = untracked_calls->calls.data();
  const UntrackedCall* const end = begin + untracked_calls->count;
  for (const UntrackedCall* first = begin; first != end; ++first) {
    const std::string kind = first->kind;
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
    kinds.push_back(kind);
    text += (text.empty() ? "" : ", ") + kind + " (";
    std::vector<std::string> places;
    for (const UntrackedCall* call = first; call != end; ++call) {
      std::string place = kind == call->kind ? in_words(*call) : std::string{};
      if (!place.empty() && std::find(places.begin(), places.end(), place) == places.end())
        places.push_back(std::move(place));
    }
    for (std::size_t n = 0; n < places.size(); ++n) text += (n == 0 ? "" : ", ") + places[n];
    text += ")";
  }
  return text;
}

}  // namespace hocket::runtime
