/* SPDX-License-Identifier: MIT */
/* recorder.c writes; recorder_inbox.c is what it writes from, of which recorder_idle.c leaves out
 * what an arm at rest sends; recorder_pack.c makes the file smaller afterwards. */
#ifndef ARMATURE_IO_RECORDER_INTERNAL_H
#define ARMATURE_IO_RECORDER_INTERNAL_H

#include "io/store/recorder.h"
#include "io/store/store_checkpoint.h"
#include "io/store/store_packer.h"

typedef enum {
  AIO_ITEM_ADD,
  AIO_ITEM_CONNECT,
  AIO_ITEM_BEGIN_RUN,
  AIO_ITEM_END_RUN,
  AIO_ITEM_EVENT,
  AIO_ITEM_CHUNK
} AioItemKind;

/* One row to be written, or several by a caller's function. */
typedef struct {
  AioItemKind kind;
  guint64 after; /* chunks of the queue that come before it */
  bool (*write)(AioStore *store, gconstpointer data, GError **error);
  gpointer data;
  GDestroyNotify free;
  gsize cost; /* bytes of memory */
  guint samples;
  guint64 lost, t_us; /* of a chunk: missing in and before it; of its first sample */
  gint64 t_ns;
} AioItem;

/* Samples that were left out, and are not marked yet. */
typedef struct {
  gint64 connection, first_ns, last_ns;
  guint64 samples, lost, first_us;
} AioIdle;

struct AioRecorder {
  AioQueue *queue;
  AioRecorderFunc on_news;
  void *news_ctx;
  gsize memory_max;
  char *program;
  GThread *writer;

  /* the writer's */
  AioStore *store;
  AioCheckpointer *checkpointer; /* of the store; NULL: the store does it by itself */
  AioPacker *packer;             /* of the store; NULL: nothing is packed */
  gint64 packed_us;              /* when packing began last, monotonic; 0: not yet */
  bool may_pack;                 /* something was written since nothing was left to be packed */
  gint64 connection, run;        /* of the next chunk */
  gint64 chunks_before;          /* highest id in the file when it was opened */
  guint64 taken;                 /* chunks from the queue */
  GQueue backlog;                /* of AioItem, not on the disk */
  GQueue history;                /* of AioItem: connections and runs that are, for a new file */
  gint64 idle_ns;                /* 0: everything is written */
  GQueue ring;                   /* of AioItem: chunks of an arm at rest */
  gsize ring_bytes;
  gint64 newest_ns, keep_until_ns, health_ns;
  AioIdle idle;
  gint64 retry_at_us;
  gint64 moved_us; /* a sample of an arm that moves came, monotonic */
  bool is_memory_full;

  GMutex lock; /* guards all below */
  GCond changed;
  GQueue inbox; /* of AioItem */
  gint64 last_connection, last_run;
  bool is_connected; /* the last connection is the recorder's own */
  char *path;        /* of the store */
  char *move_to;
  bool is_ending;
  guint flush_wanted, flush_done;
  GError *failure; /* NULL: not failing */
  AioRecorderStatus status;
};

/* Writer only: moves everything that has come into the backlog. `data` is the recorder. */
void aio_recorder_collect(void *data);
/* Writer only. */
void aio_recorder_tell(AioRecorder *r, AioRecorderNewsKind kind, const char *path,
                       const GError *error);
void aio_item_free(gpointer data);
/* Writer only: into the backlog; a chunk for which there is no memory is lost, counted and told. */
void aio_recorder_admit(AioRecorder *r, AioItem *item);

/* ---- recorder_idle.c, writer only ---- */

/* Is the chunk, or the event, to be written now? What rests before it then is, too. */
bool aio_recorder_wants_chunk(AioRecorder *r, const AioChunk *chunk);
bool aio_recorder_wants_event(AioRecorder *r, const AioEvent *event);
/* Notes when the arm moves. */
void aio_recorder_watch_motion(AioRecorder *r, const AioChunk *chunk);
/* It has not for a second, nor does a run go on. */
bool aio_recorder_is_resting(const AioRecorder *r);
/* A chunk that is not: into the ring, from which the oldest are left out. */
void aio_recorder_rest(AioRecorder *r, AioItem *item);
/* Something happens: what rests is written, and what comes in the next seconds. */
void aio_recorder_note(AioRecorder *r, gint64 t_ns);
/* What rests is written, after a mark for what was left out before. */
void aio_recorder_wake(AioRecorder *r);

/* ---- recorder_pack.c, writer only ---- */

/* Before a commit is due; a pack takes 5 ms. */
enum { AIO_RECORDER_PACKING_US = 75000 };

/* After all was written: prepares, in memory, what the next commit puts into the file. */
void aio_recorder_pack(AioRecorder *r);
/* What a commit has to put into the file besides the backlog. */
bool aio_recorder_has_packs(const AioRecorder *r);
/* At the end: what is left, for 2 s at most. */
void aio_recorder_pack_rest(AioRecorder *r);

#endif
