// Shared variables in memory of every sort: random programs of threads that load, store, add and exchange in
// the heap, in statics, on the stack, in thread_local variables, in pages that were mapped in the body or
// before the search, and in files that are mapped. Each execution finds zeros there, also
// after one that was cut short. Their outcomes are those of a brute force, wherever the variables are.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/libc/random_programs.hpp"

namespace unmodified::places {

namespace {

constexpr std::size_t kCells = 3;

struct Call {
  enum class Kind : unsigned char { load, store, add, exchange, wait };
  Kind kind;
  unsigned char cell;
  unsigned char value;  ///< from 1 to 3
};
using Kind = Call::Kind;
using Program = random_calls::Threads<Call>;
using Shared = std::array<unsigned, kCells>;

bool make(const Call& call, std::size_t /*thread*/, Shared& shared, std::vector<unsigned>& found) {
  unsigned& cell = shared.at(call.cell);
  const unsigned before = cell;
  if (call.kind == Kind::wait) return before != 0;
  if (call.kind != Kind::store) found.push_back(before & 7U);
  if (call.kind == Kind::add) cell += call.value;
  if (call.kind == Kind::store || call.kind == Kind::exchange) cell = call.value;
  return true;
}

struct Cells {
  std::array<std::atomic<unsigned>, kCells> all{};
};

enum class Place : unsigned char {
  stack,
  heap,
  aligned,
  of_thread,
  page,
  page_of_file,
  static_data,
  page_from_before,
  shared_page_from_before
};
constexpr std::size_t kPlaces = static_cast<std::size_t>(Place::shared_page_from_before) + 1;

constinit Cells static_cells;
thread_local Cells thread_cells;

void* mapped(int flags, int file = -1) {
  void* const page = mmap(nullptr, sizeof(Cells), PROT_READ | PROT_WRITE, flags, file, 0);
  check(page != MAP_FAILED);
  return page;
}

/// Those of a place that is there before the search.
Cells& cells_from_before(Place place) {
  static auto* const page = new (mapped(MAP_PRIVATE | MAP_ANONYMOUS, -1)) Cells;
  static auto* const shared_page = new (mapped(MAP_SHARED | MAP_ANONYMOUS, -1)) Cells;
  if (place == Place::static_data) return static_cells;
  return place == Place::page_from_before ? *page : *shared_page;
}

class Memory {
 public:
  explicit Memory(Place place) : place_(place) {
    switch (place) {
      case Place::stack:
        cells_ = &on_stack_;
        break;
      case Place::heap:
        cells_ = new Cells;
        break;
      case Place::aligned:
        cells_ = new (std::aligned_alloc(4096, 4096)) Cells;
        break;
      case Place::of_thread:
        cells_ = &thread_cells;
        break;
      case Place::page:
        cells_ = new (mapped(MAP_PRIVATE | MAP_ANONYMOUS)) Cells;
        break;
      case Place::page_of_file: {
        const int file = memfd_create("cells", 0);
        check(ftruncate(file, sizeof(Cells)) == 0);
        cells_ = new (mapped(MAP_SHARED, file)) Cells;
        close(file);
        break;
      }
      default:
        cells_ = &cells_from_before(place);
    }
  }
  ~Memory() {
    if (place_ == Place::heap) delete cells_;
    if (place_ == Place::aligned) std::free(cells_);
    if (place_ == Place::page || place_ == Place::page_of_file) munmap(cells_, sizeof(Cells));
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void make(const Call& call, std::size_t /*thread*/, std::vector<unsigned>& found) {
    std::atomic<unsigned>& cell = cells_->all.at(call.cell);
    switch (call.kind) {
      case Kind::load:
        found.push_back(cell.load() & 7U);
        break;
      case Kind::store:
        cell.store(call.value);
        break;
      case Kind::add:
        found.push_back(cell.fetch_add(call.value) & 7U);
        break;
      case Kind::exchange:
        found.push_back(cell.exchange(call.value) & 7U);
        break;
      case Kind::wait:
        cell.wait(0);
    }
    if (call.kind != Kind::load && call.kind != Kind::wait) cell.notify_all();
  }

 private:
  Place place_;
  Cells* cells_ = nullptr;
  Cells on_stack_;
};

std::string text_of(const Program& program, Place place) {
  static constexpr std::array kNames{"load", "store", "add", "exchange", "wait"};
  return "place " + std::to_string(static_cast<int>(place)) + ", " +
         random_calls::text_of(program, [](const Call& call) {
           return std::string(kNames.at(static_cast<std::size_t>(call.kind))) + "(" +
                  std::to_string(call.cell) + ", " + std::to_string(call.value) + ")";
         });
}

Program random_program(std::mt19937& random) {
  const auto below = [&](std::size_t end) { return static_cast<unsigned char>(random() % end); };
  Program program(2 + below(2));
  for (std::vector<Call>& calls : program) {
    for (std::size_t left = 1U + below(program.size() == 2 ? 3 : 2); left != 0; --left) {
      static constexpr std::array kKinds{
          Kind::load, Kind::load, Kind::store, Kind::store, Kind::add, Kind::add, Kind::exchange, Kind::wait};
      calls.push_back(
          {kKinds.at(below(kKinds.size())), below(kCells), static_cast<unsigned char>(1 + below(3))});
    }
  }
  return program;
}

}  // namespace

random_calls::Compared compare_random_program(std::mt19937& random) {
  const Program program = random_program(random);
  const auto place = static_cast<Place>(random() % kPlaces);
  // The others are fresh in each execution.
  const bool is_from_before = place >= Place::static_data;
  if (is_from_before) static_cast<void>(cells_from_before(place));
  return random_calls::compare(
      program, random_calls::answer_of(program, Shared{}, make), text_of(program, place),
      [&] { return Memory(place); },
      is_from_before ? random_calls::Objects::from_before : random_calls::Objects::of_body);
}

namespace {

/// Whichever thread is the first to use one.
TEST(AtomicsInAPageFromBeforeTheSearch, AreTheSameObjectsUnderEverySchedule) {
  const Program program{{{Kind::load, 0, 3}, {Kind::wait, 1, 1}}, {{Kind::store, 0, 2}},
      {{Kind::load, 2, 2}, {Kind::add, 1, 2}}};
  const random_calls::Compared compared = random_calls::compare(
      program, random_calls::answer_of(program, Shared{}, make), text_of(program, Place::page_from_before),
      [] { return Memory(Place::page_from_before); }, random_calls::Objects::from_before);
  EXPECT_EQ(compared.contradiction, "");
}

TEST(RandomProgramsWithVariablesAnywhere, HaveAllOutcomesUnderEveryStrategy) {
  random_calls::compare_random_programs(20261128, true, compare_random_program);
}

}  // namespace

}  // namespace unmodified::places
