/* SPDX-License-Identifier: MIT */
/* The rig's device at one end of a line that loses, doubles, spoils and holds back what is sent;
 * the other end is a host under test. Nothing happens by itself: bytes to the device arrive at
 * once, bytes to the host wait in a buffer, time passes in line_pass. */
#ifndef ARMATURE_TESTS_WIRE_LINE_H
#define ARMATURE_TESTS_WIRE_LINE_H

#include "rig.h"
#include "support/support.h"

enum { LINE_ROOM = 1 << 20 };

typedef struct {
  Rig rig;
  RigStorage storage;
  WireDeviceConfig config; /* the rig's; boot_count counts */
  TestRng rng;
  bool is_cut;             /* nothing passes */
  unsigned drop_requests;  /* so many of the next sends to the device are lost */
  unsigned drop_answers;   /* and to the host */
  unsigned double_answers; /* come twice */
  unsigned spoil_answers;  /* have a bit changed */
  size_t longest_request;  /* longer sends to the device are lost; 0: none */
  double noise;            /* probability of a changed bit per byte to the host */
  uint64_t spoilt, sends;  /* sends to the host that noise or spoil_answers changed; all */
  uint64_t unusable;       /* spoilt, or behind a spoilt delimiter */
  bool is_delimiter_spoilt;
  uint64_t requests; /* sends by the host */
  size_t n;
  uint8_t bytes[LINE_ROOM]; /* to the host */
} Line;

void line_init(Line *line);
void line_reboot(Line *line); /* with the next boot_count */
/* What a host's `send` calls; ctx is the Line. */
void line_send(void *ctx, const uint8_t *bytes, size_t n);
/* us of wall time and, times rig.time_factor, device time; then one tick of the device. */
void line_pass(Line *line, uint64_t us);
/* A frame as if the device had sent it. */
void line_forge(Line *line, uint8_t version, uint16_t type, uint16_t seq, const uint8_t *payload,
                size_t n);

#endif
