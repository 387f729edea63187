/* samples/models/stuttering.hpp for Spin: one process sets p, the other one does nothing for ever. The claim is the automaton
   kFirstNotPThenP. */
bool p;

active proctype sets()
{
	p = true
}

active proctype idles()
{
	bool unused;
	do
	::	unused = false
	od
}

never {
not_p:
	do
	::	!p
	::	!p -> goto accept_p
	od;
accept_p:
	do
	::	p
	od
}
