#include "untracked_calls.hpp"

#include <algorithm>
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

constexpr const char* kContents = "the contents of a file";
constexpr const char* kPosition = "the position of an open file";

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

void add(const runtime::UntrackedCall& call) {
  if (runtime::untracked_calls == nullptr) runtime::make_untracked_calls();
  if (runtime::untracked_calls != nullptr) runtime::untracked_calls->add(call);
}

/// A function of stdio waits for the thread that has locked its stream, which it does not do here.
void note_locked_stream(const Function& function, std::uintptr_t stream, const void* caller) {
  const runtime::OwnMemory own;
  const runtime::Mutex* const lock = models().mutexes.find_known(reinterpret_cast<const void*>(stream));
  const bool is_locked = lock != nullptr && lock->state.owner != runtime::kNobody;
  if (is_locked && lock->state.owner != runtime::run.current->index)
    add({function.name, "a stream that another thread has locked", in_program(caller)});
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
    add({other.function, kind, other.code});
    add({function, kind, call.code});
  }
  constexpr std::size_t kMost = 10000;
  if (!is_known && calls().size() < kMost) calls().push_back(call);
  errno = user_errno;
}

/// The name of the regular file, or 0.
std::uint64_t file_behind(int descriptor) {
  struct stat it {};
  const int user_errno = errno;
  const bool is_file = HOCKET_REAL(fstat)(descriptor, &it) == 0 && S_ISREG(it.st_mode);
  errno = user_errno;
  return is_file ? (it.st_dev * 0x9e3779b97f4a7c15U ^ it.st_ino) | 1U : 0;
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

}  // namespace

void note_untracked_on_file(const char* function, int descriptor, bool changes, const void* caller) {
  if (!is_from_body() || descriptor <= STDERR_FILENO) return;
  const std::uint64_t file = file_behind(descriptor);
  if (file == 0) return;
  note(kContents, file, changes ? Effect::changes : Effect::reads, function, caller);
  note(kPosition, static_cast<std::uint64_t>(descriptor), Effect::changes, function, caller);
}

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
  if (function->which[0] == 'o') {
    const int descriptor = static_cast<int>(arguments[function->which[1] - '0']);
    if (is_between_threads(descriptor)) refuse_it();
    note_untracked_on_file(function->name, descriptor, true, caller);
    return function->real;
  }
  if (function->changes[0] == 'x') refuse_it();
  if (function->which[0] != '-') {
    const std::uintptr_t argument = arguments[function->which[1] - '0'];
    if (function->which[0] == 'p') note_locked_stream(*function, argument, caller);
    if (function->which[0] == 'd') {
      const int descriptor = static_cast<int>(argument);
      which = descriptor > STDERR_FILENO ? file_behind(descriptor) : 0;
    } else if (argument != reinterpret_cast<std::uintptr_t>(stdout) &&
               argument != reinterpret_cast<std::uintptr_t>(stderr)) {
      which = argument;
    }
    if (which == 0) return function->real;
  }
  note(function->kind, which, effect_of(*function, arguments), function->name, caller);
  return function->real;
}
