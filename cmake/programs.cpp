// The folders in which Hocket's programs are: those of the build tree for what is linked there, and those of
// an installation for what is linked with its package (hocketConfig.cmake).
extern "C" {
extern const char hocket_programs[];
extern const char hocket_commands[];
const char hocket_programs[] = HOCKET_PROGRAMS;  // with hocket-debug-info
const char hocket_commands[] = HOCKET_COMMANDS;  // with hocket
}
