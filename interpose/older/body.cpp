#include "body.hpp"

#include "../../runtime/terms/where.hpp"
#include "../types/body.hpp"

namespace hocket::older {

namespace recording = runtime::recording;
using runtime::Where;

void check(bool condition, const char* message, const char* file, unsigned line) {
  hocket::check(condition, message, Where::current(file, line));
}

void assume(bool condition) {
  hocket::assume(condition);
}

std::uint32_t choose(std::uint32_t count, const char* file, unsigned line) {
  return hocket::choose(count, Where::current(file, line));
}

void name_address(const void* object, const char* name) {
  recording::name_memory(object, name);
}

void name_this_thread(const char* name) {
  hocket::name_this_thread(name);
}

bool is_in_body() {
  return runtime::is_controlled();
}

Awaiting::Awaiting() {
  runtime::step::begin_await();
}
Awaiting::~Awaiting() {
  runtime::step::end_await();
}
bool Awaiting::change(const char* file, unsigned line) {
  return runtime::step::await_change(Where::current(file, line));
}

no_preemption::no_preemption() {
  if (runtime::is_controlled()) runtime::step::forbid_preemption();
}
no_preemption::~no_preemption() {
  if (runtime::is_controlled()) runtime::step::allow_preemption();
}

atomic_block::atomic_block(const char* file, unsigned line) {
  if (runtime::is_controlled()) runtime::atomic_blocks::enter(Where::current(file, line));
}
atomic_block::~atomic_block() {
  if (runtime::is_controlled()) runtime::atomic_blocks::leave();
}

}  // namespace hocket::older
