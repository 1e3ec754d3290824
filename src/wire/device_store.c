/* SPDX-License-Identifier: MIT */
/* Two slots of persistent memory. The slot not in force is erased, the values are written, the
 * header last; both are read back. A slot counts only if its header and values have the right CRC,
 * and of two whole slots the newer generation counts: whenever power fails, the old set or the new
 * one is whole, and which one is decided by the last byte of the header. */
#include <string.h>

#include "wire/bytes.h"
#include "wire/crc32.h"
#include "wire/device_internal.h"

enum { MAGIC = 0x31505741, CHUNK = 64 }; /* "AWP1" */

typedef struct {
  uint32_t generation, length, schema_crc, digest;
} Header;

static void put_header(uint8_t *out, const Header *header) {
  wire_put_u32(out, MAGIC);
  wire_put_u32(out + 4, header->generation);
  wire_put_u32(out + 8, header->length);
  wire_put_u32(out + 12, header->schema_crc);
  wire_put_u32(out + 16, header->digest);
  wire_put_u32(out + 20, wire_crc32(0, out, 20));
}

static bool load_header(const WireDevice *d, int slot, Header *header) {
  uint8_t in[WIRE_SLOT_HEADER_BYTES];
  if (!d->hal->load(d->ctx, slot, 0, in, sizeof in) || wire_get_u32(in) != MAGIC ||
      wire_get_u32(in + 20) != wire_crc32(0, in, 20))
    return false;
  header->generation = wire_get_u32(in + 4);
  header->length = wire_get_u32(in + 8);
  header->schema_crc = wire_get_u32(in + 12);
  header->digest = wire_get_u32(in + 16);
  return true;
}

static bool load_values(const WireDevice *d, int slot, uint32_t *values) {
  for (size_t k = 0; k < d->config->n_params; k++) {
    uint8_t in[4];
    if (!d->hal->load(d->ctx, slot, WIRE_SLOT_HEADER_BYTES + 4 * k, in, sizeof in))
      return false;
    values[k] = wire_get_u32(in);
  }
  return true;
}

static bool is_newer(uint32_t a, uint32_t b) {
  return a != b && a - b < 0x80000000u;
}

/* Leaves the values in staged. The generation is noted even of a set with another schema, so that
 * what is stored next is the newest in any case. */
bool wire_device_load(WireDevice *d) {
  bool has_any = false;
  d->slot = -1;
  if (!d->hal->load)
    return false;
  for (int slot = 0; slot < WIRE_SLOTS; slot++) {
    Header header;
    if (!load_header(d, slot, &header))
      continue;
    const bool is_ours = header.schema_crc == d->schema_crc &&
                         header.length == 4 * d->config->n_params &&
                         load_values(d, slot, d->staged) &&
                         wire_device_digest(d->staged, d->config->n_params) == header.digest;
    const bool is_best = !has_any || is_newer(header.generation, d->generation);
    if (is_best)
      d->generation = header.generation;
    has_any = true;
    if (is_ours && (d->slot < 0 || is_best)) {
      d->slot = slot;
      d->stored_digest = header.digest;
    }
  }
  if (d->slot >= 0 && !load_values(d, d->slot, d->staged))
    d->slot = -1;
  return d->slot >= 0;
}

static bool write_values(WireDevice *d, int slot, const uint32_t *values) {
  uint8_t chunk[CHUNK];
  const size_t n = d->config->n_params;
  for (size_t k = 0; k < n;) {
    const size_t first = k;
    size_t fill = 0;
    for (; k < n && fill < CHUNK; k++, fill += 4)
      wire_put_u32(chunk + fill, values[k]);
    if (!d->hal->write(d->ctx, slot, WIRE_SLOT_HEADER_BYTES + 4 * first, chunk, fill))
      return false;
  }
  return true;
}

/* What the slot really holds. */
static bool is_stored(const WireDevice *d, int slot, const uint32_t *values) {
  for (size_t k = 0; k < d->config->n_params; k++) {
    uint8_t in[4];
    if (!d->hal->load(d->ctx, slot, WIRE_SLOT_HEADER_BYTES + 4 * k, in, sizeof in) ||
        wire_get_u32(in) != values[k])
      return false;
  }
  return true;
}

bool wire_device_store(WireDevice *d, const uint32_t *values) {
  const int slot = d->slot == 0 ? 1 : 0;
  const Header header = {d->generation + 1, (uint32_t)(4 * d->config->n_params), d->schema_crc,
                         wire_device_digest(values, d->config->n_params)};
  uint8_t bytes[WIRE_SLOT_HEADER_BYTES];
  Header back;
  if (!d->hal->erase(d->ctx, slot) || !write_values(d, slot, values) || !is_stored(d, slot, values))
    return false;
  put_header(bytes, &header);
  if (!d->hal->write(d->ctx, slot, 0, bytes, sizeof bytes) || !load_header(d, slot, &back) ||
      memcmp(&back, &header, sizeof back) != 0) {
    (void)d->hal->erase(d->ctx, slot); /* refused is refused, also after the next start */
    return false;
  }
  d->slot = slot;
  d->generation = header.generation;
  d->stored_digest = header.digest;
  return true;
}
