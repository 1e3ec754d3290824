/* SPDX-License-Identifier: MIT */
#include "io/acquire/clock_order.h"

static AioClockNews turn_bad(AioClockOrder *order, AioClockNews news) {
  order->sound = 0;
  if (order->is_bad)
    return AIO_CLOCK_SAME;
  order->is_bad = true;
  return news;
}

static AioClockNews take_unordered(AioClockOrder *order) {
  order->unordered++;
  order->standing++;
  if (order->back_us > 0)
    return turn_bad(order, AIO_CLOCK_BACK);
  return order->standing >= AIO_CLOCK_STANDS_AFTER ? turn_bad(order, AIO_CLOCK_STANDS)
                                                   : AIO_CLOCK_SAME;
}

/* Whoever was away loses samples: this computer slept, CLOCK_MONOTONIC with it, and the controller
 * went on; or it was too busy to read, and what had waited in the line came first. A clock that is
 * set loses none. */
static AioClockNews take_ordered(AioClockOrder *order, const AioSample *sample, gint64 gained_ns) {
  order->standing = 0;
  if (gained_ns > 0 && sample->lost == 0)
    return turn_bad(order, AIO_CLOCK_AHEAD);
  if (!order->is_bad || ++order->sound < AIO_CLOCK_SOUND_AFTER)
    return AIO_CLOCK_SAME;
  order->is_bad = false;
  return AIO_CLOCK_GOES_AGAIN;
}

AioClockNews aio_clock_order_push(AioClockOrder *order, const AioSample *sample, gint64 gained_ns) {
  const guint64 last_us = order->last_us;
  if (!order->has_started) {
    order->has_started = true;
    order->last_us = sample->t_us;
    return AIO_CLOCK_SAME;
  }
  if (sample->flags & AIO_SAMPLE_REPEATED) /* the same on purpose */
    return AIO_CLOCK_SAME;
  order->last_us = MAX(last_us, sample->t_us);
  order->back_us = sample->back_us + (last_us - MIN(last_us, sample->t_us));
  if (order->back_us == 0 && sample->t_us > last_us)
    return take_ordered(order, sample, gained_ns);
  return take_unordered(order);
}
