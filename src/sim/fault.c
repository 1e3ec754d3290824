/* SPDX-License-Identifier: MIT */
/* Which kinds of fault take a value, a joint, a duration: one table, for the text on a command line
 * and for the frame TEST. Of faults of one kind the latest counts, also when it has ended before
 * them. */
#include "sim/fault.h"

#include <string.h>

#include "io/base/error.h"
#include "io/csv/csv_number.h"

typedef enum { NONE, OPTIONAL, REQUIRED } Need;

/* What a kind takes. */
typedef struct {
  const char *name;
  guint16 kind;
  bool has_joint;
  Need value;
  gint32 initial, low, high;
} Kind;

static const Kind kinds[] = {
    {"bit-errors", WIRE_TEST_BIT_ERRORS, false, REQUIRED, 0, 0, 1000000},
    {"drop-frames", WIRE_TEST_DROP_FRAMES, false, REQUIRED, 0, 0, 1000000},
    {"late-frames", WIRE_TEST_LATE_FRAMES, false, REQUIRED, 0, 0, 60000000},
    {"stall", WIRE_TEST_STALL, true, NONE, 0, 0, 0},
    {"over-current", WIRE_TEST_OVER_CURRENT, true, REQUIRED, 0, -65535, 65535},
    {"over-temperature", WIRE_TEST_OVER_TEMPERATURE, true, REQUIRED, 0, G_MININT16, G_MAXINT16},
    {"estop-open", WIRE_TEST_ESTOP_OPEN, false, NONE, 0, 0, 0},
    {"unplug", WIRE_TEST_UNPLUG, false, NONE, 0, 0, 0},
    {"reboot", WIRE_TEST_REBOOT, false, OPTIONAL, WIRE_RESET_SOFTWARE, 0, WIRE_RESET_BUTTON},
    {"brown-out", WIRE_TEST_BROWN_OUT, false, OPTIONAL, 0, 0, G_MAXINT32},
    {"freeze", WIRE_TEST_FREEZE, true, OPTIONAL, 7, 1, 7},
    {"payload", WIRE_TEST_PAYLOAD, false, REQUIRED, 0, 0, 1000000},
    {"creep", WIRE_TEST_CREEP, true, REQUIRED, 0, -1000000, 1000000},
};

static const Kind *find_kind(guint16 kind) {
  for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++)
    if (kinds[k].kind == kind)
      return &kinds[k];
  return NULL;
}

/* The wire has no field that is absent, so what a kind does not use may be anything. */
bool asim_fault_is_valid(const WireTest *test, gsize n_joints) {
  const Kind *kind = find_kind(test->kind);
  return kind && (!kind->has_joint || test->joint <= n_joints) &&
         (kind->value == NONE || (test->value >= kind->low && test->value <= kind->high));
}

/* ---- the text ---- */

static bool fail(const char *text, GError **error, const char *expected, const char *found) {
  char *quoted = g_strdup_printf("\"%s\"", found);
  aio_error_set_at(error, AIO_ERROR_MEANING, NULL, 0, 0, text, expected, quoted);
  g_free(quoted);
  return false;
}

static bool parse_name(const char *text, const char *name, const Kind **kind, GError **error) {
  const char *names[G_N_ELEMENTS(kinds) + 1] = {NULL};
  for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++) {
    names[k] = kinds[k].name;
    if (strcmp(name, kinds[k].name) == 0)
      *kind = &kinds[k];
  }
  if (*kind)
    return true;
  const char *nearest = aio_error_nearest(name, names);
  char *all = g_strjoinv(", ", (char **)names);
  char *expected = nearest ? g_strdup_printf("the name of a fault (did you mean \"%s\"?)", nearest)
                           : g_strdup_printf("one of %s", all);
  fail(text, error, expected, name);
  g_free(expected);
  g_free(all);
  return false;
}

static bool parse_number(const char *text, const char *key, const char *value, double low,
                         double high, bool is_whole, double *out, GError **error) {
  double number = 0.0;
  const bool is_number =
      value && aio_number_parse(value, strlen(value), '.', &number) == AIO_NUMBER_OK;
  if (is_number && number >= low && number <= high && (!is_whole || number == (gint64)number)) {
    *out = number;
    return true;
  }
  char *expected =
      g_strdup_printf("%s: a %snumber in %.0f..%.0f", key, is_whole ? "whole " : "", low, high);
  fail(text, error, expected, value ? value : "");
  g_free(expected);
  return false;
}

