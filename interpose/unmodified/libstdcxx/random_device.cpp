// std::random_device gives each thread the same numbers in every execution. Otherwise a test that begins its
// own generator with one would be another test each time.
#include "../../../runtime/execution/step.hpp"
#include "../../../runtime/terms/action_hash.hpp"
#include "../host/call_origin.hpp"
#include "../host/logical_threads.hpp"
#include "../host/next_symbol.hpp"

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

unsigned _ZNSt13random_device9_M_getvalEv(void* device);
unsigned _ZNSt13random_device9_M_getvalEv(void* device) {
  HOCKET_ENTRY_WITHOUT_STEP(_ZNSt13random_device9_M_getvalEv, device);
  const hocket::runtime::Thread& self = *hocket::runtime::run.current;
  return static_cast<unsigned>(hocket::runtime::mix(self.key, ++logical_thread(self.index).random_numbers));
}

}  // extern "C"
