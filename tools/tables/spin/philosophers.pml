/* samples/models/philosophers.hpp, the corrected version, for Spin: N dining philosophers. */
#ifndef N
#define N 11
#endif

#define FIRST	(_pid == N - 1 -> 0 : _pid)
#define SECOND	(_pid == N - 1 -> _pid : _pid + 1)

bool is_taken[N];

active [N] proctype philosopher()
{
	do
	::	d_step { !is_taken[FIRST] -> is_taken[FIRST] = true };
		d_step { !is_taken[SECOND] -> is_taken[SECOND] = true };
		is_taken[SECOND] = false;
		is_taken[FIRST] = false
	od
}
