/* SPDX-License-Identifier: MIT */
/* Parameters one by one, and their digest. Values are doubles here, which hold 32-bit integers and
 * floats exactly. */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "io/driver/native/driver_native.h"
#include "wire/text.h"

AioParam *aio_native_param(const AioNative *native, guint id) {
  for (guint k = 0; k < native->n_params; k++)
    if (native->params[k].id == id)
      return &native->params[k];
  return NULL;
}

double aio_native_param_value(AioParamType type, guint32 bits) {
  gint32 whole;
  float real;
  memcpy(&whole, &bits, sizeof whole);
  memcpy(&real, &bits, sizeof real);
  return type == AIO_PARAM_FLOAT ? (double)real : type == AIO_PARAM_INT ? whole : (double)bits;
}

/* Larger than any float: infinite, which the device clamps. */
static guint32 float_bits(double value) {
  const float real = (float)value;
  guint32 bits;
  memcpy(&bits, &real, sizeof bits);
  return bits;
}

bool aio_native_param_bits(const AioParam *param, double value, guint32 *bits, AioReply *reply) {
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  const bool is_int = param->type == AIO_PARAM_INT;
  const double low = is_int ? G_MININT32 : 0, high = is_int ? G_MAXINT32 : G_MAXUINT32;
  if (param->type == AIO_PARAM_FLOAT && !isnan(value)) {
    *bits = float_bits(value);
    return true;
  }
  if (param->type != AIO_PARAM_FLOAT && value >= low && value <= high && floor(value) >= value) {
    *bits = is_int ? (guint32)(gint32)value : (guint32)value;
    return true;
  }
  aio_native_error(reply, AIO_ERROR_REFUSED, N_("%s: expected %s, found %s"), param->name,
                   aio_said_word(param->type == AIO_PARAM_FLOAT ? N_("a number")
                                 : is_int                       ? N_("a whole number of 32 bits")
                                          : N_("a whole number of 32 bits, not negative")),
                   g_ascii_formatd(text, sizeof text, "%.9g", value));
  return false;
}

/* The value of an answer goes to where the schema has it; false: reply says what is wrong. */
static AioParam *take_value(AioNative *native, guint id, const WireIncoming *incoming,
                            WireParamValue *value, AioReply *reply) {
  AioParam *param = aio_native_param(native, id);
  (void)wire_param_value_get(value, incoming->payload, incoming->length);
  if (!param || value->id != id || value->type != (uint8_t)param->type) {
    aio_native_error(reply, AIO_ERROR_DEVICE,
                     N_("asked for parameter %u, the controller answers for %u, of type %u"), id,
                     value->id, value->type);
    return NULL;
  }
  param->value = aio_native_param_value(param->type, value->value);
  return param;
}

/* ---- all ---- */

static bool get_encode(AioNative *native, AioNativeCommand *command, AioReply *reply) {
  if (native->n_params == 0) {
    aio_native_error(reply, AIO_ERROR_NOT_FOUND, N_("the controller has no parameters"));
    return false;
  }
  const WireParamGet get = {(uint16_t)native->params[command->index].id};
  wire_param_get_put(command->payload, &get);
  command->length = WIRE_SIZE_PARAM_GET;
  return true;
}

static bool get_answer(AioNative *native, AioNativeCommand *command, const WireIncoming *incoming,
                       AioReply *reply) {
  WireParamValue value;
  if (!take_value(native, native->params[command->index].id, incoming, &value, reply))
    return true;
  if (++command->index < native->n_params)
    return false;
  reply->params = native->params;
  reply->n_params = native->n_params;
  return true;
}

static const AioNativeKind get_kind = {
    .needs_session = true, .encode = get_encode, .answer = get_answer};

void aio_native_params_get(AioDriver *driver, guint64 ticket) {
  aio_native_submit((AioNative *)driver,
                    aio_native_command(ticket, &get_kind, WIRE_TYPE_PARAM_GET));
}

/* ---- one ---- */

static bool set_encode(AioNative *native, AioNativeCommand *command, AioReply *reply) {
  const AioParam *param = aio_native_param(native, command->id);
  WireParamSet set = {.schema_crc = native->schema_crc, .id = (uint16_t)command->id};
  if (!param) {
    aio_native_error(reply, AIO_ERROR_REFUSED, N_("the controller has no parameter %u"),
                     command->id);
    return false;
  }
  if (!aio_native_param_bits(param, command->value, &set.value, reply))
    return false;
  wire_param_set_put(command->payload, &set);
  command->length = WIRE_SIZE_PARAM_SET;
  return true;
}

/* A value that was clamped is a success whose value differs; the message says so. */
static bool set_answer(AioNative *native, AioNativeCommand *command, const WireIncoming *incoming,
                       AioReply *reply) {
  WireParamValue value;
  const AioParam *param = take_value(native, command->id, incoming, &value, reply);
  if (!param)
    return true;
  if (value.status != WIRE_PARAM_OK)
    aio_native_error(reply, AIO_ERROR_DEVICE, "%s: %s", param->name,
                     aio_said_word(wire_param_status_text(value.status)));
  if (value.status == WIRE_PARAM_CLAMPED)
    reply->code = 0;
  reply->params = param;
  reply->n_params = 1;
  return true;
}

static const AioNativeKind set_kind = {
    .needs_session = true, .is_change = true, .encode = set_encode, .answer = set_answer};

void aio_native_param_set(AioDriver *driver, guint64 ticket, guint id, double value) {
  AioNativeCommand *command = aio_native_command(ticket, &set_kind, WIRE_TYPE_PARAM_SET);
  command->id = id;
  command->value = value;
  aio_native_submit((AioNative *)driver, command);
}

/* ---- digest ---- */

static bool digest_answer(AioNative *native, AioNativeCommand *command,
                          const WireIncoming *incoming, AioReply *reply) {
  WireDigest digest;
  (void)command;
  (void)wire_digest_get(&digest, incoming->payload, incoming->length);
  native->description.digest = digest.in_use;
  reply->digest = digest.in_use;
  reply->stored_digest = digest.stored;
  return true;
}

static const AioNativeKind digest_kind = {.needs_session = true, .answer = digest_answer};

void aio_native_params_digest(AioDriver *driver, guint64 ticket) {
  aio_native_submit((AioNative *)driver,
                    aio_native_command(ticket, &digest_kind, WIRE_TYPE_DIGEST_GET));
}
