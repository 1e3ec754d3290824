/* SPDX-License-Identifier: MIT */
/* A small fit of which nothing was found, and parameter files of it that are changed and read. */
#ifndef ARMATURE_TEST_PARAMS_CASE_H
#define ARMATURE_TEST_PARAMS_CASE_H

#include "io/params/params_file.h"

/* Of one R and one T joint. */
void params_case_make(ArmModel *model, ArmGravityFit *fit);
/* It must be readable; aio_params_free. */
AioParams *params_case_load(const char *text, const ArmModel *model);
/* `text` with the first `from` replaced, which must be there; g_free. */
char *params_case_replaced(const char *text, const char *from, const char *to);

#endif
