// A child process that may die, and what it printed.
#pragma once

#include <csignal>
#include <cstdio>
#include <functional>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "scheduler/deaths/supervisor.hpp"
#include "scheduler/options/settings.hpp"

namespace hocket::test {

struct ChildEnd {
  int status = 0;  ///< in the format of waitpid()
  std::string output;

  [[nodiscard]] bool exited_with(int code) const { return WIFEXITED(status) && WEXITSTATUS(status) == code; }
  [[nodiscard]] bool died_of(int signal) const { return WIFSIGNALED(status) && WTERMSIG(status) == signal; }
};

/// Runs `work` in a child process that then ends with status 0. It is killed after half a minute.
/// `meanwhile`, if given, is called with its process id.
inline ChildEnd in_child(
    const std::function<void()>& work, const std::function<void(pid_t)>& meanwhile = nullptr) {
  std::fflush(nullptr);
  std::FILE* const output = std::tmpfile();
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    dup2(fileno(output), STDOUT_FILENO);
    dup2(fileno(output), STDERR_FILENO);
    work();
    std::fflush(nullptr);
    _exit(0);
  }
  if (meanwhile) meanwhile(child);
  ChildEnd end;
  waitpid(child, &end.status, 0);
  std::rewind(output);
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) end.output += static_cast<char>(c);
  std::fclose(output);
  return end;
}

/// The same in a process that is watched by another one, as that of a test program is.
inline ChildEnd in_supervised_child(const std::function<void()>& work) {
  return in_child([&] {
    Settings settings = hocket::settings();
    settings.supervise = true;
    supervise(settings);
    alarm(30);
    work();
  });
}

}  // namespace hocket::test
