// The functions of hocket.h: those of the C++ interface, for bodies that are written in C.
#include "../include/hocket/hocket.h"

#include "../types/body.hpp"

void hocket_check_at(int condition, const char* message, const char* file, unsigned line) {
  // The place of a failure must stay valid when the program's memory is restored: these are string literals.
  hocket::check(condition != 0, message, hocket::runtime::Where::current(file, line));
}
void hocket_assume(int condition) {
  hocket::assume(condition != 0);
}
unsigned hocket_choose(unsigned count) {
  return hocket::choose(count, hocket::runtime::Where{});
}
void hocket_name(const void* object, const char* name) {
  hocket::runtime::recording::name_memory(object, name);
}
void hocket_name_this_thread(const char* name) {
  hocket::name_this_thread(name);
}
