#include "records.hpp"

#include <new>

namespace hocket::model {

namespace {

template <typename Record>
class KindOf final : public RecordKind {
 public:
  [[nodiscard]] RecordLayout layout() const override { return {sizeof(Record), alignof(Record)}; }
  [[nodiscard]] bool counts_preemptions() const override { return Record::kCountsPreemptions; }
  Admission admit(void* place, bool is_new, const Arrival& arrival) const override {
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

template <typename Record>
const RecordKind& kind_of() {
  static const KindOf<Record> kind;
  return kind;
}

}  // namespace

const RecordKind& record_kind(const Options& options, const Flaws& flaws) {
  if (options.strategy != "icb" && options.strategy != "bcs") return kind_of<VisitedRecord>();
  if (flaws.forgets_processes) return kind_of<LeastRecord>();
  return options.reduce ? kind_of<ReducedPreemptionRecord>() : kind_of<PreemptionRecord>();
}

}  // namespace hocket::model
