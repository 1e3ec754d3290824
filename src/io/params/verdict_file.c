/* SPDX-License-Identifier: MIT */
/* The verdict beside the parameters, so that whoever reads them later is told. A file without one
 * says nothing, one that had it and lost a part counts as unknown, never as fitting. */
#include "io/params/verdict_file.h"

#include <math.h>
#include <string.h>

static const char *const untold_keys[ARM_UNTOLDS] = {
    [ARM_UNTOLD_NOTHING] = "nothing",       [ARM_UNTOLD_NO_STROKES] = "no_strokes",
    [ARM_UNTOLD_NO_PAIRS] = "no_pairs",     [ARM_UNTOLD_ONE_SPEED] = "one_speed",
    [ARM_UNTOLD_NO_SIGNAL] = "no_signal",   [ARM_UNTOLD_NUMERIC] = "numeric",
    [ARM_UNTOLD_LEFT_OUT] = "left_out",     [ARM_UNTOLD_SHORT] = "short",
    [ARM_UNTOLD_FEW_PAIRS] = "few_pairs",   [ARM_UNTOLD_UNSURE] = "unsure",
    [ARM_UNTOLD_NO_CURRENT] = "no_current",
};

static void put_stroke(AioJsonWriter *w, const ArmJointVerdict *v) {
  aio_json_write_key(w, "stroke");
  if (!v->test[ARM_TEST_STROKE].is_alarm) {
    aio_json_write_null(w);
    return;
  }
  aio_json_write_begin_flat_object(w);
  aio_json_put_int(w, "hold", (gint64)v->stroke_hold + 1);
  aio_json_put_number(w, "speed", v->stroke_speed);
  aio_json_put_number(w, "t_s", v->stroke_time);
  aio_json_put_number(w, "size_A", v->test[ARM_TEST_STROKE].size);
  aio_json_write_end_object(w);
}

/* What a validation promises by: no sum of what else is here. */
static void put_noise(AioJsonWriter *w, const ArmJointVerdict *v) {
  aio_json_write_key(w, "noise_A");
  aio_json_write_begin_array(w);
  for (int k = 0; k < ARM_STROKE_ORDERS; k++)
    aio_json_write_number(w, v->s[k]);
  aio_json_write_end_array(w);
  aio_json_put_number(w, "friction_scatter_A", v->tau);
}

void aio_verdict_write_joint(AioJsonWriter *w, const ArmVerdict *verdict, size_t i) {
  if (i >= verdict->n)
    return;
  const ArmJointVerdict *v = &verdict->joint[i];
  aio_json_write_key(w, "misfit");
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "verdict", arm_verdict_key(v->verdict));
  aio_json_put_number(w, "gravity_A", v->test[ARM_TEST_GRAVITY].size);
  aio_json_put_number(w, "direction_A", v->test[ARM_TEST_DIRECTION].size);
  aio_json_put_number(w, "speed_relative",
                      v->friction > 0 ? v->test[ARM_TEST_SPEED].size / v->friction : NAN);
  aio_json_put_number(w, "scatter_relative", v->test[ARM_TEST_SCATTER].size);
  aio_json_put_number(w, "trend_relative", v->trend);
  aio_json_put_number(w, "promised_A", v->promised);
  aio_json_put_number(w, "p", v->p);
  aio_json_write_key(w, "alarms");
  aio_json_write_begin_array(w);
  for (int t = 0; t < ARM_TESTS; t++)
    if (v->test[t].is_alarm)
      aio_json_write_string(w, arm_test_key((ArmTestKind)t));
  aio_json_write_end_array(w);
  aio_json_put_string(w, "untold", v->untold ? untold_keys[v->untold] : NULL);
  aio_json_put_int(w, "strokes", (gint64)v->strokes);
  aio_json_put_int(w, "pairs", (gint64)v->pairs);
  aio_json_write_key(w, "worst_hold");
  if (v->pairs > 0)
    aio_json_write_int(w, (gint64)v->worst_hold + 1);
  else
    aio_json_write_null(w);
  aio_json_put_number(w, "friction_A", v->friction);
  put_noise(w, v);
  put_stroke(w, v);
  aio_json_write_end_object(w);
}

