// Variables and functions with names that ISO C gives to programs and POSIX to functions: those that Hocket calls, those
// that it defines for programs, and some that the C++ library calls.
int accept = 1, access = 1, alarm = 1, bind = 1, chdir = 1, clock_gettime = 1, close = 1, closedir = 1, connect = 1,
    dirfd = 1, dl_iterate_phdr = 1, dladdr = 1, dlclose = 1, dlopen = 1, dlsym = 1, dup2 = 1, fcntl = 1,
    fdopen = 1, fdopendir = 1, fileno = 1, fnmatch = 1, fopen64 = 1, fstat = 1, fstat64 = 1, fsync = 1, getauxval = 1,
    getcwd = 1, getdelim = 1, getentropy = 1, getpagesize = 1, getpid = 1, getppid = 1, gettid = 1, gettimeofday = 1,
    getuid = 1, index = 1, ioctl = 1, isatty = 1, kill = 1, link = 1, listen = 1, lseek = 1, lseek64 = 1, lstat = 1,
    madvise = 1, mkdir = 1, mmap = 1, mprotect = 1, mremap = 1, munmap = 1, nanosleep = 1, open = 1, openat = 1,
    pause = 1, pipe2 = 1, poll = 1, posix_spawnp = 1, prctl = 1, pread = 1, program_invocation_name = 1,
    program_invocation_short_name = 1, pthread_atfork = 1, read = 1, readdir = 1, readlink = 1, reallocarray = 1,
    realpath = 1, recv = 1, renameat2 = 1, sbrk = 1, sched_yield = 1, secure_getenv = 1, select = 1,
    sendfile = 1, setrlimit = 1, shutdown = 1, sigaction = 1, sigaddset = 1, sigaltstack = 1, sigemptyset = 1,
    sigfillset = 1, sigismember = 1, sigprocmask = 1, sleep = 1, socketpair = 1, stat = 1, statvfs = 1, stpcpy = 1,
    symlink = 1, sync = 1, syscall = 1, sysconf = 1, timer_create = 1, timer_delete = 1, timer_settime = 1, truncate = 1,
    unlink = 1, unlinkat = 1, usleep = 1, utimensat = 1, valloc = 1, vasprintf = 1, waitpid = 1, write = 1, writev = 1;

int send = 1;
int stays_as_it_was(void);
int stays_as_it_was(void) {
  return send + read + write + poll + link + open + close == 7;
}

// As the book has it.
int getline(char* line, int room);
int getline(char* line, int room) {
  for (int n = 0; n < room; ++n) line[n] = 'a';
  return room;
}
