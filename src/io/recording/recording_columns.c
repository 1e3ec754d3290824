/* SPDX-License-Identifier: MIT */
/* A column that nearly has a known name is a mistake to be told, not an unknown column to be passed
 * over: q1_deg would otherwise be missing without a word. */
#include "io/recording/recording_columns.h"

#include <string.h>

typedef struct {
  const char *prefix;
  const char *unit_R, *unit_T; /* with the underscore */
} ChannelName;

static const ChannelName channel_names[AIO_CHANNEL_KINDS] = {
    [AIO_CHANNEL_TIME] = {"t_s", "", ""},
    [AIO_CHANNEL_JOINT] = {"joint", "", ""},
    [AIO_CHANNEL_Q] = {"q", "_rad", "_m"},
    [AIO_CHANNEL_QD] = {"qd", "_rad_s", "_m_s"},
    [AIO_CHANNEL_QDD] = {"qdd", "_rad_s2", "_m_s2"},
    [AIO_CHANNEL_CURRENT] = {"i", "_A", "_A"},
    [AIO_CHANNEL_TORQUE] = {"tau", "_Nm", "_N"},
};

/* Endings that make q1_... another unit of the known column, not another column. */
static const char *const unit_words[] = {
    "rad",    "deg",    "degree", "degrees", "turn",  "turns", "mrad", "m",       "mm",   "cm",
    "rad_s",  "deg_s",  "rad/s",  "deg/s",   "rpm",   "m_s",   "mm_s", "m/s",     "mm/s", "rad_s2",
    "deg_s2", "rad/s2", "deg/s2", "rad/s^2", "m_s2",  "mm_s2", "m/s2", "a",       "ma",   "nm",
    "mnm",    "n",      "ticks",  "counts",  "count", "raw",   "pct",  "percent", "",     "_"};

char *aio_recording_column_name(AioChannelKind kind, gsize joint, ArmJointType type) {
  const ChannelName *name = &channel_names[kind];
  if (kind == AIO_CHANNEL_TIME || kind == AIO_CHANNEL_JOINT)
    return g_strdup(name->prefix);
  return g_strdup_printf("%s%" G_GSIZE_FORMAT "%s", name->prefix, joint + 1,
                         type == ARM_JOINT_R ? name->unit_R : name->unit_T);
}

static bool fail_column(const AioCsv *csv, gsize column, const char *expected, const char *found,
                        GError **error) {
  aio_error_set_at(error, AIO_ERROR_MEANING, aio_csv_name(csv), aio_csv_header_line(csv),
                   aio_csv_header_column(csv, column), aio_csv_column_name(csv, column), expected,
                   found);
  return false;
}

static bool is_unit_word(const char *ending) {
  if (*ending == '_' || *ending == ' ')
    ending++;
  for (gsize k = 0; k < G_N_ELEMENTS(unit_words); k++) {
    if (g_ascii_strcasecmp(ending, unit_words[k]) == 0)
      return true;
  }
  return *ending == '[' || *ending == '(';
}

/* Takes "qd12_rad_s" apart: AIO_CHANNEL_QD, 12, "_rad_s"; false when it has no such form. */
static bool split_name(const char *name, AioChannelKind *kind, guint64 *number,
                       const char **ending) {
  gsize letters = 0;
  while (g_ascii_isalpha(name[letters]))
    letters++;
  if (!g_ascii_isdigit(name[letters]))
    return false;
  for (int k = AIO_CHANNEL_Q; k < AIO_CHANNEL_KINDS; k++) {
    const char *prefix = channel_names[k].prefix;
    if (letters != strlen(prefix) || g_ascii_strncasecmp(name, prefix, letters) != 0)
      continue;
    *kind = (AioChannelKind)k;
    *number = g_ascii_strtoull(name + letters, (char **)ending, 10);
    return true;
  }
  return false;
}

static const char map_advice[] = ": a file of another tool needs a column map";

/* Whether `name` is the channel, something else, or a mistake (false with an error). */
static bool judge_name(const AioCsv *csv, gsize column, const ArmModel *model, AioChannelKind kind,
                       guint64 number, const char *ending, bool *is_known, GError **error) {
  *is_known = false;
  if (!is_unit_word(ending))
    return true;
  if (number < 1 || number > model->n) {
    char *expected = g_strdup_printf("a joint from 1 to %zu", model->n);
    char *found = g_strdup_printf("%" G_GUINT64_FORMAT, number);
    fail_column(csv, column, expected, found, error);
    g_free(expected);
    g_free(found);
    return false;
  }
  const ArmJointType type = model->joints[number - 1].type;
  char *right = aio_recording_column_name(kind, (gsize)number - 1, type);
  *is_known = strcmp(right, aio_csv_column_name(csv, column)) == 0;
  if (!*is_known) {
    char *expected = g_strdup_printf("%s (joint %" G_GUINT64_FORMAT " %s)", right, number,
                                     type == ARM_JOINT_R ? "rotates" : "translates");
    char *found = g_strconcat("another name or unit", aio_csv_map_advice(csv, map_advice), NULL);
    fail_column(csv, column, expected, found, error);
    g_free(expected);
    g_free(found);
  }
  g_free(right);
  return *is_known;
}

