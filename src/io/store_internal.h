/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_IO_STORE_INTERNAL_H
#define ARMATURE_IO_STORE_INTERNAL_H

#include "io/store.h"
#include "io/store_lock.h"
#include "io/store_sql.h"

struct AioStore {
  AioSql *sql;
  AioLock *lock; /* NULL: for reading */
  char *path;
};

#endif
