/* SPDX-License-Identifier: MIT */
/* A session: one SQLite file with the arm, the plan, everything measured and every fit of it. What
 * is inside is told in docs/session-file.md.
 *
 * While it is written, "FILE-wal" and "FILE.lock" stand beside it; after aio_store_close the one
 * file is all. A file may come from anywhere: it is checked when opened and again, value by value,
 * when read; it can lie, but not crash, write or execute anything.
 *
 * Times: utc_us, started_us, ended_us are microseconds since 1970 (UTC); t_host_ns is
 * CLOCK_MONOTONIC of the computer that recorded, t_us the device's time; the row of the connection
 * has UTC and CLOCK_MONOTONIC of one moment. Ids count from 1, 0 means none.
 *
 * One store belongs to one thread at a time. Errors as told in io/store/store_sql.h: AIO_ERROR_FULL
 * when there is no room (nothing was changed), AIO_ERROR_BUSY, AIO_ERROR_SYNTAX (damaged),
 * AIO_ERROR_REFUSED, AIO_ERROR_PERMISSION, AIO_ERROR_MEANING, AIO_ERROR_NOT_FOUND, AIO_ERROR_IO.
 */
#ifndef ARMATURE_IO_STORE_H
#define ARMATURE_IO_STORE_H

#include <glib.h>
#include <stdbool.h>

#include "io/acquire/chunk.h"
#include "io/base/error.h"

typedef struct AioStore AioStore;

/* ---- files ---- */

/* Can a session have this name? false: AIO_ERROR_REFUSED, it ends as the names of log, journal and
 * lock do, and would be taken for those of another session. Such a file is only read. */
bool aio_store_check_name(const char *path, GError **error);

/* May something that is no session be written there? false: AIO_ERROR_REFUSED, it is the log,
 * journal or lock of a session that is there, or of `in_use` (NULL allowed), which may not be yet.
 */
bool aio_store_check_output(const char *path, const char *in_use, GError **error);

/* A new session, open for writing. `program` ("armature-cli 0.1.0") is recorded, and told to others
 * who want to write meanwhile. NULL: AIO_ERROR_EXISTS, also when the log of an earlier file of this
 * name is still there. */
AioStore *aio_store_create(const char *path, const char *program, GError **error);

/* The same with its first rows, which `fill` adds (it begins no transaction): the file is there
 * with all of them or not at all, whenever the program ends. NULL: also what `fill` reports. */
AioStore *aio_store_create_filled(const char *path, const char *program,
                                  bool (*fill)(AioStore *store, gconstpointer data, GError **error),
                                  gconstpointer data, GError **error);

/* To go on with a session. A second writer, in this process or another, is AIO_ERROR_BUSY and told
 * who is first. A file of an older version is copied to "FILE.vN-DATE-TIME" (whole or not at all)
 * and migrated; one of a newer version is AIO_ERROR_REFUSED. */
AioStore *aio_store_open_write(const char *path, const char *program, GError **error);

/* The same, but as long as it waits for its first row the file is only read, and stays as it is to
 * the byte; nothing but "FILE.lock" stands beside it. An older version is migrated in memory, on
 * the disk with the first row. What its writer did not close is completed at once instead: then it
 * does not wait. */
AioStore *aio_store_open_waiting(const char *path, const char *program, GError **error);
bool aio_store_is_waiting(const AioStore *store);

/* Before its first transaction; nothing if it does not wait. Rows can be read before and after.
 * false: as aio_store_open_write reports, and it goes on waiting; AIO_ERROR_GONE: the file was
 * deleted, renamed or replaced since it was opened, what stands there now was not touched. */
bool aio_store_start_writing(AioStore *store, GError **error);

/* Changes nothing; works beside a writer, this process included, and on media that cannot be
 * written (leaves nothing beside the file). A file of an older version is migrated in memory. */
AioStore *aio_store_open_read(const char *path, GError **error);

/* From now on, until it is closed, all that is read of it is of one moment: what is committed
 * meanwhile is not seen. For whoever reads several things that belong together, and soon closes it:
 * a writer's log cannot begin anew before, and a file without a log cannot be written. */