static bool claim(const AioCsv *csv, gsize column, gssize *slot, GError **error) {
  if (*slot >= 0)
    return fail_column(csv, column, "every column once", "it twice", error);
  *slot = (gssize)column;
  return true;
}

static gssize *slot_of(AioRecordingColumns *columns, AioChannelKind kind, gsize joint) {
  switch (kind) {
  case AIO_CHANNEL_Q:
    return &columns->q[joint];
  case AIO_CHANNEL_QD:
    return &columns->qd[joint];
  case AIO_CHANNEL_QDD:
    return &columns->qdd[joint];
  case AIO_CHANNEL_CURRENT:
    return &columns->current[joint];
  case AIO_CHANNEL_TORQUE:
    return &columns->torque[joint];
  case AIO_CHANNEL_JOINT:
    return &columns->joint;
  case AIO_CHANNEL_TIME:
  case AIO_CHANNEL_KINDS:
    break;
  }
  return &columns->time;
}

static bool find_column(const AioCsv *csv, gsize column, const ArmModel *model,
                        AioRecordingColumns *columns, GPtrArray *ignored, GError **error) {
  const char *name = aio_csv_column_name(csv, column);
  for (int k = AIO_CHANNEL_TIME; k <= AIO_CHANNEL_JOINT; k++) {
    const char *right = channel_names[k].prefix;
    if (strcmp(name, right) == 0)
      return claim(csv, column, slot_of(columns, (AioChannelKind)k, 0), error);
    if (g_ascii_strcasecmp(name, right) == 0)
      return fail_column(csv, column, right, "other letter case", error);
  }
  AioChannelKind kind;
  guint64 number;
  const char *ending;
  if (split_name(name, &kind, &number, &ending)) {
    bool is_known;
    if (!judge_name(csv, column, model, kind, number, ending, &is_known, error))
      return false;
    if (is_known)
      return claim(csv, column, slot_of(columns, kind, (gsize)number - 1), error);
  }
  if (!g_str_has_prefix(name, "x_"))
    g_ptr_array_add(ignored, aio_csv_column_label(csv, column));
  return true;
}

bool aio_recording_find_columns(const AioCsv *csv, const ArmModel *model,
                                AioRecordingColumns *columns, GPtrArray *ignored, GError **error) {
  columns->time = columns->joint = -1;
  for (gsize j = 0; j < ARM_MAX_JOINTS; j++) {
    columns->q[j] = columns->qd[j] = columns->qdd[j] = -1;
    columns->current[j] = columns->torque[j] = -1;
  }
  for (gsize column = 0; column < aio_csv_columns(csv); column++) {
    if (!find_column(csv, column, model, columns, ignored, error))
      return false;
  }
  return true;
}

bool aio_recording_check_measured(const AioCsv *csv, const ArmModel *model,
                                  const AioRecordingColumns *columns, GError **error) {
  for (gsize j = 0; j < model->n; j++) {
    if (columns->current[j] >= 0 && columns->torque[j] >= 0)
      return fail_column(csv, (gsize)columns->torque[j], "a current or a torque of a joint",
                         "both: rename the one not to be used to x_...", error);
  }
  return true;
}

bool aio_recording_column_missing(const AioCsv *csv, const char *name, GError **error) {
  const gsize n = aio_csv_columns(csv);
  const char **names = g_new0(const char *, n + 1);
  for (gsize k = 0; k < n; k++)
    names[k] = aio_csv_column_name(csv, k);
  const char *near = aio_error_nearest(name, names);
  char *expected = g_strdup_printf("a column %s", name);
  char *found = near && *near ? g_strdup_printf("none (the nearest is %s)", near)
                              : g_strconcat("none", aio_csv_map_advice(csv, map_advice), NULL);
  aio_error_set_at(error, AIO_ERROR_MEANING, aio_csv_name(csv), aio_csv_header_line(csv), 0, NULL,
                   expected, found);
  g_free(expected);
  g_free(found);
  g_free(names);
  return false;
}
