#include "output_gate.hpp"

#include <cstdio>
#include <iostream>

#include <fcntl.h>
#include <unistd.h>

#include "../../runtime/execution/execution.hpp"

namespace hocket {

void flush_standard_streams() {
  std::cout.flush();
  std::cerr.flush();
  std::clog.flush();
  std::fflush(stdout);
  std::fflush(stderr);
}

int OutputGate::real_stderr() {
  return runtime::real_stderr;
}

void OutputGate::give_back() const {
  if (saved_out_ >= 0) dup2(saved_out_, STDOUT_FILENO);
  if (saved_err_ >= 0) dup2(saved_err_, STDERR_FILENO);
}

OutputGate::OutputGate()
    : saved_out_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 100)),
      saved_err_(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 100)),
      nowhere_(open("/dev/null", O_WRONLY | O_CLOEXEC)) {
  flush_standard_streams();
  if (saved_err_ >= 0) runtime::real_stderr = saved_err_;
  redirect(nowhere_);
}

OutputGate::~OutputGate() {
  flush_standard_streams();
  give_back();
  runtime::real_stderr = STDERR_FILENO;
  for (const int descriptor : {saved_out_, saved_err_, nowhere_, capture_}) {
    if (descriptor >= 0) close(descriptor);
  }
}

void OutputGate::redirect(int to) const {
  if (to < 0) return;
  if (saved_out_ >= 0) dup2(to, STDOUT_FILENO);
  if (saved_err_ >= 0) dup2(to, STDERR_FILENO);
}

void OutputGate::begin_capture() {
  flush_standard_streams();
  if (capture_ >= 0) close(capture_);
  std::FILE* file = std::tmpfile();
  capture_ = file != nullptr ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 100) : -1;
  if (file != nullptr) std::fclose(file);
  redirect(capture_ >= 0 ? capture_ : nowhere_);
}

std::string OutputGate::end_capture() {
  flush_standard_streams();
  redirect(nowhere_);
  if (capture_ < 0) return {};
  constexpr std::size_t kMost = std::size_t{1} << 20U;
  std::string text(kMost, '\0');
  const ssize_t size = pread(capture_, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  text.shrink_to_fit();  // a report keeps it
  close(capture_);
  capture_ = -1;
  return text;
}

}  // namespace hocket
