// A manager of in-flight transactions, modelled on the one that Musuvathi and Qadeer test in Iterative
// Context Bounding for Systematic Testing of Multithreaded Programs, 2007, section 4.1.
//
// Clients create transactions and commit or abort them; a timer ends those whose deadline has passed.
// In-flight transactions are in a hash table with a lock for each bucket. Each transaction has a lock and
// counts the references to it: one of the table, and one for each thread that is using it. The thread that
// ends a transaction removes it from the table; its id may be used again as soon as it has ended. The timer
// first collects the due transactions of a bucket, and then ends them one by one without the bucket's lock: a
// client may end one first.
//
// Three bugs can be seeded, each a change of at most three lines of the manager. Nothing else depends on
// them: test_transactions() checks one invariant, which only the correct manager keeps under every
// schedule.
#pragma once

#include <algorithm>
#include <cstddef>
#include <hocket/hocket.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "samples/sample_program.hpp"

namespace samples {

enum class TransactionSeed {
  none,
  /// The timer does not check whether a transaction that it collected is still in flight: it ends twice.
  trusts_its_scan,
  /// The timer does not count the references that it collects: it uses a transaction that has been destroyed.
  holds_no_reference,
  /// The thread that ends a transaction removes whatever has its id: another transaction, which has got the
  /// id in the meantime, is lost.
  removes_by_id,
};

enum class Ending { none, committed, aborted, timed_out, unknown };

inline std::string to_string(Ending ending) {
  constexpr const char* kTexts[] = {"in flight", "committed", "aborted", "timed out", "unknown"};
  return kTexts[static_cast<std::size_t>(ending)];
}

/// Notes how each transaction ends, as a database would that makes it permanent or undoes it. The log
/// outlives the manager.
class TransactionLog {
 public:
  explicit TransactionLog(std::size_t ids) : last_(ids) {
    for (std::size_t id = 0; id < ids; ++id) {
      hocket::name(last_[id], "state of " + std::to_string(id));
    }
  }

  void begun(std::size_t id) { last_[id] = Ending::none; }
  void ended(std::size_t id, Ending how) {
    if (last_[id] != Ending::none) {
      hocket::check(false, "transaction " + std::to_string(id) + " ends twice: " + to_string(last_[id]) +
                               ", and then " + to_string(how));
    }
    last_[id] = how;
  }
  [[nodiscard]] Ending last(std::size_t id) const { return last_[id]; }

 private:
  std::vector<hocket::var<Ending>> last_;
};

template <TransactionSeed seed = TransactionSeed::none>
class TransactionManager {
 public:
  TransactionManager(TransactionLog& log, std::size_t buckets) : log_(log), buckets_(buckets) {
    for (std::size_t n = 0; n < buckets; ++n) {
      hocket::name(buckets_[n].lock, "bucket " + std::to_string(n));
    }
  }
  TransactionManager(const TransactionManager&) = delete;
  TransactionManager& operator=(const TransactionManager&) = delete;

  /// Called by a client. Returns false if a transaction with this id is in flight.
  bool create(std::size_t id, int deadline) {
    Bucket& bucket = bucket_of(id);
    Reference replaced;
    const std::lock_guard guard(bucket.lock);
    const auto place = find(bucket, id);
    const bool is_known = place != bucket.in_flight.end();
    if (is_known && !has_ended(**place)) return false;
    log_.begun(id);
    Reference transaction(new Transaction(id, deadline));
    if (is_known) {
      replaced = std::exchange(*place, std::move(transaction));
    } else {
      bucket.in_flight.push_back(std::move(transaction));
    }
    return true;
  }

  /// Called by a client. Returns how the transaction has ended: the ending differs if the timer was faster,
  /// and it is Ending::unknown if the timer has also removed the transaction from the table.
  Ending commit(std::size_t id) { return end(id, Ending::committed); }
  Ending abort(std::size_t id) { return end(id, Ending::aborted); }

  /// Called by the timer: ends the transactions that are in flight and were due by `now`.
  void flush(int now) {
    for (Bucket& bucket : buckets_) {
      std::vector<Transaction*> due;
      std::vector<Reference> held;
      {
        const std::lock_guard guard(bucket.lock);
        for (const Reference& transaction : bucket.in_flight) {
          if (transaction->deadline > now || has_ended(*transaction)) continue;
          due.push_back(transaction.get());
          if (seed != TransactionSeed::holds_no_reference) held.push_back(hold(*transaction));
        }
      }
      for (Transaction* transaction : due) end(bucket, *transaction, Ending::timed_out);
    }
  }

  [[nodiscard]] std::size_t in_flight() {
    std::size_t count = 0;
    for (Bucket& bucket : buckets_) {
      const std::lock_guard guard(bucket.lock);
      count += bucket.in_flight.size();
    }
    return count;
  }

 private:
  struct Transaction {
    Transaction(std::size_t the_id, int the_deadline) : id(the_id), deadline(the_deadline) {
      hocket::name(lock, "transaction " + std::to_string(id));
      hocket::name(references, "references to " + std::to_string(id));
    }

