#include <hocket/interpose/unmodified/iostreams.hpp>

#include <array>
#include <cstddef>
#include <ios>
#include <iostream>
#include <streambuf>

#include <hocket/interpose/unmodified/entry.hpp>
#include <hocket/interpose/unmodified/real.hpp>
#include <hocket/runtime/allocations.hpp>

namespace hocket::unmodified {

namespace {

template <class Character>
struct Buffers {
  using Stream = std::basic_ios<Character>;

  void note(const std::array<Stream*, 4>& streams) {
    for (std::size_t n = 0; n < streams.size(); ++n) buffers[n] = streams[n]->rdbuf();
  }
  void give(const std::array<Stream*, 4>& streams) const {
    for (std::size_t n = 0; n < streams.size(); ++n) streams[n]->rdbuf(buffers[n]);
  }
  std::array<std::basic_streambuf<Character>*, 4> buffers{};
};

std::array<std::ios*, 4> streams() {
  return {&std::cin, &std::cout, &std::cerr, &std::clog};
}
std::array<std::wios*, 4> wide_streams() {
  return {&std::wcin, &std::wcout, &std::wcerr, &std::wclog};
}

bool have_buffers_of_their_own = false;
Buffers<char> buffers;
Buffers<wchar_t> wide_buffers;

}  // namespace

void keep_streams_as_library_has_them() {
  if (!have_buffers_of_their_own) return;
  buffers.give(streams());
  wide_buffers.give(wide_streams());
}

}  // namespace hocket::unmodified

// std::ios_base::sync_with_stdio(bool), under the name that the linker knows. The buffers stay, so they are
// none of the body's.
extern "C" bool _ZNSt8ios_base15sync_with_stdioEb(bool synchronises) {
  using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): an entry point stands outside
  using Function = bool (*)(bool);
  static constinit Function real = nullptr;
  if (real == nullptr) real = reinterpret_cast<Function>(find_real("_ZNSt8ios_base15sync_with_stdioEb"));
  if (!is_from_body()) return real(synchronises);
  const hocket::runtime::OwnMemory own;
  const bool before = real(synchronises);
  // A child process takes its buffers with it.
  if (!synchronises && !hocket::runtime::execution.options().own_process) {
    buffers.note(streams());
    wide_buffers.note(wide_streams());
    have_buffers_of_their_own = true;
  }
  return before;
}
