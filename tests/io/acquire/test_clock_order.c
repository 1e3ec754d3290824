/* SPDX-License-Identifier: MIT */
/* Which clocks tell the order of samples, and which do not. */
#include <glib.h>

#include "io/acquire/clock_order.h"
#include "wire/clock.h"

enum { PERIOD_US = 10000 };

/* As the native driver does: unwrapped, held where it was when the clock ran back. */
typedef struct {
  WireClock clock;
  guint64 last_us;
  AioClockOrder order;
} Line;

static AioClockNews push(Line *line, guint32 stamp) {
  const guint64 t_us = wire_clock_unwrap_after(&line->clock, stamp, PERIOD_US);
  const AioSample sample = {.t_us = MAX(t_us, line->last_us),
                            .back_us = line->last_us - MIN(t_us, line->last_us)};
  line->last_us = sample.t_us;
  return aio_clock_order_push(&line->order, &sample, 0);
}

static void run(Line *line, guint32 first, guint n) {
  for (guint k = 0; k < n; k++)
    g_assert_cmpint(push(line, first + k * PERIOD_US), ==, AIO_CLOCK_SAME);
}

static void test_wrap(void) {
  Line line = {.last_us = 0};
  run(&line, (guint32)(0u - 50 * PERIOD_US - 7), 200);
  g_assert_cmpuint(line.order.unordered, ==, 0);
}

/* Cycles of 168 MHz in 32 bits, as microseconds: they wrap after 25.6 s. */
static void test_cycles(void) {
  Line line = {.last_us = 0};
  const guint32 whole = (guint32)(G_MAXUINT32 / 168);
  run(&line, whole - 100 * PERIOD_US, 100);
  g_assert_cmpint(push(&line, 4000), ==, AIO_CLOCK_BACK);
  g_assert_cmpuint(line.order.back_us, ==, whole - PERIOD_US - 4000);
  run(&line, 4000 + PERIOD_US, 50); /* told once */
  g_assert_cmpuint(line.order.unordered, ==, 51);
  g_assert_true(line.order.is_bad);
}

static void test_backwards(void) {
  Line line = {.last_us = 0};
  run(&line, 1000000, 20);
  g_assert_cmpint(push(&line, 1000000 + 18 * PERIOD_US), ==, AIO_CLOCK_BACK);
  g_assert_cmpuint(line.order.back_us, ==, PERIOD_US);
}

/* Set forward by an hour: nearer to what is expected is 11.6 min before. */
static void test_hour(void) {
  Line line = {.last_us = 0};
  run(&line, 1000000, 20);
  g_assert_cmpint(push(&line, 1000000 + 20 * PERIOD_US + 3600000000u), ==, AIO_CLOCK_BACK);
}

static void test_stands(void) {
  Line line = {.last_us = 0};
  const guint32 at = 1000000 + 19 * PERIOD_US;
  run(&line, 1000000, 20);
  for (guint k = 1; k < AIO_CLOCK_STANDS_AFTER; k++)
    g_assert_cmpint(push(&line, at), ==, AIO_CLOCK_SAME);
  g_assert_cmpint(push(&line, at), ==, AIO_CLOCK_STANDS);
  g_assert_cmpint(push(&line, at), ==, AIO_CLOCK_SAME);
  g_assert_cmpuint(line.order.unordered, ==, AIO_CLOCK_STANDS_AFTER + 1);
  for (guint k = 1; k < AIO_CLOCK_SOUND_AFTER; k++)
    g_assert_cmpint(push(&line, at + k * PERIOD_US), ==, AIO_CLOCK_SAME);
  g_assert_cmpint(push(&line, at + AIO_CLOCK_SOUND_AFTER * PERIOD_US), ==, AIO_CLOCK_GOES_AGAIN);
  g_assert_false(line.order.is_bad);
}

/* Milliseconds at 1 kHz, with jitter: the same twice is no clock that stands. */
static void test_coarse(void) {
  AioClockOrder order = {.last_us = 0};
  for (guint k = 0; k < 3000; k++) {
    const AioSample sample = {.t_us = 1000 * (guint64)(k + (k % 7 == 3))};
    g_assert_cmpint(aio_clock_order_push(&order, &sample, 0), ==, AIO_CLOCK_SAME);
  }
  g_assert_cmpuint(order.unordered, ==, 3000 / 7);
}

/* Polled faster than it samples. */
static void test_repeated(void) {
  AioClockOrder order = {.last_us = 0};
  for (guint k = 0; k < 50; k++) {
    const AioSample sample = {.t_us = 5000, .flags = k ? AIO_SAMPLE_REPEATED : 0};
    g_assert_cmpint(aio_clock_order_push(&order, &sample, 0), ==, AIO_CLOCK_SAME);
  }
  g_assert_cmpuint(order.unordered, ==, 0);
}

static void test_ahead(void) {
  AioClockOrder order = {.last_us = 0};
  AioSample sample = {.t_us = 5000};
  g_assert_cmpint(aio_clock_order_push(&order, &sample, 0), ==, AIO_CLOCK_SAME);
  sample.t_us = 600000000;
  g_assert_cmpint(aio_clock_order_push(&order, &sample, G_GINT64_CONSTANT(600000000000)), ==,
                  AIO_CLOCK_AHEAD);
  g_assert_cmpuint(order.unordered, ==, 0);
}

static void test_asleep(void) {
  AioClockOrder order = {.last_us = 0};
  AioSample sample = {.t_us = 5000};
  g_assert_cmpint(aio_clock_order_push(&order, &sample, 0), ==, AIO_CLOCK_SAME);
  sample.t_us = 600000000;
  sample.lost = 59999;
  g_assert_cmpint(aio_clock_order_push(&order, &sample, G_GINT64_CONSTANT(600000000000)), ==,
                  AIO_CLOCK_SAME);
  g_assert_false(order.is_bad);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/clock-order/wrap", test_wrap);
  g_test_add_func("/clock-order/cycles", test_cycles);
  g_test_add_func("/clock-order/backwards", test_backwards);
  g_test_add_func("/clock-order/hour", test_hour);
  g_test_add_func("/clock-order/stands", test_stands);
  g_test_add_func("/clock-order/coarse", test_coarse);
  g_test_add_func("/clock-order/repeated", test_repeated);
  g_test_add_func("/clock-order/ahead", test_ahead);
  g_test_add_func("/clock-order/asleep", test_asleep);
  return g_test_run();
}
