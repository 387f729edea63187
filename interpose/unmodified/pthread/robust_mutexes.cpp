#include "robust_mutexes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <vector>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/locking.hpp"
#include "../host/call_origin.hpp"
#include "mutexes.hpp"

namespace hocket::unmodified {

namespace {

using runtime::Mutex;
using runtime::Operation;
using runtime::run;
using runtime::Where;

enum class State : std::uint8_t {
  in_order,
  left,            ///< its owner has ended
  to_be_mended,    ///< its new owner knows
  not_recoverable  ///< which has given it back without pthread_mutex_consistent()
};

struct RobustMutex {
  Mutex* model;
  State state = State::in_order;
};

/// Those that this execution has locked.
std::vector<RobustMutex>& robust_mutexes() {
  static auto* const all = new std::vector<RobustMutex>;
  return *all;
}

RobustMutex* find(const Mutex& model) {
  std::vector<RobustMutex>& all = robust_mutexes();
  const auto known = std::find_if(all.begin(), all.end(), [&](auto& one) { return one.model == &model; });
  return known != all.end() ? &*known : nullptr;
}

bool is_mine(const Mutex& model) {
  return model.state.owner == run.current->index;
}

/// A step. False when the execution is being ended.
bool give_back(Mutex& model) {
  return runtime::step::arrive(model, Operation::mutex_unlock, true, Where{}) &&
         runtime::unlock(model, Where{});
}

[[gnu::noinline]] void give_all_back() {
  // Others may be added meanwhile.
  for (std::size_t n = 0; n < robust_mutexes().size(); ++n) {  // NOLINT(modernize-loop-convert)
    Mutex& model = *robust_mutexes()[n].model;
    if (!is_mine(model)) continue;
    robust_mutexes()[n].state = State::left;
    while (is_mine(model)) {
      if (!give_back(model)) return;
    }
  }
}

}  // namespace

int result_of_robust(Mutex& model, int result) {
  RobustMutex* known = find(model);
  if (known == nullptr) {
    const runtime::OwnMemory own;
    known = &robust_mutexes().emplace_back(RobustMutex{&model});
  }
  if (known->state == State::not_recoverable) {
    if (is_mine(model)) give_back(model);
    return ENOTRECOVERABLE;
  }
  if (known->state != State::left || !is_mine(model)) return result;
  known->state = State::to_be_mended;
  return EOWNERDEAD;
}

void will_give_back(const Mutex& model) {
  RobustMutex* const known = find(model);
  const bool is_left_so =
      known != nullptr && known->state == State::to_be_mended && is_mine(model) && model.state.depth == 1;
  if (is_left_so) known->state = State::not_recoverable;
}

void give_robust_mutexes_back() {
  if (!robust_mutexes().empty()) give_all_back();
}

void forget_robust_mutexes() {
  robust_mutexes().clear();
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" int pthread_mutex_consistent(pthread_mutex_t* mutex) noexcept {
  HOCKET_ENTRY_WITHOUT_STEP(pthread_mutex_consistent, mutex);
  const hocket::runtime::Mutex& model = mutex_of(mutex);
  RobustMutex* const known = find(model);
  if (known == nullptr || known->state != State::to_be_mended || !is_mine(model)) return EINVAL;
  known->state = State::in_order;
  return 0;
}
