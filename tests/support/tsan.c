/* SPDX-License-Identifier: MIT */
/* Tells ThreadSanitizer what GLib's locks order. The system's GLib is not instrumented, so that
 * everything guarded by a GMutex would count as a race; these functions take the place of GLib's in
 * the program under test (not inside GLib) and pass on to them. What a source's callback finds
 * through a weak reference was there before the source was attached. Only linked with
 * -Db_sanitize=thread.
 */
#include <dlfcn.h>
#include <gio/gio.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

void g_mutex_lock(GMutex *mutex) {
  REAL(g_mutex_lock)(mutex);
  __tsan_acquire(mutex);
}

gboolean g_mutex_trylock(GMutex *mutex) {
  const gboolean is_locked = REAL(g_mutex_trylock)(mutex);
  if (is_locked)
    __tsan_acquire(mutex);
  return is_locked;
}

void g_mutex_unlock(GMutex *mutex) {
  __tsan_release(mutex);
  REAL(g_mutex_unlock)(mutex);
}

void g_cond_wait(GCond *cond, GMutex *mutex) {
  __tsan_release(mutex);
  REAL(g_cond_wait)(cond, mutex);
  __tsan_acquire(mutex);
}

gboolean g_cond_wait_until(GCond *cond, GMutex *mutex, gint64 end_us) {
  __tsan_release(mutex);
  const gboolean is_signalled = REAL(g_cond_wait_until)(cond, mutex, end_us);
  __tsan_acquire(mutex);
  return is_signalled;
}

GThread *g_thread_new(const gchar *name, GThreadFunc function, gpointer data) {
  __tsan_release(data);
  return REAL(g_thread_new)(name, function, data);
}

/* No system bus: an armed arm would keep the computer awake (session/device/inhibit), and what
 * threads of GIO's own hand to each other for that is not seen either. */
void g_bus_get(GBusType type, GCancellable *cancellable, GAsyncReadyCallback callback,
               gpointer data) {
  (void)type, (void)cancellable, (void)callback, (void)data;
}

void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);

static char attached;

/* What GLib allocates for it here is freed by the thread that dispatches it. */
guint g_source_attach(GSource *source, GMainContext *context) {
  __tsan_release(&attached);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  const guint id = REAL(g_source_attach)(source, context);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  return id;
}

gpointer g_weak_ref_get(GWeakRef *reference) {
  __tsan_acquire(&attached);
  return REAL(g_weak_ref_get)(reference);
}
