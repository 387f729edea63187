// Work in a process of its own: whatever it does to itself, this process goes on.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace hocket {

/// Whether a child process can do what this one can: there is no other thread, which a child would lack.
bool can_work_in_child();

/// How a child process has ended.
struct ChildWork {
  std::optional<std::string> text;  ///< what the work has returned; nothing if it did not come to its end
  int status = 0;                   ///< as waitpid() gives it
};

/// Does `work` in a child process. Signals that ask a search to stop reach the child.
ChildWork work_in_child(const std::function<std::string()>& work);

/// "was ended by SIGSEGV", "ended with status 1"
std::string ending_text(int status);

}  // namespace hocket
