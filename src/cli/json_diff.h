/* SPDX-License-Identifier: MIT */
/* Where two JSON values differ, leaf by leaf. */
#ifndef ARMATURE_CLI_JSON_DIFF_H
#define ARMATURE_CLI_JSON_DIFF_H

#include "io/json/json_read.h"

/* key: "arm: joint 2: gear_ratio"; a, b: as in their files, NULL: not there. */
typedef struct {
  char *key, *a, *b;
} CliDifference;

/* An empty list, freed with all it holds by g_ptr_array_unref. */
GPtrArray *cli_differences_new(void);

/* Appends what differs. Numbers are compared by value; keys beginning with x_ do not count.
 *   what  begins the keys; a, b  NULL: not there */
void cli_json_diff(GPtrArray *differences, const char *what, const AioJsonNode *a,
                   const AioJsonNode *b);

#endif
