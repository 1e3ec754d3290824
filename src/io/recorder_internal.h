/* SPDX-License-Identifier: MIT */
/* The two halves of the recorder: recorder.c writes, recorder_inbox.c is what it writes from. */
#ifndef ARMATURE_IO_RECORDER_INTERNAL_H
#define ARMATURE_IO_RECORDER_INTERNAL_H

#include "io/recorder.h"

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
} AioItem;

struct AioRecorder {
  AioQueue *queue;
  AioRecorderFunc on_news;
  void *news_ctx;
  gsize memory_max;
  char *program;
  GThread *writer;

  /* the writer's */
  AioStore *store;
  gint64 connection, run; /* of the next chunk */
  guint64 taken;          /* chunks from the queue */
  GQueue backlog;         /* of AioItem, not on the disk */
  GQueue history;         /* of AioItem: connections and runs that are, for a new file */
  gint64 retry_at_us;
  bool needs_checkpoint, is_memory_full;

  GMutex lock; /* guards all below */
  GCond changed;
  GQueue inbox; /* of AioItem */
  gint64 last_connection, last_run;
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

#endif
