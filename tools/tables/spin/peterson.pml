/* samples/models/peterson.hpp for Spin: Peterson's lock for five processes. */
#define N 5

byte level[N];
byte victim[N];

#define IS_LOWER(other)	(other == _pid || level[other] < wanted)

active [N] proctype process()
{
	byte wanted;

	do
	::	wanted = 1;
		do
		::	level[_pid] = wanted;
			victim[wanted] = _pid;
			(victim[wanted] != _pid || (IS_LOWER(0) && IS_LOWER(1) && IS_LOWER(2) && IS_LOWER(3) && IS_LOWER(4)));
			if
			::	atomic { wanted + 1 < N -> wanted++ }
			::	wanted + 1 == N -> break
			fi
		od;
		atomic { level[_pid] = 0; wanted = 0 }
	od
}