    const std::size_t id;
    const int deadline;
    hocket::mutex lock;
    Ending ending = Ending::none;       ///< guarded by lock
    hocket::atomic<int> references{1};  ///< begins with the table's reference
  };
  struct Drop {
    void operator()(Transaction* transaction) const {
      if (transaction->references.fetch_sub(1) == 1) delete transaction;
    }
  };
  using Reference = std::unique_ptr<Transaction, Drop>;
  struct Bucket {
    hocket::mutex lock;  ///< may be held when a transaction's lock is taken, but not the reverse
    std::vector<Reference> in_flight;  ///< guarded by lock
  };

  Bucket& bucket_of(std::size_t id) { return buckets_[id % buckets_.size()]; }

  static auto find(Bucket& bucket, std::size_t id) {
    return std::find_if(bucket.in_flight.begin(), bucket.in_flight.end(),
        [id](const Reference& transaction) { return transaction->id == id; });
  }
  static auto find(Bucket& bucket, const Transaction& wanted) {
    return std::find_if(bucket.in_flight.begin(), bucket.in_flight.end(),
        [&wanted](const Reference& transaction) { return transaction.get() == &wanted; });
  }

  static Reference hold(Transaction& transaction) {
    transaction.references.fetch_add(1);
    return Reference(&transaction);
  }

  static bool has_ended(Transaction& transaction) {
    const std::lock_guard guard(transaction.lock);
    return transaction.ending != Ending::none;
  }

  Ending end(std::size_t id, Ending how) {
    Bucket& bucket = bucket_of(id);
    Reference transaction;
    {
      const std::lock_guard guard(bucket.lock);
      const auto place = find(bucket, id);
      if (place == bucket.in_flight.end()) return Ending::unknown;
      transaction = hold(**place);
    }
    return end(bucket, *transaction, how);
  }

  // Called by a thread that holds a reference. Returns how the transaction has ended, now or before.
  Ending end(Bucket& bucket, Transaction& transaction, Ending how) {
    {
      const std::lock_guard guard(transaction.lock);
      const bool looks = seed != TransactionSeed::trusts_its_scan || how != Ending::timed_out;
      if (looks && transaction.ending != Ending::none) return transaction.ending;
      transaction.ending = how;
      log_.ended(transaction.id, how);
    }
    take_out(bucket, transaction);
    return how;
  }

  // Does nothing if the transaction has already been removed; its id may then be in use again.
  static void take_out(Bucket& bucket, Transaction& transaction) {
    Reference taken_out;
    const std::lock_guard guard(bucket.lock);
    const auto place =
        seed == TransactionSeed::removes_by_id ? find(bucket, transaction.id) : find(bucket, transaction);
    if (place == bucket.in_flight.end()) return;
    taken_out = std::move(*place);
    bucket.in_flight.erase(place);
  }

  TransactionLog& log_;
  std::vector<Bucket> buckets_;
};

/// The body of a test: one client commits a transaction, and tries once more if it was timed out; another
/// client aborts one; a timer flushes the table once, when the first deadlines have passed. Every transaction
/// ends once, in the way that its client is told, and none is left.
template <TransactionSeed seed>
void test_transactions(std::size_t buckets = 2) {
  constexpr int kNow = 1;
  constexpr int kLater = 2;
  TransactionLog log(2);
  TransactionManager<seed> manager(log, buckets);
  const auto create = [&manager](std::size_t id, int deadline) {
    hocket::check(manager.create(id, deadline), "an id is in use, though its transaction has ended");
  };

  hocket::thread committer([&] {
    create(0, kNow);
    if (manager.commit(0) == Ending::committed) return;
    hocket::check(log.last(0) == Ending::timed_out, "transaction 0 is lost: it has not ended");
    create(0, kLater);
    hocket::check(manager.commit(0) == Ending::committed, "transaction 0 is lost: it has not ended");
  });
  hocket::name(committer, "committer");
  hocket::thread aborter([&] {
    create(1, kNow);
    const bool is_aborted = manager.abort(1) == Ending::aborted;
    hocket::check(log.last(1) == (is_aborted ? Ending::aborted : Ending::timed_out),
        "transaction 1 is lost: it has not ended");
  });
  hocket::name(aborter, "aborter");
  hocket::thread timer([&] { manager.flush(kNow); });
  hocket::name(timer, "timer");

  committer.join();
  aborter.join();
  timer.join();
  hocket::check(log.last(0) == Ending::committed, "transaction 0 has not ended as its client was told");
  hocket::check(manager.in_flight() == 0, "a transaction that has ended is still in the table");
}

inline SampleProgram transaction_manager_program() {
  return {"transaction manager", 4, [] { test_transactions<TransactionSeed::none>(); },
      {{"trusts its scan", 2, hocket::FailureKind::check, "ends twice: committed, and then timed out",
           [] { test_transactions<TransactionSeed::trusts_its_scan>(); }},
          {"holds no reference", 2, hocket::FailureKind::use_after_destruction,
              "timer is about to perform mutex.lock on it",
              [] { test_transactions<TransactionSeed::holds_no_reference>(); }},
          {"removes by id", 3, hocket::FailureKind::check, "transaction 0 is lost",
              [] { test_transactions<TransactionSeed::removes_by_id>(); }}}};
}

}  // namespace samples
