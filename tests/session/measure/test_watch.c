/* SPDX-License-Identifier: MIT */
/* What a sample cannot say while a leg goes on, and when no sample is no accident. */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "made_leg.h"
#include "session/measure/watch.h"

enum { READY = AIO_SAMPLE_DRIVES_ON | AIO_SAMPLE_ARMED };

/* Joint 2 of three at rest at 0, between -90 and 90 deg, 60 deg/s, 3 A. */
static void begin(Made *made, AseWatch *watch, const AioDescription *description) {
  const double q[3] = {0.1, 0.0, -0.2};
  made_leg_init(made, &(Way){.passes = 2, .hz = 100});
  ArmLimits *limits = &made->model.joints[1].limits;
  limits->q_min = -90 * DEG;
  limits->q_max = 90 * DEG;
  limits->speed_max = 60 * DEG;
  limits->current_max = 3.0;
  made->run = ase_run_new(&made->leg, 1);
  made->run->motion = 7;
  ase_watch_begin(watch, &made->model, description, q);
}

/* One sample more, of motion 7 with the drives on unless said otherwise. */
static char *look(Made *made, AseWatch *watch, guint64 t_ms, double q, double current,
                  guint16 flags, guint16 motion) {
  const AioSample sample = {.t_us = 1000 * t_ms,
                            .flags = flags,
                            .motion = motion,
                            .q = {0.1, q, -0.2},
                            .current = {0.0, current, 0.0}};
  AioChunk *chunk = aio_chunk_new(3, 0);
  g_assert_true(aio_chunk_push(chunk, &sample, 0));
  char *text = ase_watch_chunk(watch, made->run, chunk);
  aio_chunk_unref(chunk);
  return text ? aio_said_take_text(text) : NULL;
}

static void expect(char *text, const char *part) {
  if (!text || !strstr(text, part) || !strstr(text, "joint 2"))
    g_error("\"%s\" lacks \"%s\"", text, part);
  g_free(text);
}

static void end(Made *made) {
  ase_run_unref(made->run);
}

typedef struct {
  const char *name;
  double from, to, dt_ms, current, for_ms;
  guint16 motion;
  const char *part; /* NULL: nothing */
} Row;

static const Row rows[] = {
    {"moves", 0, 0.6 * DEG, 10, 0, 0, 7, NULL},
    {"overshoots", 90 * DEG, 94 * DEG, 100, 0, 0, 7, NULL},
    {"beyond, above", 90 * DEG, 98 * DEG, 1000, 0, 0, 7, "says 98 deg, far beyond its limits, -90"},
    {"beyond, below", -90 * DEG, -98 * DEG, 1000, 0, 0, 7, "says -98 deg"},
    {"no number", 0, NAN, 10, 0, 0, 7, "nan"},
    {"absurd", 0, 2147.483647, 10, 0, 0, 7, "says 1.23e+05 deg"},
    {"beside the leg", 0, 2147.483647, 10, 0, 0, 6, "says 1.23e+05 deg"},
    {"a coarse encoder", 0, 2 * DEG, 10, 0, 0, 7, NULL},
    {"leaps", 0, 17 * DEG, 10, 0, 0, 7, "leapt by 17 deg within 10 ms, it can move by 0.6 deg"},
    {"leaps back", 17 * DEG, 0, 10, 0, 0, 7, "leapt by 17 deg"},
    {"samples lost", 0, 17 * DEG, 300, 0, 0, 7, NULL},
    {"the clock stands", 0, 17 * DEG, 0, 0, 0, 7, "leapt by 17 deg"},
    {"a peak of current", 0, 0, 10, 9.0, 40, 7, NULL},
    {"at the limit", 0, 0, 10, 3.1, 500, 7, NULL},
    {"current", 0, 0, 10, 3.3, 60, 7, "3.3 A for 50 ms, beyond its limit of 3 A"},
    {"current, other sign", 0, 0, 10, -32.768, 60, 7, "-32.8 A"},
};

static void test_sample(gconstpointer data) {
  const Row *row = data;
  Made made;
  AseWatch watch;
  guint64 t_ms = 10000;
  begin(&made, &watch, NULL);
  g_assert_null(look(&made, &watch, t_ms, row->from, 0.0, READY, 0)); /* before it began */
  char *text = NULL;
  for (double at_ms = row->dt_ms; !text && at_ms <= row->dt_ms + row->for_ms; at_ms += 10.0)
    text = look(&made, &watch, t_ms + (guint64)at_ms, row->to, row->current, READY, row->motion);
  if (row->part)
    expect(text, row->part);
  else
    g_assert_cmpstr(text, ==, NULL);
  end(&made);
}

/* An arm that was left beyond its limits is led back. */
static void test_from_beyond(void) {
  Made made;
  AseWatch watch;
  const double q[3] = {0.1, 120 * DEG, -0.2};
  begin(&made, &watch, NULL);
  ase_watch_begin(&watch, &made.model, NULL, q);
  g_assert_null(look(&made, &watch, 10, 120 * DEG, 0.0, READY, 7));
  g_assert_null(look(&made, &watch, 1010, 100 * DEG, 0.0, READY, 7));
  expect(look(&made, &watch, 3010, 128 * DEG, 0.0, READY, 7), "-90 to 120 deg");
  end(&made);
}

