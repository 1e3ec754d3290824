/* SPDX-License-Identifier: MIT */
/* What a connection needs while it lasts, a simulator's thread or the address of a port, is one
 * object that the session owns: it ends with the connection, however that ends. */
#include "ui/connect/connection.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/base/said.h"
#include "io/link/link.h"
#include "io/registry/driver_registry.h"
#include "sim/loop.h"

static const char data_key[] = "aui-connection";

typedef struct {
  AsimLoop *loop; /* simulated; else NULL */
  double time_factor;
  char *path, *id, *usb_path; /* id NULL: found by its path only */
  char *device;               /* that the path led to when it was opened */
  guint baud;
} Connection;

static void connection_free(gpointer data) {
  Connection *self = data;
  asim_loop_stop(self->loop);
  g_free(self->path);
  g_free(self->id);
  g_free(self->usb_path);
  free(self->device);
  g_free(self);
}

static AioLink *fd_link(int fd, GError **error) {
  /* TRANSLATORS: in the place of a port's name: "simulator: connected again" */
  AioLink *link = aio_link_fd_new(fd, aio_said_word(N_("simulator")), error);
  if (!link)
    close(fd);
  return link;
}

/* In the reader's thread. */
static AioLink *reopen(void *ctx, GError **error) {
  Connection *self = ctx;
  if (self->loop) {
    const int fd = asim_loop_connect(self->loop, NULL);
    if (fd >= 0)
      return fd_link(fd, error);
    aio_error_set_said(error, AIO_ERROR_GONE, N_("the simulator does not answer"));
    return NULL;
  }
  if (!self->id)
    return aio_link_open(self->path, self->baud, error);
  g_autoptr(GPtrArray) ports = aio_ports_list();
  const AioPort *found = aio_ports_find(ports, self->id, self->usb_path);
  if (found)
    return aio_link_open(found->path, self->baud, error);
  aio_ports_set_missing(error, self->id);
  return NULL;
}

/* Takes over connection and link. The connection before must last until its device is closed. */
static bool connect(AseSession *session, Connection *connection, AioLink *link, GError **error) {
  AseDeviceOptions options;
  ase_device_options_default(&options);
  options.reopen = reopen;
  options.reopen_ctx = connection;
  if (ase_session_connect(session, link, &options, error)) {
    g_object_set_data_full(G_OBJECT(session), data_key, connection, connection_free);
    return true;
  }
  if (g_error_matches(*error, AIO_ERROR, AIO_ERROR_MEANING))
    (*error)->code = AIO_ERROR_SYNTAX; /* of the arm file's driver: no trouble with a port */
  aio_link_close(link);
  connection_free(connection);
  return false;
}

static AsimLoop *start_simulator(AseSession *session, double time_factor, int *fd, GError **error) {
  g_autofree AsimTruth *truth = g_new0(AsimTruth, 1);
  const AsimOptions options = {
      .truth = truth, .seed = 1, .time_factor = time_factor, .line_room = ASIM_LINE_ROOM};
  if (!asim_truth_from_arm(truth, ase_session_arm(session), options.seed, error))
    return NULL;
  g_autoptr(AsimController) controller = asim_controller_new(&options, error);
  AsimLoop *loop = controller ? asim_loop_start(controller, fd, error) : NULL;
  if (loop)
    g_steal_pointer(&controller); /* the loop has it */
  return loop;
}

bool aui_connect_simulated(AseSession *session, double time_factor, GError **error) {
  int fd = -1;
  AsimLoop *loop = start_simulator(session, time_factor, &fd, error);
  AioLink *link = loop ? fd_link(fd, error) : NULL;
  if (!link) {
    asim_loop_stop(loop);
    return false;
  }
  Connection *connection = g_new0(Connection, 1);
  connection->loop = loop;
  connection->time_factor = time_factor;
  return connect(session, connection, link, error);
}

