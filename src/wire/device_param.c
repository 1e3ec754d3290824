/* SPDX-License-Identifier: MIT */
/* Parameters: the schema, reading and setting one value. */
#include <string.h>

#include "wire/bytes.h"
#include "wire/crc32.h"
#include "wire/device_internal.h"

enum { CANONICAL_BYTES = WIRE_SIZE_SCHEMA - WIRE_SCHEMA_CANONICAL };

static void copy_text(char *out, const char *text, size_t size) {
  const char *end = memchr(text, 0, size);
  const size_t length = end ? (size_t)(end - text) : size;
  memset(out, 0, size);
  memcpy(out, text, length);
}

static void put_schema(const WireDevice *d, uint16_t request_seq, size_t index, uint8_t *payload) {
  const WireDeviceParam *param = &d->config->params[index];
  WireSchema schema = {.request_seq = request_seq,
                       .index = (uint16_t)index,
                       .id = param->id,
                       .type = param->type,
                       .flags = param->flags,
                       .minimum = param->minimum,
                       .maximum = param->maximum,
                       .initial = param->initial};
  copy_text(schema.name, param->name, sizeof schema.name);
  copy_text(schema.unit, param->unit, sizeof schema.unit);
  wire_schema_put(payload, &schema);
}

uint32_t wire_device_schema_crc(const WireDevice *d) {
  uint8_t payload[WIRE_SIZE_SCHEMA];
  uint32_t crc = 0;
  for (size_t k = 0; k < d->config->n_params; k++) {
    put_schema(d, 0, k, payload);
    crc = wire_crc32(crc, payload + WIRE_SCHEMA_CANONICAL, CANONICAL_BYTES);
  }
  return crc;
}

uint32_t wire_device_digest(const uint32_t *values, size_t n) {
  uint8_t bytes[4];
  uint32_t crc = 0;
  for (size_t k = 0; k < n; k++) {
    wire_put_u32(bytes, values[k]);
    crc = wire_crc32(crc, bytes, sizeof bytes);
  }
  return crc;
}

void wire_device_apply(WireDevice *d, const uint32_t *values) {
  for (size_t k = 0; k < d->config->n_params; k++) {
    d->values[k] = values[k];
    if (d->hal->apply_param)
      d->hal->apply_param(d->ctx, k, values[k]);
  }
  d->digest = wire_device_digest(d->values, d->config->n_params);
}

static int32_t as_i32(uint32_t bits) {
  int32_t x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static float as_f32(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Below (-1), within (0), above (1) the range, or not a number (2). */
static int side(const WireDeviceParam *param, uint32_t value) {
  switch (param->type) {
  case WIRE_PARAM_I32:
    return as_i32(value) < as_i32(param->minimum)   ? -1
           : as_i32(value) > as_i32(param->maximum) ? 1
                                                    : 0;
  case WIRE_PARAM_F32:
    return as_f32(value) < as_f32(param->minimum)    ? -1
           : as_f32(value) > as_f32(param->maximum)  ? 1
           : as_f32(value) <= as_f32(param->maximum) ? 0
                                                     : 2;
  default:
    return value < param->minimum ? -1 : value > param->maximum ? 1 : 0;
  }
}

bool wire_device_param_clamp(const WireDeviceParam *param, uint32_t *value) {
  switch (side(param, *value)) {
  case 0:
    return true;
  case -1:
    *value = param->minimum;
    return false;
  case 1:
    *value = param->maximum;
    return false;
  default:
    *value = param->initial;
    return false;
  }
}

/* Index of the parameter with this id, or n_params. */
static size_t find(const WireDevice *d, uint16_t id) {
  size_t k = 0;
  while (k < d->config->n_params && d->config->params[k].id != id)
    k++;
  return k;
}

static void reply_value(WireDevice *d, const WireReceived *request, size_t index,
                        WireParamStatus status) {
  uint8_t payload[WIRE_SIZE_PARAM_VALUE];
  const WireParamValue value = {.request_seq = request->header.seq,
                                .id = d->config->params[index].id,
                                .status = (uint8_t)status,
                                .type = d->config->params[index].type,
                                .value = d->values[index]};
  wire_param_value_put(payload, &value);
  wire_device_reply(d, WIRE_TYPE_PARAM_VALUE, payload, sizeof payload);
}

void wire_device_on_schema_get(WireDevice *d, const WireReceived *request) {
  uint8_t payload[WIRE_SIZE_SCHEMA];
  WireSchemaGet get;
  (void)wire_schema_get_get(&get, request->payload, request->length);
  if (get.index >= d->config->n_params) {
    wire_device_refuse_value(d, request, WIRE_CODE_PARAM, (int64_t)d->config->n_params, get.index);
    return;
  }
  put_schema(d, request->header.seq, get.index, payload);
  wire_device_reply(d, WIRE_TYPE_SCHEMA, payload, sizeof payload);
}

void wire_device_on_param_get(WireDevice *d, const WireReceived *request) {
  WireParamGet get;
  (void)wire_param_get_get(&get, request->payload, request->length);
  const size_t index = find(d, get.id);
  if (index == d->config->n_params)
    wire_device_refuse_value(d, request, WIRE_CODE_PARAM, 0, get.id);
  else
    reply_value(d, request, index, WIRE_PARAM_OK);
}

static WireParamStatus set_value(WireDevice *d, size_t index, uint32_t value) {
  const WireDeviceParam *param = &d->config->params[index];
  const bool is_armed = d->state == WIRE_STATE_ARMED || d->motion.kind != WIRE_MOTION_NONE;
  if (param->flags & WIRE_PARAM_IS_READ_ONLY)
    return WIRE_PARAM_READ_ONLY;
  if (is_armed && !(param->flags & WIRE_PARAM_IS_LIVE))
    return WIRE_PARAM_NEEDS_DISARM;
  if (side(param, value) == 2)
    return WIRE_PARAM_INVALID;
  const bool is_clamped = !wire_device_param_clamp(param, &value);
  d->values[index] = value;
  d->digest = wire_device_digest(d->values, d->config->n_params);
  if (d->hal->apply_param)
    d->hal->apply_param(d->ctx, index, value);
  return is_clamped ? WIRE_PARAM_CLAMPED : WIRE_PARAM_OK;
}

void wire_device_on_param_set(WireDevice *d, const WireReceived *request) {
  WireParamSet set;
  (void)wire_param_set_get(&set, request->payload, request->length);
  const size_t index = find(d, set.id);
  if (set.schema_crc != d->schema_crc)
    wire_device_refuse(d, request, WIRE_CODE_SCHEMA);
  else if (index == d->config->n_params)
    wire_device_refuse_value(d, request, WIRE_CODE_PARAM, 0, set.id);
  else
    reply_value(d, request, index, set_value(d, index, set.value));
}
