/* SPDX-License-Identifier: MIT */
/* For the tests of exported headers: a compiler, a folder, random arms with random parameters. */
#ifndef ARMATURE_TESTS_EXPORT_RIG_H
#define ARMATURE_TESTS_EXPORT_RIG_H

#include "io/export/export_c.h"
#include "support/support.h"

typedef void Current(const double *q, const double *qd, const double *error, double *i_A);
typedef void CurrentF(const float *q, const float *qd, const float *error, float *i_A);

/* The strings of arm and params are borrowed. Free with g_free. */
typedef struct {
  AioArm arm;
  AioParams params;
  AioExportC options;
} Case;

/* Made by rig_begin, which is false (and says SKIP) without a compiler; removed by rig_end, which
 * returns `code`. */
extern char *rig_folder;
bool rig_begin(void);
int rig_end(int code);

bool rig_has_tool(const char *name);
/* What a command printed; g_free it. */
char *rig_run_tool(const char *command, int *code);
/* It must succeed. */
void rig_check_tool(const char *command);

/* Into rig_folder. */
void rig_write_file(const char *name, const char *text);
/* arm.h, and arm.c that calls its functions. */
void rig_write_caller(const char *header, bool has_error);
/* source -> output in rig_folder, every warning an error. */
void rig_compile_with(const char *compiler, const char *source, const char *flags,
                      const char *output);
/* Compiles and loads a header with the prefix "arm"; dlclose the result. */
void *rig_load_header(const char *header, bool has_error, Current **run, CurrentF **run_f);

Case *rig_case_new(const char *name);
/* An arm with R and T joints, any placement, tilted gravity, random clusters; `which` chooses
 * coupling (odd) and the rule at zero speed (modulo 3). Prefix "arm". */
Case *rig_random_case(TestRng *rng, size_t n, int which);
char *rig_export_header(const Case *c);

#endif
