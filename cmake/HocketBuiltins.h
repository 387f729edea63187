/* g++ and gcc include this before each C and C++ file of a target of hocket_instrument().
 *
 * Where the size is constant they write a copy, a fill or a comparison out as moves, which have no hooks: whoever else
 * uses the bytes would not be seen. Calls by the functions' own names are kept by -fno-builtin-memcpy and its like
 * (HocketFlags.txt), but not those by the names of builtins, which headers of libraries prefer. So these become calls,
 * under names that the compiler does not know, of the functions that Hocket stands in for. */
#pragma GCC system_header
#ifdef __cplusplus
extern "C" {
#endif
#define HOCKET_CALL(result, name, ...) \
  result hocket_call_##name(__VA_ARGS__) __asm__(#name) __attribute__((__nothrow__, __leaf__))
HOCKET_CALL(void*, memcpy, void*, const void*, __SIZE_TYPE__);
HOCKET_CALL(void*, memmove, void*, const void*, __SIZE_TYPE__);
HOCKET_CALL(void*, mempcpy, void*, const void*, __SIZE_TYPE__);
HOCKET_CALL(void*, memset, void*, int, __SIZE_TYPE__);
HOCKET_CALL(int, memcmp, const void*, const void*, __SIZE_TYPE__);
HOCKET_CALL(void*, __memcpy_chk, void*, const void*, __SIZE_TYPE__, __SIZE_TYPE__);
HOCKET_CALL(void*, __memmove_chk, void*, const void*, __SIZE_TYPE__, __SIZE_TYPE__);
HOCKET_CALL(void*, __mempcpy_chk, void*, const void*, __SIZE_TYPE__, __SIZE_TYPE__);
HOCKET_CALL(void*, __memset_chk, void*, int, __SIZE_TYPE__, __SIZE_TYPE__);
HOCKET_CALL(char*, __strcpy_chk, char*, const char*, __SIZE_TYPE__);
HOCKET_CALL(char*, __stpcpy_chk, char*, const char*, __SIZE_TYPE__);
HOCKET_CALL(char*, __strcat_chk, char*, const char*, __SIZE_TYPE__);
HOCKET_CALL(char*, __strncpy_chk, char*, const char*, __SIZE_TYPE__, __SIZE_TYPE__);
HOCKET_CALL(char*, __strncat_chk, char*, const char*, __SIZE_TYPE__, __SIZE_TYPE__);
HOCKET_CALL(int, __sprintf_chk, char*, int, __SIZE_TYPE__, const char*, ...);
HOCKET_CALL(int, __snprintf_chk, char*, __SIZE_TYPE__, int, __SIZE_TYPE__, const char*, ...);
#undef HOCKET_CALL
#ifdef __cplusplus
}
/* Constant expressions have them, too. */
#define HOCKET_CALL(builtin, function, ...) \
  (__builtin_is_constant_evaluated() ? builtin(__VA_ARGS__) : function(__VA_ARGS__))
#else
#define HOCKET_CALL(builtin, function, ...) function(__VA_ARGS__)
#endif
#define __builtin_memcpy(...) HOCKET_CALL(__builtin_memcpy, hocket_call_memcpy, __VA_ARGS__)
#define __builtin_memmove(...) HOCKET_CALL(__builtin_memmove, hocket_call_memmove, __VA_ARGS__)
#define __builtin_mempcpy(...) HOCKET_CALL(__builtin_mempcpy, hocket_call_mempcpy, __VA_ARGS__)
#define __builtin_memset(...) HOCKET_CALL(__builtin_memset, hocket_call_memset, __VA_ARGS__)
#define __builtin_memcmp(...) HOCKET_CALL(__builtin_memcmp, hocket_call_memcmp, __VA_ARGS__)
#define __builtin___memcpy_chk(...) hocket_call___memcpy_chk(__VA_ARGS__)
#define __builtin___memmove_chk(...) hocket_call___memmove_chk(__VA_ARGS__)
#define __builtin___mempcpy_chk(...) hocket_call___mempcpy_chk(__VA_ARGS__)
#define __builtin___memset_chk(...) hocket_call___memset_chk(__VA_ARGS__)
#define __builtin___strcpy_chk(...) hocket_call___strcpy_chk(__VA_ARGS__)
#define __builtin___stpcpy_chk(...) hocket_call___stpcpy_chk(__VA_ARGS__)
#define __builtin___strncat_chk(...) hocket_call___strncat_chk(__VA_ARGS__)
#define __builtin___strcat_chk(...) hocket_call___strcat_chk(__VA_ARGS__)
#define __builtin___strncpy_chk(...) hocket_call___strncpy_chk(__VA_ARGS__)
#define __builtin___sprintf_chk(...) hocket_call___sprintf_chk(__VA_ARGS__)
#define __builtin___snprintf_chk(...) hocket_call___snprintf_chk(__VA_ARGS__)