void aio_verdict_write(AioJsonWriter *w, const ArmGravityFit *fit) {
  if (fit->verdict.n == 0)
    return;
  GPtrArray *lines = aio_verdict_lines(fit);
  aio_json_put_string(w, "verdict", arm_verdict_key(fit->verdict.verdict));
  aio_json_write_key(w, "warnings");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < lines->len; k++) {
    const AioVerdictLine *line = g_ptr_array_index(lines, k);
    aio_json_write_begin_flat_object(w);
    aio_json_put_string(w, "code", line->code);
    aio_json_write_key(w, "joint");
    if (line->joint > 0)
      aio_json_write_int(w, (gint64)line->joint);
    else
      aio_json_write_null(w);
    aio_json_put_string(w, "message", line->message);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
  g_ptr_array_unref(lines);
}

/* ---- reading ---- */

static bool read_word(const AioJsonNode *object, ArmVerdictKind *kind, GError **error) {
  const AioJsonNode *node = aio_json_require(object, "verdict", error);
  const char *word;
  if (!node || !aio_json_get_string(node, &word, error))
    return false;
  for (int k = ARM_VERDICT_FITS; k <= ARM_VERDICT_MISFIT; k++)
    if (strcmp(word, arm_verdict_key((ArmVerdictKind)k)) == 0) {
      *kind = (ArmVerdictKind)k;
      return true;
    }
  return aio_json_fail(node, "\"fits\", \"misfit\" or \"unknown\"", error);
}

static bool read_alarms(const AioJsonNode *object, ArmJointVerdict *v, GError **error) {
  const AioJsonNode *list = aio_json_member(object, "alarms");
  if (list && !aio_json_require_kind(list, AIO_JSON_ARRAY, error))
    return false;
  for (gsize k = 0; list && k < aio_json_size(list); k++) {
    const char *word;
    int t = 0;
    if (!aio_json_get_string(aio_json_item(list, k), &word, error))
      return false;
    while (t < ARM_TESTS && strcmp(word, arm_test_key((ArmTestKind)t)) != 0)
      t++;
    if (t == ARM_TESTS)
      return aio_json_fail(aio_json_item(list, k), "the name of a test, such as \"gravity\"",
                           error);
    v->test[t].is_alarm = true;
  }
  return true;
}

static bool read_untold(const AioJsonNode *object, ArmJointVerdict *v, GError **error) {
  const AioJsonNode *node = aio_json_member(object, "untold");
  const char *word;
  v->untold = ARM_UNTOLD_NOTHING;
  if (!node || node->kind == AIO_JSON_NULL)
    return true;
  if (!aio_json_get_string(node, &word, error))
    return false;
  for (size_t k = 0; k < G_N_ELEMENTS(untold_keys); k++)
    if (strcmp(word, untold_keys[k]) == 0) {
      v->untold = (ArmUntold)k;
      return true;
    }
  return aio_json_fail(node, "a reason such as \"one_speed\", or null", error);
}

static bool read_number(const AioJsonNode *object, const char *key, double *out, GError **error) {
  const AioJsonNode *node = aio_json_member(object, key);
  *out = NAN;
  return !node || aio_json_get_number_or_null(node, out, error);
}

static bool read_count(const AioJsonNode *object, const char *key, size_t from, size_t *out,
                       GError **error) {
  const AioJsonNode *node = aio_json_member(object, key);
  gint64 number = (gint64)from;
  if (node && node->kind != AIO_JSON_NULL &&
      !aio_json_get_int(node, (gint64)from, G_MAXINT32, &number, error))
    return false;
  *out = (size_t)number - from;
  return true;
}

/* Not in files of older programs: then nobody knows what is promised. */
static bool read_noise(const AioJsonNode *object, ArmJointVerdict *v, GError **error) {
  const AioJsonNode *list = aio_json_member(object, "noise_A");
  const AioJsonNode *scatter = aio_json_member(object, "friction_scatter_A");
  if (list && (list->kind != AIO_JSON_ARRAY || aio_json_size(list) != ARM_STROKE_ORDERS))
    return aio_json_fail(list, "a list of six standard deviations", error);
  for (gsize k = 0; k < ARM_STROKE_ORDERS; k++) {
    const AioJsonNode *item = list ? aio_json_item(list, k) : NULL;
    v->s[k] = NAN;
    if (item && !aio_json_get_number_or_null(item, &v->s[k], error))
      return false;
    if (item && v->s[k] < 0.0)
      return aio_json_fail(item, "a standard deviation, not negative, or null", error);
  }
  if (!read_number(object, "friction_scatter_A", &v->tau, error))
    return false;
  return !(v->tau < 0.0) || aio_json_fail(scatter, "a number that is not negative, or null", error);
}

