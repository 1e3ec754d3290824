/* SPDX-License-Identifier: MIT */
/* The recorder owns a session that is being written, in a thread of its own, the writer: it takes
 * chunks from a queue and rows from its callers and commits all of them together every 150 ms, each
 * commit synced to the disk. Nobody waits for the disk but the writer.
 *
 * Order: a chunk belongs to the run and the connection that had begun when it was pushed into the
 * queue. The queue must be of the kind AIO_QUEUE_KEEP_OLDEST and be emptied by nobody else.
 *
 * When the disk is full or fails, or when the file was deleted, renamed, replaced or overwritten
 * (looked at before every commit), what could not be written stays in memory, up to a stated size,
 * and is tried again every second and whenever a flush or another place is asked for. What comes
 * when the memory is full too is counted and told. Whoever moves the arm learns it by the news of
 * kind AIO_RECORDER_FAILED and halts it.
 *
 * All functions from any thread, but free from one only.
 */
#ifndef ARMATURE_IO_RECORDER_H
#define ARMATURE_IO_RECORDER_H

#include <glib.h>
#include <stdbool.h>

#include "io/acquire/queue.h"
#include "io/driver/driver.h"
#include "io/store/store.h"

/* 150 ms are what a power cut may take (DESIGN): a commit takes 25 to 50 ms at worst. */
enum { AIO_RECORDER_COMMIT_MS = 150, AIO_RECORDER_RETRY_MS = 1000 };
#define AIO_RECORDER_IDLE_S 10.0 /* as sessions do it */
#define AIO_RECORDER_MEMORY ((gsize)256 << 20)

typedef struct AioRecorder AioRecorder;

typedef enum {
  AIO_RECORDER_FAILED,      /* halt the arm: samples now stay in memory; error tells why:
                               AIO_ERROR_GONE if the file is not where it was */
  AIO_RECORDER_RESUMED,     /* all of it is on the disk */
  AIO_RECORDER_MEMORY_FULL, /* while failing: from now on samples are lost, and counted */
  AIO_RECORDER_MOVED,       /* path: the session's new place; error: what could not come along */
  AIO_RECORDER_MOVE_FAILED, /* path, error; goes on where it was */
  AIO_RECORDER_REFUSED      /* one row breaks a rule of its table (error) and was left out */
} AioRecorderNewsKind;

/* Lives until the function returns; called by the writer, which must not be held up, and must not
 * call the recorder: pass it on to a main loop. */
typedef struct {
  AioRecorderNewsKind kind;
  const char *path;
  const GError *error;
} AioRecorderNews;
typedef void (*AioRecorderFunc)(const AioRecorderNews *news, void *ctx);

typedef struct {
  const char *program;    /* as for aio_store_create */
  const char *controller; /* JSON, of the first connection; NULL: "{}". If the store waits for its
                             first row, the first connection is that of aio_recorder_connect, or
                             comes with the first row, and is "{}" */
  AioRecorderFunc on_news;
  void *news_ctx;
  /* Of an arm at rest, neither armed nor moving, only so much before and after a motion, a run, an
   * event other than health and the end is written; the rest is left out, with an event "idle" in
   * its place, and of health one report a minute stays. 0: everything is written. */
  double idle_s;
  gsize memory_max; /* bytes; 0: AIO_RECORDER_MEMORY, 12 joints at 1 kHz for more than 20 minutes */
} AioRecorderOptions;

typedef struct {
  guint64 commits, chunks, samples, bytes; /* on the disk */
  guint64 samples_waiting, samples_lost;   /* in memory; given up because it was full */
  guint64 samples_idle;                    /* left out, the arm being at rest */
  gsize bytes_waiting, deepest_bytes;
  guint queue_depth, deepest_queue; /* chunks */
  gint64 worst_commit_us, last_commit_us;
  bool is_failing;
} AioRecorderStatus;

/* Takes over the store, which is open for writing or waits for its first row, and starts the
 * writer. NULL (the store is still the caller's): the store's last ids cannot be read. */
AioRecorder *aio_recorder_new(AioStore *store, AioQueue *queue, const AioRecorderOptions *options,
                              GError **error);

/* One last attempt, then closes the session and ends the writer, in any case. false: something was
 * still in memory and is lost; ask aio_recorder_flush first. NULL allowed. */
bool aio_recorder_free(AioRecorder *recorder, GError **error);

/* Waits until all that was pushed or added before is on the disk, but for what an arm at rest has
 * sent last (idle_s). false: it is not, and why. */
bool aio_recorder_flush(AioRecorder *recorder, GError **error);

/* A new connection: device times and indices of samples begin anew. Returns its id. */
gint64 aio_recorder_connect(AioRecorder *recorder, const char *controller);

/* Copies the row; its id, connection and started_us are filled in. Returns the id. */
gint64 aio_recorder_begin_run(AioRecorder *recorder, const AioStoreRun *run);
/* `motion` 0: not known. */
void aio_recorder_end_run(AioRecorder *recorder, gint64 run, guint motion, const char *outcome);

void aio_recorder_add_event(AioRecorder *recorder, const AioEvent *event);

/* Anything else: `write` is called by the writer inside a transaction, again when the transaction
 * failed; `free` when it is done with. */
void aio_recorder_add(AioRecorder *recorder,
                      bool (*write)(AioStore *store, gconstpointer data, GError **error),
                      gpointer data, GDestroyNotify free);

/* Asks to go on in a new file at `path`, with everything recorded before; the news tells how it
 * went. When the old file cannot be read any more, the new one begins with what is in memory. */
void aio_recorder_move_to(AioRecorder *recorder, const char *path);

/* Of the file that is written now. g_free. */
char *aio_recorder_path(AioRecorder *recorder);

void aio_recorder_status(AioRecorder *recorder, AioRecorderStatus *out);

#endif
