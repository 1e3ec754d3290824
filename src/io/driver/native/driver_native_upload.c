/* SPDX-License-Identifier: MIT */
/* A whole parameter set: announced, sent in pieces, committed. What was lost on the way is sent
 * again from where the device is; the old set stays in force until the device has the new one. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "io/driver/native/driver_native.h"
#include "wire/bytes.h"
#include "wire/crc32.h"

enum { BEGIN, DATA, COMMIT, CHECK }; /* phases */
enum {
  PIECE = 32,   /* bytes: short enough that one bit error costs little */
  ROUNDS = 3,   /* how often a step that was not answered is tried again */
  RESTARTS = 2, /* how often the upload begins anew, or COMMIT is tried again after a CHECK */
  RESUMES = 64  /* offsets that the device may ask for out of order */
};

/* ---- the set ---- */

static bool build_set(AioNative *native, AioNativeCommand *command, AioReply *reply) {
  if (command->n_values != native->n_params || command->n_values == 0) {
    aio_native_error(reply, AIO_ERROR_REFUSED,
                     N_("%u values for the %u parameters of the controller"), command->n_values,
                     native->n_params);
    return false;
  }
  command->set = g_byte_array_sized_new(4 * command->n_values);
  for (guint k = 0; k < command->n_values; k++) {
    guint8 bytes[4];
    guint32 bits;
    if (!aio_native_param_bits(&native->params[k], command->values[k], &bits, reply))
      return false;
    wire_put_u32(bytes, bits);
    g_byte_array_append(command->set, bytes, sizeof bytes);
  }
  command->digest = wire_crc32(0, command->set->data, command->set->len);
  return true;
}

/* ---- requests: index is the offset of the next piece ---- */

static void encode_begin(const AioNative *native, AioNativeCommand *command) {
  const WireUploadBegin begin = {native->schema_crc, command->digest, (uint16_t)command->set->len};
  wire_upload_begin_put(command->payload, &begin);
  command->type = WIRE_TYPE_UPLOAD_BEGIN;
  command->length = WIRE_SIZE_UPLOAD_BEGIN;
}

static void encode_piece(AioNativeCommand *command) {
  const WireUploadData data = {(uint16_t)command->index};
  const guint n = MIN((guint)PIECE, command->set->len - command->index);
  wire_upload_data_put(command->payload, &data);
  memcpy(command->payload + WIRE_SIZE_UPLOAD_DATA, command->set->data + command->index, n);
  command->type = WIRE_TYPE_UPLOAD_DATA;
  command->length = WIRE_SIZE_UPLOAD_DATA + n;
}

static bool upload_encode(AioNative *native, AioNativeCommand *command, AioReply *reply) {
  const WireCommit commit = {native->schema_crc, command->digest};
  if (!command->set && !build_set(native, command, reply))
    return false;
  if (command->phase == BEGIN) {
    encode_begin(native, command);
  } else if (command->phase == DATA) {
    encode_piece(command);
  } else if (command->phase == COMMIT) {
    wire_commit_put(command->payload, &commit);
    command->type = WIRE_TYPE_COMMIT;
    command->length = WIRE_SIZE_COMMIT;
  } else {
    command->type = WIRE_TYPE_DIGEST_GET;
    command->length = 0;
  }
  return true;
}

/* ---- answers ---- */

/* Goes on at `received`; false: that cannot be. */
static bool resume(AioNativeCommand *command, guint received) {
  if (received > command->set->len || ++command->resumes > RESUMES + command->set->len / PIECE)
    return false;
  command->index = received;
  command->phase = received == command->set->len ? COMMIT : DATA;
  return true;
}

static bool take_upload_state(AioNativeCommand *command, const WireIncoming *incoming,
                              AioReply *reply) {
  WireUploadState state;
  (void)wire_upload_state_get(&state, incoming->payload, incoming->length);
  command->rounds = 0;
  if (state.is_open && state.length == command->set->len && resume(command, state.received))
    return true;
  aio_native_error(reply, AIO_ERROR_DEVICE,
                   N_("upload of %u bytes: the controller says that it has %u of %u; the old "
                      "parameters are in force"),
                   command->set->len, state.received, state.length);
  return false;
}

/* After COMMIT, or after its answer was lost: the device must name the digest computed here. */
static bool take_digest(AioNative *native, AioNativeCommand *command, const WireIncoming *incoming,
                        AioReply *reply) {
  WireDigest digest;
  (void)wire_digest_get(&digest, incoming->payload, incoming->length);
  native->description.digest = reply->digest = digest.in_use;
  reply->stored_digest = digest.stored;
  if (digest.in_use == command->digest && digest.stored == command->digest)
    return true;
  if (command->phase == CHECK && ++command->restarts <= RESTARTS) {
    command->phase = COMMIT; /* it did not arrive; the upload is still open */
    return false;
  }
  aio_native_error(reply, AIO_ERROR_DEVICE,
                   N_("the parameters sent have the digest %08x; the controller uses %08x and has "
                      "%08x stored"),
                   command->digest, digest.in_use, digest.stored);
  return true;
}

static bool upload_answer(AioNative *native, AioNativeCommand *command,
                          const WireIncoming *incoming, AioReply *reply) {
  if (command->phase == COMMIT || command->phase == CHECK)
    return take_digest(native, command, incoming, reply);
  return !take_upload_state(command, incoming, reply);
}

/* The device has lost the upload: once more from the beginning. */
static bool begin_again(AioNativeCommand *command) {
  if (++command->restarts > RESTARTS)
    return false;
  command->phase = BEGIN;
  command->index = 0;
  return true;
}

static bool upload_fail(AioNative *native, AioNativeCommand *command, const WireRefused *refused,
                        AioReply *reply) {
  (void)native;
  (void)reply;
  if (!refused && command->phase == COMMIT) {
    command->phase = CHECK; /* it may have been done all the same */
    command->rounds = 0;
    return true;
  }
  if (!refused)
    return ++command->rounds < ROUNDS;
  if (refused->code == WIRE_CODE_NO_UPLOAD)
    return begin_again(command);
  if (refused->code == WIRE_CODE_OFFSET && command->phase == DATA && refused->limit >= 0)
    return resume(command, (guint)refused->limit);
  return false;
}

static const AioNativeKind upload_kind = {.needs_session = true,
                                          .is_change = true,
                                          .encode = upload_encode,
                                          .answer = upload_answer,
                                          .fail = upload_fail};

void aio_native_params_upload(AioDriver *driver, guint64 ticket, const double *values, guint n) {
  AioNativeCommand *command = aio_native_command(ticket, &upload_kind, 0);
  command->n_values = n;
  command->values = g_memdup2(values, n * sizeof *values);
  aio_native_submit((AioNative *)driver, command);
}
