#include "shared_states.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstring>
#include <new>

#include <sys/mman.h>

#include "../../runtime/terms/sabotage.hpp"

namespace hocket {

namespace {

constexpr std::size_t kLeastRows = std::size_t{1} << 14U;
constexpr std::size_t kPage = 4096;
constexpr unsigned kMostNumbers = 4096;
constexpr unsigned kCountedAtOnce = 8;  ///< rows: by all jobs together few of the fewest that there are

// In tenths of the rows. Between the two, jobs may still claim rows until all of them wait.
constexpr std::size_t kAsksToGrow = 6;
constexpr std::size_t kMostUsed = 8;

std::size_t whole_pages(std::size_t size) {
  return (size + kPage - 1) / kPage * kPage;
}

/// Neither half is zero, which it is in a row that nobody or somebody has begun to claim.
runtime::ClassHash key_of(const runtime::ClassHash& hash) {
  return {std::max<std::uint64_t>(hash.low, 1), std::max<std::uint64_t>(hash.high, 1)};
}

std::size_t place(const runtime::ClassHash& key, std::size_t rows) {
  return static_cast<std::size_t>(key.low ^ key.high >> 32U) & (rows - 1);
}

}  // namespace

struct SharedStates::Row {
  std::atomic<std::uint64_t> low;
  std::atomic<std::uint64_t> high;
  std::uint8_t done;  ///< 1 + the least bound at which the state was reached

  /// By the number of the thread that came last, 1 + the bound; 0: it has not been reached so.
  [[nodiscard]] std::atomic<std::uint8_t>* costs() {
    return reinterpret_cast<std::atomic<std::uint8_t>*>(this) + kCostsAt;
  }
  static constexpr std::size_t kCostsAt = 17;
};

struct SharedStates::Header {
  // These change only while no job looks at the table.
  std::size_t rows;
  std::size_t stride;
  unsigned region;

  alignas(64) std::atomic<std::uint64_t> used;
  alignas(64) std::atomic<bool> asks_to_grow;
  std::atomic<bool> cannot_grow;
  std::atomic<bool> was_full;
  std::atomic<unsigned> most_number;  ///< for which a job would have had a place in its row
  std::array<std::atomic<std::uint64_t>, kMostNumbers> keys;  ///< of threads, by their numbers; 0: none
};

std::size_t SharedStates::Table::width() const {
  return stride - Row::kCostsAt;
}

std::size_t SharedStates::first_rows(const StateTable& known) {
  return std::max(kLeastRows, std::bit_ceil(known.size() * 2));
}
std::size_t SharedStates::stride_for(std::size_t width) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  return (Row::kCostsAt + width + kWord - 1) / kWord * kWord;
}

SharedStates::SharedStates(
    const StateTable& known, const graph::ThreadNumbers& numbers, std::size_t memory_limit)
    : memory_limit_(memory_limit),
      region_size_(whole_pages(std::max(memory_limit,
          first_rows(known) * stride_for(std::max<std::size_t>(known.width(), numbers.size()))))),
      memory_(whole_pages(sizeof(Header)) + 2 * region_size_) {
  static_assert(sizeof(Row) == 24 && std::atomic<std::uint8_t>::is_always_lock_free);
  Header& shared = *::new (memory_.data()) Header;
  shared.rows = first_rows(known);
  shared.stride = stride_for(std::max<std::size_t>(known.width(), numbers.size()));
  for (unsigned number = 1; number < std::min(numbers.size(), kMostNumbers); ++number)
    shared.keys.at(number).store(numbers.key(number), std::memory_order_relaxed);
  const Table to = table();
  known.for_each(
      [&](const StateTable::Row& row) { copy(to, row.hash, row.done, row.costs(), known.width()); });
  shared.used.store(known.size(), std::memory_order_relaxed);
}

SharedStates::Header& SharedStates::header() const {
  return *reinterpret_cast<Header*>(memory_.data());
}

std::byte* SharedStates::region(unsigned number) const {
  return memory_.data() + whole_pages(sizeof(Header)) + number * region_size_;
}

SharedStates::Table SharedStates::table() const {
  const Header& shared = header();
  return {region(shared.region), shared.rows, shared.stride};
}

void SharedStates::copy(const Table& to, const runtime::ClassHash& hash, std::uint8_t done,
    const std::uint8_t* costs, std::size_t width) {
  const runtime::ClassHash key = key_of(hash);
  std::size_t at = place(key, to.rows);
  while (to.row(at).low.load(std::memory_order_relaxed) != 0) at = (at + 1) & (to.rows - 1);
  Row& row = to.row(at);
  row.low.store(key.low, std::memory_order_relaxed);
  row.high.store(key.high, std::memory_order_relaxed);
  row.done = done;
  std::memcpy(static_cast<void*>(row.costs()), costs, std::min(width, to.width()));
}

unsigned SharedStates::number(std::uint64_t key) {
  if (const auto known = numbers_.find(key); known != numbers_.end()) return known->second;
  for (; known_ < kMostNumbers; ++known_) {
    std::uint64_t there = 0;
    header().keys[known_].compare_exchange_strong(there, key, std::memory_order_relaxed);
    const std::uint64_t of_number = there == 0 ? key : there;
    numbers_.emplace(of_number, known_);
    if (of_number == key) return known_++;
  }
  return kMostNumbers;
}

