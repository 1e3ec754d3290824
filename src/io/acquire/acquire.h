/* SPDX-License-Identifier: MIT */
/* The acquirer owns a link and its driver in a thread of its own, the reader:
 *
 *   link -> driver -> samples -> chunks of at most 20 ms -> queues (recorder, display)
 *   commands from any thread -> driver -> link;  replies and events -> the thread that made it
 *
 * The reader waits in poll() for {link, commands, the driver's next deadline} and for nothing else:
 * no queue, no caller and no main loop can hold it up. What it cannot hand over is dropped, counted
 * and reported as an event.
 *
 * A link that is lost is an AIO_EVENT_LINK, never a crash: samples before it are published, all
 * that is outstanding is answered with AIO_ERROR_GONE, and with a `reopen` function the reader
 * tries to connect again after 0.1, 0.2, ... 2 s. A new connection begins with nothing: not
 * described, no telemetry, not armed. That is for the caller to do. It is the same when this
 * computer was asleep, or this program stopped, for more than half an hour: the link, still there,
 * goes down and comes back as events.
 *
 * Where the driver is not stated, each of aio_driver_list probes, by reading only, until one is
 * answered within a second; commands, STOP and KILL too, wait so long, for nobody knows before in
 * what language to say them. The next connections are then of the same kind.
 *
 * Emergency: STOP and KILL overtake everything not yet on the line and cancel it; the reader
 * repeats them until they are acknowledged, whatever the caller's thread does meanwhile. A KILL
 * that is not acknowledged is followed by a line break. An armed device halts by itself when
 * aio_acquirer_keep_alive() has not been called for 200 ms and its lease is over.
 *
 * Threads: make, dispatch and free in one thread; all else from any.
 */
#ifndef ARMATURE_IO_ACQUIRE_H
#define ARMATURE_IO_ACQUIRE_H

#include <glib.h>
#include <stdbool.h>

#include "io/acquire/capture.h"
#include "io/acquire/queue.h"
#include "io/acquire/statistics.h"
#include "io/driver/command.h"
#include "io/driver/driver.h"
#include "io/link/link.h"

typedef struct AioAcquirer AioAcquirer;

/* Both live until the function returns. Called in the thread that made the acquirer. */
typedef void (*AioEventFunc)(const AioEvent *event, void *ctx);
typedef void (*AioReplyFunc)(const AioReply *reply, void *ctx);

typedef struct {
  const AioDriverClass *driver; /* makes one for each connection; NULL: found out by probing */
  AioDriverContext context;     /* for it: aio_driver_context_of */
  AioEventFunc on_event;        /* NULL: nobody wants to know */
  void *event_ctx;
  /* Finds and opens the same controller again (by its USB serial number), in the reader's thread,
   * within about a second. NULL result: the error is reported when it is a new one, and the next
   * attempt follows. NULL function: a lost link stays lost. */
  AioLink *(*reopen)(void *ctx, GError **error);
  void *reopen_ctx;
  AioCapture *capture; /* of all bytes; taken over; NULL: none */
} AioAcquirerOptions;

/* Takes over the link and starts the reader. Replies and events are dispatched in the
 * thread-default main context of the calling thread. NULL (link and capture still the caller's):
 * AIO_ERROR_IO. */
AioAcquirer *aio_acquirer_new(const AioAcquirerOptions *options, AioLink *link, GError **error);

/* In this order: commands not yet given to the driver are cancelled; if the device may be armed it
 * is stopped, then disarmed, each acknowledged or 500 ms over; the open chunk is published; the
 * queues are closed; what is outstanding is answered with AIO_ERROR_GONE; link and capture are
 * closed; the reader ends. Then all replies and events still waiting are delivered, from within
 * this call; a command that one of them gives is not answered any more. Not from within an event or
 * reply. NULL allowed. */
void aio_acquirer_free(AioAcquirer *acquirer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AioAcquirer, aio_acquirer_free)

/* Is a reply or an event being delivered, so that aio_acquirer_free must wait? In the thread that
 * made the acquirer. */
bool aio_acquirer_is_delivering(const AioAcquirer *acquirer);

/* Copies the command. Returns its ticket, > 0; `done` gets exactly one reply for it.
 *   done  NULL: see aio_acquirer_wait; otherwise the reply may be left alone */
guint64 aio_acquirer_send(AioAcquirer *acquirer, const AioCommand *command, AioReplyFunc done,
                          void *ctx);

/* Waits without a main loop for the reply to a command that was sent with done = NULL; the last 64
 * of these are kept. Caller frees *reply with aio_reply_free. false: no reply within timeout_ms,
 * *reply is NULL. */
bool aio_acquirer_wait(AioAcquirer *acquirer, guint64 ticket, guint timeout_ms, AioReply **reply);

/* The heartbeat of whoever is responsible for the motion, usually the main loop every 50 ms: allows
 * the driver to renew the lease for the next 200 ms. Needed before ARM, and as long as it lasts. */
void aio_acquirer_keep_alive(AioAcquirer *acquirer);

/* From now on chunks also go to this queue (a reference is taken). false: AIO_QUEUES_MAX already.
 */
bool aio_acquirer_subscribe(AioAcquirer *acquirer, AioQueue *queue);
/* Does nothing if it is not subscribed. The queue is not closed. */
void aio_acquirer_unsubscribe(AioAcquirer *acquirer, AioQueue *queue);

/* Delivers the replies and events that wait now, as the main context does by itself, a few at a
 * time; for programs without a main loop. Returns their number. */
guint aio_acquirer_dispatch(AioAcquirer *acquirer);

void aio_acquirer_statistics(AioAcquirer *acquirer, AioStatistics *out);

#endif
