/* SPDX-License-Identifier: MIT */
/* make_second COEFFICIENT PATH: a parameter file of the invented method. */
#include <stdio.h>
#include <stdlib.h>

#include "../session/method/second_method.h"
#include "io/base/file.h"

int main(int argc, char **argv) {
  ArmParamSet set;
  GError *error = NULL;
  gsize length;
  if (argc != 3)
    return EXIT_FAILURE;
  second_method_make(&set, g_ascii_strtod(argv[1], NULL));
  char *text =
      aio_params_format_found(second_method.finds(), &set, "RT", NULL, NULL, NULL, &length);
  const bool is_written = aio_file_write_atomic(argv[2], text, length, true, &error);
  if (!is_written)
    fprintf(stderr, "%s\n", error->message);
  g_free(text);
  arm_param_set_clear(&set);
  return is_written ? EXIT_SUCCESS : EXIT_FAILURE;
}
