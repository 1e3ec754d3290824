/* SPDX-License-Identifier: MIT */
#include "ui/kit/bullets.h"

#include "io/base/said.h"

char *aui_bullets(const GPtrArray *list) {
  GString *text = g_string_new(NULL);
  for (guint k = 0; k < list->len; k++) {
    g_autofree char *line = aio_said_line(list->pdata[k]);
    g_string_append_printf(text, "%s• %s", k ? "\n" : "", line);
  }
  return g_string_free(text, FALSE);
}
