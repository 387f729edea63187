#include "jobs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <limits>
#include <new>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../runtime/execution/run.hpp"
#include "../../runtime/platform/system_call.hpp"
#include "../../runtime/platform/thread_count.hpp"
#include "../../runtime/threads/host.hpp"

namespace hocket {

namespace {

[[noreturn]] void refuse(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// What fork() does, but where logical threads have threads of the system for their control blocks: fork()
/// would take the stacks of these for free in the child.
pid_t make_process() {
  if (runtime::run.host == nullptr) return ::fork();
  const long result = runtime::platform::system_call(SYS_clone);
  if (result < 0) errno = static_cast<int>(-result);
  return result < 0 ? -1 : static_cast<pid_t>(result);
}

/// The body opens files with low numbers, and is to get the same ones in each job.
int with_high_number(int file) {
  constexpr int kLeast = 100;
  const int high = ::fcntl(file, F_DUPFD_CLOEXEC, kLeast);
  if (high < 0) return file;
  ::close(file);
  return high;
}

}  // namespace

/// Memory that all share.
struct Jobs::Shared {
  struct alignas(64) Count {
    std::atomic<std::uint64_t> executions;
  };
  std::atomic<std::uint64_t> executions_before_failure;

  [[nodiscard]] Count& count_of(unsigned index) { return reinterpret_cast<Count*>(this + 1)[index - 1]; }
  static std::size_t size_for(unsigned jobs) { return (1 + jobs) * sizeof(Count); }
};

Jobs::Jobs(unsigned count) : count_(count), shared_size_(Shared::size_for(count)) {
  static_assert(sizeof(Shared) <= sizeof(Shared::Count));
  void* const memory = ::mmap(
      nullptr, shared_size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) refuse("hocket: no memory that jobs can share");
  shared_ = ::new (memory) Shared{std::numeric_limits<std::uint64_t>::max()};
  for (unsigned n = 0; n < count_; ++n) {
    if (jobs_.emplace_back().supervisor.why_not() == 0) continue;
    errno = jobs_.back().supervisor.why_not();
    ::munmap(memory, shared_size_);
    refuse("hocket: no memory to supervise jobs with");
  }
}

Jobs::~Jobs() {
  end_all();
  ::munmap(static_cast<void*>(shared_), shared_size_);
}

bool Jobs::are_possible() {
  if (runtime::run.host != nullptr) return runtime::run.host->threads.uncontrolled() == 0;
  return runtime::platform::threads_beside(1) == 0;
}

unsigned Jobs::count_of(unsigned asked_for) {
  cpu_set_t cores;
  if (asked_for != 0 || ::sched_getaffinity(0, sizeof cores, &cores) != 0) return std::max(asked_for, 1U);
  return static_cast<unsigned>(CPU_COUNT(&cores));
}

bool Jobs::make_next() {
  const auto place = std::find_if(jobs_.begin(), jobs_.end(), [](const Job& job) { return job.pipe < 0; });
  const auto index = static_cast<unsigned>(place - jobs_.begin()) + 1;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) refuse("hocket: pipe2()");
  for (int& end : ends) end = with_high_number(end);
  const pid_t parent = ::getpid();
  const pid_t process = make_process();
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) runtime::platform::system_call(SYS_exit_group, 1);
    ::close(ends[0]);
    index_ = index;
    told_to_ = ends[1];
    place->supervisor.become_supervised();
    return true;
  }
  const int error = errno;
  ::close(ends[1]);
  if (process < 0) {
    ::close(ends[0]);
    errno = error;
    refuse("hocket: fork()");
  }
  place->process = process;
  place->pipe = ends[0];
  return false;
}

bool Jobs::any_runs() const {
  return std::any_of(jobs_.begin(), jobs_.end(), [](const Job& job) { return job.process != 0; });
}

JobEnd Jobs::end_of(Job& job) {
  JobEnd end;
  end.index = static_cast<unsigned>(
                  std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return &each == &job; }) -
                  jobs_.begin()) +
              1;
  end.text = std::exchange(job.text, {});
  end.ending = runtime::platform::await_ending(std::exchange(job.process, 0));
  end.lost = job.supervisor.last_execution(end.ending);
  ::close(job.pipe);
  return end;
}

void Jobs::read_from(Job& job, std::vector<JobEnd>& ended) {
  constexpr std::size_t kPart = std::size_t{64} * 1024;
  const std::size_t before = job.text.size();
  job.text.resize(before + kPart);
  const ssize_t count = ::read(job.pipe, job.text.data() + before, kPart);
  const bool is_to_be_read_again = count < 0 && errno == EINTR;
  job.text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count <= 0 && !is_to_be_read_again) ended.push_back(end_of(job));
}

std::vector<JobEnd> Jobs::wait() {
  constexpr int kAWhile = 50;  // milliseconds
  std::vector<pollfd> files;
  std::vector<Job*> those;
  for (Job& job : jobs_) {
    if (job.process == 0) continue;
    files.push_back({.fd = job.pipe, .events = POLLIN, .revents = 0});
    those.push_back(&job);
  }
  std::vector<JobEnd> ended;
  if (::poll(files.data(), files.size(), kAWhile) <= 0) return ended;
  for (std::size_t n = 0; n < files.size(); ++n) {
    if (files[n].revents != 0) read_from(*those[n], ended);
  }
  return ended;
}

void Jobs::pass_on(int signal) const {
  for (const Job& job : jobs_) {
    if (job.process != 0) ::kill(job.process, signal);
  }
}

void Jobs::end_all() {
  pass_on(SIGKILL);
  for (Job& job : jobs_) {
    if (job.process != 0) static_cast<void>(end_of(job));
  }
  if (!jobs_.empty()) jobs_.front().supervisor.end_what_was_started();
}

void Jobs::note_failure(std::uint64_t executions) const {
  if (executions < first_failure())
    shared_->executions_before_failure.store(executions, std::memory_order_relaxed);
}

std::uint64_t Jobs::executions() const {
  std::uint64_t sum = 0;
  for (unsigned index = 1; index <= count_; ++index)
    sum += shared_->count_of(index).executions.load(std::memory_order_relaxed);
  return sum;
}

std::uint64_t Jobs::first_failure() const {
  return shared_->executions_before_failure.load(std::memory_order_relaxed);
}

void Jobs::note_executions(std::uint64_t count) const {
  shared_->count_of(index_).executions.store(count, std::memory_order_relaxed);
}

void Jobs::tell_and_end(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(told_to_, text.data(), text.size());
    if (written < 0 && errno != EINTR) break;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  for (;;) runtime::platform::system_call(SYS_exit_group, 0);
}

}  // namespace hocket
