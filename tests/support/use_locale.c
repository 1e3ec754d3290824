/* SPDX-License-Identifier: MIT */
/* Preloaded into every program of the suite for the decimal-comma run: as a graphical toolkit
 * would, it takes the user's locale before main, so that printf and strtod use a comma. */
#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void use_locale(void) {
  const char *name = setlocale(LC_ALL, "");
  const char *point = localeconv()->decimal_point;
  if (name == NULL || *point != ',') {
    fprintf(stderr, "the locale of this run has no decimal comma\n");
    _Exit(99);
  }
}
