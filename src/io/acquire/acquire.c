/* SPDX-License-Identifier: MIT */
/* The caller's side of the acquirer: commands in, replies and events out. */
#include "io/acquire/acquire.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "io/acquire/acquire_internal.h"
#include "io/base/safe_text.h"
#include "io/base/said.h"

/* Chosen bounds of what waits for a main loop that hangs; words of the controller get half at most,
 * so that replies and faults have room whatever it says. */
enum { EVENTS_MAX = 4096, TALK_MAX = EVENTS_MAX / 2, KEPT_MAX = 64, AT_ONCE = 64 };
#define HEARTBEAT_PAUSE_NS (G_GINT64_CONSTANT(100000000))

static void wake_reader(AioAcquirer *acquirer) {
  const guint64 one = 1;
  const gssize written = write(acquirer->wake_fd, &one, sizeof one);
  (void)written; /* cannot fail: the count stays far below its 64 bits */
}

/* ---- what the reader hands over ---- */

/* With the lock held; takes over the message. */
static void put_message(AioAcquirer *acquirer, AioMessage *message) {
  if (g_queue_is_empty(&acquirer->inbox))
    g_source_set_ready_time(acquirer->source, 0);
  g_queue_push_tail(&acquirer->inbox, message);
}

void aio_acquirer_post_event(AioAcquirer *acquirer, const AioEvent *event, bool is_talk) {
  if (!acquirer->options.on_event)
    return;
  g_mutex_lock(&acquirer->lock);
  if (acquirer->statistics.events_waiting < (is_talk ? TALK_MAX : EVENTS_MAX)) {
    AioMessage *message = g_new0(AioMessage, 1);
    message->event = *event;
    aio_text_cut(message->event.text);
    acquirer->statistics.events_waiting++;
    put_message(acquirer, message);
  } else {
    acquirer->statistics.events_dropped++;
  }
  g_mutex_unlock(&acquirer->lock);
}

static void free_pending(gpointer data) {
  AioPending *pending = data;
  aio_command_free(pending->command);
  g_free(pending);
}

/* With the lock held: for aio_acquirer_wait. */
static void keep_reply(AioAcquirer *acquirer, const AioReply *reply) {
  g_queue_push_tail(&acquirer->kept, aio_reply_copy(reply));
  if (acquirer->kept.length > KEPT_MAX)
    aio_reply_free(g_queue_pop_head(&acquirer->kept));
  g_cond_broadcast(&acquirer->answered);
}

void aio_acquirer_post_reply(AioAcquirer *acquirer, const AioReply *reply) {
  g_mutex_lock(&acquirer->lock);
  const AioPending *pending = g_hash_table_lookup(acquirer->pending, &reply->ticket);
  if (pending && pending->done) {
    AioMessage *message = g_new0(AioMessage, 1);
    message->reply = aio_reply_copy(reply);
    aio_text_cut(message->reply->message);
    message->done = pending->done;
    message->ctx = pending->ctx;
    put_message(acquirer, message);
  } else if (pending) {
    keep_reply(acquirer, reply);
  }
  g_hash_table_remove(acquirer->pending, &reply->ticket);
  g_mutex_unlock(&acquirer->lock);
}

bool aio_acquirer_kind(AioAcquirer *acquirer, guint64 ticket, AioCommandKind *kind) {
  g_mutex_lock(&acquirer->lock);
  const AioPending *pending = g_hash_table_lookup(acquirer->pending, &ticket);
  if (pending)
    *kind = pending->kind;
  g_mutex_unlock(&acquirer->lock);
  return pending != NULL;
}

/* ---- delivery in the caller's thread ---- */

static AioMessage *take_message(AioAcquirer *acquirer) {
  g_mutex_lock(&acquirer->lock);
  AioMessage *message = g_queue_pop_head(&acquirer->inbox);
  if (message && !message->reply)
    acquirer->statistics.events_waiting--;
  g_mutex_unlock(&acquirer->lock);
  return message;
}

static void deliver_event(AioAcquirer *acquirer, const AioEvent *event) {
  acquirer->options.on_event(event, acquirer->options.event_ctx);
}

