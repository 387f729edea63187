#include "untracked_calls.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../runtime/diagnosis/untracked_calls.hpp"
#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/platform/symbols/call_site.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../host/refusal.hpp"
#include "../host/system_library.hpp"
#include "../libc/inner_files.hpp"
#include "../libc/regular_files.hpp"
#include "../libc/stdio_streams.hpp"
#include "../libstdcxx/library_call.hpp"
#include "../shadow/models.hpp"

namespace {

/// A function of calls.txt, as cmake/HocketUntrackedCalls.cmake writes it.
struct Function {
  void* real;  ///< nullptr until it is known
  const char* name;
  const char* kind;
  char changes[4];
  char which[4];
};

}  // namespace

// Where entry points call hocket_note_untracked_call().
extern "C" const char hocket_note_and_jump;
extern "C" const char hocket_note_and_jump_end;

namespace hocket::unmodified {

namespace {

enum class Effect : std::uint8_t { reads, changes, is_step };

struct Call {
  const char* kind;
  std::uint64_t which;
  unsigned thread;
  runtime::Epoch epoch;
  Effect effect;
  const char* function;
  const void* code;
};

/// Those of this execution.
std::vector<Call>& calls() {
  static auto* const only = new std::vector<Call>;
  return *only;
}

bool conflict(Effect one, Effect other) {
  if (one == Effect::is_step && other == Effect::is_step) return false;
  return one != Effect::reads || other != Effect::reads;
}

/// The call in the program that led to one in the C++ library.
const void* in_program(const void* caller) {
  if (!is_in_cxx_library(caller)) return caller;
  constexpr std::size_t kMost = 32;
  bool is_outside = false;  // of Hocket
  for (const std::uintptr_t frame : runtime::platform::calling_stack(kMost)) {
    const auto* const code = reinterpret_cast<const char*>(frame);
    if (is_outside && is_in_program(code)) return code + 1;  // the frame has the call's last byte
    is_outside |= code >= &hocket_note_and_jump && code < &hocket_note_and_jump_end;
  }
  return caller;
}

/// A function of stdio waits for the thread that has locked its stream, which it does not do here.
void note_locked_stream(const Function& function, std::uintptr_t stream, const void* caller) {
  const runtime::OwnMemory own;
  const runtime::Mutex* const lock = models().mutexes.find_known(reinterpret_cast<const void*>(stream));
  const bool is_locked = lock != nullptr && lock->state.owner != runtime::kNobody;
  if (is_locked && lock->state.owner != runtime::run.current->index)
    runtime::add_untracked_call(
        {function.name, "a stream that another thread has locked", in_program(caller)});
}

void note(const char* kind, std::uint64_t which, Effect effect, const char* function, const void* caller) {
  const runtime::OwnMemory own;
  const int user_errno = errno;
  runtime::RaceChecks& races = runtime::execution.races;
  const bool has_clocks =
      races.is_looking() || runtime::run.options.detect.contains(runtime::Detector::races);
  if (has_clocks && !races.is_looking()) races.begin_to_look();
  const runtime::Thread& self = *runtime::run.current;
  const Call call{kind, which, self.index, self.epoch, effect, function, in_program(caller)};
  bool is_known = false;
  for (const Call& other : calls()) {
    if (other.which != which || std::strcmp(other.kind, kind) != 0) continue;
    if (other.thread == self.index) {
      is_known |= other.epoch == call.epoch && other.effect == effect && other.code == call.code;
      continue;
    }
    const bool is_ordered =
        has_clocks ? runtime::is_before<runtime::Threads::any>(other.epoch, races.races().known_to(self))
                   : runtime::execution.threads.live() == 1;
    if (is_ordered || !conflict(effect, other.effect)) continue;
    runtime::add_untracked_call({other.function, kind, other.code});
    runtime::add_untracked_call({function, kind, call.code});
  }
  constexpr std::size_t kMost = 10000;
  if (!is_known && calls().size() < kMost) calls().push_back(call);
  errno = user_errno;
}

/// As the program's source has it, without what headers make of it: dprintf for __dprintf_chk.
std::string name_in_source(std::string_view name) {
  for (const std::string_view before : {"__isoc99_", "__isoc23_", "__"})
    if (name.starts_with(before)) {
      name.remove_prefix(before.size());
      break;
    }
  if (name.ends_with("_chk")) name.remove_suffix(4);
  return std::string(name);
}

/// Whether it is a pipe or a socket, through which what is written gets to another thread.
bool is_between_threads(int descriptor) {
  struct stat it {};
  const int user_errno = errno;
  const bool is_there = HOCKET_REAL(fstat)(descriptor, &it) == 0;
  bool is_output = descriptor <= STDERR_FILENO;
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat other {};
    is_output |=
        HOCKET_REAL(fstat)(output, &other) == 0 && other.st_dev == it.st_dev && other.st_ino == it.st_ino;
  }
  errno = user_errno;
  return is_there && !is_output && (S_ISFIFO(it.st_mode) || S_ISSOCK(it.st_mode));
}

/// Whether the call, if it opens a file, fails if there is one of that name.
bool is_exclusive(const Function& function, const std::uintptr_t* arguments) {
  if (function.changes[0] == 'm')
    return std::strchr(reinterpret_cast<const char*>(arguments[function.changes[1] - '0']), 'x') != nullptr;
  return function.changes[0] == 'f' && (arguments[function.changes[1] - '0'] & O_EXCL) != 0;
}

/// Whether the call, if it opens a file, removes what was in it.
bool empties(const Function& function, const std::uintptr_t* arguments) {
  const auto argument = [&] { return arguments[function.changes[1] - '0']; };
  if (is_exclusive(function, arguments)) return false;
  if (function.changes[0] == 'f') return (argument() & O_TRUNC) != 0;
  if (function.changes[0] == 'm') return *reinterpret_cast<const char*>(argument()) == 'w';
  return std::string_view(function.name).starts_with("creat");
}

Effect effect_of(const Function& function, const std::uintptr_t* arguments) {
  const std::size_t n = function.changes[1] == 0 ? 0 : static_cast<std::size_t>(function.changes[1] - '0');
  switch (function.changes[0]) {
    case 'r':
      return Effect::reads;
    case 's':
      return Effect::is_step;
    case 'f':
      return (arguments[n] & (O_CREAT | O_TRUNC)) != 0 ? Effect::changes : Effect::reads;
    case 'm': {
      const auto* const mode = reinterpret_cast<const char*>(arguments[n]);
      return mode[0] != 'r' ? Effect::changes : Effect::reads;
    }
    default:
      return Effect::changes;
  }
}

/// The step of a call on regular files or on names of files. False if it is none.
bool make_step(const Function& function, const std::uintptr_t* arguments, const void* caller) {
  std::string_view name = function.name;
  if (name.starts_with("__")) name.remove_prefix(2);
  const Effect effect = effect_of(function, arguments);
  OnFile does = effect == Effect::reads ? OnFile::looks : OnFile::changes;
  if (function.changes[0] == 'p') does = OnFile::moves;
  const auto argument = [&](char digit) { return arguments[digit - '0']; };
  const std::string_view which = function.which;
  switch (which[0]) {
    case 'o':
      return step_on_file(name.data(), static_cast<int>(argument(which[1])), does, caller);
    case 'd': {
      std::array<int, 2> descriptors{};
      for (std::size_t n = 1; n < which.size(); ++n)
        descriptors.at(n - 1) = static_cast<int>(argument(which[n]));
      return step_on_files(name.data(), {descriptors.data(), which.size() - 1}, does, caller);
    }
    case 'p': {
      if (std::string_view(function.kind) != "a stream") return false;
      auto* const stream = reinterpret_cast<std::FILE*>(argument(which[1]));
      if (stream == nullptr) return false;  // fflush() of all
      const KeepsErrno keeps;
      const int descriptor = fileno(stream);
      if (descriptor <= STDERR_FILENO) return false;
      const int flags = HOCKET_REAL(fcntl)(descriptor, F_GETFL);
      if (does == OnFile::changes && (static_cast<unsigned>(flags) & O_ACCMODE) == O_RDONLY)
        does = OnFile::moves;
      const bool is_step = step_on_file(name.data(), descriptor, does, caller);
      step_on_stream(name.data(), stream,
          function.changes[0] == 't' ? OnStream::takes
          : name == "fclose"         ? OnStream::closes
                                     : OnStream::gives);
      return is_step;
    }
    default: {
      if (std::string_view(function.kind) != "names of files") return false;
      const bool are_in_folder = which[0] == 'N' || which[0] == 'B';
      std::array<NamedFile, 2> names{};
      for (std::size_t n = 1; n < which.size(); ++n)
        names.at(n - 1) = {are_in_folder ? static_cast<int>(arguments[which[n] - '1']) : AT_FDCWD,
            reinterpret_cast<const char*>(argument(which[n]))};
      const bool cuts = empties(function, arguments);
      const bool opens = function.changes[1] != 0;
      const bool changes = effect != Effect::reads;
      const bool removes = name == "unlink" || name == "unlinkat" || name == "remove" || name == "rmdir";
      static constexpr std::array kAdding{"mkdir", "mkdirat", "mkfifo", "mknod", "link", "symlink"};
      const bool adds = is_exclusive(function, arguments) ||
                        std::find(kAdding.begin(), kAdding.end(), name) != kAdding.end();
      const bool reaches_files = (which[0] == 'b' || which[0] == 'B') && (!opens || cuts);
      const OnNames on_names{changes, changes && adds, reaches_files, cuts || removes};
      step_on_names(name.data(), {names.data(), which.size() - 1}, on_names, caller);
      return true;
    }
  }
}

}  // namespace

