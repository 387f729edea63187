#include "assertions.hpp"

#include <set>

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

}  // namespace hocket
