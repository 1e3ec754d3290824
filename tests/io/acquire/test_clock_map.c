/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <math.h>
#include <stdbool.h>

#include "io/acquire/clock_map.h"
#include "support/support.h"

/* How samples are late on their way. */
typedef enum {
  DELAY_NONE,
  DELAY_EXPONENTIAL, /* a scheduler: mean 0.2 ms */
  DELAY_USB,         /* delivered once per 1 ms frame, and up to 0.1 ms */
  DELAY_FTDI,        /* delivered once per 16 ms */
  DELAY_STALLS       /* USB, and nobody reads for 120 of every 300 ms */
} Delay;

typedef struct {
  const char *name;
  Delay delay;
  double skew_ppm, time_factor, rate_hz;     /* rate in device time */
  double offset_us, step_us, skew_error_ppm; /* allowed after 20 s: error of mapped time, of its
                                                steps; after 60 s of the skew */
} Case;

static const Case cases[] = {
    {"ideal", DELAY_NONE, 0, 1, 1000, 0.1, 0.01, 0.01},
    {"skew", DELAY_NONE, 80, 1, 1000, 0.1, 0.01, 0.01},
    {"exponential", DELAY_EXPONENTIAL, -35, 1, 1000, 5, 1, 0.5},
    {"usb", DELAY_USB, 50, 1, 1000, 600, 1, 3},
    {"usb-slow", DELAY_USB, 50, 1, 50, 600, 20, 3},
    /* one sample per millisecond, taken in step with the adapter but for the skew: what is between
     * two samples cannot be seen */
    {"ftdi", DELAY_FTDI, -20, 1, 1000, 1100, 1.2, 25},
    {"stalls", DELAY_STALLS, 50, 1, 1000, 600, 1.2, 3},
    {"resonator", DELAY_EXPONENTIAL, 3000, 1, 1000, 10, 1, 0.5},
    {"compressed", DELAY_EXPONENTIAL, 20, 20, 1000, 5, 1, 0.5},
};

static double ceil_to(double t_ns, double frame_ns) {
  return ceil(t_ns / frame_ns) * frame_ns;
}

static double arrival(Delay delay, TestRng *rng, double t_ns) {
  const double usb_ns = ceil_to(t_ns, 1e6) + 1e5 * test_rng_uniform(rng, 0, 1);
  switch (delay) {
  case DELAY_NONE:
    return t_ns;
  case DELAY_EXPONENTIAL:
    return t_ns - 2e5 * log(1 - test_rng_uniform(rng, 0, 1));
  case DELAY_USB:
    return usb_ns;
  case DELAY_FTDI:
    return ceil_to(t_ns, 16e6) + 1e5 * test_rng_uniform(rng, 0, 1);
  case DELAY_STALLS:
    return fmod(usb_ns, 300e6) < 120e6 ? ceil_to(usb_ns - 120e6, 300e6) + 120e6 : usb_ns;
  }
  g_assert_not_reached();
}

/* The device's clock shows `first_us` at host time 1000 s. */
typedef struct {
  double host_ns, device_us;
} Now;

static Now true_time(const Case *c, guint64 k, double first_us) {
  const double device_us = 1e6 * (double)k / c->rate_hz;
  return (Now){1e12 + 1e3 * device_us / c->time_factor * (1 + 1e-6 * c->skew_ppm),
               first_us + device_us};
}

static void test_synthetic(gconstpointer data) {
  const Case *c = data;
  const double seconds = 90, first_us = 4294967296.0 + 12345;
  const guint64 count = (guint64)(seconds * c->rate_hz * c->time_factor);
  double worst_us = 0, worst_step_us = 0, worst_skew_ppm = 0, latest_ns = 0;
  gint64 before = 0;
  AioClockMap map;
  TestRng rng;
  test_rng_init(&rng, test_seed(7));
  aio_clock_map_init(&map, c->time_factor);
  for (guint64 k = 0; k < count; k++) {
    const Now now = true_time(c, k, first_us);
    latest_ns = fmax(latest_ns, arrival(c->delay, &rng, now.host_ns));
    const gint64 mapped = aio_clock_map_push(&map, (guint64)now.device_us, (gint64)latest_ns);
    g_assert_cmpint(mapped, >, before);
    const double age_s = 1e-9 * (now.host_ns - 1e12);
    if (age_s > 20) {
      const double step_ns = 1e9 / c->rate_hz / c->time_factor * (1 + 1e-6 * c->skew_ppm);
      worst_us = fmax(worst_us, 1e-3 * fabs((double)mapped - now.host_ns));
      worst_step_us = fmax(worst_step_us, 1e-3 * fabs((double)(mapped - before) - step_ns));
    }
    double offset_ns, skew_ppm;
    g_assert_true(aio_clock_map_estimate(&map, &offset_ns, &skew_ppm));
    if (age_s > 60)
      worst_skew_ppm = fmax(worst_skew_ppm, fabs(skew_ppm - c->skew_ppm));
    before = mapped;
  }
  g_test_message("%s: mapped time wrong by at most %.2f us, steps by %.3f us, skew by %.3f ppm",
                 c->name, worst_us, worst_step_us, worst_skew_ppm);
  g_assert_cmpfloat(worst_us, <, c->offset_us);
  g_assert_cmpfloat(worst_step_us, <, c->step_us);
  g_assert_cmpfloat(worst_skew_ppm, <, c->skew_error_ppm);
}