void SharedStates::count_new() {
  if (++uncounted_ < kCountedAtOnce) return;
  Header& shared = header();
  const std::uint64_t used = shared.used.fetch_add(uncounted_, std::memory_order_relaxed) + uncounted_;
  uncounted_ = 0;
  has_room_ = used * 10 <= shared.rows * kMostUsed;
  if (used * 10 > shared.rows * kAsksToGrow && !shared.cannot_grow.load(std::memory_order_relaxed))
    shared.asks_to_grow.store(true, std::memory_order_relaxed);
}

bool SharedStates::has_room() {
  if (has_room_) return true;
  Header& shared = header();
  has_room_ = shared.used.load(std::memory_order_relaxed) * 10 <= shared.rows * kMostUsed;
  if (!has_room_) shared.was_full.store(true, std::memory_order_relaxed);
  return has_room_;
}

SharedStates::Row* SharedStates::find_or_claim(
    const Table& table, const runtime::ClassHash& key, unsigned number, std::uint8_t reached) {
  constexpr unsigned kPatience = 1'000'000;  // with a job that may have been killed
  for (std::size_t at = place(key, table.rows);; at = (at + 1) & (table.rows - 1)) {
    Row& row = table.row(at);
    std::uint64_t low = row.low.load(std::memory_order_acquire);
    if (low == 0) {
      if (!has_room()) return nullptr;
      if (row.low.compare_exchange_strong(low, key.low, std::memory_order_acq_rel)) {
        row.done = reached;
        row.costs()[number].store(reached, std::memory_order_relaxed);
        row.high.store(key.high, std::memory_order_release);
        count_new();
        return nullptr;
      }
    }
    if (low != key.low) continue;
    std::uint64_t high = 0;
    for (unsigned tries = 0; high == 0 && tries < kPatience; ++tries)
      high = row.high.load(std::memory_order_acquire);
    if (high == key.high) return &row;
  }
}

bool SharedStates::covers(const runtime::ClassHash& state, std::uint64_t last, std::uint8_t reached) {
  const unsigned number = last == 0 ? 0 : this->number(last);
  const Table table = this->table();
  if (number >= table.width()) {
    ask_for(number);
    return false;
  }
  Row* const row = find_or_claim(table, key_of(state), number, reached);
  if (row == nullptr) return false;
  if (row->done < reached || runtime::is_sabotaged(runtime::Sabotage::equal_prices_cover)) return true;
  std::uint8_t known = 0;
  return !row->costs()[number].compare_exchange_strong(known, reached, std::memory_order_relaxed);
}

bool SharedStates::insert(const runtime::ClassHash& hash) {
  return find_or_claim(table(), key_of(hash), 0, 1) == nullptr && has_room_;
}

bool SharedStates::contains(const runtime::ClassHash& hash) const {
  const runtime::ClassHash key = key_of(hash);
  const Table table = this->table();
  for (std::size_t at = place(key, table.rows);; at = (at + 1) & (table.rows - 1)) {
    const Row& row = table.row(at);
    const std::uint64_t low = row.low.load(std::memory_order_acquire);
    if (low == 0) return false;
    if (low == key.low && row.high.load(std::memory_order_acquire) == key.high) return true;
  }
}

// Until the table has grown, what comes after this thread is not remembered.
void SharedStates::ask_for(unsigned number) {
  Header& shared = header();
  if (number == kMostNumbers || shared.cannot_grow.load(std::memory_order_relaxed)) return;
  unsigned most = shared.most_number.load(std::memory_order_relaxed);
  while (most < number && !shared.most_number.compare_exchange_weak(most, number)) {
  }
  shared.asks_to_grow.store(true, std::memory_order_relaxed);
}

bool SharedStates::asks_to_grow() const {
  return header().asks_to_grow.load(std::memory_order_relaxed);
}

void SharedStates::grow() {
  Header& shared = header();
  const Table from = table();
  const bool are_many = shared.used.load(std::memory_order_relaxed) * 10 > from.rows * kAsksToGrow;
  Table to{region(1 - shared.region), are_many ? from.rows * 2 : from.rows, from.stride};
  to.stride = std::max(to.stride, stride_for(shared.most_number.load(std::memory_order_relaxed) + 1));
  shared.asks_to_grow.store(false, std::memory_order_relaxed);
  if (from.rows * from.stride + to.rows * to.stride > memory_limit_) {
    shared.cannot_grow.store(true, std::memory_order_relaxed);
    return;
  }
  for (std::size_t at = 0; at < from.rows; ++at) {
    Row& row = from.row(at);
    const runtime::ClassHash hash{row.low.load(), row.high.load()};
    if (hash.low != 0)
      copy(to, hash, row.done, reinterpret_cast<const std::uint8_t*>(row.costs()), from.width());
  }
  ::madvise(from.memory, whole_pages(from.rows * from.stride), MADV_REMOVE);
  shared.region = 1 - shared.region;
  shared.rows = to.rows;
  shared.stride = to.stride;
}

bool SharedStates::was_full() const {
  return header().was_full.load(std::memory_order_relaxed);
}
std::uint64_t SharedStates::size() const {
  return header().used.load(std::memory_order_relaxed);
}
std::size_t SharedStates::bytes() const {
  return header().rows * header().stride;
}

}  // namespace hocket