static void tell_dropped_events(AioAcquirer *acquirer) {
  g_mutex_lock(&acquirer->lock);
  const guint64 dropped = acquirer->statistics.events_dropped - acquirer->events_dropped_told;
  acquirer->events_dropped_told = acquirer->statistics.events_dropped;
  g_mutex_unlock(&acquirer->lock);
  if (dropped == 0)
    return;
  AioEvent event = {.kind = AIO_EVENT_LOG, .level = 2};
  event.t_host_ns = g_get_monotonic_time() * 1000;
  char *said =
      aio_said_many("%zu event was lost, since too many waited to be taken: what is known of "
                    "the controller's state may be old",
                    "%zu events were lost, since too many waited to be taken: what is known "
                    "of the controller's state may be old",
                    (gsize)dropped);
  aio_said_copy(event.text, sizeof event.text, said);
  g_free(said);
  deliver_event(acquirer, &event);
}

static guint deliver(AioAcquirer *acquirer, guint most) {
  guint count = 0;
  acquirer->is_delivering = true;
  for (AioMessage *message; count < most && (message = take_message(acquirer)); count++) {
    if (message->reply)
      message->done(message->reply, message->ctx);
    else
      deliver_event(acquirer, &message->event);
    aio_reply_free(message->reply);
    g_free(message);
  }
  tell_dropped_events(acquirer);
  acquirer->is_delivering = false;
  return count;
}

/* What comes meanwhile waits for the next call: a device that talks faster than its words are
 * taken must not keep the caller here. */
guint aio_acquirer_dispatch(AioAcquirer *acquirer) {
  g_mutex_lock(&acquirer->lock);
  const guint waiting = acquirer->inbox.length;
  g_mutex_unlock(&acquirer->lock);
  return deliver(acquirer, waiting);
}

typedef struct {
  GSource source;
  AioAcquirer *acquirer;
} InboxSource;

/* A few, then the heartbeat and whatever else the main loop has to do. */
static gboolean dispatch_inbox(GSource *source, GSourceFunc callback, gpointer data) {
  AioAcquirer *acquirer = ((InboxSource *)source)->acquirer;
  (void)callback;
  (void)data;
  g_source_set_ready_time(source, -1);
  deliver(acquirer, AT_ONCE);
  g_mutex_lock(&acquirer->lock);
  if (!g_queue_is_empty(&acquirer->inbox))
    g_source_set_ready_time(source, 0);
  g_mutex_unlock(&acquirer->lock);
  return G_SOURCE_CONTINUE;
}

static GSourceFuncs inbox_functions = {.dispatch = dispatch_inbox};

/* ---- commands ---- */

guint64 aio_acquirer_new_ticket(AioAcquirer *acquirer) {
  g_mutex_lock(&acquirer->lock);
  const guint64 ticket = ++acquirer->last_ticket;
  g_mutex_unlock(&acquirer->lock);
  return ticket;
}

guint64 aio_acquirer_send(AioAcquirer *acquirer, const AioCommand *command, AioReplyFunc done,
                          void *ctx) {
  AioPending *pending = g_new0(AioPending, 1);
  pending->command = aio_command_copy(command);
  pending->kind = command->kind;
  pending->done = done;
  pending->ctx = ctx;
  g_mutex_lock(&acquirer->lock);
  const guint64 ticket = pending->ticket = ++acquirer->last_ticket;
  g_hash_table_insert(acquirer->pending, &pending->ticket, pending);
  g_queue_push_tail(&acquirer->commands, pending);
  g_mutex_unlock(&acquirer->lock);
  wake_reader(acquirer);
  return ticket;
}

static AioReply *take_kept(AioAcquirer *acquirer, guint64 ticket) {
  for (GList *link = acquirer->kept.head; link; link = link->next) {
    AioReply *reply = link->data;
    if (reply->ticket == ticket) {
      g_queue_delete_link(&acquirer->kept, link);
      return reply;
    }
  }
  return NULL;
}

bool aio_acquirer_wait(AioAcquirer *acquirer, guint64 ticket, guint timeout_ms, AioReply **reply) {
  const gint64 end_us = g_get_monotonic_time() + (gint64)timeout_ms * 1000;
  g_mutex_lock(&acquirer->lock);
  while (!(*reply = take_kept(acquirer, ticket)))
    if (!g_cond_wait_until(&acquirer->answered, &acquirer->lock, end_us))
      break;
  g_mutex_unlock(&acquirer->lock);
  return *reply != NULL;
}

