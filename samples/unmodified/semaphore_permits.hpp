// A pool of one connection, with a semaphore that counts the free connections. The destructor of a lease that
// was closed by hand returns it again, and so the semaphore admits too many users.
#pragma once

#include <atomic>
#include <hocket/hocket.hpp>
#include <semaphore>
#include <thread>
#include <utility>

#include "samples/unmodified/version.hpp"

namespace samples::semaphore_permits {

struct Pool {
  std::counting_semaphore<8> free{1};
  std::atomic<int> users{0};
};

template <Version version>
class Lease {
 public:
  explicit Lease(Pool& pool) : pool_(&pool) {
    pool.free.acquire();
    hocket::check(++pool.users == 1, "two use one connection");  // @check
  }
  ~Lease() {
    if (version == Version::buggy || !is_closed_) give_back();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  void close() {
    --pool_->users;
    is_closed_ = true;
    give_back();
  }

 private:
  void give_back() {
    if (!is_closed_) --pool_->users;
    pool_->free.release();
  }

  Pool* pool_;
  bool is_closed_ = false;
};

template <Version version>
void body() {
  Pool pool;
  const auto use = [&] { Lease<version> lease(pool); };
  Lease<version>(pool).close();
  std::thread a(use);
  std::thread b(use);
  a.join();
  b.join();
}

}  // namespace samples::semaphore_permits
