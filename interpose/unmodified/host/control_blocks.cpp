#include "control_blocks.hpp"

#include <algorithm>
#include <cassert>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <csignal>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/platform/os_thread.hpp"
#include "next_symbol.hpp"
#include "single_thread.hpp"

namespace hocket::unmodified {

namespace {

constexpr std::size_t kStackOfParked = std::size_t{64} * 1024;

/// The thread_local variables of one module.
struct Image {
  std::uintptr_t module;  ///< where the module's program headers are
  std::byte* begin;
  std::vector<std::byte> first;  ///< their values when the thread began
};

struct Parked {
  std::uintptr_t block = 0;
  std::vector<Image> images;
};

std::vector<std::unique_ptr<Parked>>& parked() {
  static auto* const all = new std::vector<std::unique_ptr<Parked>>;
  return *all;
}

bool is_of_libc(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return file.starts_with("libc.so") || file.starts_with("ld-linux") || file.starts_with("libc-") ||
         file.starts_with("ld-");
}

int add_image(dl_phdr_info* object, std::size_t /*size*/, void* argument) {
  if (object->dlpi_tls_data == nullptr || is_of_libc(object->dlpi_name)) return 0;
  for (std::size_t n = 0; n < object->dlpi_phnum; ++n) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[n];
    if (segment.p_type != PT_TLS || segment.p_memsz == 0) continue;
    auto* const begin = static_cast<std::byte*>(object->dlpi_tls_data);
    static_cast<Parked*>(argument)->images.push_back(
        {reinterpret_cast<std::uintptr_t>(object->dlpi_phdr), begin, {begin, begin + segment.p_memsz}});
  }
  return 0;
}

std::uint32_t is_ready = 0;

void wait_while(std::uint32_t& word, std::uint32_t value) {
  while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == value)
    HOCKET_REAL(syscall)(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

// Runs on the real thread. After it has announced that it is ready, it never touches its own storage again.
void* park(void* argument) {
  auto& self = *static_cast<Parked*>(argument);
  self.block = runtime::platform::os_thread_id();
  dl_iterate_phdr(&add_image, &self);
  __atomic_store_n(&is_ready, 1U, __ATOMIC_RELEASE);
  HOCKET_REAL(syscall)(SYS_futex, &is_ready, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  for (std::uint32_t never = 0;;) wait_while(never, 0);
}

std::unique_ptr<Parked> make() {
  auto made = std::make_unique<Parked>();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackOfParked);
  // All signals stay blocked on the parked thread: they are for the thread that runs all fibers.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  HOCKET_REAL(pthread_sigmask)(SIG_SETMASK, &all, &before);
  is_ready = 0;
  pthread_t thread;
  const int error = make_real_thread(&thread, &attributes, &park, made.get());
  HOCKET_REAL(pthread_sigmask)(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    throw std::system_error(
        error, std::generic_category(), "hocket: no thread control block for a logical thread");
  }
  wait_while(is_ready, 0);
  return made;
}

}  // namespace

constinit SpanOfThreadLocals span_of_thread_locals;

std::uintptr_t control_block_of(unsigned index) {
  assert(index < runtime::kMaxThreads);
  const runtime::OwnMemory own;
  while (parked().size() <= index) {
    parked().push_back(make());
    for (const Image& image : parked().back()->images) {
      const auto begin = reinterpret_cast<std::uintptr_t>(image.begin);
      SpanOfThreadLocals& span = span_of_thread_locals;
      span = {std::min(span.begin, begin), std::max(span.end, begin + image.first.size())};
    }
  }
  return parked()[index]->block;
}

std::size_t control_blocks_made() {
  return parked().size();
}

void forget_control_blocks_beyond(std::size_t count) {
  if (parked().size() > count) parked().resize(count);
}

void reset_control_block(unsigned index) {
  for (const Image& image : parked()[index]->images)
    std::memcpy(image.begin, image.first.data(), image.first.size());
}

void for_each_image(unsigned index, const std::function<void(std::uintptr_t, std::uintptr_t)>& visit) {
  if (index >= parked().size()) return;
  for (const Image& image : parked()[index]->images) {
    const auto begin = reinterpret_cast<std::uintptr_t>(image.begin);
    visit(begin, begin + image.first.size());
  }
}

std::optional<unsigned> owner_of_thread_local(std::uintptr_t address) {
  for (unsigned index = 0; index < parked().size(); ++index) {
    if (place_in_control_block(index, address)) return index;
  }
  return {};
}

std::optional<std::uintptr_t> distance_in_control_block(unsigned index, std::uintptr_t address) {
  if (index >= parked().size()) return {};
  for (const Image& image : parked()[index]->images) {
    const auto begin = reinterpret_cast<std::uintptr_t>(image.begin);
    if (address >= begin && address < begin + image.first.size()) return parked()[index]->block - address;
  }
  return {};
}

std::optional<PlaceInModule> place_in_control_block(unsigned index, std::uintptr_t address) {
  if (index >= parked().size()) return {};
  for (const Image& image : parked()[index]->images) {
    const auto begin = reinterpret_cast<std::uintptr_t>(image.begin);
    if (address >= begin && address < begin + image.first.size())
      return PlaceInModule{image.module, address - begin};
  }
  return {};
}

}  // namespace hocket::unmodified