void aio_acquirer_keep_alive(AioAcquirer *acquirer) {
  const gint64 now_ns = g_get_monotonic_time() * 1000;
  const gint64 before_ns = atomic_exchange(&acquirer->heartbeat_ns, now_ns);
  if (now_ns - before_ns > HEARTBEAT_PAUSE_NS)
    wake_reader(acquirer); /* the driver may have a lease to renew that it had given up */
}

/* ---- queues and statistics ---- */

bool aio_acquirer_subscribe(AioAcquirer *acquirer, AioQueue *queue) {
  g_mutex_lock(&acquirer->lock);
  guint k = 0;
  while (k < AIO_QUEUES_MAX && acquirer->queues[k])
    k++;
  if (k < AIO_QUEUES_MAX)
    acquirer->queues[k] = aio_queue_ref(queue);
  g_mutex_unlock(&acquirer->lock);
  return k < AIO_QUEUES_MAX;
}

void aio_acquirer_unsubscribe(AioAcquirer *acquirer, AioQueue *queue) {
  g_mutex_lock(&acquirer->lock);
  for (guint k = 0; k < AIO_QUEUES_MAX; k++)
    if (acquirer->queues[k] == queue) {
      acquirer->queues[k] = NULL;
      aio_queue_unref(queue);
    }
  g_mutex_unlock(&acquirer->lock);
}

void aio_acquirer_statistics(AioAcquirer *acquirer, AioStatistics *out) {
  g_mutex_lock(&acquirer->lock);
  *out = acquirer->statistics;
  for (guint k = 0; k < AIO_QUEUES_MAX; k++)
    if (acquirer->queues[k])
      aio_queue_counters(acquirer->queues[k], &out->queue[out->queues++]);
  const AioTally tally = acquirer->tally;
  g_mutex_unlock(&acquirer->lock);
  aio_tally_read(&tally, g_get_monotonic_time() * 1000, out);
}

/* ---- beginning and end ---- */

static void make_source(AioAcquirer *acquirer) {
  GMainContext *context = g_main_context_ref_thread_default();
  acquirer->source = g_source_new(&inbox_functions, sizeof(InboxSource));
  ((InboxSource *)acquirer->source)->acquirer = acquirer;
  g_source_set_static_name(acquirer->source, "acquirer");
  g_source_attach(acquirer->source, context);
  g_main_context_unref(context);
}

AioAcquirer *aio_acquirer_new(const AioAcquirerOptions *options, AioLink *link, GError **error) {
  const int wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_fd < 0) {
    aio_error_set_said(error, AIO_ERROR_IO, N_("%s: cannot make an event descriptor: %s"),
                       link->name, g_strerror(errno));
    return NULL;
  }
  AioAcquirer *acquirer = g_new0(AioAcquirer, 1);
  acquirer->options = *options;
  acquirer->wake_fd = wake_fd;
  g_mutex_init(&acquirer->lock);
  g_cond_init(&acquirer->answered);
  acquirer->pending = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, free_pending);
  acquirer->statistics.is_connected = true;
  make_source(acquirer);
  AioReaderStart *start = g_new(AioReaderStart, 1);
  *start = (AioReaderStart){acquirer, link};
  acquirer->thread = g_thread_new("reader", aio_reader_run, start);
  return acquirer;
}

bool aio_acquirer_is_delivering(const AioAcquirer *acquirer) {
  return acquirer->is_delivering;
}

void aio_acquirer_free(AioAcquirer *acquirer) {
  if (!acquirer)
    return;
  g_assert(!acquirer->is_delivering);
  g_mutex_lock(&acquirer->lock);
  acquirer->wants_end = true;
  g_mutex_unlock(&acquirer->lock);
  wake_reader(acquirer);
  g_thread_join(acquirer->thread);
  g_source_destroy(acquirer->source);
  aio_acquirer_dispatch(acquirer);
  g_source_unref(acquirer->source);
  for (guint k = 0; k < AIO_QUEUES_MAX; k++)
    aio_queue_unref(acquirer->queues[k]);
  g_queue_clear_full(&acquirer->kept, (GDestroyNotify)aio_reply_free);
  g_hash_table_unref(acquirer->pending);
  g_cond_clear(&acquirer->answered);
  g_mutex_clear(&acquirer->lock);
  close(acquirer->wake_fd);
  g_free(acquirer);
}
