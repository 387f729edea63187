#include "assertions.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "../../runtime/execution/allocations.hpp"
#include "../../runtime/execution/execution.hpp"

namespace hocket {

namespace {

/// The place, with a copy of the name of the file that is never destroyed, because a failure outlives the
/// result of the framework from which it is made.
runtime::Where kept(const char* file, int line) {
  static auto& names = *new std::set<std::string>;  // never destroyed: places refer to them
  const char* const name = file != nullptr ? names.insert(file).first->c_str() : "";
  return runtime::Where::current(name, line > 0 ? static_cast<unsigned>(line) : 0);
}

}  // namespace

bool is_in_body() {
  return runtime::is_controlled();
}

bool has_failed() {
  return runtime::execution.verdict.has_failed();
}

void note_failed_assertion(std::string message, const char* file, int line) {
  const runtime::OwnMemory own;
  while (!message.empty() && message.back() == '\n') message.pop_back();
  runtime::execution.verdict.note_failure(runtime::FailureKind::assertion, message, kept(file, line));
}

void note_skipping(const std::string& reason, const char* file, int line) {
  const runtime::OwnMemory own;
  runtime::Verdict::note_skipping(reason, kept(file, line));
}

namespace {

using runtime::execution;
using runtime::run;

struct Scope {
  unsigned thread;  ///< its index
  std::string text;
};

std::vector<Scope> scopes;       ///< in the order in which they were entered
constinit runtime::Life life{};  ///< the execution to which they belong

/// The scopes of this execution. Those of an earlier one are removed first: a thread that was abandoned has
/// not left its scopes.
std::vector<Scope>& scopes_now() {
  if (life != run.life) scopes.clear();
  life = run.life;
  return scopes;
}

bool is_of_current_thread(const Scope& scope) {
  return scope.thread == run.current->index;
}

}  // namespace

void enter_test_scope(const std::string& text) {
  const runtime::OwnMemory own;
  scopes_now().push_back({run.current->index, text});
}

void leave_test_scope() {
  const runtime::OwnMemory own;
  std::vector<Scope>& all = scopes_now();
  const auto last = std::find_if(all.rbegin(), all.rend(), is_of_current_thread);
  if (last != all.rend()) all.erase(last.base() - 1);
}

std::string test_scopes() {
  const std::vector<Scope>& all = scopes_now();
  std::string texts;
  // NOLINTNEXTLINE(modernize-loop-convert): Clang 14 cannot compile the views of libstdc++
  for (auto scope = all.rbegin(); scope != all.rend(); ++scope) {
    if (is_of_current_thread(*scope)) texts += (texts.empty() ? "" : "\n") + scope->text;
  }
  return texts;
}

}  // namespace hocket
