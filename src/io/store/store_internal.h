/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_IO_STORE_INTERNAL_H
#define ARMATURE_IO_STORE_INTERNAL_H

#include <sys/types.h>

#include "io/store/store.h"
#include "io/store/store_lock.h"
#include "io/store/store_sql.h"

/* The file, its log, the log's index. */
enum { AIO_STORE_FILES = 3 };
typedef struct {
  bool is_there;
  dev_t device;
  ino_t inode;
  off_t size;
} AioFileId;

/* The file and its log, as they were after the last write of this program. */
enum { AIO_CONTENT_HEAD = 100 };
typedef struct {
  bool is_known;
  gint64 size;
  guint8 head[AIO_CONTENT_HEAD];
} AioContent;

/* The last bytes of the log that are not all zero, after the last commit. Who cuts it off before
 * them leaves zeros there, as the next commit is written where it would have been. */
enum { AIO_LOG_END = 16, AIO_LOG_SALTS = 8 };
typedef struct {
  gint64 at; /* 0: not known */
  guint8 salts[AIO_LOG_SALTS], bytes[AIO_LOG_END];
} AioLogEnd;

/* Which log holds the page with the session's uid, so that it can be told from others' logs. */
enum { AIO_LOG_SALT = 12, AIO_LOG_SALT_SIZE = 12 }; /* of a log's header: differs in every log */
typedef struct {
  bool is_adding; /* with the transaction that is open */
  guint8 salt[AIO_LOG_SALT_SIZE];
} AioLogMark;

struct AioStore {
  AioSql *sql;
  AioLock *lock;     /* NULL: for reading */
  bool is_waiting;   /* locked, but opened for reading as yet */
  bool has_packs;    /* there is a table of them; false: not looked at, or not yet */
  gint64 next_chunk; /* its id, in this transaction; 0: not known */
  char *path;
  char *resolved;                /* of a writer, absolute */
  AioFileId id[AIO_STORE_FILES]; /* as they were opened for writing */
  AioContent content[2];         /* of the file, of its log */
  AioLogEnd end;                 /* of a tended log */
  AioLogMark mark;
  bool is_overwritten[2];    /* by somebody else, in place: stays so */
  gint64 version;            /* SQLite's, of what other connections did; 0: not known */
  bool is_changed;           /* by one of them: stays so */
  bool is_index_cut;         /* by somebody else: stays so */
  bool is_salvaged;          /* what could still be read is elsewhere */
  bool is_tended;            /* its log is moved into the file by an AioCheckpointer */
  gint passes, passes_known; /* begun and ended by it (atomic); when content was remembered */
};

/* ---- store_place.c ---- */

/* Of a store with `resolved`, once all of them are open. */
void aio_store_remember_place(AioStore *store);
/* After a write; the file too, if it may have been changed by it. */
void aio_store_remember_content(AioStore *store, bool and_file);
/* Directly after a write, before its content is remembered: is the log what was there and what was
 * written? Others may have had it between the last look and the write. */
void aio_store_look_at_log_end(AioStore *store, bool is_committed);
/* As aio_store_check_place, but what others changed by SQLite is as good as ours: it may be closed
 * like any other, which SQLite refuses while they have it open. */
bool aio_store_is_in_place(AioStore *store, GError **error);
/* It writes to a log, as everywhere but on network drives. */
bool aio_store_has_log(const AioStore *store);
/* Deletes log and index, unless others have taken their names. */
void aio_store_remove_own_log(const AioStore *store);

#endif