/* Where the arm file states nothing; and where the controller can do more. */
static void test_driver(void) {
  Made made;
  AseWatch watch;
  const AioJointInfo info = {
      .q_min = -2147, .q_max = 45 * DEG, .speed_max = 600 * DEG, .current_max = 4.0};
  AioDescription description = {.joints = 3, .joint = {info, info, info}};
  begin(&made, &watch, &description);
  g_assert_cmpfloat(watch.joint[1].high, ==, 90 * DEG);
  g_assert_cmpfloat(watch.joint[1].low, ==, -90 * DEG);
  g_assert_cmpfloat(watch.joint[1].speed, ==, 600 * DEG);
  g_assert_cmpfloat(watch.joint[1].current, ==, 4.0);
  g_assert_cmpfloat(watch.joint[0].high, ==, 45 * DEG);
  description.joints = 0; /* describes nothing */
  ase_watch_begin(&watch, &made.model, &description, (const double[3]){0.0});
  g_assert_cmpfloat(watch.joint[0].high, ==, INFINITY);
  g_assert_cmpfloat(watch.joint[0].low, ==, -INFINITY);
  g_assert_cmpfloat(watch.joint[0].current, ==, INFINITY);
  g_assert_true(isfinite(watch.joint[0].speed));
  g_assert_null(look(&made, &watch, 10, 0.0, 1e9, READY, 7));
  end(&made);
}

/* For a moment it is said amid each stop; what was never said is not missed. */
static void test_ready(void) {
  static const guint16 armed = AIO_SAMPLE_ARMED, on = AIO_SAMPLE_DRIVES_ON;
  static const struct {
    guint16 before, after, motion;
    const char *part; /* NULL: nothing is wrong */
  } cases[] = {{READY, READY, 7, NULL},
               {READY, armed, 7, "drives are off"},
               {READY, on, 7, "not armed"},
               {READY, 0, 7, "drives are off"},
               {READY, armed, 0, NULL},
               {on, on, 7, NULL},
               {armed, armed, 7, "drives are off"}};
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    Made made;
    AseWatch watch;
    begin(&made, &watch, NULL);
    g_assert_null(look(&made, &watch, 1000, 0.0, 0.0, cases[k].before, 0));
    for (guint ms = 1010; ms <= 1100; ms += 10)
      g_assert_null(look(&made, &watch, ms, 0.0, 0.0, cases[k].after, cases[k].motion));
    g_assert_false(watch.is_unready);
    g_assert_null(look(&made, &watch, 1110, 0.0, 0.0, cases[k].after, cases[k].motion));
    g_assert_cmpint(watch.is_unready, ==, cases[k].part != NULL);
    if (cases[k].part) {
      char *text = aio_said_take_text(ase_watch_unready_said(&watch));
      g_assert_nonnull(strstr(text, cases[k].part));
      g_free(text);
    }
    g_assert_null(look(&made, &watch, 1120, 0.0, 0.0, READY, 7));
    g_assert_false(watch.is_unready);
    end(&made);
  }
}

/* ---- silence ---- */

static void test_quiet(void) {
  AseQuiet quiet = {0};
  ase_quiet_heard(&quiet, 1000000);
  g_assert_false(ase_quiet_ask(&quiet, 1099999, 10000));
  g_assert_true(ase_quiet_ask(&quiet, 1100000, 10000));
  g_assert_false(ase_quiet_ask(&quiet, 1900000, 10000)); /* is asked already */
  g_assert_false(ase_quiet_answered(&quiet, 1900000));
  g_assert_false(ase_quiet_ask(&quiet, 1974999, 10000));
  g_assert_true(ase_quiet_ask(&quiet, 1975000, 10000));
  g_assert_false(ase_quiet_answered(&quiet, 1976000));
  g_assert_true(ase_quiet_ask(&quiet, 2051000, 10000));
  g_assert_true(ase_quiet_answered(&quiet, 2052000));
}

/* An answer to what was asked before a sample came proves nothing; nor two. */
static void test_quiet_late(void) {
  AseQuiet quiet = {0};
  ase_quiet_heard(&quiet, 1000000);
  g_assert_true(ase_quiet_ask(&quiet, 1100000, 10000));
  g_assert_false(ase_quiet_answered(&quiet, 1101000));
  g_assert_true(ase_quiet_ask(&quiet, 1200000, 10000));
  ase_quiet_heard(&quiet, 1210000);
  g_assert_false(ase_quiet_answered(&quiet, 1220000));
  g_assert_cmpuint(quiet.answers, ==, 0);
  g_assert_false(ase_quiet_ask(&quiet, 1309999, 10000));
  g_assert_true(ase_quiet_ask(&quiet, 1310000, 10000));
}

/* Telemetry at 2 Hz, of a clock that is as fast as ours. */
static void test_quiet_slow(void) {
  AseQuiet quiet = {0};
  ase_quiet_heard(&quiet, 1000000);
  g_assert_false(ase_quiet_ask(&quiet, 3400000, 500000));
  g_assert_true(ase_quiet_ask(&quiet, 3500000, 500000));
  g_assert_false(ase_quiet_answered(&quiet, 3510000));
  g_assert_false(ase_quiet_ask(&quiet, 4000000, 500000));
  g_assert_true(ase_quiet_ask(&quiet, 4010000, 500000));
}

int main(int argc, char **argv) {
  setlocale(LC_ALL, "C.UTF-8");
  g_test_init(&argc, &argv, NULL);
  for (gsize k = 0; k < G_N_ELEMENTS(rows); k++) {
    char *path = g_strdup_printf("/watch/%s", rows[k].name);
    g_test_add_data_func(path, &rows[k], test_sample);
    g_free(path);
  }
  g_test_add_func("/watch/from-beyond", test_from_beyond);
  g_test_add_func("/watch/driver", test_driver);
  g_test_add_func("/watch/ready", test_ready);
  g_test_add_func("/watch/quiet", test_quiet);
  g_test_add_func("/watch/quiet-late", test_quiet_late);
  g_test_add_func("/watch/quiet-slow", test_quiet_slow);
  return g_test_run();
}
