#include "test_scopes.hpp"

#include <algorithm>
#include <vector>

#include "../../runtime/execution/allocations.hpp"
#include "../../runtime/execution/step.hpp"

namespace hocket {

namespace {

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
