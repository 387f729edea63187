#pragma once

#ifdef __cplusplus
extern "C" {
#endif

void c_body(void);

#ifdef __cplusplus
}
#endif
