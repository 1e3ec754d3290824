/* SPDX-License-Identifier: MIT */
/* Spans of wild rows, which may reach from one window of rows into the next, and their words. */
#include "io/recording/wild_spans.h"

#include "core/sweeps/wild.h"

enum { PLACES = 12 };

/* first: row of the recording */
static AioWildSpan span_at(const AioRecording *recording, bool has_lines, int joint, gsize first,
                           double t) {
  guint k = recording->segments->len - 1;
  while (k > 0 && g_array_index(recording->segments, gsize, k) > first)
    k--;
  const gsize begin = g_array_index(recording->segments, gsize, k);
  const double shift = g_array_index(recording->shifts, double, k);
  return (AioWildSpan){.joint = (guint)joint,
                       .recording = k,
                       .first_line = has_lines ? (guint)(first - begin) + 2 : 0,
                       .last_line = has_lines ? (guint)(first - begin) + 2 : 0,
                       .samples = 1,
                       .from_s = t - shift,
                       .to_s = t - shift};
}

static bool is_wild(ArmRowUse use) {
  return use == ARM_ROW_WILD || use == ARM_ROW_WILD_POSITION;
}

static void extend(AioWildSpan *span, const AioRecording *recording, double t) {
  span->last_line += span->last_line > 0;
  span->samples++;
  span->to_s = t - g_array_index(recording->shifts, double, span->recording);
}

static void add_window(const ArmWindow *window, const AioRecording *recording, bool has_lines,
                       GArray *spans) {
  const ArmDataset *data = &window->data;
  for (size_t r = window->begin; r < window->end; r++) {
    if (!is_wild(window->use[r]))
      continue;
    if (r > 0 && is_wild(window->use[r - 1]) && data->joint[r - 1] == data->joint[r]) {
      extend(&g_array_index(spans, AioWildSpan, spans->len - 1), recording, data->t[r]);
      continue;
    }
    const AioWildSpan span =
        span_at(recording, has_lines, data->joint[r], data->first + r, data->t[r]);
    g_array_append_val(spans, span);
  }
}

static ArmStatus find_spans(ArmWindows *windows, const AioRecording *recording, bool has_lines,
                            GArray *spans) {
  ArmWild worst[ARM_MAX_JOINTS];
  const ArmRowSource *source = windows->source;
  ArmStatus status = arm_wild_find(windows, source->n, source->median_step,
                                   !windows->options->wants_acceleration, worst);
  size_t count = 0;
  for (int list = 0; list < ARM_WILD_LISTS; list++)
    count += windows->wild[list].count;
  for (size_t k = 0; k < windows->count && count > 0 && status == ARM_OK; k++) {
    const ArmWindow *window;
    status = arm_windows_get(windows, k, &window);
    if (status == ARM_OK)
      add_window(window, recording, has_lines, spans);
  }
  return status;
}

GArray *aio_wild_spans(const ArmModel *model, const ArmRowSource *source,
                       const ArmRowOptions *options, const AioRecording *recording,
                       bool has_lines) {
  ArmWindows windows;
  if (arm_windows_open(&windows, model, options, source) != ARM_OK)
    return NULL;
  GArray *spans = g_array_new(FALSE, FALSE, sizeof(AioWildSpan));
  if (find_spans(&windows, recording, has_lines, spans) != ARM_OK)
    g_clear_pointer(&spans, g_array_unref);
  arm_windows_clear(&windows);
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