bool aio_store_stand_still(AioStore *store, GError **error);

/* The same for a file that was opened before: it is not looked through once more, which takes
 * longer than to read a part of it. Rows are checked as ever. */
AioStore *aio_store_open_again(const char *path, GError **error);

/* A session from bytes, for reading; `name` is what messages call it. */
AioStore *aio_store_open_bytes(const char *name, const guint8 *bytes, gsize n, GError **error);

/* Is there a session in the file, rather than something else or nothing? */
bool aio_store_is_session(const char *path);

/* Of a store that is written, or waits for that: do the names of the file and of what stands beside
 * it still lead to what is written? AIO_ERROR_GONE: somebody deleted, renamed or replaced one of
 * them. What is written then is lost with this store, but aio_store_copy still finds all of it,
 * unless aio_store_is_overwritten: the file or its log was written over or cut off in place. Seen
 * by its size and its first bytes; a change in the middle is not. Nor does a copy have all of it if
 * aio_store_is_changed: another program has written to it by SQLite. */
bool aio_store_check_place(AioStore *store, GError **error);
bool aio_store_is_overwritten(const AioStore *store);
bool aio_store_is_changed(AioStore *store);

/* Of a store that was overwritten or is damaged: copies into `to`, amid a transaction, which it
 * commits, the rows that can be read without what is somebody else's by now: from the other of file
 * and log, and from memory. Of one that was changed: all rows that are in it.
 *   chunks, of  how many chunks were found, and how many there had been; of 0: not known */
bool aio_store_salvage(AioStore *from, AioStore *to, gint64 *chunks, gint64 *of, GError **error);

/* Frees it in any case (NULL allowed). After writing everything stands in the one file, unless
 * false is returned: then "FILE-wal" belongs to it still. What has taken the place of the file or
 * of its log is left alone. */
bool aio_store_close(AioStore *store, GError **error);

const char *aio_store_path(const AioStore *store);

/* All that is committed, as one file of a new name, which it has only when it is whole; works when
 * the store's own place is full.
 * `idle` (NULL allowed) is called every few megabytes. AIO_ERROR_EXISTS. */
bool aio_store_copy(AioStore *store, const char *path, void (*idle)(void *data), void *data,
                    GError **error);

/* Is there room beside `path` for this much recording, and some more? AIO_ERROR_FULL tells both
 * figures. Counts values as doubles: an upper bound. */
bool aio_store_check_space(const char *path, guint joints, double rate_hz, double duration_s,
                           GError **error);

/* ---- transactions ---- */

/* What is added between the two is on the disk, synced, when commit returns true; after false, or
 * rollback, none of it. */
bool aio_store_begin(AioStore *store, GError **error);
bool aio_store_commit(AioStore *store, GError **error);
void aio_store_rollback(AioStore *store);

/* A commit that changes nothing: after a checkpoint of everything the log begins anew with it. */
bool aio_store_begin_log(AioStore *store, GError **error);

/* ---- rows ---- */

/* Texts of which the last counts; older ones are kept. ARM: an arm file, verbatim. */
typedef enum { AIO_STORE_ARM, AIO_STORE_PLAN, AIO_STORE_STEPS } AioStoreText;

typedef struct {
  gint64 id, utc_us, t_host_ns;
  const char *controller; /* JSON */
} AioStoreConnection;

/* A sweep or a move. */
typedef struct {
  gint64 id, connection;
  const char *kind;            /* "sweep" */
  guint joint;                 /* from 1; 0: several */
  guint hold;                  /* number of the hold pose in the plan, from 1; 0: none */
  double speed;                /* [rad/s or m/s]; NAN: none */
  gint64 started_us, ended_us; /* 0: has not ended */
  guint motion;                /* the controller's number, as in AioSample.motion; 0: not known */
  const char *outcome;         /* NULL: has not ended */
} AioStoreRun;

/* An encoded chunk (io/store/store_blob.h). */
typedef struct {
  gint64 id, connection, run;
  guint64 first_index, t0_us;
  guint n;
  const guint8 *data;
  gsize size;
} AioStoreBlob;

