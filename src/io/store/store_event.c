/* SPDX-License-Identifier: MIT */
#include "io/store/store_event.h"

#include <math.h>

#include "io/json/json_write.h"

static const char *kind_name(AioEventKind kind) {
  switch (kind) {
  case AIO_EVENT_STATE:
    return "state";
  case AIO_EVENT_BOOT:
    return "boot";
  case AIO_EVENT_MOTION_END:
    return "motion-end";
  case AIO_EVENT_LEG:
    return "leg";
  case AIO_EVENT_FAULT:
    return "fault";
  case AIO_EVENT_CLEARED:
    return "cleared";
  case AIO_EVENT_LOG:
    return "log";
  case AIO_EVENT_HEALTH:
    return "health";
  case AIO_EVENT_LINK:
    return "link";
  case AIO_EVENT_FOREIGN:
    return "foreign";
  case AIO_EVENT_CLOCK:
    return "clock";
  }
  return "other";
}

static void put_state(AioJsonWriter *json, const AioState *state) {
  aio_json_put_int(json, "state", (gint64)state->state);
  aio_json_put_int(json, "motion", (gint64)state->motion);
  aio_json_put_bool(json, "drives_on", state->drives_on);
  aio_json_put_bool(json, "estop_closed", state->is_estop_closed);
  aio_json_put_int(json, "faults", state->faults);
  aio_json_put_int(json, "active", state->active);
}

static void put_health(AioJsonWriter *json, const AioEvent *event) {
  gsize motors = 0;
  for (gsize k = 0; k < ARM_MAX_JOINTS; k++)
    if (!isnan(event->motor_C[k]))
      motors = k + 1;
  aio_json_put_number(json, "supply_V", event->supply_V);
  aio_json_put_number(json, "board_C", event->board_C);
  aio_json_put_numbers(json, "motor_C", event->motor_C, motors);
}

/* NULL: the kind has no more to say. */
static char *detail(const AioEvent *event) {
  const bool has_state = event->kind == AIO_EVENT_STATE,
             has_end = event->kind == AIO_EVENT_MOTION_END;
  if (!has_state && !has_end && event->kind != AIO_EVENT_HEALTH)
    return NULL;
  GString *text = g_string_new(NULL);
  AioJsonWriter *json = aio_json_writer_new(text);
  aio_json_write_begin_flat_object(json);
  if (has_state)
    put_state(json, &event->state);
  else if (has_end)
    aio_json_put_int(json, "end", (gint64)event->end);
  else
    put_health(json, event);
  aio_json_write_end_object(json);
  aio_json_writer_free(json);
  return g_string_free(text, FALSE);
}

bool aio_store_add_driver_event(AioStore *store, gint64 connection, gint64 run,
                                const AioEvent *event, GError **error) {
  char *json = detail(event), *text = g_utf8_make_valid(event->text, -1);
  const AioStoreEvent row = {.connection = connection,
                             .run = run,
                             .t_host_ns = event->t_host_ns,
                             .t_us = event->t_us,
                             .kind = kind_name(event->kind),
                             .joint = MIN(event->joint, ARM_MAX_JOINTS),
                             .motion = event->motion_id,
                             .level = (guint)CLAMP(event->level, 0, 2),
                             .value = event->value,
                             .text = text,
                             .detail = json};
  const bool is_added = aio_store_add_event(store, &row, error);
  g_free(json);
  g_free(text);
  return is_added;
}
