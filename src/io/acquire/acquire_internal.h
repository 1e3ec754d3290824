/* SPDX-License-Identifier: MIT */
/* Inside of the acquirer: acquire.c is the caller's side, acquire_reader.c the thread
 * with its link, acquire_sink.c what the driver gives to it; a fourth, acquire_probe.c, finds out
 * which driver it is to be. */
#ifndef ARMATURE_IO_ACQUIRE_INTERNAL_H
#define ARMATURE_IO_ACQUIRE_INTERNAL_H

#include <stdatomic.h>

#include "io/acquire/acquire.h"
#include "io/acquire/clock_map.h"
#include "io/acquire/clock_order.h"

/* A command on its way; from aio_acquirer_send until its reply. */
typedef struct {
  guint64 ticket;
  AioCommand *command; /* NULL once the driver has it */
  AioCommandKind kind;
  AioReplyFunc done;
  void *ctx;
} AioPending;

/* Something for the caller's thread: a reply or, if that is NULL, an event. */
typedef struct {
  AioReply *reply;
  AioReplyFunc done;
  void *ctx;
  AioEvent event;
} AioMessage;

struct AioAcquirer {
  AioAcquirerOptions options;
  int wake_fd; /* readable: there are commands, a heartbeat after a pause, or the end */
  GThread *thread;
  GSource *source;
  atomic_llong heartbeat_ns; /* 0: never */
  bool is_delivering;        /* only the caller's thread touches it */

  GMutex lock; /* guards all below */
  GCond answered;
  guint64 last_ticket;
  bool wants_end;
  GQueue commands;     /* AioPending, borrowed from `pending` */
  GHashTable *pending; /* guint64 * ticket -> AioPending */
  GQueue inbox;        /* AioMessage */
  guint64 events_dropped_told;
  GQueue kept; /* AioReply: answers to wait for */
  AioQueue *queues[AIO_QUEUES_MAX];
  AioTally tally;
  AioStatistics statistics; /* without what is computed when somebody asks */
};

typedef enum {
  AIO_READER_RUNS,
  AIO_READER_STOPS,   /* the end is wanted: STOP is on its way */
  AIO_READER_DISARMS, /* and DISARM */
  AIO_READER_ENDS
} AioReaderPhase;

/* Only the reader's thread touches it. */
typedef struct {
  AioAcquirer *acquirer;
  AioLink *link; /* NULL: down */
  char *link_name;
  AioDriver *driver;           /* NULL: down, or not known yet which */
  const AioDriverClass *klass; /* of all connections; NULL: not known yet */
  struct {
    AioDriver *driver; /* that probes; NULL: none does */
    guint index;       /* in aio_driver_list */
    guint64 ticket;
    gint64 due_ns; /* it is given up then */
    bool is_answered, is_found;
  } probe;
  AioSink sink;
  GError *write_error;
  GQueue unsent; /* GBytes; the first is on the line up to unsent_at */
  gsize unsent_at;
  AioCapture *capture; /* NULL: none, or it failed */

  gint64 reopen_due_ns, reopen_pause_ns;
  int reopen_code; /* AIO_REPLY_CODE of why it could not be opened, as told last; 0: not told */

  guint joints; /* 0: not known yet */
  AioClockMap clock;
  AioClockOrder order;
  AioChunk *chunk; /* open; NULL: none */
  gint64 chunk_due_ns;
  guint64 next_index;
  bool is_dropping[AIO_QUEUES_MAX];

  bool may_be_armed;
  gint64 seen_ns; /* CLOCK_BOOTTIME when it last looked after everything */
  AioReaderPhase phase;
  guint64 end_ticket;
  gint64 end_due_ns;

  guint64 pass_bytes, pass_samples; /* not yet in the tally */
  AioDriverCounters past;           /* of the drivers before */
  AioStatistics statistics;         /* the reader's part */
} AioReader;

/* ---- acquire.c ---- */
/* Hands a copy of an event to the caller's thread. Of talk only half as much may wait as of all
 * events, so that a talkative device does not crowd out its own faults. */
void aio_acquirer_post_event(AioAcquirer *acquirer, const AioEvent *event, bool is_talk);
/* Answers the command of reply->ticket; a ticket nobody waits for is ignored. */
void aio_acquirer_post_reply(AioAcquirer *acquirer, const AioReply *reply);
guint64 aio_acquirer_new_ticket(AioAcquirer *acquirer);
/* What command was it? false: unknown ticket. */
bool aio_acquirer_kind(AioAcquirer *acquirer, guint64 ticket, AioCommandKind *kind);

/* ---- acquire_reader.c ---- */
typedef struct {
  AioAcquirer *acquirer;
  AioLink *link;
} AioReaderStart;
/* The thread; `data` is an AioReaderStart, which it frees. */
gpointer aio_reader_run(gpointer data);
/* Nothing while a driver is looked for. */
void aio_reader_capture(AioReader *reader, AioCaptureDirection direction, gint64 t_ns,
                        const guint8 *bytes, gsize n);
/* The acknowledgement of one of its own commands at the end. */
void aio_reader_end_answered(AioReader *reader);

/* The driver of this connection; the capture hears of it. */
void aio_reader_start_driver(AioReader *reader, const AioDriverClass *klass);

/* ---- acquire_probe.c ---- */
void aio_reader_begin_probe(AioReader *reader);
/* Takes the answer or gives up, and goes on with the next; ends with a driver. Not from within a
 * sink. Returns when it wants to be called again, G_MAXINT64: when bytes come, or nothing probes.
 */
gint64 aio_reader_probe(AioReader *reader, gint64 t_ns);
void aio_reader_end_probe(AioReader *reader); /* without a result */

/* ---- acquire_sink.c ---- */
extern const AioSink aio_reader_sink;
void aio_reader_publish(AioReader *reader); /* the open chunk */
/* Says something of its own to the caller: a sentence, as aio_said takes it. */
void aio_reader_say(AioReader *reader, AioEventKind kind, guint32 value, int level,
                    const char *format, ...) G_GNUC_PRINTF(5, 6);

#endif
