/* SPDX-License-Identifier: MIT */
/* A host for test_program.sh: opens a terminal, says HELLO, reads telemetry.
 *
 *   test_pty PATH JOINTS BOOT_COUNT HOST_ID      exit 0: the answers were those */
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "wire/frame.h"
#include "wire/message.h"

static WireDecoder decoder;

/* The next frame of this type within 5 s; false: none. */
static bool await(int fd, guint16 type, WireReceived *received) {
  static guint8 buffer[4096];
  static const uint8_t *bytes = buffer;
  static size_t left;
  const gint64 end_us = g_get_monotonic_time() + 5000000;
  while (g_get_monotonic_time() < end_us) {
    while (wire_decoder_next(&decoder, &bytes, &left, received))
      if (received->header.type == type)
        return true;
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    if (poll(&wait, 1, 10) <= 0)
      continue;
    const gssize got = read(fd, buffer, sizeof buffer);
    bytes = buffer;
    left = got > 0 ? (size_t)got : 0;
  }
  fprintf(stderr, "no frame of type %03x\n", type);
  return false;
}

static bool ask(int fd, guint16 seq, guint16 type, const guint8 *payload, size_t length,
                guint16 answer, WireReceived *received) {
  guint8 bytes[WIRE_FRAME_MAX];
  const WireHeader header = {WIRE_VERSION, type, seq, 0};
  const size_t n = wire_frame_encode(bytes, &header, payload, length);
  return write(fd, bytes, n) == (gssize)n && await(fd, answer, received);
}

int main(int argc, char **argv) {
  guint8 hello[WIRE_SIZE_HELLO], subscribe[WIRE_SIZE_SUBSCRIBE];
  WireReceived received;
  WireHelloAck ack;
  if (argc != 5)
    return 2;
  const int fd = open(argv[1], O_RDWR | O_NOCTTY);
  if (fd < 0 || !isatty(fd) || tcflush(fd, TCIFLUSH) != 0) {
    perror(argv[1]);
    return 1;
  }
  wire_decoder_init(&decoder);
  wire_hello_put(hello, &(WireHello){.major = WIRE_VERSION, .host_id = (guint32)atoi(argv[4])});
  wire_subscribe_put(subscribe, &(WireSubscribe){200, 0});
  const guint8 silence = 0;
  if (write(fd, &silence, 1) != 1 ||
      !ask(fd, 100, WIRE_TYPE_HELLO, hello, sizeof hello, WIRE_TYPE_HELLO_ACK, &received) ||
      !wire_hello_ack_get(&ack, received.payload, received.length))
    return 1;
  if (ack.joints != atoi(argv[2]) || ack.boot_count != (guint32)atoi(argv[3])) {
    fprintf(stderr, "%d joints, boot %u\n", ack.joints, ack.boot_count);
    return 1;
  }
  if (!ask(fd, 101, WIRE_TYPE_SUBSCRIBE, subscribe, sizeof subscribe, WIRE_TYPE_SUBSCRIBED,
           &received))
    return 1;
  for (int k = 0; k < 50; k++)
    if (!await(fd, WIRE_TYPE_TELEM, &received))
      return 1;
  return 0;
}
