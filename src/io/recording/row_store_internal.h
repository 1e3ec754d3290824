/* SPDX-License-Identifier: MIT */
/* Shared by row_store*.c: what a store is, and its blocks. */
#ifndef ARMATURE_IO_ROW_STORE_INTERNAL_H
#define ARMATURE_IO_ROW_STORE_INTERNAL_H

#include "io/base/spool.h"
#include "io/recording/recording_internal.h"
#include "io/recording/row_store.h"
#include "io/recording/shelf.h"

enum {
  WIDTH = 1024,
  MARGIN = ARM_WINDOW_MARGIN,
  MOST = WIDTH + 2 * MARGIN,
  KEPT_BYTES = 16 << 20,
  KEPT_FILTERED = 4 << 20
};

struct AioRowStore {
  const ArmModel *model;
  AioRecording *about; /* NULL: no file has been added */
  bool has_qdd, expects_qdd;
  gsize rows, unmoved;
  GByteArray *blocks;              /* whole ones, while they are few, else NULL */
  int fd;                          /* -1: they are few; else packed ones, one after the other */
  GArray *ends;                    /* goffset: of the blocks in the file */
  double *packed;                  /* one of them */
  gsize n_blocks;                  /* written */
  double *open;                    /* the block that is filled */
  gsize open_rows;                 /* with those of its neighbours */
  double *view;                    /* the block that is read */
  double t[MOST];                  /* its times, where files have been put together */
  AioSpool *steps;                 /* of time, from row to row; NULL: nothing more is added */
  double median_step, last;        /* last: time of the last row */
  double rounding[ARM_MAX_JOINTS]; /* accelerations that are not above are 0 */
  gsize kept_bytes;                /* in memory */
  AioRowStore *filtered;           /* owned: what a fit has made of the rows; NULL: nothing */
  ArmRowKeeper keeper;
  AioShelf *shelf; /* owned */
  GError *error;
};

/* The first block, once it is known what rows have. */
void aio_row_store_open_block(AioRowStore *store);
/* Puts rows begin to end-1 behind those that there are. */
bool aio_row_store_add_rows(AioRowStore *store, const ArmDataset *rows, gsize begin, gsize end,
                            GError **error);
/* The open block may have rows of its own and of the next one, which then is the last. */
void aio_row_store_close_block(AioRowStore *store);
/* As ArmRowSource's read; `user` is the store. */
ArmStatus aio_row_store_read(void *user, size_t k, ArmDataset *view);
/* The store's keeper, to whoever fits its rows. */
void aio_row_store_init_keeper(AioRowStore *store);

#endif
