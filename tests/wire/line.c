/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "line.h"

static Line *the_line; /* the hardware's context is the rig */

static bool spend(unsigned *left) {
  if (*left == 0)
    return false;
  --*left;
  return true;
}

static void put(Line *line, const uint8_t *bytes, size_t n) {
  assert_true(line->n + n <= LINE_ROOM);
  memcpy(line->bytes + line->n, bytes, n);
  line->n += n;
}

/* Changes bits of what was put last. */
static void add_noise(Line *line, size_t n) {
  bool is_spoilt = false;
  uint8_t *bytes = line->bytes + line->n - n;
  for (size_t k = 0; k < n && line->noise > 0; k++)
    if (test_rng_uniform(&line->rng, 0, 1) < line->noise) {
      bytes[k] ^= (uint8_t)(1u << (test_rng_next(&line->rng) & 7u));
      is_spoilt = true;
    }
  if (n > 1 && spend(&line->spoil_answers)) {
    bytes[n / 2] ^= 0x40;
    is_spoilt = true;
  }
  line->spoilt += is_spoilt;
  line->unusable += is_spoilt || line->is_delimiter_spoilt;
  line->is_delimiter_spoilt = bytes[n - 1] != 0;
}

static bool send_to_host(void *ctx, const uint8_t *bytes, size_t n) {
  Line *line = the_line;
  (void)ctx;
  line->sends++;
  if (line->is_cut || (n > 1 && spend(&line->drop_answers)))
    return true;
  put(line, bytes, n);
  add_noise(line, n);
  if (n > 1 && spend(&line->double_answers))
    put(line, bytes, n);
  return true;
}

static void start(Line *line) {
  static WireHal hal;
  hal = rig_hal;
  hal.send = send_to_host;
  the_line = line;
  line->rig.drives_on = false;
  line->rig.n_points = 0;
  assert_true(wire_device_init(&line->rig.device, &line->config, &hal, &line->rig));
}

void line_init(Line *line) {
  memset(line, 0, sizeof *line);
  rig_storage_init(&line->storage);
  rig_init(&line->rig, &line->storage);
  line->config = rig_config;
  test_rng_init(&line->rng, test_seed(1));
  start(line);
}

void line_reboot(Line *line) {
  line->config.boot_count++;
  start(line);
}

void line_send(void *ctx, const uint8_t *bytes, size_t n) {
  Line *line = ctx;
  line->requests++;
  if (line->is_cut || (line->longest_request && n > line->longest_request) ||
      spend(&line->drop_requests))
    return;
  wire_device_receive(&line->rig.device, bytes, n);
}

void line_pass(Line *line, uint64_t us) {
  line->rig.wall_us += us;
  line->rig.now_us += us * line->rig.time_factor;
  wire_device_tick(&line->rig.device);
}

void line_forge(Line *line, uint8_t version, uint16_t type, uint16_t seq, const uint8_t *payload,
                size_t n) {
  uint8_t bytes[WIRE_FRAME_MAX];
  const WireHeader header = {version, type, seq, (uint32_t)(line->rig.now_us & UINT32_MAX)};
  const size_t length = wire_frame_encode(bytes, &header, payload, n);
  assert_true(length > 0);
  put(line, bytes, length);
}
