// The folder in which the programs of this build tree are: see
// runtime/platform/symbols/debug_info_program.cpp.
extern "C" const char hocket_build_tree[];
const char hocket_build_tree[] = HOCKET_PROGRAMS;