static bool read_stroke(const AioJsonNode *object, ArmJointVerdict *v, GError **error) {
  static const char *const known[] = {"hold", "speed", "t_s", "size_A", NULL};
  const AioJsonNode *node = aio_json_member(object, "stroke");
  if (!node || node->kind == AIO_JSON_NULL)
    return true;
  return aio_json_check_keys(node, known, true, error) &&
         read_count(node, "hold", 1, &v->stroke_hold, error) &&
         read_number(node, "speed", &v->stroke_speed, error) &&
         read_number(node, "t_s", &v->stroke_time, error) &&
         read_number(node, "size_A", &v->test[ARM_TEST_STROKE].size, error);
}

static bool read_joint(const AioJsonNode *joint, ArmJointVerdict *v, GError **error) {
  static const char *const known[] = {"verdict",
                                      "gravity_A",
                                      "direction_A",
                                      "speed_relative",
                                      "scatter_relative",
                                      "trend_relative",
                                      "promised_A",
                                      "p",
                                      "alarms",
                                      "untold",
                                      "strokes",
                                      "pairs",
                                      "worst_hold",
                                      "friction_A",
                                      "stroke",
                                      "noise_A",
                                      "friction_scatter_A",
                                      NULL};
  const AioJsonNode *node = aio_json_require(joint, "misfit", error);
  if (!node || !aio_json_check_keys(node, known, true, error) ||
      !read_word(node, &v->verdict, error) ||
      !read_number(node, "gravity_A", &v->test[ARM_TEST_GRAVITY].size, error) ||
      !read_number(node, "direction_A", &v->test[ARM_TEST_DIRECTION].size, error) ||
      !read_number(node, "speed_relative", &v->test[ARM_TEST_SPEED].size, error) ||
      !read_number(node, "scatter_relative", &v->test[ARM_TEST_SCATTER].size, error) ||
      !read_number(node, "trend_relative", &v->trend, error) ||
      !read_number(node, "promised_A", &v->promised, error) ||
      !read_number(node, "p", &v->p, error) ||
      !read_number(node, "friction_A", &v->friction, error) || !read_alarms(node, v, error) ||
      !read_untold(node, v, error) || !read_count(node, "strokes", 0, &v->strokes, error) ||
      !read_count(node, "pairs", 0, &v->pairs, error) ||
      !read_count(node, "worst_hold", 1, &v->worst_hold, error) || !read_noise(node, v, error) ||
      !read_stroke(node, v, error))
    return false;
  v->test[ARM_TEST_SPEED].size *= v->friction;
  v->test[ARM_TEST_TREND].size = fabs(v->trend);
  return true;
}

static bool is_judged(const AioJsonNode *root, const AioJsonNode *joints, size_t n) {
  bool is_any = aio_json_member(root, "verdict") != NULL;
  for (size_t i = 0; i < n; i++)
    is_any = is_any || aio_json_member(aio_json_item(joints, i), "misfit");
  return is_any;
}

bool aio_verdict_read(const AioJsonNode *root, size_t n, ArmVerdict *verdict, GError **error) {
  const AioJsonNode *joints = aio_json_member(root, "joints");
  const AioJsonNode *warnings = aio_json_member(root, "warnings");
  verdict->n = 0;
  if (!is_judged(root, joints, n))
    return true;
  arm_verdict_init(verdict, n);
  verdict->verdict = ARM_VERDICT_UNKNOWN; /* somebody took it out */
  if ((aio_json_member(root, "verdict") && !read_word(root, &verdict->verdict, error)) ||
      (warnings && !aio_json_require_kind(warnings, AIO_JSON_ARRAY, error)))
    return false;
  for (size_t i = 0; i < n; i++) {
    if (!read_joint(aio_json_item(joints, i), &verdict->joint[i], error))
      return false;
    if (verdict->joint[i].verdict == ARM_VERDICT_MISFIT)
      verdict->verdict = ARM_VERDICT_MISFIT;
  }
  return true;
}

/* ---- the lab's limits ---- */

typedef struct {
  const char *key;
  size_t offset;
  double most; /* 1: a part of a whole; else what the preferences take too */
} Limit;

