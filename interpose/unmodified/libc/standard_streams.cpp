// The stdio streams that exist before a search: stdin, stdout, stderr, and those that the program has opened.
//
// An execution may close them, read from them, set them to wide characters or give them buffers of its own.
// In the next execution they are as they were before, except for what has been written to files.
#include "../restore/kept_states.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <stdio_ext.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/platform/spin_lock.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../host/next_symbol.hpp"

namespace hocket::unmodified {

namespace {

// Parts of glibc's ABI: the table that follows a FILE, its lock, and some bits of its flags.
struct FileWithTable {
  std::FILE file;
  const void* functions;  ///< differs between narrow and wide characters
};
struct LockOfFile {
  int is_taken;
  int times;
  void* owner;
};
constexpr int kIsBufferOfProgram = 0x1;
constexpr int kIsUnbuffered = 0x2;
constexpr int kHasSeenEndOrError = 0x10 | 0x20;
constexpr int kIsLineBuffered = 0x200;

FileWithTable& with_table(std::FILE* stream) {
  return *reinterpret_cast<FileWithTable*>(stream);
}
LockOfFile& lock_of(std::FILE* stream) {
  return *static_cast<LockOfFile*>(static_cast<void*>(stream->_lock));
}

/// Fields that show whether the stream has been read or written.
struct Use {
  const char* read_at;
  const char* read_end;
  const char* write_at;
  const char* buffer;
  int flags;

  explicit Use(const std::FILE* stream)
      : read_at(stream->_IO_read_ptr),
        read_end(stream->_IO_read_end),
        write_at(stream->_IO_write_ptr),
        buffer(stream->_IO_buf_base),
        flags(stream->_flags) {}
  bool operator==(const Use&) const = default;
};

/// One of stdin, stdout and stderr.
struct Standard {
  std::FILE* stream = nullptr;
  int orientation = 0;
  const void* functions = nullptr;
  LockOfFile lock{};
  int flags = 0;
  bool has_new_buffer = false;  ///< given to it by the running execution
  std::array<char, BUFSIZ> buffer{};

  void hold(std::FILE* the_stream) {
    stream = the_stream;
    orientation = stream->_mode;
    functions = with_table(stream).functions;
    lock = lock_of(stream);
    flags = stream->_flags;
    has_new_buffer = false;
  }
  void put_back() {
    lock_of(stream) = lock;  // a thread that will never run again may hold it
    if (has_new_buffer) give_buffer();
    if (stream->_mode != orientation || with_table(stream).functions != functions) {
      HOCKET_REAL(fflush)(stream);
      stream->_mode = orientation;
      with_table(stream).functions = functions;
    }
    stream->_flags = (stream->_flags & ~kHasSeenEndOrError) | (flags & kHasSeenEndOrError);
  }

 private:
  /// Replaces the body's buffer, which may disappear together with the body.
  void give_buffer() {
    has_new_buffer = false;
    if (runtime::run.ending) __fpurge(stream);
    HOCKET_REAL(setvbuf)(stream, nullptr, _IONBF, 0);
    if ((flags & kIsUnbuffered) != 0) return;
    const int mode = (flags & kIsLineBuffered) != 0 ? _IOLBF : _IOFBF;
    HOCKET_REAL(setvbuf)(stream, buffer.data(), mode, buffer.size());
  }
};

struct Outer {
  std::FILE* stream;
  off_t position;  ///< negative if it has none
  Use use;
  std::FILE file;  ///< if it has no position, all that is in it, and in its buffer
  std::string buffer;

  Outer(std::FILE* the_stream, off_t the_position)
      : stream(the_stream), position(the_position), use(the_stream), file(*the_stream) {
    if (position < 0) buffer.assign(stream->_IO_buf_base, stream->_IO_buf_end);
  }
  void put_back() {
    lock_of(stream) = {};
    if (position >= 0) {
      HOCKET_REAL(fseeko)(stream, position, SEEK_SET);
    } else if (!runtime::is_sabotaged(runtime::Sabotage::streams_stay_changed)) {
      put_contents_back();
    }
    use = Use(stream);
  }

