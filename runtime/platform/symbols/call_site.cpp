#include "call_site.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <unwind.h>

#include "../files.hpp"
#include "address_translator.hpp"
#include "loaded_images.hpp"
#include "stack_frames.hpp"
#include "user_code.hpp"

namespace hocket::runtime::platform {

namespace {

constexpr std::size_t kMostFrames = 128;

/// The translators in use. They are never freed, because an explore() in a destructor of static storage needs
/// them.
std::map<const Image*, AddressTranslator>& translators() {
  static auto* const all = [] {
    std::atexit([] {
      for (auto& [image, translator] : translators()) translator.stop();
    });
    return new std::map<const Image*, AddressTranslator>;
  }();
  return *all;
}

AddressTranslator& translator_for(const Image& image) {
  return translators().try_emplace(&image, image.file).first->second;
}

/// Parses "file:line", "file:line (discriminator 2)", or the same with '?' for unknown parts.
Where parse(const std::string& text) {
  static auto* const files =
      new std::unordered_set<std::string>;  // places point to these names, so they are never freed
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || text.starts_with('?')) return {};
  unsigned line = 0;
  const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), line);
  if (error != std::errc{} || line == 0) return {};
  return Where::current(files->insert(text.substr(0, colon)).first->c_str(), line);
}

/// The number of lines in the file; a number that no line has if it cannot be read.
unsigned lines_in(const char* file) {
  static auto* const known = new std::unordered_map<std::string, unsigned>;
  const auto [entry, is_new] = known->try_emplace(file, ~0U);
  if (!is_new) return entry->second;
  const FileBytes source(file);
  const std::string_view text = source.bytes();
  if (!text.empty()) entry->second = static_cast<unsigned>(std::count(text.begin(), text.end(), '\n')) + 1;
  return entry->second;
}

/// A function that a machine instruction belongs to, and where in it the instruction is.
struct Origin {
  std::string function;
  Where where;
};

/// The functions of the machine instruction at `address`, as AddressTranslator::translate returns them.
const std::vector<Origin>& origins_of_instruction(std::uintptr_t address) {
  static auto* const known = new std::unordered_map<std::uintptr_t, std::vector<Origin>>;
  const auto [entry, is_new] = known->try_emplace(address);
  if (is_new) {
    const Image* const image = image_at(address);
    if (image == nullptr) return entry->second;
    for (AddressTranslator::Line& line : translator_for(*image).translate(address - image->base)) {
      const Where where = parse(line.place);
      // A line after the end of its file is that of another file (see addr2line.cpp).
      if (where.line() != 0 && where.line() <= lines_in(where.file_name()))
        entry->second.push_back({std::move(line.function), where});
    }
  }
  return entry->second;
}

/// The innermost of those places that is in the user's code, or no place.
Where user_code_of_instruction(std::uintptr_t address) {
  for (const Origin& origin : origins_of_instruction(address)) {
    if (holds_user_code(origin.where.file_name())) return origin.where;
  }
  return {};
}

struct Walk {
  std::array<std::uintptr_t, kMostFrames> addresses;
  std::size_t size = 0;
  std::size_t most = kMostFrames;
};

volatile std::sig_atomic_t looking_up = 0;

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  int before_instruction = 0;
  std::uintptr_t address = _Unwind_GetIPInfo(context, &before_instruction);
  // A return address is that of the next instruction, which may belong to another line.
  if (before_instruction == 0) --address;
  if (image_at(address) != nullptr) walk.addresses[walk.size++] = address;
  return walk.size < walk.most ? _URC_NO_REASON : _URC_END_OF_STACK;
}

Where user_code_among(std::span<const std::uintptr_t> addresses) {
  Where found;
  for (std::size_t n = 0; n < addresses.size() && found.line() == 0; ++n)
    found = user_code_of_instruction(addresses[n]);
  return found;
}

}  // namespace

void stop_translating() {
  for (auto& [image, translator] : translators()) translator.pause();
}

bool is_looking_up_places() {
  return looking_up != 0;
}

Where user_call_site(const Where& where) {
  if (where.line() != 0 && holds_user_code(where.file_name())) return where;
  const int user_errno = errno;
  looking_up = 1;
  Walk walk;
  if (!translator_for(main_program()).is_unavailable()) _Unwind_Backtrace(&visit, &walk);
  const Where found = user_code_among(std::span(walk.addresses).first(walk.size));
  looking_up = 0;
  errno = user_errno;
  return found;
}

std::vector<std::uintptr_t> calling_stack(std::size_t most) {
  const int user_errno = errno;
  Walk walk;
  walk.most = std::min(most, kMostFrames);
  _Unwind_Backtrace(&visit, &walk);
  errno = user_errno;
  return {walk.addresses.begin(), walk.addresses.begin() + static_cast<std::ptrdiff_t>(walk.size)};
}

Where user_code_on(std::span<const std::uintptr_t> stack) {
  if (translator_for(main_program()).is_unavailable()) return {};
  const int user_errno = errno;
  looking_up = 1;
  const Where found = user_code_among(stack);
  looking_up = 0;
  errno = user_errno;
  return found;
}

std::vector<StackFrame> frames_of(std::span<const std::uintptr_t> stack) {
  std::vector<StackFrame> frames;
  if (translator_for(main_program()).is_unavailable()) return frames;
  const int user_errno = errno;
  looking_up = 1;
  for (const std::uintptr_t address : stack) {
    for (const Origin& origin : origins_of_instruction(address))
      frames.push_back({origin.function, origin.where.file_name(), origin.where.line()});
  }
  looking_up = 0;
  errno = user_errno;
  // The name of a lambda's call operator says nothing. The library's functions that called it are named after
  // the lambda.
  for (std::size_t n = 0; n < frames.size(); ++n) {
    std::string& function = frames[n].function;
    std::string lambda;
    if (function == "operator()" && n + 1 < frames.size()) lambda = lambda_called_by(frames[n + 1].function);
    function = lambda.empty() ? short_function_name(function) : std::move(lambda);
  }
  return frames;
}

namespace {

/// The result of `ask` for the address of the call that returns to `return_address`.
template <class Ask>
auto ask_of_call(const void* return_address, Ask&& ask) -> decltype(ask(std::uintptr_t{})) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  const Image* const image = image_at(address);
  if (image == nullptr || translator_for(*image).is_unavailable()) return {};
  const int user_errno = errno;
  looking_up = 1;
  const auto answer = ask(address);
  looking_up = 0;
  errno = user_errno;
  return answer;
}

}  // namespace

Where user_code_at(const void* return_address) {
  return ask_of_call(return_address, &user_code_of_instruction);
}

std::string_view function_with(const void* return_address) {
  return ask_of_call(return_address, [](std::uintptr_t address) {
    const std::vector<Origin>& origins = origins_of_instruction(address);
    return origins.empty() ? std::string_view{} : std::string_view(origins.back().function);
  });
}

bool passes_through(const void* return_address, std::string_view file) {
  return ask_of_call(return_address, [file](std::uintptr_t address) {
    const std::vector<Origin>& origins = origins_of_instruction(address);
    return std::any_of(origins.begin(), origins.end(),
        [file](const Origin& origin) { return std::string_view(origin.where.file_name()).ends_with(file); });
  });
}

}  // namespace hocket::runtime::platform
