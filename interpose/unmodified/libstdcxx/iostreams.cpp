#include "iostreams.hpp"

#include <array>
#include <cstddef>
#include <ios>
#include <iostream>
#include <streambuf>
#include <vector>

#include "../../../runtime/execution/allocations.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"

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

/// What a program can set in a stream, except its locale.
template <class Character>
struct Settings {
  using Stream = std::basic_ios<Character>;

  explicit Settings(const Stream& stream)
      : flags(stream.flags()),
        precision(stream.precision()),
        width(stream.width()),
        fill(stream.fill()),
        state(stream.rdstate()),
        exceptions(stream.exceptions()),
        tie(stream.tie()),
        buffer(stream.rdbuf()) {}
  bool operator==(const Settings&) const = default;

  void give(Stream& stream) const {
    stream.exceptions(std::ios_base::goodbit);  // so that nothing here throws
    stream.rdbuf(buffer);
    stream.flags(flags);
    stream.precision(precision);
    stream.width(width);
    stream.fill(fill);
    stream.tie(tie);
    if ((state & exceptions) == 0) {
      stream.clear(state);
      stream.exceptions(exceptions);
    }
  }

  std::ios_base::fmtflags flags;
  std::streamsize precision;
  std::streamsize width;
  Character fill;
  std::ios_base::iostate state;
  std::ios_base::iostate exceptions;
  std::basic_ostream<Character>* tie;
  std::basic_streambuf<Character>* buffer;
};

template <class Character>
struct AllSettings {
  using Streams = std::array<std::basic_ios<Character>*, 4>;

  void hold(const Streams& those) {
    streams = those;
    all.clear();
    for (const auto* stream : streams) all.emplace_back(*stream);
  }
  void put_back() const {
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (Settings<Character>(*streams[n]) != all[n]) all[n].give(*streams[n]);
    }
  }
  Streams streams{};
  std::vector<Settings<Character>> all;
};

AllSettings<char>* settings = nullptr;
AllSettings<wchar_t>* wide_settings = nullptr;

bool have_buffers_of_their_own = false;
Buffers<char> buffers;
Buffers<wchar_t> wide_buffers;

}  // namespace

void keep_streams_as_library_has_them() {
  if (!have_buffers_of_their_own) return;
  buffers.give(streams());
  wide_buffers.give(wide_streams());
}

void hold_settings_of_streams() {
  if (settings == nullptr) {
    settings = new AllSettings<char>;
    wide_settings = new AllSettings<wchar_t>;
  }
  settings->hold(streams());
  wide_settings->hold(wide_streams());
}

void put_settings_of_streams_back() {
  settings->put_back();
  wide_settings->put_back();
}

}  // namespace hocket::unmodified

// std::ios_base::sync_with_stdio(bool), under its mangled name. Its buffers outlive the execution, so they
// are not allocated as the body's.
extern "C" bool _ZNSt8ios_base15sync_with_stdioEb(bool synchronises) {
  using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): an entry point stands outside
  const auto real =
      HOCKET_REAL_AS(decltype(&std::ios_base::sync_with_stdio), "_ZNSt8ios_base15sync_with_stdioEb");
  if (!is_from_body()) return real(synchronises);
  const hocket::runtime::OwnMemory own;
  const bool before = real(synchronises);
  // In a child process the buffers disappear with the process.
  if (!synchronises && !hocket::runtime::run.options.own_process) {
    buffers.note(streams());
    wide_buffers.note(wide_streams());
    have_buffers_of_their_own = true;
  }
  return before;
}
