// State of libc and the C++ library that is restored after each execution: the progress of getopt, locales,
// the handlers of std::set_terminate and similar functions.
#include "../libstdcxx/iostreams.hpp"
#include "kept_states.hpp"

#include <array>
#include <cerrno>
#include <clocale>
#include <cstdint>
#include <exception>
#include <locale>
#include <memory_resource>
#include <new>
#include <string>

#include <dlfcn.h>
#include <getopt.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/platform/os_thread.hpp"
#include "../../../runtime/platform/thread_control_block.hpp"
#include "../host/next_symbol.hpp"

namespace hocket::unmodified {

namespace {

// ---------------------------------------------------------------------------------------------------------------------
// getopt

/// A variable of libc's. If the program defines one of the same name, libc uses that, and so does this
/// function.
template <class T>
T* variable(const char* name) {
  return static_cast<T*>(dlsym(RTLD_DEFAULT, name));
}

/// The variables through which getopt communicates with its callers.
struct Options {
  int index;
  int prints;
  int wrong;
  char* argument;

  bool operator==(const Options&) const = default;
};

struct PlacesOfOptions {
  int* index = variable<int>("optind");
  int* prints = variable<int>("opterr");
  int* wrong = variable<int>("optopt");
  char** argument = variable<char*>("optarg");

  [[nodiscard]] bool are_known() const {
    return index != nullptr && prints != nullptr && wrong != nullptr && argument != nullptr;
  }
  [[nodiscard]] Options read() const { return {*index, *prints, *wrong, *argument}; }
  void write(const Options& options) const {
    *index = options.index;
    *prints = options.prints;
    *wrong = options.wrong;
    *argument = options.argument;
  }
};

/// Makes getopt start again. It keeps its position within an argument to itself, and forgets it only when
/// told to start again.
void begin_options_again(const PlacesOfOptions& places) {
  std::array<char, 1> name{};
  std::array<char*, 2> arguments{name.data(), nullptr};
  *places.index = 0;
  *places.prints = 0;
  HOCKET_REAL(getopt)(1, arguments.data(), "");
}

// ---------------------------------------------------------------------------------------------------------------------

/// Read without Hocket's own entry points, which follow what bodies do.
struct Handlers {
  std::terminate_handler terminate = HOCKET_REAL_AS(decltype(&std::get_terminate), "_ZSt13get_terminatev")();
  std::new_handler no_memory = HOCKET_REAL_AS(decltype(&std::get_new_handler), "_ZSt15get_new_handlerv")();
  std::pmr::memory_resource* memory = std::pmr::get_default_resource();
};

struct Held {
  PlacesOfOptions places;
  Options options{};
  std::string locale;
  std::locale cxx_locale;
};

constinit Held* held = nullptr;

// State of the running execution.
constinit Handlers* handlers_before = nullptr;
constinit bool has_looked_at_options = false;
constinit bool has_set_locale = false;
constinit bool has_set_cxx_locale = false;
/// By thread index: whether the thread's control block refers to a locale of its own.
constinit std::array<bool, runtime::kMaxThreads> has_own_locale{};
constinit bool has_any_own_locale = false;

void note_options() {
  if (is_to_be_undone()) has_looked_at_options = true;
}

}  // namespace

void hold_library_states() {
  const runtime::OwnMemory own;
  if (held == nullptr) held = new Held;
  if (held->places.are_known()) held->options = held->places.read();
  const char* const name = HOCKET_REAL(setlocale)(LC_ALL, nullptr);
  held->locale = name != nullptr ? name : "C";
  held->cxx_locale = std::locale();
  hold_settings_of_streams();
}

void note_library_states() {
  if (handlers_before == nullptr) handlers_before = new Handlers;
  *handlers_before = Handlers{};
}

void put_library_states_back() {
  const PlacesOfOptions& places = held->places;
  if (places.are_known() && (has_looked_at_options || places.read() != held->options)) {
    if (has_looked_at_options) begin_options_again(places);
    places.write(held->options);
    has_looked_at_options = false;
  }
  if (has_set_cxx_locale) std::locale::global(held->cxx_locale);
  if (has_set_locale || has_set_cxx_locale) HOCKET_REAL(setlocale)(LC_ALL, held->locale.c_str());
  has_set_locale = has_set_cxx_locale = false;
  const Handlers now;
  if (now.terminate != handlers_before->terminate) std::set_terminate(handlers_before->terminate);
  if (now.no_memory != handlers_before->no_memory) std::set_new_handler(handlers_before->no_memory);
  if (now.memory != handlers_before->memory) std::pmr::set_default_resource(handlers_before->memory);
  put_settings_of_streams_back();
}

void begin_errno_and_locale_of(const runtime::Thread& thread) {
  if (!runtime::platform::kHasThreadControlBlocks) return;
  static const std::uintptr_t distance =
      reinterpret_cast<std::uintptr_t>(&errno) - runtime::platform::os_thread_id();
  *reinterpret_cast<int*>(thread.control_block + distance) = 0;
  if (!has_any_own_locale || !has_own_locale[thread.index]) [[likely]]
    return;
  has_own_locale[thread.index] = false;
  const std::uintptr_t mine = runtime::platform::os_thread_id();
  runtime::platform::set_thread_control_block(thread.control_block);
  HOCKET_REAL(uselocale)(LC_GLOBAL_LOCALE);
  runtime::platform::set_thread_control_block(mine);
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

int getopt(int count, char* const* arguments, const char* options) noexcept {
  note_options();
  return HOCKET_REAL(getopt)(count, arguments, options);
}
// What getopt() means in code that asks only for POSIX.
int __posix_getopt(int count, char* const* arguments, const char* options) noexcept;
int __posix_getopt(int count, char* const* arguments, const char* options) noexcept {
  note_options();
  return HOCKET_REAL_AS(decltype(&::getopt), "__posix_getopt")(count, arguments, options);
}
int getopt_long(
    int count, char* const* arguments, const char* options, const option* long_ones, int* index) noexcept {
  note_options();
  return HOCKET_REAL(getopt_long)(count, arguments, options, long_ones, index);
}
int getopt_long_only(
    int count, char* const* arguments, const char* options, const option* long_ones, int* index) noexcept {
  note_options();
  return HOCKET_REAL(getopt_long_only)(count, arguments, options, long_ones, index);
}

char* setlocale(int category, const char* locale) noexcept {
  if (locale != nullptr && is_to_be_undone()) has_set_locale = true;
  return HOCKET_REAL(setlocale)(category, locale);
}
locale_t uselocale(locale_t locale) noexcept {
  if (locale != nullptr && is_from_body())
    has_any_own_locale = has_own_locale[hocket::runtime::run.current->index] = true;
  return HOCKET_REAL(uselocale)(locale);
}

// std::locale::global.
void* _ZNSt6locale6globalERKS_(void* before, const void* locale) {
  if (is_to_be_undone()) has_set_cxx_locale = true;
  using SetGlobal = void* (*)(void* before, const void* locale);
  return HOCKET_REAL_AS(SetGlobal, "_ZNSt6locale6globalERKS_")(before, locale);
}

}  // extern "C"
