// Work in a process of its own: whatever it does to itself, this process goes on.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "../../runtime/platform/ending.hpp"

namespace hocket {

/// Whether a child process can do what this one can: there is no other thread, which a child would lack.
bool can_work_in_child();

/// How a child process has ended.
struct ChildWork {
  std::string text;          ///< what it has told
  bool is_complete = false;  ///< the work came to its end
  runtime::platform::Ending ending;
};

/// Does `work` in a child process. What it passes to `tell` arrives also if the child ends before the work
/// does. Signals that ask a search to stop reach the child.
using Tell = std::function<void(std::string_view)>;
ChildWork work_in_child(const std::function<void(const Tell& tell)>& work);

}  // namespace hocket
