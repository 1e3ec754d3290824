/* SPDX-License-Identifier: MIT */
/* watch_line PTY MS: what a controller tells on a pseudo-terminal while its host is stopped,
 * reading only. Prints "following ended_ms at_rest_ms state faults", in device time since the first
 * frame: whether a trajectory was followed then, when that ended, when the set-points were at rest
 * (-1: never), and the last state and faults. */
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "wire/frame.h"
#include "wire/message.h"

typedef struct {
  bool has_first, was_following, has_ended, is_at_rest;
  guint32 first_us, ended_us, rest_us;
  guint state;
  guint32 faults;
} Seen;

static void look(Seen *seen, const WireReceived *frame) {
  WireTelem t;
  if (frame->header.type != WIRE_TYPE_TELEM || !wire_telem_get(&t, frame->payload, frame->length))
    return;
  const guint32 now_us = frame->header.t_us;
  if (!seen->has_first) {
    seen->has_first = true;
    seen->first_us = now_us;
    seen->was_following = t.motion == WIRE_MOTION_TRAJECTORY;
  }
  if (!seen->has_ended && t.motion != WIRE_MOTION_TRAJECTORY) {
    seen->has_ended = true;
    seen->ended_us = now_us;
  }
  if (!seen->is_at_rest && t.motion == WIRE_MOTION_NONE) {
    seen->is_at_rest = true;
    seen->rest_us = now_us;
  }
  seen->state = t.state;
  seen->faults = t.faults;
}

static double ms_since(const Seen *seen, bool is_known, guint32 t_us) {
  return is_known ? 1e-3 * (double)(guint32)(t_us - seen->first_us) : -1.0;
}

int main(int argc, char **argv) {
  static WireDecoder decoder;
  Seen seen = {0};
  const int fd = argc == 3 ? open(argv[1], O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1;
  if (fd < 0) {
    fprintf(stderr, "watch_line PTY MS: cannot open it\n");
    return 2;
  }
  wire_decoder_init(&decoder);
  const gint64 end = g_get_monotonic_time() + 1000 * (gint64)atoi(argv[2]);
  while (g_get_monotonic_time() < end) {
    guint8 buffer[4096];
    struct pollfd on = {fd, POLLIN, 0};
    poll(&on, 1, 20);
    const ssize_t n = read(fd, buffer, sizeof buffer);
    const uint8_t *bytes = buffer;
    size_t left = n > 0 ? (size_t)n : 0;
    WireReceived received;
    while (wire_decoder_next(&decoder, &bytes, &left, &received))
      look(&seen, &received);
  }
  close(fd);
  printf("%d %.0f %.0f %u %u\n", seen.was_following, ms_since(&seen, seen.has_ended, seen.ended_us),
         ms_since(&seen, seen.is_at_rest, seen.rest_us), seen.state, (guint)seen.faults);
  return 0;
}
