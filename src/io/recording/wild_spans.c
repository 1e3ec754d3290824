/* SPDX-License-Identifier: MIT */
#include "io/recording/wild_spans.h"

#include "core/sweeps/wild.h"

enum { PLACES = 12 };

static AioWildSpan span_at(const ArmDataset *data, const AioRecording *recording, bool has_lines,
                           gsize first, gsize end) {
  guint k = recording->segments->len - 1;
  while (k > 0 && g_array_index(recording->segments, gsize, k) > first)
    k--;
  const gsize begin = g_array_index(recording->segments, gsize, k);
  const double shift = g_array_index(recording->shifts, double, k);
  return (AioWildSpan){.joint = (guint)data->joint[first],
                       .recording = k,
                       .first_line = has_lines ? (guint)(first - begin) + 2 : 0,
                       .last_line = has_lines ? (guint)(end - begin) + 1 : 0,
                       .samples = end - first,
                       .from_s = data->t[first] - shift,
                       .to_s = data->t[end - 1] - shift};
}

static bool is_wild(ArmRowUse use) {
  return use == ARM_ROW_WILD || use == ARM_ROW_WILD_POSITION;
}

GArray *aio_wild_spans(const ArmModel *model, const ArmDataset *data, const ArmRowOptions *options,
                       const AioRecording *recording, bool has_lines) {
  ArmRowUse *use = g_try_malloc_n(data->rows + 1, sizeof *use);
  if (!use || arm_wild_select(model, data, options, use, NULL) != ARM_OK) {
    g_free(use);
    return NULL;
  }
  GArray *spans = g_array_new(FALSE, FALSE, sizeof(AioWildSpan));
  for (gsize first = 0, end; first < data->rows; first = end) {
    end = first + 1;
    if (!is_wild(use[first]))
      continue;
    while (end < data->rows && is_wild(use[end]) && data->joint[end] == data->joint[first])
      end++;
    const AioWildSpan span = span_at(data, recording, has_lines, first, end);
    g_array_append_val(spans, span);
  }
  g_free(use);
  return spans;
}

static void append_place(GString *text, const AioWildSpan *span) {
  if (span->first_line > 0 && span->samples > 1)
    g_string_append_printf(text, "%u-%u", span->first_line, span->last_line);
  else if (span->first_line > 0)
    g_string_append_printf(text, "%u", span->first_line);
  else if (span->samples > 1)
    g_string_append_printf(text, "%.7g-%.7g s", span->from_s, span->to_s);
  else
    g_string_append_printf(text, "%.7g s", span->from_s);
}

char *aio_wild_places(const GArray *spans, guint joint, guint recording) {
  GString *text = g_string_new(NULL);
  guint told = 0;
  gsize more = 0;
  for (guint k = 0; k < spans->len; k++) {
    const AioWildSpan *span = &g_array_index(spans, AioWildSpan, k);
    if (span->joint != joint || span->recording != recording)
      continue;
    if (told == PLACES) {
      more += span->samples;
      continue;
    }
    if (told++ == 0)
      g_string_append(text, span->first_line == 0 ? "t = "
                            : span->samples > 1   ? "lines "
                                                  : "line ");
    else
      g_string_append(text, ", ");
    append_place(text, span);
  }
  if (more > 0)
    g_string_append_printf(text, " and %" G_GSIZE_FORMAT " samples more", more);
  return g_string_free(text, told == 0);
}
