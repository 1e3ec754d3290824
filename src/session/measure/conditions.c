/* SPDX-License-Identifier: MIT */
#include "session/measure/conditions.h"

#include <math.h>
#include <string.h>

#include "io/driver/driver.h"
#include "io/json/json_read.h"
#include "io/store/store.h"

static void extend(double range[2], double value) {
  range[0] = fmin(range[0], value); /* NAN gives way */
  range[1] = fmax(range[1], value);
}

/* ---- the controller ---- */

static void read_text(const AioJsonNode *object, const char *key, char *out, gsize size) {
  const AioJsonNode *node = aio_json_member(object, key);
  const char *text;
  if (node && aio_json_get_string(node, &text, NULL))
    g_strlcpy(out, text, size);
}

static bool on_connection(const AioStoreConnection *row, void *data) {
  AseConditions *c = data;
  gint64 capabilities = 0;
  AioJson *json = aio_json_parse("controller", row->controller, strlen(row->controller), NULL);
  const AioJsonNode *root = json ? aio_json_root(json) : NULL;
  const AioJsonNode *name =
      root && root->kind == AIO_JSON_OBJECT ? aio_json_member(root, "name") : NULL;
  if (name) {
    read_text(root, "name", c->name, sizeof c->name);
    read_text(root, "serial", c->serial, sizeof c->serial);
    read_text(root, "firmware", c->firmware, sizeof c->firmware);
    read_text(root, "protocol", c->protocol, sizeof c->protocol);
    const AioJsonNode *node = aio_json_member(root, "capabilities");
    if (node && aio_json_get_int(node, 0, G_MAXUINT32, &capabilities, NULL))
      c->is_simulated |= (capabilities & AIO_CAN_TEST) != 0;
  }
  aio_json_free(json);
  return true;
}

/* ---- times, temperatures, voltage ---- */

static bool on_run(const AioStoreRun *row, void *data) {
  AseConditions *c = data;
  if (strcmp(row->kind, "sweep") != 0)
    return true;
  if (!c->began_us)
    c->began_us = row->started_us;
  c->ended_us = MAX(c->ended_us, MAX(row->started_us, row->ended_us));
  return true;
}

static void read_number(const AioJsonNode *node, double range[2]) {
  double value = (double)NAN;
  if (node && aio_json_get_number_or_null(node, &value, NULL))
    extend(range, value);
}

static bool on_event(const AioStoreEvent *row, void *data) {
  AseConditions *c = data;
  AioJson *json = strcmp(row->kind, "health") == 0 && row->detail
                      ? aio_json_parse("health", row->detail, strlen(row->detail), NULL)
                      : NULL;
  const AioJsonNode *root = json ? aio_json_root(json) : NULL;
  if (root && root->kind == AIO_JSON_OBJECT) {
    const AioJsonNode *motors = aio_json_member(root, "motor_C");
    const gsize n = motors && motors->kind == AIO_JSON_ARRAY ? aio_json_size(motors) : 0;
    read_number(aio_json_member(root, "supply_V"), c->supply_V);
    for (gsize j = 0; j < MIN(n, ARM_MAX_JOINTS); j++)
      read_number(aio_json_item(motors, j), c->motor_C[j]);
  }
  aio_json_free(json);
  return true;
}

bool ase_conditions_load(AseConditions *out, const char *path, GError **error) {
  AioStore *store = aio_store_open_read(path, error);
  if (!store)
    return false;
  AseConditions c = {.supply_V = {NAN, NAN}};
  for (gsize j = 0; j < ARM_MAX_JOINTS; j++)
    c.motor_C[j][0] = c.motor_C[j][1] = (double)NAN;
  const bool ok = aio_store_each_connection(store, on_connection, &c, error) &&
                  aio_store_each_run(store, on_run, &c, error) &&
                  aio_store_each_event(store, on_event, &c, error);
  aio_store_close(store, NULL);
  if (ok)
    *out = c;
  return ok;
}
