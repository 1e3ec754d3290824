/* SPDX-License-Identifier: MIT */
/* A whole parameter set: staged in memory, checked, then stored and put in force at once. */
#include <string.h>

#include "wire/bytes.h"
#include "wire/device_internal.h"

static size_t set_bytes(const WireDevice *d) {
  return 4 * d->config->n_params;
}

static void reply_upload(WireDevice *d, const WireReceived *request) {
  uint8_t payload[WIRE_SIZE_UPLOAD_STATE];
  const WireUploadState state = {request->header.seq, d->upload_length, d->upload_received,
                                 d->is_uploading};
  wire_upload_state_put(payload, &state);
  wire_device_reply(d, WIRE_TYPE_UPLOAD_STATE, payload, sizeof payload);
}

static void reply_digest(WireDevice *d, const WireReceived *request) {
  uint8_t payload[WIRE_SIZE_DIGEST];
  const WireDigest digest = {.request_seq = request->header.seq,
                             .length = (uint16_t)set_bytes(d),
                             .stored = d->stored_digest,
                             .in_use = d->digest,
                             .generation = d->generation};
  wire_digest_put(payload, &digest);
  wire_device_reply(d, WIRE_TYPE_DIGEST, payload, sizeof payload);
}

/* Disarmed, at rest, and of the same schema; or refuses. */
static bool may_change(WireDevice *d, const WireReceived *request, uint32_t schema_crc) {
  if (d->state == WIRE_STATE_ARMED || d->motion.kind != WIRE_MOTION_NONE)
    wire_device_refuse(d, request, WIRE_CODE_ARMED);
  else if (schema_crc != d->schema_crc)
    wire_device_refuse(d, request, WIRE_CODE_SCHEMA);
  else
    return true;
  return false;
}

void wire_device_on_upload_begin(WireDevice *d, const WireReceived *request) {
  WireUploadBegin begin;
  (void)wire_upload_begin_get(&begin, request->payload, request->length);
  if (!may_change(d, request, begin.schema_crc))
    return;
  if (begin.length != set_bytes(d)) {
    wire_device_refuse_value(d, request, WIRE_CODE_OFFSET, (int64_t)set_bytes(d), begin.length);
    return;
  }
  d->is_uploading = true;
  d->upload_digest = begin.digest;
  d->upload_length = begin.length;
  d->upload_received = 0;
  reply_upload(d, request);
}

/* Bytes go into the words they belong to, whatever the byte order of the machine. */
static void stage(WireDevice *d, const uint8_t *bytes, size_t n) {
  for (size_t k = 0; k < n; k++) {
    const size_t at = (size_t)d->upload_received + k;
    const unsigned shift = 8u * (unsigned)(at % 4);
    uint32_t *word = &d->staged[at / 4];
    *word = (*word & ~((uint32_t)255 << shift)) | (uint32_t)bytes[k] << shift;
  }
  d->upload_received = (uint16_t)(d->upload_received + n);
}

void wire_device_on_upload_data(WireDevice *d, const WireReceived *request) {
  WireUploadData data;
  (void)wire_upload_data_get(&data, request->payload, request->length);
  const size_t n = request->length - WIRE_SIZE_UPLOAD_DATA;
  if (!d->is_uploading) {
    wire_device_refuse(d, request, WIRE_CODE_NO_UPLOAD);
  } else if (data.offset != d->upload_received ||
             n > (size_t)(d->upload_length - d->upload_received)) {
    wire_device_refuse_value(d, request, WIRE_CODE_OFFSET, d->upload_received, data.offset);
  } else {
    stage(d, request->payload + WIRE_SIZE_UPLOAD_DATA, n);
    reply_upload(d, request);
  }
}

void wire_device_on_upload_abort(WireDevice *d, const WireReceived *request) {
  d->is_uploading = false;
  reply_upload(d, request);
}

/* The staged set is complete, is what was announced, lies within the ranges, and leaves alone what
 * is read-only. */
static bool is_staged_good(WireDevice *d, const WireReceived *request) {
  if (d->upload_received != d->upload_length) {
    wire_device_refuse_value(d, request, WIRE_CODE_OFFSET, d->upload_received, d->upload_length);
    return false;
  }
  if (wire_device_digest(d->staged, d->config->n_params) != d->upload_digest) {
    wire_device_refuse(d, request, WIRE_CODE_DIGEST);
    return false;
  }
  for (size_t k = 0; k < d->config->n_params; k++) {
    const WireDeviceParam *param = &d->config->params[k];
    const bool is_kept = !(param->flags & WIRE_PARAM_IS_READ_ONLY) || d->staged[k] == d->values[k];
    uint32_t value = d->staged[k];
    if (!wire_device_param_clamp(param, &value) || !is_kept) {
      wire_device_refuse_value(d, request, WIRE_CODE_PARAM_RANGE, 0, param->id);
      return false;
    }
  }
  return true;
}

/* Whatever the result, no upload is open afterwards. */
void wire_device_on_commit(WireDevice *d, const WireReceived *request) {
  WireCommit commit;
  (void)wire_commit_get(&commit, request->payload, request->length);
  if (!may_change(d, request, commit.schema_crc))
    return;
  const bool is_upload = d->is_uploading;
  const uint32_t digest = is_upload ? d->upload_digest : d->digest;
  d->is_uploading = false;
  if (!d->hal->write) {
    wire_device_refuse(d, request, WIRE_CODE_UNSUPPORTED);
    return;
  }
  if (commit.digest != digest) {
    wire_device_refuse(d, request, WIRE_CODE_DIGEST);
    return;
  }
  if (is_upload && !is_staged_good(d, request))
    return;
  if (!wire_device_store(d, is_upload ? d->staged : d->values)) {
    wire_device_refuse(d, request, WIRE_CODE_STORAGE);
    return;
  }
  if (is_upload)
    wire_device_apply(d, d->staged);
  reply_digest(d, request);
}

void wire_device_on_digest_get(WireDevice *d, const WireReceived *request) {
  reply_digest(d, request);
}
