/* SPDX-License-Identifier: MIT */
/* The native driver, a bad line, and the device of tests/wire/rig.h, in simulated time: steps of
 * 1 ms, no clock, no sleep. Every reply must come once, every command must get one. */
#ifndef ARMATURE_TESTS_IO_NATIVE_WORLD_H
#define ARMATURE_TESTS_IO_NATIVE_WORLD_H

#include "../../../wire/line.h"
#include "io/driver/driver.h"

enum { WORLD_TICKETS = 1000, WORLD_EVENTS = 1000, WORLD_SAMPLES = 100000 };

typedef struct {
  Line line;
  AioDriver *driver;
  gint64 now_ns;
  bool is_mute;        /* the device neither ticks nor is heard: test code plays its part */
  bool keeps_alive;    /* as a program that lives does */
  guint64 next_ticket; /* tickets begin with 1 */
  bool is_answered[WORLD_TICKETS];
  AioReply reply; /* the last one */
  AioDescription description;
  AioParam params[RIG_PARAMS];
  guint n_params, n_replies;
  AioReply replies[WORLD_TICKETS];
  AioEvent events[WORLD_EVENTS]; /* all but HEALTH */
  guint n_events, n_health;
  AioEvent health;
  guint n_samples;
  guint64 lost;
  AioSample samples[WORLD_SAMPLES]; /* the first of them */
  guint8 written[WIRE_FRAME_MAX];   /* the last send of the driver */
  gsize n_written;
  void (*on_event)(const AioEvent *event); /* NULL: none */
} World;

extern World world;

void world_init(void); /* the device has been on for a while */
void world_init_as(guint32 host_id);
void world_free(void); /* every ticket must have been answered */
/* The same for cmocka. */
int world_set_up(void **state);
int world_tear_down(void **state);
void world_pass(guint ms);
/* A ticket for a command. */
guint64 world_ticket(void);
/* Lets time pass until the ticket is answered, at most 30 s; returns reply.code. */
int world_wait(guint64 ticket);
/* Describes; must succeed. */
void world_connect(void);
void world_arm(guint ttl_ms); /* must succeed */
/* The newest event of a kind, or NULL, and how many there are. */
const AioEvent *world_event(AioEventKind kind);
guint world_count(AioEventKind kind);
void world_forget(void); /* events, samples */
/* The frame that the driver sent last. */
WireHeader world_sent(void);

/* The command, its reply awaited: reply.code. */
#define RUN(function, ...)                                                                         \
  (aio_driver_##function(world.driver, world_ticket() __VA_OPT__(, ) __VA_ARGS__),                 \
   world_wait(world.next_ticket - 1))

#endif
