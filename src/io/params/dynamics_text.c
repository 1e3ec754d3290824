/* SPDX-License-Identifier: MIT */
/* What a file of kind "dynamics" says of itself, in words. */
#include <string.h>

#include "io/params/dynamics_file.h"

/* Which joints after the `first` have its code; NULL: one before it has. g_free. */
static char *others_of(const GPtrArray *warnings, guint first) {
  const AioDynamicsWarning *line = g_ptr_array_index(warnings, first);
  GString *more = g_string_new(NULL);
  for (guint k = 0; k < warnings->len; k++) {
    const AioDynamicsWarning *other = g_ptr_array_index(warnings, k);
    if (k == first || strcmp(other->code, line->code) != 0)
      continue;
    if (k < first) {
      g_string_free(more, TRUE);
      return NULL;
    }
    if (other->joint > 0)
      g_string_append_printf(more, "%s%zu", more->len ? ", " : " (also joint ", other->joint);
  }
  if (more->len > 0)
    g_string_append_c(more, ')');
  return g_string_free(more, FALSE);
}

GPtrArray *aio_dynamics_reminders(const AioDynamics *dynamics) {
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  if (dynamics->verdict == ARM_VERDICT_MISFIT)
    g_ptr_array_add(lines, g_strdup("the model did not fit, as its verdict says"));
  for (guint k = 0; k < dynamics->warnings->len; k++) {
    const AioDynamicsWarning *line = g_ptr_array_index(dynamics->warnings, k);
    char *others = others_of(dynamics->warnings, k);
    if (others)
      g_ptr_array_add(lines,
                      g_strdup_printf("told when it was identified: %s%s", line->message, others));
    g_free(others);
  }
  return lines;
}