static gint64 push(AioClockMap *map, double device_s, double host_s) {
  return aio_clock_map_push(map, (guint64)llround(1e6 * device_s), (gint64)llround(1e9 * host_s));
}

/* Everything that waited in the port comes at once: all arrive at 100 s, the last was on time. */
static void test_backlog(void) {
  AioClockMap map;
  aio_clock_map_init(&map, 1);
  gint64 before = 0;
  double worst_ms = 0;
  for (guint k = 0; k < 10000; k++) {
    const double taken_s = 99.8 + 0.001 * k;
    const gint64 mapped = push(&map, 0.001 * k, fmax(100, taken_s));
    g_assert_cmpint(mapped, >, before);
    if (k >= 5000)
      worst_ms = fmax(worst_ms, fabs(1e3 * (1e-9 * (double)mapped - taken_s)));
    before = mapped;
  }
  g_test_message("200 ms of backlog: wrong by %.3f ms after 5 s", worst_ms);
  g_assert_cmpfloat(worst_ms, <, 3);
}

static void test_reboot(void) {
  AioClockMap map;
  double offset_ns, skew_ppm;
  aio_clock_map_init(&map, 1);
  g_assert_false(aio_clock_map_estimate(&map, &offset_ns, &skew_ppm));
  gint64 before = 0;
  for (guint k = 0; k < 5000; k++) {
    before = push(&map, 50 + 0.001 * k, 100 + 0.001 * k);
    g_assert_true(aio_clock_map_estimate(&map, &offset_ns, &skew_ppm));
    g_assert_cmpfloat_with_epsilon(offset_ns, 50e9, 1);
    g_assert_true(k > 2000 || isnan(skew_ppm)); /* too short to tell */
    g_assert_true(k < 3000 || fabs(skew_ppm) < 0.01);
  }
  /* the device counts from 1 s again, at 106 s */
  for (guint k = 0; k < 1000; k++) {
    const gint64 mapped = push(&map, 1 + 0.001 * k, 106 + 0.001 * k);
    g_assert_cmpint(mapped, >, before);
    g_assert_cmpfloat_with_epsilon((double)mapped, 1e9 * (106 + 0.001 * k), 10);
    before = mapped;
  }
  g_assert_true(aio_clock_map_estimate(&map, &offset_ns, &skew_ppm));
  g_assert_cmpfloat_with_epsilon(offset_ns, 105e9, 1);
  g_assert_true(isnan(skew_ppm));
}

/* A clock that runs ahead of the host by seconds is another clock; time does not follow it. */
static void test_leap(void) {
  AioClockMap map;
  aio_clock_map_init(&map, 1);
  gint64 before = push(&map, 10, 100);
  before = push(&map, 10.001, 100.001);
  const gint64 mapped = push(&map, 4000, 100.002);
  g_assert_cmpint(mapped, >, before);
  g_assert_cmpint(mapped, ==, G_GINT64_CONSTANT(100002000000));
}

/* The device's clock stood still for 3 s, as that of a simulator under a debugger: the running
 * minimum forgets the old offset after 10 s, then time catches up without running back. */
static void test_stand_still(void) {
  AioClockMap map;
  aio_clock_map_init(&map, 1);
  gint64 before = 0;
  for (guint k = 0; k < 40000; k++) {
    const double host_s = 100 + 0.001 * k + (k > 10000 ? 3 : 0);
    const gint64 mapped = push(&map, 0.001 * k, host_s);
    g_assert_cmpint(mapped, >, before);
    before = mapped;
  }
  g_assert_cmpfloat_with_epsilon(1e-9 * (double)before, 142.999, 0.1);
}

/* Polled faster than it samples, a device repeats its last sample. */
static void test_repeated(void) {
  AioClockMap map;
  aio_clock_map_init(&map, 1);
  gint64 before = 0;
  for (guint k = 0; k < 20000; k++) {
    const gint64 mapped = push(&map, 5, 100 + 0.001 * k);
    g_assert_cmpint(mapped, >=, before);
    before = mapped;
  }
  g_assert_cmpint(before, ==, G_GINT64_CONSTANT(100000000000));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    char *path = g_strconcat("/clock-map/", cases[k].name, NULL);
    g_test_add_data_func(path, &cases[k], test_synthetic);
    g_free(path);
  }
  g_test_add_func("/clock-map/backlog", test_backlog);
  g_test_add_func("/clock-map/reboot", test_reboot);
  g_test_add_func("/clock-map/leap", test_leap);
  g_test_add_func("/clock-map/stand-still", test_stand_still);
  g_test_add_func("/clock-map/repeated", test_repeated);
  return g_test_run();
}
