// A check of Hocket itself: whether it allocates in the body's name, because an OwnMemory was forgotten.
#pragma once

namespace hocket::test {

/// From now on the test program ends where Hocket does so, and names the function. To be called before any
/// search.
void end_where_own_memory_is_forgotten();

/// How often the body has allocated in this test so far, in all executions together, while there is the
/// check; otherwise 0.
unsigned allocations_of_bodies();

}  // namespace hocket::test
