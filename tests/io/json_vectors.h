/* SPDX-License-Identifier: MIT */
/* The shared vectors as JSON. */
#ifndef ARMATURE_TESTS_IO_JSON_VECTORS_H
#define ARMATURE_TESTS_IO_JSON_VECTORS_H

#include "io/json/json_read.h"

/* NULL: they are not there, and the test is told as skipped. */
AioJson *vectors_load(const char *relative);

/* Ends the test where there is none. */
const AioJsonNode *vectors_member(const AioJsonNode *node, const char *key);

/* All numbers below a node, in order; returns how many. */
gsize vectors_flatten(const AioJsonNode *node, double *out);

/* The same where there must be so many. */
void vectors_read(const AioJsonNode *node, gsize count, double *out);

#endif
