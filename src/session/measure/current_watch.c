/* SPDX-License-Identifier: MIT */
#include "session/measure/current_watch.h"

#include <math.h>

/* true: long enough beyond the limit. A time of 0 would be none. */
static bool look(guint64 *since_us, guint64 t_us, bool is_above) {
  if (!is_above)
    *since_us = 0;
  else if (!*since_us)
    *since_us = MAX(t_us, 1);
  return is_above && t_us - *since_us >= ASE_CURRENT_US && t_us > *since_us;
}

guint ase_current_watch(AseCurrentWatch *watch, const AseRun *run, const AioChunk *chunk,
                        const double *limits, double *found) {
  for (guint k = 0; k < chunk->n; k++) {
    if (!ase_run_owns(run, chunk, k))
      continue;
    for (guint j = 0; j < chunk->joints; j++) {
      const double current = chunk->current[(gsize)k * chunk->joints + j];
      if (!look(&watch->since_us[j], chunk->t_us[k], fabs(current) > limits[j]))
        continue;
      *found = current;
      return j + 1;
    }
  }
  return 0;
}
