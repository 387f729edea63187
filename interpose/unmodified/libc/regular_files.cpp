#include "regular_files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../runtime/diagnosis/untracked_calls.hpp"
#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../hooks/polling.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../restore/outer_files.hpp"
#include "../restore/shared_maps.hpp"
#include "inner_files.hpp"
#include "open_files.hpp"

namespace hocket::unmodified {

namespace {

using runtime::Access;
using runtime::execution;
using runtime::is_sabotaged;
using runtime::Object;
using runtime::Operation;
using runtime::run;
using runtime::Sabotage;
using runtime::Where;

constexpr runtime::ObjectKind kFileKind{"file", [](const Object&) -> void* { return nullptr; },
    [](Object&, const void*) {}, [](void*) {},
    [](const Object& object) -> std::uint64_t { return object.version; }};

struct RegularFile : Object {
  RegularFile(std::uint64_t the_key, const struct stat& it, int descriptor)
      : Object(kFileKind, runtime::FoundAt{the_key}), device(it.st_dev), number(it.st_ino), pin(descriptor) {}

  [[nodiscard]] bool is(const struct stat& it) const { return it.st_dev == device && it.st_ino == number; }

  dev_t device;
  ino_t number;
  int pin;  ///< while Hocket has it open, the system gives its number to no other file
  bool is_of_body = false;
};

/// A name that a body has made or removed.
struct ChangedName {
  std::string path;
  ino_t before = 0;         ///< the number of its file at first; 0: there was none
  bool is_settled = false;  ///< what was there at first does not matter
  const void* code = nullptr;
};

/// What a thread has made of the number of a descriptor.
struct NumberUse {
  int number;
  unsigned thread;
  runtime::Epoch epoch;
};

/// Those of an execution.
struct Files {
  std::deque<RegularFile> all;
  std::vector<NumberUse> numbers;  ///< the last change of each, or its use while it was not open
  std::vector<ChangedName> names;
  std::array<unsigned, runtime::kMaxThreads> unnamed{};  ///< how many files without a name a thread has made
  bool is_next_one_made = false;                         ///< the call that was announced makes its file
};
// Not a local static: a body may be the first to come by, and the guard would then be the body's.
constinit Files* only = nullptr;

Files& files() {
  const runtime::OwnMemory own;
  if (only == nullptr) only = new Files;
  return *only;
}

/// While it exists, what a call does to memory and errno is Hocket's.
struct Inside {
  const runtime::OwnMemory own;
  const KeepsErrno keeps{};
};

/// As a path that the system takes, and that leads to the file whatever its name is.
std::array<char, 32> path_of(int descriptor) {
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", descriptor);
  return path;
}

int pinned(int descriptor) {
  constexpr int kFirst = 512;  // the body's own numbers stay the same
  // It is not a copy: closing that would give up the locks of the process.
  const int low = HOCKET_REAL(open)(path_of(descriptor).data(), O_PATH | O_CLOEXEC);
  const int pin = HOCKET_REAL(fcntl)(low, F_DUPFD_CLOEXEC, kFirst);
  HOCKET_REAL(close)(low);
  return pin;
}

std::uint64_t key_of_new_file(int descriptor) {
  constexpr std::uint64_t kOfFile = 0x5170;
  if (const std::uint64_t path = stable_path_behind(descriptor); path != 0) {
    std::uint64_t key = runtime::mix(kOfFile, path);
    // A file of that name may have been removed.
    while (std::any_of(files().all.begin(), files().all.end(), [&](auto& one) { return one.key == key; }))
      key = runtime::mix(key, kOfFile);
    return key;
  }
  return runtime::mix(runtime::mix(kOfFile, run.current->key), ++files().unnamed[run.current->index]);
}

void name(const RegularFile& file, int descriptor) {
  if (!run.recording) return;
  std::array<char, 256> path{};
  const ssize_t size = HOCKET_REAL(readlink)(path_of(descriptor).data(), path.data(), path.size());
  const std::string_view all(path.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const bool has_name = stable_path_behind(descriptor) != 0;
  runtime::recording::name(
      file, has_name ? std::string(all.substr(all.rfind('/') + 1)) : std::string("file without a name"));
}

/// nullptr if there is no regular file behind the descriptor. What the system itself makes up is none.
RegularFile* file_behind(int descriptor) {
  struct stat it {};
  if (descriptor < 0 || HOCKET_REAL(fstat)(descriptor, &it) != 0 || !S_ISREG(it.st_mode)) return nullptr;
  for (RegularFile& known : files().all) {
    if (known.is(it)) return &known;
  }
  struct stat of_system {};
  for (const char* const folder : {"/proc", "/sys"}) {
    if (stat(folder, &of_system) == 0 && of_system.st_dev == it.st_dev) return nullptr;
  }
  const std::uint64_t key = key_of_new_file(descriptor);
  RegularFile& made = files().all.emplace_back(key, it, pinned(descriptor));
  name(made, descriptor);
  return &made;
}

RegularFile* file_at(const NamedFile& named) {
  if (named.path == nullptr) return nullptr;
  if (named.path[0] == '\0') return file_behind(named.folder);  // AT_EMPTY_PATH
  const int descriptor = HOCKET_REAL(openat)(named.folder, named.path, O_PATH | O_CLOEXEC);
  RegularFile* const file = file_behind(descriptor);
  if (descriptor >= 0) HOCKET_REAL(close)(descriptor);
  return file;
}

/// The number of the file that has the name; 0 if there is none.
ino_t number_at(int folder, const char* path) {
  struct stat it {};
  return fstatat(folder, path, &it, AT_SYMLINK_NOFOLLOW) == 0 ? it.st_ino : 0;
}

/// So that it is known what is ordered.
void begin_to_look() {
  runtime::RaceChecks& races = execution.races;
  if (!races.is_looking() && run.options.detect.contains(runtime::Detector::races)) races.begin_to_look();
}

bool is_ordered_before(const NumberUse& use) {
  runtime::RaceChecks& races = execution.races;
  if (use.thread == run.current->index) return true;
  if (!races.is_looking()) return execution.threads.live() == 1;
  return runtime::is_before<runtime::Threads::any>(use.epoch, races.races().known_to(*run.current));
}

/// The running thread uses a number that it has from elsewhere, or changes what it stands for. For what a
/// number stands is known when a call begins, before its step. So another thread must not be about to change
/// that.
void use_number(const char* function, int number, bool changes, const void* caller) {
  const Inside inside;
  begin_to_look();
  std::vector<NumberUse>& all = files().numbers;
  const auto last =
      std::find_if(all.begin(), all.end(), [&](const NumberUse& one) { return one.number == number; });
  if (last != all.end() && !is_ordered_before(*last))
    runtime::add_untracked_call({function, "the number of a descriptor that another thread changes", caller});
  if (!changes) return;
  const NumberUse now{number, run.current->index, run.current->epoch};
  last != all.end() ? void(*last = now) : all.push_back(now);
}

constexpr std::size_t kMost = 2;
using Reached = std::array<RegularFile*, kMost>;

/// A step on `object` that also touches the files. A loop of steps that only look polls.
bool step(Object& object, bool changes, const Reached& reached) {
  std::vector<Object*>& touched = run.current->instrumented.parts_touched;
  {
    const runtime::OwnMemory own;
    for (RegularFile* const file : reached) {
      if (file == nullptr || file == &object) continue;
      if (!touched.empty() && touched.front() == file) continue;
      run.raise_attention(runtime::Attention::to_all);  // otherwise it would not be noticed
      touched.push_back(file);
    }
  }
  Look look;
  const Operation operation = changes ? Operation::atomic_fetch_add : Operation::atomic_load;
  const bool goes_on = runtime::step::arrive(object, operation, true, Where{});
  if (goes_on)
    runtime::step::act(object, operation, changes ? Access::write : Access::read, std::memory_order_relaxed);
  look.found(object, object.version, !changes);
  for (Object* const file : touched) {
    if (!changes) look.found_too(*file, file->version);
  }
  touched.clear();
  return goes_on;
}

void leave_changed(const RegularFile* file, const void* caller) {
  if (file != nullptr && !file->is_of_body) note_left_changed("a file", -1, caller);
}

/// Whether what the running thread finds does not depend on another thread.
bool is_alone() {
  return execution.threads.live() == 1;
}

void note_changed_name(const NamedFile& named, bool is_made_anew, const void* caller) {
  if (named.path == nullptr) return;
  std::string path = named.path;
  if (path[0] != '/') {
    const std::string folder = named.folder == AT_FDCWD ? "/proc/self/cwd" : path_of(named.folder).data();
    std::array<char, 4096> whole{};
    const ssize_t size = HOCKET_REAL(readlink)(folder.c_str(), whole.data(), whole.size());
    if (size <= 0) return;
    path = std::string(whole.data(), static_cast<std::size_t>(size)) + "/" + path;
  }
  std::vector<ChangedName>& all = files().names;
  const bool is_known =
      std::any_of(all.begin(), all.end(), [&](const ChangedName& one) { return one.path == path; });
  if (!is_known) all.push_back({path, number_at(AT_FDCWD, path.c_str()), is_made_anew, caller});
}

KeptThing thing_at(const NamedFile& named) {
  std::uint64_t hash = S_IFDIR;
  for (const char* at = named.path; at != nullptr && *at != '\0'; ++at)
    hash = runtime::mix(hash, static_cast<unsigned char>(*at));
  return {hash};
}

}  // namespace

bool step_on_files(const char* function, std::span<const int> descriptors, OnFile does, const void* caller) {
  if (!is_from_body() || descriptors.front() <= STDERR_FILENO) return false;
  const auto find = [&] {
    const Inside inside;
    Reached reached{};
    for (std::size_t n = 0; n < descriptors.size(); ++n) reached.at(n) = file_behind(descriptors[n]);
    return reached;
  };
  const KeepsErrno keeps;
  const InFunction in_function(function);
  Reached reached = find();
  const bool is_open = HOCKET_REAL(fcntl)(descriptors.front(), F_GETFD) >= 0;
  if (reached.front() == nullptr && is_open) return false;
  for (const int descriptor : descriptors) use_number(function, descriptor, !is_open, caller);
  for (bool is_done = false; !is_done;) {
    const Reached expected = reached;
    const bool is_there = reached.front() != nullptr;
    Object& object = is_there ? static_cast<Object&>(*reached.front()) : object_of_open_files();
    const bool changes = does == OnFile::changes ||
                         (does == OnFile::moves && !is_sabotaged(Sabotage::positions_are_not_shared));
    if (!step(object, is_there && changes, reached)) return true;
    reached = find();
    is_done = reached == expected;  // otherwise another thread has changed the number meanwhile
  }
  const Inside inside;
  for (const RegularFile* const file : reached) {
    if (does == OnFile::changes) leave_changed(file, caller);
    if (file != nullptr) put_in_order({file->key}, does == OnFile::changes ? Order::gives : Order::takes);
  }
  return true;
}

void step_on_number(const char* function, int descriptor, const void* caller) {
  if (!is_from_body() || descriptor <= STDERR_FILENO) return;
  const auto find = [&] {
    const Inside inside;
    return Reached{file_behind(descriptor)};
  };
  const KeepsErrno keeps;
  const InFunction in_function(function);
  Reached reached = find();
  const bool is_open = HOCKET_REAL(fcntl)(descriptor, F_GETFD) >= 0;
  if (reached.front() == nullptr && is_open) return;
  use_number(function, descriptor, true, caller);
  if (!is_open) return;
  for (Reached expected{}; reached != expected; reached = find()) {
    expected = reached;
    if (!step(object_of_open_files(), true, reached)) return;
  }
}

void step_on_names(
    const char* function, std::span<const NamedFile> names, const OnNames& does, const void* caller) {
  if (!is_from_body()) return;
  const auto find = [&] {
    const Inside inside;
    Reached reached{};
    const bool reaches_files = does.reaches_files && !is_sabotaged(Sabotage::names_reach_no_files);
    for (std::size_t n = 0; reaches_files && n < names.size(); ++n) reached.at(n) = file_at(names[n]);
    return reached;
  };
  const KeepsErrno keeps;
  const InFunction in_function(function);
  const bool is_made_anew = does.makes_anew && is_alone();
  bool changes = does.changes;
  // What a name stands for is part of a step of its own. A loop that tries to add one polls until it is gone.
  if (does.only_adds || (does.reaches_files && !is_alone())) {
    if (!step(object_of_open_files(), false, {})) return;
    const Inside inside;
    if (does.only_adds) changes = number_at(names.back().folder, names.back().path) == 0;
  }
  Reached reached = is_made_anew ? Reached{} : find();
  for (bool is_done = does.only_adds && !changes; !is_done;) {
    const Reached expected = reached;
    if (!step(object_of_open_files(), changes, expected)) return;
    reached = find();
    is_done = is_made_anew || reached == expected;  // otherwise another thread has changed the name meanwhile
  }
  const Inside inside;
  files().is_next_one_made = false;
  for (const NamedFile& named : names) {
    if (named.path == nullptr) continue;
    put_in_order(thing_at(named), changes ? Order::takes_and_gives : Order::takes);
    if (!changes) continue;
    files().is_next_one_made |= is_made_anew || number_at(named.folder, named.path) == 0;
    note_changed_name(named, is_made_anew, caller);
  }
  for (RegularFile* const file : reached) {
    if (file == nullptr || !changes) continue;
    file->is_of_body |= is_made_anew;
    leave_changed(file, caller);
  }
}

void note_file(int descriptor, bool is_made) {
  if (descriptor <= STDERR_FILENO || !is_from_body()) return;
  const Inside inside;
  RegularFile* const file = file_behind(descriptor);
  if (file == nullptr) return;
  file->is_of_body |= is_made || files().is_next_one_made;
  begin_to_look();
  std::vector<NumberUse>& all = files().numbers;
  std::erase_if(all, [&](const NumberUse& one) { return one.number == descriptor; });
  all.push_back({descriptor, run.current->index, run.current->epoch});
}

void end_regular_files(const runtime::ExecutionOptions& /*options*/) {
  if (only == nullptr) return;
  const Inside inside;
  const bool is_cut_short = execution.verdict.is_cut_short();
  std::for_each(only->names.rbegin(), only->names.rend(), [&](const ChangedName& name) {
    const ino_t now = number_at(AT_FDCWD, name.path.c_str());
    if (is_cut_short && name.before == 0 && now != 0) {
      static_cast<void>(
          HOCKET_REAL(unlink)(name.path.c_str()) == 0 || HOCKET_REAL(rmdir)(name.path.c_str()) == 0);
    } else if (now != name.before && !name.is_settled) {
      note_left_changed("the name of a file", -1, name.code);
    }
  });
  for (const RegularFile& file : only->all) {
    if (file.pin >= 0) HOCKET_REAL(close)(file.pin);
  }
  *only = {};
}

}  // namespace hocket::unmodified
