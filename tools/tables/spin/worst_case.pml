/* samples/models/worst_case.hpp for Spin: each of N processes counts up and down, and not all of them may be
 * between the two steps. */
#ifndef N
#define N 10
#endif

byte between;

active [N] proctype process()
{
	between++;
	between--;
}
