/* SPDX-License-Identifier: MIT */
/* Wild samples by file and line. */
#include "cli/cli.h"
#include "cli/fit_report.h"
#include "cli/text.h"
#include "io/recording/wild_spans.h"

void cli_fit_warn_wild(const CliFitReport *report, const GPtrArray *paths, const GArray *spans) {
  for (guint joint = 1; spans && joint <= report->arm->model.n; joint++)
    for (guint k = 0; k < paths->len; k++) {
      g_autofree char *places = aio_wild_places(spans, joint, k);
      g_autofree char *name = cli_base_name(g_ptr_array_index(paths, k));
      if (places)
        cli_warning("joint %u: left out as wild: %s, %s", joint, name, places);
    }
}