/* key, value: NULL where the part has none. */
static bool take_option(const char *text, const char *part, const char *key, const char *value,
                        const Kind *kind, AsimFault *fault, GError **error) {
  double number = 0.0;
  if (g_strcmp0(key, "joint") == 0 && kind->has_joint) {
    if (!parse_number(text, "joint", value, 0, 32, true, &number, error))
      return false;
    fault->test.joint = (guint16)number;
  } else if (g_strcmp0(key, "at") == 0) {
    return parse_number(text, "at", value, 0, 1e6, false, &fault->at_s, error);
  } else if (g_strcmp0(key, "for") == 0) {
    if (!parse_number(text, "for", value, 0.001, 1e6, false, &number, error))
      return false;
    fault->test.duration_ms = (guint32)(number * 1000.0 + 0.5);
  } else {
    return fail(text, error, kind->has_joint ? "joint=, at= or for=" : "at= or for=", part);
  }
  return true;
}

static bool parse_option(const char *text, const char *part, const Kind *kind, AsimFault *fault,
                         GError **error) {
  char **pair = g_strsplit(part, "=", 2);
  const bool ok = take_option(text, part, pair[0], pair[0] ? pair[1] : NULL, kind, fault, error);
  g_strfreev(pair);
  return ok;
}

/* name, given: NULL where there is none. parts: the first is these two. */
static bool parse_parts(AsimFault *fault, const char *text, char *const *parts, const char *name,
                        const char *given, GError **error) {
  const Kind *kind = NULL;
  double value = 0.0;
  if (!parse_name(text, name ? name : "", &kind, error))
    return false;
  AsimFault out = {.test = {.kind = kind->kind, .value = kind->initial}};
  if (given && kind->value == NONE)
    return fail(text, error, "no value", given);
  if (given || kind->value == REQUIRED) {
    if (!parse_number(text, kind->name, given, kind->low, kind->high, true, &value, error))
      return false;
    out.test.value = (gint32)value;
  }
  for (gsize k = 1; parts[0] && parts[k]; k++)
    if (!parse_option(text, parts[k], kind, &out, error))
      return false;
  *fault = out;
  return true;
}

bool asim_fault_parse(AsimFault *fault, const char *text, GError **error) {
  char **parts = g_strsplit(text, ",", -1), **head = g_strsplit(parts[0] ? parts[0] : "", "=", 2);
  const bool ok = parse_parts(fault, text, parts, head[0], head[0] ? head[1] : NULL, error);
  g_strfreev(head);
  g_strfreev(parts);
  return ok;
}

/* ---- when they hold ---- */

/* Has another one that has begun taken its place? */
static bool is_replaced(const AsimFaults *faults, gsize k, gint64 now_us) {
  const AsimPlanted *old = &faults->planted[k];
  for (gsize m = 0; m < faults->n; m++) {
    const AsimPlanted *other = &faults->planted[m];
    const bool is_later =
        other->from_us > old->from_us || (other->from_us == old->from_us && m > k);
    if (is_later && other->from_us <= now_us && other->test.kind == old->test.kind &&
        (other->test.joint == 0 || other->test.joint == old->test.joint))
      return true;
  }
  return false;
}

/* What is replaced first: it must not come back when what replaced it is over and forgotten. */
static void forget_old(AsimFaults *faults, gint64 now_us) {
  AsimFaults kept = {0};
  for (gsize k = 0; k < faults->n; k++)
    if (!is_replaced(faults, k, now_us))
      kept.planted[kept.n++] = faults->planted[k];
  faults->n = 0;
  for (gsize k = 0; k < kept.n; k++)
    if (kept.planted[k].until_us > now_us && !kept.planted[k].is_done)
      faults->planted[faults->n++] = kept.planted[k];
}

bool asim_faults_plant(AsimFaults *faults, const WireTest *test, gint64 from_us, gint64 now_us) {
  if (faults->n == ASIM_FAULTS_MAX)
    forget_old(faults, now_us);
  if (faults->n == ASIM_FAULTS_MAX)
    return false;
  const bool is_once = test->kind == WIRE_TEST_REBOOT;
  const gint64 until_us =
      test->duration_ms && !is_once ? from_us + (gint64)test->duration_ms * 1000 : G_MAXINT64;
  faults->planted[faults->n++] =
      (AsimPlanted){.test = *test, .from_us = from_us, .until_us = until_us};
  return true;
}

AsimPlanted *asim_faults_find(AsimFaults *faults, guint16 kind, guint joint, gint64 now_us) {
  AsimPlanted *last = NULL;
  for (gsize k = 0; k < faults->n; k++) {
    AsimPlanted *planted = &faults->planted[k];
    const bool is_meant = planted->test.kind == kind &&
                          (planted->test.joint == 0 || joint == 0 || planted->test.joint == joint);
    if (is_meant && planted->from_us <= now_us && (!last || planted->from_us >= last->from_us))
      last = planted;
  }
  return last && now_us < last->until_us ? last : NULL;
}