/* One device has many names: /dev/ttyUSB0, /dev/serial/by-id/... */
static bool is_of(const Connection *self, const char *path) {
  if (g_strcmp0(self->path, path) == 0)
    return true;
  char *device = realpath(path, NULL);
  g_autoptr(GPtrArray) ports = self->id ? aio_ports_list() : NULL;
  const AioPort *found = ports ? aio_ports_find(ports, self->id, self->usb_path) : NULL;
  char *now = found ? realpath(found->path, NULL) : NULL; /* it may have come back elsewhere */
  const bool is_same =
      device && (g_strcmp0(self->device, device) == 0 || g_strcmp0(now, device) == 0);
  free(now);
  free(device);
  return is_same;
}

/* What is wrong with a name is told when it is connected. */
guint aui_connection_baud(AseSession *session) {
  AioDriverContext context = {.joints = 0};
  const AioDriverClass *klass = NULL;
  if (aio_driver_context_of(&context, ase_session_arm(session), NULL))
    aio_driver_choose(NULL, &context, &klass, NULL);
  return aio_driver_baud(klass);
}

/* What has fallen silent is still open, by this program, and nobody can open it a second time. What
 * is lost is not: it is being looked for. */
static bool let_go(AseSession *session, const char *path, GError **error) {
  const Connection *self = g_object_get_data(G_OBJECT(session), data_key);
  const AseLinkState link = ase_device_link(ase_session_device(session));
  if (!self || !is_of(self, path) || link == ASE_LINK_CLOSED || link == ASE_LINK_LOST)
    return true;
  return ase_session_disconnect(session, error);
}

static bool open_port(AseSession *session, const char *path, const AioPort *port, guint baud,
                      GError **error) {
  if (!let_go(session, path, error))
    return false;
  char *device = realpath(path, NULL); /* before it is opened: a link may change any time */
  AioLink *link = aio_link_open(path, baud, error);
  if (!link) {
    free(device);
    return false;
  }
  Connection *connection = g_new0(Connection, 1);
  connection->device = device;
  connection->path = g_strdup(path);
  connection->baud = baud;
  connection->id = port ? g_strdup(port->id) : NULL;
  connection->usb_path = port ? g_strdup(port->usb_path) : NULL;
  return connect(session, connection, link, error);
}

bool aui_connect_port(AseSession *session, const AioPort *port, guint baud, GError **error) {
  return open_port(session, port->path, port, baud, error);
}

bool aui_connect_path(AseSession *session, const char *path, guint baud, GError **error) {
  return open_port(session, path, NULL, baud, error);
}

static bool connect_port_again(AseSession *session, const Connection *self, GError **error) {
  g_autoptr(GPtrArray) ports = aio_ports_list();
  g_autofree char *path = g_strdup(self->path);
  const AioPort *port = self->id ? aio_ports_find(ports, self->id, self->usb_path) : NULL;
  if (self->id && !port) {
    aio_ports_set_missing(error, self->id);
    return false;
  }
  return open_port(session, port ? port->path : path, port, self->baud, error);
}

bool aui_connect_again(AseSession *session, GError **error) {
  const Connection *self = g_object_get_data(G_OBJECT(session), data_key);
  if (self && self->loop)
    return aui_connect_simulated(session, self->time_factor, error);
  if (self)
    return connect_port_again(session, self, error);
  g_set_error_literal(error, AIO_ERROR, AIO_ERROR_REFUSED,
                      _("nothing was connected; connect on the Connect page"));
  return false;
}

bool aui_connection_is_simulated(AseSession *session) {
  const Connection *self = g_object_get_data(G_OBJECT(session), data_key);
  return self && self->loop;
}

char *aui_connection_text(AseSession *session) {
  const Connection *self = g_object_get_data(G_OBJECT(session), data_key);
  if (!self || ase_device_link(ase_session_device(session)) == ASE_LINK_CLOSED)
    return g_strdup("");
  if (self->loop)
    return g_strdup_printf(_("simulator in this program, %.3g times as fast as real time"),
                           self->time_factor);
  return g_strdup_printf(_("%s, %u baud"), self->path, self->baud);
}
