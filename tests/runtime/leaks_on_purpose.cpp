// What tests leak on purpose, and what a stack held that std::terminate has abandoned, is no leak of
// Hocket's.
extern "C" const char* __lsan_default_suppressions();  // NOLINT: the name is LeakSanitizer's

extern "C" const char* __lsan_default_suppressions() {  // NOLINT
  return "leak:leaks_test.cpp\n"
         "leak:AnException_ThatLeavesADestructorOrMeetsAnotherEndsInTerminate\n"
         "leak:TheFirstFailure_CountsWhenAnotherFollowsInTheUnwinding\n";
}
