#include <hocket/runtime/platform/call_site.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include <hocket/runtime/platform/user_code.hpp>

namespace hocket::runtime::platform {

namespace {

constexpr int kMostMilliseconds = 30'000;  ///< for one answer: the first one reads all the debug information
constexpr std::size_t kMostFrames = 128;

// Tried in this order. The addr2line of binutils 2.40 loses the callers of inlined functions in Clang's
// DWARF 5.
#if defined(__clang__)
constexpr std::array kPrograms{"llvm-addr2line", "addr2line"};
#else
constexpr std::array kPrograms{"addr2line", "llvm-addr2line"};
#endif

// ---------------------------------------------------------------------------------------------------------------------
// The process that translates addresses

class Translator;
Translator& translator();

/// addr2line, and the socket that is both its input and its output. A socket, because writing to one whose
/// other end is gone can be told not to raise SIGPIPE.
class Translator {
 public:
  [[nodiscard]] bool is_unavailable() const { return unavailable_; }

  /// The lines that addr2line prints for an address of the program's file: "file:line" of the functions that
  /// are inlined there, innermost first, and of the one that they are inlined into. Empty when it does not
  /// answer.
  std::vector<std::string> translate(std::uintptr_t address) {
    if (owner_ != getpid())
      start();  // for the first time, or after a fork: parent and child must not share answers
    if (unavailable_) return {};
    // With -a every answer begins with its address. Address 0 tells where the answer before it ends.
    std::array<char, 32> question;
    const int size = std::snprintf(
        question.data(), question.size(), "%llx\n0\n", static_cast<unsigned long long>(address));
    std::vector<std::string> answer;
    if (!send_all({question.data(), static_cast<std::size_t>(size)})) {
      stop();
      return {};
    }
    for (bool is_last = false;;) {
      std::string line;
      if (!receive_line(line)) {
        stop();
        return {};
      }
      if (line.empty()) continue;
      if (is_last) return answer;
      if (line.starts_with("0x") && line.find_first_not_of("0123456789abcdef", 2) == std::string::npos) {
        is_last = line.find_first_not_of('0', 2) == std::string::npos;
      } else {
        answer.push_back(std::move(line));
      }
    }
  }

  /// Ends the process, for good.
  void stop() {
    unavailable_ = true;
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
    // The body may have reaped it, waiting for a child of its own, and its number may be another process's
    // now.
    if (child_ > 0 && owner_ == getpid() && waitpid(child_, nullptr, WNOHANG) == 0) {
      kill(child_, SIGKILL);
      while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    child_ = -1;
  }

 private:
  void start() {
    if (socket_ >= 0) close(socket_);  // the parent's
    socket_ = -1;
    child_ = -1;
    const bool is_first = owner_ == -1;
    owner_ = getpid();
    received_.clear();
    unavailable_ = !spawn();
    if (is_first) std::atexit([] { translator().stop(); });
  }

  bool spawn() {
    std::array<int, 2> ends{-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
    // Away from 0, 1 and 2, which may be free and are then taken for what the body prints.
    socket_ = fcntl(ends[0], F_DUPFD_CLOEXEC, 100);
    const int far_end = fcntl(ends[1], F_DUPFD_CLOEXEC, 100);
    close(ends[0]);
    close(ends[1]);
    bool spawned = false;
    if (socket_ >= 0 && far_end >= 0) {
      posix_spawn_file_actions_t actions;
      posix_spawn_file_actions_init(&actions);
      posix_spawn_file_actions_adddup2(&actions, far_end, STDIN_FILENO);
      posix_spawn_file_actions_adddup2(&actions, far_end, STDOUT_FILENO);
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
      // A process group of its own: Ctrl-C is for the search, which still has to show what it found.
      posix_spawnattr_t attributes;
      posix_spawnattr_init(&attributes);
      posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
      posix_spawnattr_setpgroup(&attributes, 0);
      // Not by its path: the file there may have been built anew since this process began.
      const std::string program = "/proc/" + std::to_string(getpid()) + "/exe";
      for (const char* name : kPrograms) {
        std::array<std::string, 5> words{name, "-a", "-i", "-e", program};
        std::array<char*, words.size() + 1> arguments{};
        std::transform(
            words.begin(), words.end(), arguments.begin(), [](std::string& word) { return word.data(); });
        spawned = posix_spawnp(&child_, name, &actions, &attributes, arguments.data(), environ) == 0;
        if (spawned) break;
      }
      posix_spawnattr_destroy(&attributes);
      posix_spawn_file_actions_destroy(&actions);
    }
    if (far_end >= 0) close(far_end);
    if (!spawned) {
      child_ = -1;
      if (socket_ >= 0) close(socket_);
      socket_ = -1;
    }
    return spawned;
  }

  bool send_all(std::string_view text) {
    while (!text.empty()) {
      const ssize_t size = send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
  }

  bool receive_line(std::string& line) {
    for (;;) {
      if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
        line.assign(received_, 0, end);
        received_.erase(0, end + 1);
        return true;
      }
      pollfd waiting{socket_, POLLIN, 0};
      const int ready = poll(&waiting, 1, kMostMilliseconds);
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) return false;
      std::array<char, 512> part;
      const ssize_t size = recv(socket_, part.data(), part.size(), 0);
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) return false;
      received_.append(part.data(), static_cast<std::size_t>(size));
    }
  }

