#include "address_translator.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hocket::runtime::platform {

namespace {

constexpr int kMostMilliseconds = 30'000;  ///< for one answer: the first one reads all the debug information

// Tried in this order. The addr2line of binutils 2.40 loses the callers of inlined functions in Clang's
// DWARF 5.
#if defined(__clang__)
constexpr std::array kPrograms{"llvm-addr2line", "addr2line"};
#else
constexpr std::array kPrograms{"addr2line", "llvm-addr2line"};
#endif

}  // namespace

std::vector<std::string> AddressTranslator::translate(std::uintptr_t address) {
  if (owner_ != getpid())
    start();  // for the first time, or after a fork: parent and child must not share answers
  if (unavailable_) return {};
  // With -a every answer begins with its address. Address 0 tells where the answer before it ends.
  std::array<char, 32> question;
  const int size =
      std::snprintf(question.data(), question.size(), "%llx\n0\n", static_cast<unsigned long long>(address));
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

void AddressTranslator::pause() {
  if (child_ <= 0 || owner_ != getpid()) return;
  stop();
  unavailable_ = false;
  owner_ = -1;
}

void AddressTranslator::stop() {
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

void AddressTranslator::start() {
  if (socket_ >= 0) close(socket_);  // the parent's
  socket_ = -1;
  child_ = -1;
  owner_ = getpid();
  received_.clear();
  unavailable_ = !spawn();
}

bool AddressTranslator::spawn() {
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
    // The program not by its path: the file there may have been built anew since this process began.
    const std::string file = file_.empty() ? "/proc/" + std::to_string(getpid()) + "/exe" : file_;
    for (const char* name : kPrograms) {
      std::array<std::string, 5> words{name, "-a", "-i", "-e", file};
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

bool AddressTranslator::send_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

bool AddressTranslator::receive_line(std::string& line) {
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

}  // namespace hocket::runtime::platform
