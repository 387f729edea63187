// Functions of libc that keep state from one call to the next: strtok, rand, random, drand48 and similar
// ones.
//
// They are reimplemented with the variants that take the state as an argument (strtok_r, random_r,
// drand48_r). The state is stored with the program's data, which is restored before each execution.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "../hooks/polling.hpp"
#include "own_data.hpp"

namespace hocket::unmodified {

namespace {

HOCKET_DATA_OF_PROGRAM constinit char* rest_of_text = nullptr;

/// As in libc: 31 words and the type word, in the state after srandom(1).
constexpr std::size_t kTable = 128;
constexpr unsigned kFirstSeed = 1;
HOCKET_DATA_OF_PROGRAM constinit random_data random_state{};
HOCKET_DATA_OF_PROGRAM constinit char random_table[kTable] = {};

HOCKET_DATA_OF_PROGRAM constinit drand48_data drand48_state{};

constinit std::atomic_flag is_random_state_taken{};

/// Locks the state, because several threads may call libc's functions at the same time outside searches.
class RandomState {
 public:
  RandomState() {
    changes_hidden_state();
    while (is_random_state_taken.test_and_set(std::memory_order_acquire)) {
    }
    if (random_state.state == nullptr) initstate_r(kFirstSeed, random_table, kTable, &random_state);
  }
  ~RandomState() { is_random_state_taken.clear(std::memory_order_release); }
  RandomState(const RandomState&) = delete;
  RandomState& operator=(const RandomState&) = delete;

  /// What the program regards as the table, whose first word holds its type.
  [[nodiscard]] char* table() const { return reinterpret_cast<char*>(random_state.state - 1); }
};

std::int32_t random_number() {
  const RandomState state;
  std::int32_t number = 0;
  random_r(&random_state, &number);
  return number;
}

void seed_random_numbers(unsigned seed) {
  const RandomState state;
  srandom_r(seed, &random_state);
}

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

char* strtok(char* text, const char* separators) noexcept {
  changes_hidden_state();
  return strtok_r(text, separators, &rest_of_text);
}

int rand() noexcept {
  return random_number();
}
long random() noexcept {
  return random_number();
}
void srand(unsigned seed) noexcept {
  seed_random_numbers(seed);
}
void srandom(unsigned seed) noexcept {
  seed_random_numbers(seed);
}
char* initstate(unsigned seed, char* table, std::size_t size) noexcept {
  const RandomState state;
  char* const before = state.table();
  return initstate_r(seed, table, size, &random_state) == 0 ? before : nullptr;
}
char* setstate(char* table) noexcept {
  const RandomState state;
  char* const before = state.table();
  return setstate_r(table, &random_state) == 0 ? before : nullptr;
}

double drand48() noexcept {
  changes_hidden_state();
  double number = 0;
  drand48_r(&drand48_state, &number);
  return number;
}
double erand48(unsigned short seed[3]) noexcept {
  changes_hidden_state();
  double number = 0;
  erand48_r(seed, &drand48_state, &number);
  return number;
}
long lrand48() noexcept {
  changes_hidden_state();
  long number = 0;
  lrand48_r(&drand48_state, &number);
  return number;
}
long nrand48(unsigned short seed[3]) noexcept {
  changes_hidden_state();
  long number = 0;
  nrand48_r(seed, &drand48_state, &number);
  return number;
}
long mrand48() noexcept {
  changes_hidden_state();
  long number = 0;
  mrand48_r(&drand48_state, &number);
  return number;
}
long jrand48(unsigned short seed[3]) noexcept {
  changes_hidden_state();
  long number = 0;
  jrand48_r(seed, &drand48_state, &number);
  return number;
}
void srand48(long seed) noexcept {
  changes_hidden_state();
  srand48_r(seed, &drand48_state);
}
unsigned short* seed48(unsigned short seed[3]) noexcept {
  changes_hidden_state();
  seed48_r(seed, &drand48_state);
  return drand48_state.__old_x;
}
void lcong48(unsigned short parameters[7]) noexcept {
  changes_hidden_state();
  lcong48_r(parameters, &drand48_state);
}

}  // extern "C"
