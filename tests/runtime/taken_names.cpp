// Variables with names that a program may have, and by which POSIX has functions that Hocket calls. The tests
// of this program are searches beside them; here is nothing included that has the functions.
int dl_iterate_phdr = 1, fnmatch = 1, fsync = 1, getauxval = 1, pread = 1, prctl = 1, recv = 1, renameat2 = 1,
    send = 1, sigaltstack = 1, socketpair = 1, timer_create = 1, timer_delete = 1, timer_settime = 1;

bool names_are_as_they_were();
bool names_are_as_they_were() {
  return dl_iterate_phdr + fnmatch + fsync + getauxval + pread + prctl + recv + renameat2 + send +
             sigaltstack + socketpair + timer_create + timer_delete + timer_settime ==
         14;
}
