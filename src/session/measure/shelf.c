/* SPDX-License-Identifier: MIT */
#include "session/measure/shelf.h"

struct AseShelf {
  gatomicrefcount references;
  GMutex lock;
  char *path;
};

AseShelf *ase_shelf_new(const char *path) {
  AseShelf *shelf = g_new0(AseShelf, 1);
  g_atomic_ref_count_init(&shelf->references);
  g_mutex_init(&shelf->lock);
  shelf->path = g_strdup(path);
  return shelf;
}

AseShelf *ase_shelf_ref(AseShelf *shelf) {
  g_atomic_ref_count_inc(&shelf->references);
  return shelf;
}

void ase_shelf_unref(AseShelf *shelf) {
  if (!shelf || !g_atomic_ref_count_dec(&shelf->references))
    return;
  g_mutex_clear(&shelf->lock);
  g_free(shelf->path);
  g_free(shelf);
}

void ase_shelf_move_to(AseShelf *shelf, const char *path) {
  g_mutex_lock(&shelf->lock);
  g_free(shelf->path);
  shelf->path = g_strdup(path);
  g_mutex_unlock(&shelf->lock);
}

AioStore *ase_shelf_open(AseShelf *shelf, GError **error) {
  g_mutex_lock(&shelf->lock);
  char *path = g_strdup(shelf->path);
  g_mutex_unlock(&shelf->lock);
  AioStore *store = aio_store_open_again(path, error);
  g_free(path);
  return store;
}