static const Limit limit_keys[] = {
    {"gravity_relative", offsetof(ArmVerdictLimits, gravity_relative), 1.0},
    {"gravity_promised_factor", offsetof(ArmVerdictLimits, gravity_promised_factor), 1000.0},
    {"direction_relative", offsetof(ArmVerdictLimits, direction_relative), 1.0},
    {"direction_A", offsetof(ArmVerdictLimits, direction_A), 100.0},
    {"speed_relative", offsetof(ArmVerdictLimits, speed_relative), 1.0},
    {"scatter_relative", offsetof(ArmVerdictLimits, scatter_relative), 1.0},
    {"trend_relative", offsetof(ArmVerdictLimits, trend_relative), 1.0},
    {"validation_relative", offsetof(ArmVerdictLimits, validation_relative), 1.0},
    {"r2", offsetof(ArmVerdictLimits, r2), 1.0},
};

static bool check_limits_format(const AioJsonNode *root, GError **error) {
  const AioJsonNode *format = aio_json_require(root, "format", error);
  const AioJsonNode *version = format ? aio_json_require(root, "version", error) : NULL;
  const char *word;
  gint64 number;
  if (!version || !aio_json_get_string(format, &word, error))
    return false;
  if (strcmp(word, "armature-limits") != 0)
    return aio_json_fail(format, "\"armature-limits\"", error);
  return aio_json_get_int(version, 1, 1, &number, error);
}

static bool read_limits(const AioJsonNode *root, ArmVerdictLimits *limits, GError **error) {
  const char *known[G_N_ELEMENTS(limit_keys) + 3] = {"format", "version"};
  for (size_t k = 0; k < G_N_ELEMENTS(limit_keys); k++)
    known[k + 2] = limit_keys[k].key;
  if (!aio_json_require_kind(root, AIO_JSON_OBJECT, error) || !check_limits_format(root, error) ||
      !aio_json_check_keys(root, known, true, error))
    return false;
  for (size_t k = 0; k < G_N_ELEMENTS(limit_keys); k++) {
    const AioJsonNode *node = aio_json_member(root, limit_keys[k].key);
    double value;
    if (!node)
      continue;
    if (!aio_json_get_number(node, &value, error))
      return false;
    if (!(value >= 0.0 && value <= limit_keys[k].most)) {
      char *expected = g_strdup_printf("a number from 0 to %.0f", limit_keys[k].most);
      aio_json_fail(node, expected, error);
      g_free(expected);
      return false;
    }
    memcpy((char *)limits + limit_keys[k].offset, &value, sizeof value);
  }
  return true;
}

static void write_changed(AioJsonWriter *w, const char *prefix, const ArmVerdictLimits *limits) {
  ArmVerdictLimits usual;
  arm_verdict_limits_default(&usual);
  for (size_t k = 0; k < G_N_ELEMENTS(limit_keys); k++) {
    double value, other;
    memcpy(&value, (const char *)limits + limit_keys[k].offset, sizeof value);
    memcpy(&other, (const char *)&usual + limit_keys[k].offset, sizeof other);
    if (value == other)
      continue;
    char *key = g_strconcat(prefix, limit_keys[k].key, NULL);
    aio_json_put_number(w, key, value);
    g_free(key);
  }
}

void aio_limits_write_changed(AioJsonWriter *w, const ArmVerdictLimits *limits) {
  write_changed(w, "limit_", limits);
}

char *aio_limits_text(const ArmVerdictLimits *limits) {
  GString *text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "format", "armature-limits");
  aio_json_put_int(w, "version", 1);
  write_changed(w, "", limits);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return g_string_free(text, FALSE);
}

/* Takes the document over; NULL: error set. */
static bool take_limits(AioJson *json, ArmVerdictLimits *limits, GError **error) {
  ArmVerdictLimits read;
  arm_verdict_limits_default(&read);
  const bool is_good = json && read_limits(aio_json_root(json), &read, error);
  aio_json_free(json);
  if (is_good)
    *limits = read;
  return is_good;
}

bool aio_limits_load(const char *path, ArmVerdictLimits *limits, GError **error) {
  return take_limits(aio_json_load(path, error), limits, error);
}

bool aio_limits_parse(const char *name, const char *text, ArmVerdictLimits *limits,
                      GError **error) {
  return take_limits(aio_json_parse(name, text, strlen(text), error), limits, error);
}