void forget_found_untracked_calls() {
  if (runtime::untracked_calls != nullptr) *runtime::untracked_calls = {};
}
void forget_untracked_calls() {
  calls().clear();
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

/// Called by the entry point of `function` with its arguments in registers, and with its return address.
/// Returns what to jump to.
extern "C" void* hocket_note_untracked_call(
    Function* function, const void* caller, const std::uintptr_t* arguments) {
  if (function->real == nullptr) function->real = find_real(function->name);
  if (!is_from_body()) return function->real;
  std::uint64_t which = 0;
  constexpr std::uintptr_t kFrame = 208;  // of hocket_note_and_jump, with the return address
  const auto refuse_it = [&] {
    called_from_body(caller, reinterpret_cast<std::uintptr_t>(arguments) + kFrame);
    const hocket::runtime::OwnMemory own;
    refuse(name_in_source(function->name).c_str(), function->kind);
  };
  if (function->which[0] == 'o' && is_between_threads(static_cast<int>(arguments[function->which[1] - '0'])))
    refuse_it();
  if (function->changes[0] == 'x' && function->which[0] != 'o') refuse_it();
  const std::uintptr_t argument = function->which[0] == '-' ? 0 : arguments[function->which[1] - '0'];
  if (function->which[0] == 'p') note_locked_stream(*function, argument, caller);
  const bool has_step = function->which[0] == 'd' || function->which[0] == 'o';
  called_from_body(caller, reinterpret_cast<std::uintptr_t>(arguments) + kFrame);
  if (make_step(*function, arguments, in_program(caller)) || has_step) return function->real;
  if (function->which[0] != '-') {
    which = argument;
    if (which == 0 || which == reinterpret_cast<std::uintptr_t>(stdout) ||
        which == reinterpret_cast<std::uintptr_t>(stderr))
      return function->real;
  }
  note(function->kind, which, effect_of(*function, arguments), function->name, caller);
  return function->real;
}
