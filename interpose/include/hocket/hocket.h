/* The functions that a test body in C calls; see body.hpp. Outside a body nothing is controlled: a failed check prints
   its message and aborts, hocket_choose() returns 0, and the others do nothing. */
#ifndef HOCKET_HOCKET_H
#define HOCKET_HOCKET_H

#ifdef __cplusplus
extern "C" {
#endif

/* If `condition` is false, the execution fails with `message` and ends there. */
#define hocket_check(condition, message) hocket_check_at((condition) ? 1 : 0, (message), __FILE__, __LINE__)
void hocket_check_at(int condition, const char* message, const char* file, unsigned line);

/* If `condition` is false, drops the execution: it does not count. */
void hocket_assume(int condition);

/* Returns a value from 0 to `count` - 1; the search tries each. `count` is at most 4096. */
unsigned hocket_choose(unsigned count);

/* Set the name under which schedules and reports show the mutex, condition variable, atomic or variable at `object`, or
   the calling thread. The strings are copied. */
void hocket_name(const void* object, const char* name);
void hocket_name_this_thread(const char* name);

#ifdef __cplusplus
}
#endif

#endif
