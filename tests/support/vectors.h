/* SPDX-License-Identifier: MIT */
/* Numbers out of the shared JSON vectors, for tests of the core, which knows no JSON. */
#ifndef ARMATURE_TESTS_VECTORS_H
#define ARMATURE_TESTS_VECTORS_H

#include <stddef.h>

/* The whole of "vectors/traj/robot3.json", or NULL when it is not there: skip visibly then. Free
 * with free(). */
char *vectors_read(const char *relative);

/* What stands behind the next `"key":` of a text, or NULL. */
const char *vectors_find(const char *text, const char *key);

/* The numbers of the value that begins here, however deep its arrays, in their order; null is NAN,
 * true 1, false 0. Returns how many there are, `most` at most are stored. */
size_t vectors_numbers(const char *value, size_t most, double *numbers);

/* The one number, or `count` numbers, of the next `key`; ends the program where it is not so. */
double vectors_number(const char *text, const char *key);
void vectors_exactly(const char *text, const char *key, size_t count, double *numbers);

#endif