  pid_t owner_ = -1;
  pid_t child_ = -1;
  int socket_ = -1;
  bool unavailable_ = false;
  std::string received_;
};

// Never freed: an explore() in a destructor of static storage still finds it.
Translator& translator() {
  static auto* const the_one = new Translator;
  return *the_one;
}

// ---------------------------------------------------------------------------------------------------------------------
// Addresses and places

/// Where the main program's file is in memory.
struct Image {
  std::uintptr_t base = 0;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

const Image& main_program() {
  static const Image image = [] {
    Image found;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* argument) {
          Image& it = *static_cast<Image*>(argument);
          it.base = info->dlpi_addr;
          it.begin = ~std::uintptr_t{0};
          for (unsigned n = 0; n < info->dlpi_phnum; ++n) {
            const auto& segment = info->dlpi_phdr[n];
            if (segment.p_type != PT_LOAD) continue;
            it.begin = std::min<std::uintptr_t>(it.begin, it.base + segment.p_vaddr);
            it.end = std::max<std::uintptr_t>(it.end, it.base + segment.p_vaddr + segment.p_memsz);
          }
          return 1;  // the main program comes first; no more are wanted
        },
        &found);
    return found;
  }();
  return image;
}

/// "file:line", "file:line (discriminator 2)", or with '?' for what is not known.
Where parse(const std::string& text) {
  static auto* const files = new std::unordered_set<std::string>;  // what places point to, so never freed
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || text.starts_with('?')) return {};
  unsigned line = 0;
  const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), line);
  if (error != std::errc{} || line == 0) return {};
  return Where::current(files->insert(text.substr(0, colon)).first->c_str(), line);
}

/// The places to which the machine instruction at `address` belongs, as Translator::translate has them.
const std::vector<Where>& places_of_instruction(std::uintptr_t address) {
  static auto* const known = new std::unordered_map<std::uintptr_t, std::vector<Where>>;
  const auto [entry, is_new] = known->try_emplace(address);
  if (is_new) {
    for (const std::string& line : translator().translate(address - main_program().base)) {
      if (const Where where = parse(line); where.line() != 0) entry->second.push_back(where);
    }
  }
  return entry->second;
}

/// The innermost of them in the user's code, or none.
Where user_code_of_instruction(std::uintptr_t address) {
  for (const Where& where : places_of_instruction(address)) {
    if (holds_user_code(where.file_name())) return where;
  }
  return {};
}

struct Walk {
  std::array<std::uintptr_t, kMostFrames> addresses;
  std::size_t size = 0;
};

volatile std::sig_atomic_t looking_up = 0;

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  int before_instruction = 0;
  std::uintptr_t address = _Unwind_GetIPInfo(context, &before_instruction);
  // A return address is that of the next instruction, which may belong to another line.
  if (before_instruction == 0) --address;
  const Image& image = main_program();
  if (address >= image.begin && address < image.end) walk.addresses[walk.size++] = address;
  return walk.size < walk.addresses.size() ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

bool is_looking_up_places() {
  return looking_up != 0;
}

Where user_call_site(const Where& where) {
  if (where.line() != 0 && holds_user_code(where.file_name())) return where;
  const int user_errno = errno;
  looking_up = 1;
  Walk walk;
  if (!translator().is_unavailable()) _Unwind_Backtrace(&visit, &walk);
  Where found;
  for (std::size_t n = 0; n < walk.size && found.line() == 0; ++n)
    found = user_code_of_instruction(walk.addresses[n]);
  looking_up = 0;
  errno = user_errno;
  return found;
}

namespace {

/// What `ask` answers for the address of the call before `return_address`.
template <class Ask>
auto ask_of_call(const void* return_address, Ask&& ask) -> decltype(ask(std::uintptr_t{})) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  const Image& image = main_program();
  if (address < image.begin || address >= image.end || translator().is_unavailable()) return {};
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

bool passes_through(const void* return_address, std::string_view file) {
  return ask_of_call(return_address, [file](std::uintptr_t address) {
    const std::vector<Where>& places = places_of_instruction(address);
    return std::any_of(places.begin(), places.end(),
        [file](const Where& place) { return std::string_view(place.file_name()).ends_with(file); });
  });
}

}  // namespace hocket::runtime::platform