typedef struct {
  gint64 id, connection, run;
  AioChunk *chunk; /* take a reference to keep it */
} AioStoreChunk;

/* Bytes as they went over the wire. */
typedef struct {
  gint64 id, connection, t_host_ns;
  bool is_sent; /* by the computer */
  const guint8 *bytes;
  gsize n;
} AioStoreRaw;

typedef struct {
  gint64 id, connection, run, t_host_ns;
  guint64 t_us;
  const char *kind; /* "fault" */
  guint joint, motion, level;
  gint64 value;
  const char *text, *detail; /* detail: JSON or NULL */
} AioStoreEvent;

typedef struct {
  gint64 id, utc_us;
  const char *program, *dataset_sha256; /* 64 hexadecimal digits */
  const char *options, *parameters;     /* JSON */
} AioStoreFit;

typedef struct {
  gint64 id, run, utc_us;
  const char *name;
  double value; /* NAN: none */
} AioStoreStatistic;

/* Each adds one row; id 0: the next free one. */
bool aio_store_add_text(AioStore *store, AioStoreText kind, const char *text, GError **error);
bool aio_store_add_connection(AioStore *store, const AioStoreConnection *row, GError **error);
bool aio_store_add_run(AioStore *store, const AioStoreRun *row, GError **error);
/* Sets ended_us, motion and outcome of the run `row->id`. */
bool aio_store_end_run(AioStore *store, const AioStoreRun *row, GError **error);
bool aio_store_add_blob(AioStore *store, const AioStoreBlob *row, GError **error);
bool aio_store_add_raw(AioStore *store, const AioStoreRaw *row, GError **error);
bool aio_store_add_event(AioStore *store, const AioStoreEvent *row, GError **error);
bool aio_store_add_fit(AioStore *store, const AioStoreFit *row, GError **error);
bool aio_store_add_statistic(AioStore *store, const AioStoreStatistic *row, GError **error);

/* The text of a key of the table meta ("uid", "program", "created"). Free with g_free. */
char *aio_store_get_meta(AioStore *store, const char *key, GError **error);

/* The last one. NULL: AIO_ERROR_NOT_FOUND, there is none; AIO_ERROR_SYNTAX, its digest does not
 * fit. Free with g_free. */
char *aio_store_get_text(AioStore *store, AioStoreText kind, GError **error);

/* Samples in the chunks of a run, packed ones too, without reading them. */
bool aio_store_count_samples(AioStore *store, gint64 run, gsize *samples, GError **error);

/* The highest ids in use, 0: none. */
bool aio_store_last_ids(AioStore *store, gint64 *connection, gint64 *run, GError **error);
bool aio_store_last_chunk(AioStore *store, gint64 *chunk, GError **error);

/* Calls `each` for every row in the order of the ids until it returns false; what the row points to
 * lives until `each` returns. A row that cannot be true ends it with AIO_ERROR_SYNTAX.
 * Chunks: run 0 stands for all; those that were packed come as they were before, by their ids. */
bool aio_store_each_connection(AioStore *store,
                               bool (*each)(const AioStoreConnection *row, void *data), void *data,
                               GError **error);
bool aio_store_each_run(AioStore *store, bool (*each)(const AioStoreRun *row, void *data),
                        void *data, GError **error);
bool aio_store_each_chunk(AioStore *store, gint64 run,
                          bool (*each)(const AioStoreChunk *row, void *data), void *data,
                          GError **error);
bool aio_store_each_raw(AioStore *store, bool (*each)(const AioStoreRaw *row, void *data),
                        void *data, GError **error);
bool aio_store_each_event(AioStore *store, bool (*each)(const AioStoreEvent *row, void *data),
                          void *data, GError **error);
/* The same of those behind the id `after`. */
bool aio_store_each_event_after(AioStore *store, gint64 after,
                                bool (*each)(const AioStoreEvent *row, void *data), void *data,
                                GError **error);
bool aio_store_each_fit(AioStore *store, bool (*each)(const AioStoreFit *row, void *data),
                        void *data, GError **error);
bool aio_store_each_statistic(AioStore *store,
                              bool (*each)(const AioStoreStatistic *row, void *data), void *data,
                              GError **error);

#endif
