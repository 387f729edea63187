#include "records.hpp"

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace hocket::model {

namespace {

template <typename Record>
class KindOf final : public RecordKind {
 public:
  [[nodiscard]] RecordLayout layout() const override { return {sizeof(Record), alignof(Record)}; }
  [[nodiscard]] bool counts_preemptions() const override { return Record::kCountsPreemptions; }
  Admission admit(void* place, bool is_new, const Arrival& arrival) override {
    Record& record = is_new ? *new (place) Record{} : *static_cast<Record*>(place);
    const bool improves = is_new || arrival.preemptions < record.preemptions();
    const bool is_admitted = record.admit(arrival, is_new);
    return {record.least_preemptions(), &record.on_stack, improves, is_new, is_admitted};
  }
  [[nodiscard]] bool is_on_stack(const void* record) const override {
    return static_cast<const Record*>(record)->on_stack != 0;
  }
  [[nodiscard]] unsigned preemptions(const void* record) const override {
    return static_cast<const Record*>(record)->preemptions();
  }
};

/// For searches with a limit on the steps of a path, and perhaps one on preemptions: the visits of each state
/// of which none is as good as another one. A state has to be visited again unless it was visited at no
/// greater depth before, and then with fewer preemptions, or with as many after a step of the same process.
/// That is a partial order: a path with fewer preemptions and more steps leads to other states than one with
/// more preemptions and fewer steps, so both have to be gone on from. Fewer preemptions make good for another
/// last process, since to change to any process costs one at most.
class VisitsWithinDepth final : public RecordKind {
 public:
  explicit VisitsWithinDepth(bool counts_preemptions) : counts_preemptions_(counts_preemptions) {}

  [[nodiscard]] RecordLayout layout() const override { return {sizeof(Record), alignof(Record)}; }
  [[nodiscard]] bool counts_preemptions() const override { return counts_preemptions_; }
  Admission admit(void* place, bool is_new, const Arrival& arrival) override {
    Record& record = is_new ? *new (place) Record{} : *static_cast<Record*>(place);
    const bool improves = is_new || arrival.preemptions < record.least;
    if (improves) record.least = arrival.preemptions;
    return {&record.least, &record.on_stack, improves, is_new, add(record, arrival)};
  }
  [[nodiscard]] bool is_on_stack(const void* record) const override {
    return static_cast<const Record*>(record)->on_stack != 0;
  }
  [[nodiscard]] unsigned preemptions(const void* record) const override {
    return static_cast<const Record*>(record)->least;
  }
  [[nodiscard]] std::size_t bytes() const override { return visits_.capacity() * sizeof(Visit); }

 private:
  struct Record {
    std::uint32_t first = 0;  ///< of the visits, counted from 1
    std::uint32_t least = 0;  ///< preemptions
    std::uint32_t on_stack = 0;
  };
  struct Visit {
    Arrival arrival;
    std::uint32_t next;
  };

  [[nodiscard]] bool is_as_good(const Arrival& one, const Arrival& other) const {
    if (one.depth > other.depth || one.preemptions > other.preemptions) return false;
    if (!counts_preemptions_ || one.preemptions < other.preemptions) return true;
    return one.last == other.last && one.by_reduction >= other.by_reduction;
  }

  /// Returns whether no visit was as good.
  bool add(Record& record, const Arrival& arrival) {
    for (std::uint32_t n = record.first; n != 0; n = visits_[n - 1].next) {
      if (is_as_good(visits_[n - 1].arrival, arrival)) return false;
    }
    for (std::uint32_t* n = &record.first; *n != 0;) {
      Visit& visit = visits_[*n - 1];
      if (!is_as_good(arrival, visit.arrival)) {
        n = &visit.next;
      } else {
        const std::uint32_t next = visit.next;
        visit.next = std::exchange(free_, *n);
        *n = next;
      }
    }
    if (free_ == 0) {
      visits_.push_back({arrival, record.first});
      record.first = static_cast<std::uint32_t>(visits_.size());
    } else {
      const std::uint32_t freed = free_;
      free_ = visits_[freed - 1].next;
      visits_[freed - 1] = {arrival, std::exchange(record.first, freed)};
    }
    return true;
  }

  const bool counts_preemptions_;
  std::vector<Visit> visits_;
  std::uint32_t free_ = 0;  ///< the first of those that are not in use, counted from 1
};

}  // namespace

std::unique_ptr<RecordKind> record_kind(const Options& options, const Flaws& flaws, bool is_within_depth) {
  const bool counts_preemptions = options.strategy == "icb" || options.strategy == "bcs";
  if (is_within_depth) return std::make_unique<VisitsWithinDepth>(counts_preemptions);
  if (!counts_preemptions) return std::make_unique<KindOf<VisitedRecord>>();
  if (flaws.forgets_processes) return std::make_unique<KindOf<LeastRecord>>();
  if (options.reduce) return std::make_unique<KindOf<ReducedPreemptionRecord>>();
  return std::make_unique<KindOf<PreemptionRecord>>();
}

}  // namespace hocket::model
