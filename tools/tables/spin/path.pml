/* samples/models/lasso.hpp for Spin: a path whose letters and place to go on from are in the environment. A claim follows. */
c_decl {
static int is_p[8], is_q[8], next_of[8];
__attribute__((constructor)) static void read_path(void) {
	const char *letters = getenv("LETTERS");
	int n, size = strlen(letters), cycle_begin = atoi(getenv("CYCLE_BEGIN"));
	for (n = 0; n < size; n++) {
		is_p[n] = (letters[n] - '0') & 1;
		is_q[n] = (letters[n] - '0') & 2;
		next_of[n] = n + 1 < size ? n + 1 : cycle_begin < size ? cycle_begin : -1;
	}
}
}
#define p c_expr { is_p[now.at] }
#define q c_expr { is_q[now.at] }

int at;

active proctype path()
{
	do
	::	d_step { c_expr { next_of[now.at] > -1 } -> c_code { now.at = next_of[now.at]; } }
	od
}
