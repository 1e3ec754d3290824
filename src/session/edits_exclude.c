/* SPDX-License-Identifier: MIT */
/* Ranges out of the fit and back into it. */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "session/edits.h"

typedef struct {
  AseExclusion all[ASE_EXCLUSIONS];
  guint n, wanted; /* wanted: also what found no room */
} List;

static void keep(List *list, AseExclusion piece) {
  if (!(piece.q_low < piece.q_high))
    return;
  if (list->n < ASE_EXCLUSIONS)
    list->all[list->n++] = piece;
  list->wanted++;
}

/* What of `e` is outside of the range: below it, above it, and within it the other direction. */
static void keep_outside(List *list, const AseExclusion *e, const AseExclusion *range) {
  AseExclusion below = *e, above = *e, other = *e;
  below.q_high = fmin(e->q_high, range->q_low);
  above.q_low = fmax(e->q_low, range->q_high);
  other.q_low = fmax(e->q_low, range->q_low);
  other.q_high = fmin(e->q_high, range->q_high);
  other.direction = -range->direction;
  keep(list, below);
  if (e->direction == 0 && range->direction != 0)
    keep(list, other);
  keep(list, above);
}

static bool meets(const AseExclusion *e, const AseExclusion *range) {
  return e->run == range->run && e->q_low <= range->q_high && e->q_high >= range->q_low &&
         e->direction * range->direction >= 0;
}

/* Unused entries are zero, since edits are compared as bytes. */
static bool take(AseEdits *edits, const List *list, GError **error) {
  if (list->wanted > ASE_EXCLUSIONS) {
    aio_error_set_said(
        error, AIO_ERROR_REFUSED,
        N_("there is room for %d excluded ranges; restore some, or exclude wider ones"),
        ASE_EXCLUSIONS);
    return false;
  }
  memset(edits->exclusions, 0, sizeof edits->exclusions);
  memcpy(edits->exclusions, list->all, list->n * sizeof *list->all);
  edits->n_exclusions = list->n;
  return true;
}

bool ase_edits_exclude(AseEdits *edits, const AseExclusion *range, GError **error) {
  List *list = g_new0(List, 1);
  AseExclusion whole = *range;
  for (guint k = 0; k < edits->n_exclusions; k++) {
    const AseExclusion *e = &edits->exclusions[k];
    if (meets(e, range) && e->direction == range->direction) {
      whole.q_low = fmin(whole.q_low, e->q_low);
      whole.q_high = fmax(whole.q_high, e->q_high);
    } else if (meets(e, range) && range->direction == 0) {
      keep_outside(list, e, range);
    } else {
      keep(list, *e);
    }
  }
  keep(list, whole);
  const bool ok = take(edits, list, error);
  g_free(list);
  return ok;
}

bool ase_edits_restore(AseEdits *edits, const AseExclusion *range, GError **error) {
  List *list = g_new0(List, 1);
  for (guint k = 0; k < edits->n_exclusions; k++)
    if (meets(&edits->exclusions[k], range))
      keep_outside(list, &edits->exclusions[k], range);
    else
      keep(list, edits->exclusions[k]);
  const bool ok = take(edits, list, error);
  g_free(list);
  return ok;
}