 private:
  void put_contents_back() {
    const bool is_libcs = (stream->_flags & kIsBufferOfProgram) == 0;
    if (file._IO_buf_base == nullptr && is_libcs) keep_buffer();
    // One that the body has replaced may be gone.
    if (file._IO_buf_base != nullptr && file._IO_buf_base != stream->_IO_buf_base) return;
    file._chain = stream->_chain;
    *stream = file;
    std::copy(buffer.begin(), buffer.end(), stream->_IO_buf_base);
  }
  /// The stream has got one from libc meanwhile. Without it, it would get another one in each execution.
  void keep_buffer() {
    file._IO_buf_base = file._IO_read_base = file._IO_read_ptr = file._IO_read_end = file._IO_write_base =
        file._IO_write_ptr = file._IO_write_end = stream->_IO_buf_base;
    file._IO_buf_end = stream->_IO_buf_end;
  }
};

struct Streams {
  std::array<Standard, 3> standard;
  std::vector<std::FILE*> opened;  ///< streams opened outside bodies and not closed
  std::vector<Outer> outer;        ///< stdin and the opened streams, as the search found them
};

constinit Streams* all_streams = nullptr;

/// A lock is needed because threads that are not controlled may open streams at any time.
using Lock = runtime::platform::SpinLock<Streams>;

Streams& streams() {
  const runtime::OwnMemory own;
  if (all_streams == nullptr) all_streams = new Streams;
  return *all_streams;
}

void note_buffer(std::FILE* stream) {
  if (all_streams == nullptr || !is_to_be_undone()) return;
  for (Standard& standard : streams().standard) {
    if (standard.stream == stream) standard.has_new_buffer = true;
  }
}

}  // namespace

void note_outer_stream(std::FILE* stream) {
  const runtime::OwnMemory own;
  const Lock lock;
  streams().opened.push_back(stream);
}
void forget_outer_stream(std::FILE* stream) {
  const runtime::OwnMemory own;
  const Lock lock;
  std::erase(streams().opened, stream);
}
bool is_outer_stream(std::FILE* stream) {
  const std::vector<Outer>& outer = streams().outer;
  const bool is_standard = stream == stdin || stream == stdout || stream == stderr;
  return is_standard ||
         std::any_of(outer.begin(), outer.end(), [stream](const Outer& one) { return one.stream == stream; });
}

void note_descriptor_of(std::FILE* stream) {
  if (is_to_be_undone() && is_outer_stream(stream)) note_descriptor(fileno(stream));
}

void hold_streams() {
  const runtime::OwnMemory own;
  const Lock lock;
  Streams& s = streams();
  s.standard[0].hold(stdin);
  s.standard[1].hold(stdout);
  s.standard[2].hold(stderr);
  s.outer.clear();
  const auto add = [&s](std::FILE* stream) {
    const int user_errno = errno;
    const off_t position = ftello(stream);
    errno = user_errno;
    s.outer.emplace_back(stream, position);
  };
  add(stdin);
  for (std::FILE* const stream : s.opened) add(stream);
}

void put_streams_back() {
  Streams& s = streams();
  for (Standard& standard : s.standard) standard.put_back();
  for (Outer& outer : s.outer) {
    if (Use(outer.stream) == outer.use) [[likely]]
      continue;
    outer.put_back();
  }
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

int setvbuf(std::FILE* stream, char* buffer, int mode, std::size_t size) noexcept {
  note_buffer(stream);
  return HOCKET_REAL(setvbuf)(stream, buffer, mode, size);
}
void setbuf(std::FILE* stream, char* buffer) noexcept {
  note_buffer(stream);
  HOCKET_REAL(setbuf)(stream, buffer);
}
void setbuffer(std::FILE* stream, char* buffer, std::size_t size) noexcept {
  note_buffer(stream);
  HOCKET_REAL(setbuffer)(stream, buffer, size);
}
void setlinebuf(std::FILE* stream) noexcept {
  note_buffer(stream);
  HOCKET_REAL(setlinebuf)(stream);
}

}  // extern "C"
