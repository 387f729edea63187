#include "model_calls.hpp"

#include <cxxabi.h>

#include "../../runtime/platform/exception_text.hpp"

namespace hocket::model {

namespace {

/// abort() lets a handler go elsewhere and does not end the process then.
void note_abort(int signal) {
  if (detail::after_abort != nullptr) __builtin_longjmp(detail::after_abort, 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

namespace detail {

std::string thrown_text() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  const std::string name = type != nullptr ? runtime::platform::type_name(*type) : "an exception";
  try {
    throw;
  } catch (const std::exception& exception) {
    return name + ": " + exception.what();
  } catch (...) {
    return name;
  }
}

std::string abort_text() {
  return "abort() was called; if by a failed assertion, its text stands above";
}

}  // namespace detail

AbortGuard::AbortGuard() {
  struct sigaction action {};
  action.sa_handler = &note_abort;
  action.sa_flags = SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(SIGABRT, &action, &previous_);
}

AbortGuard::~AbortGuard() {
  sigaction(SIGABRT, &previous_, nullptr);
}

}  // namespace hocket::model
