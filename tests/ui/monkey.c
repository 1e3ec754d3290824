/* SPDX-License-Identifier: MIT */
/* Somebody who clicks and types at random, through the X server, at a window whose controller is at
 * a pseudo-terminal, whose cable is pulled now and then:
 *
 *   monkey SEQUENCES [SEED]
 *
 * A sequence is up to eight clicks, double-clicks, drags and keys, all shorter than a second, half
 * of them aimed at the button that arms while it would. Nothing of that may arm. Every fifth
 * sequence a person arms on purpose before it (and then the monkey may start what it finds), and
 * lets the button go late, when it means another thing, which must not begin. No message of GLib,
 * GTK or the program above "message", no crash, no session that outlives its window; memory is
 * compared between the first quarter and the end. Prints a line for the list of what must be
 * shown; exit code 0: PASS. */
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <execinfo.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gui.h"
#include "outside.h"
#include "ui/connect/connection.h"
#include "ui/kit/press_button.h"
#include "ui/kit/settings.h"
#include "ui/kit/steps.h"
#include "ui/next.h"
#include "watchdog.h"

enum {
  ARM_EACH = 5,
  PULL_EACH = 23,
  REOPEN_EACH = 50,
  MISSES = 2,
  MOST_MB = 60,
  FRAMES = 40,
  LEAST_ARMED = 10,
  AIMED = 3,
  EDGE = 20
};
static const double SPEED = 20.0;

typedef struct {
  Gui gui;
  Outside arm;
  AuiApplication *application;
  GRand *random;
  guint sequence, unasked, armings, simulated, sessions, kept, misses, tries;
  bool may_be_armed, was_armed;
} Monkey;

static guint messages, accountings;

/* ---- what is judged ---- */

/* GTK 4 loses count of what is pressed when a widget goes meanwhile, whatever the program: said of
 * many, and told apart here. */
static bool is_accounting(const char *text) {
  return strstr(text, "Broken accounting of active state") != NULL;
}

static GLogWriterOutput on_log(GLogLevelFlags level, const GLogField *fields, gsize n,
                               gpointer data) {
  (void)data;
  if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) {
    g_autofree char *text = g_log_writer_format_fields(level, fields, n, FALSE);
    void *frames[FRAMES];
    const bool is_gtk = is_accounting(text);
    accountings += is_gtk;
    messages += !is_gtk;
    g_printerr("%s\n", text);
    if (!is_gtk || g_getenv("MONKEY_FRAMES"))
      backtrace_symbols_fd(frames, backtrace(frames, FRAMES), STDERR_FILENO);
  }
  return G_LOG_WRITER_HANDLED;
}

static double resident_mb(void) {
  g_autofree char *text = NULL;
  gint64 pages = 0; /* the second number */
  if (g_file_get_contents("/proc/self/statm", &text, NULL, NULL) && strchr(text, ' '))
    pages = g_ascii_strtoll(strchr(text, ' '), NULL, 10);
  return 1e-6 * (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* The program's own simulator, which the monkey may find and connect, needs no deliberate act. */
static void on_device(Monkey *self) {
  const bool is_armed = gui_is_armed(&self->gui);
  if (is_armed && !self->was_armed) {
    const bool is_simulated = aui_connection_is_simulated(self->gui.session);
    *(is_simulated ? &self->simulated : &self->armings) += 1;
    if (!is_simulated && !self->may_be_armed) {
      self->unasked++;
      g_printerr("sequence %u: armed, and nobody asked for it\n", self->sequence);
    }
  }
  self->was_armed = is_armed;
}

/* ---- the session ---- */

static void open_window(Monkey *self) {
  outside_open(&self->arm, &self->gui, self->application);
  g_object_add_weak_pointer(G_OBJECT(self->gui.window), (gpointer *)&self->gui.window);
  g_signal_connect_swapped(ase_session_device(self->gui.session), "changed", G_CALLBACK(on_device),
                           self);
  gui_hurry(&self->gui);
  gui_do(&self->gui, ASE_STEP_CHECK, 30.0);
  gui_do(&self->gui, ASE_STEP_PLAN, 60.0);
  self->was_armed = self->may_be_armed = false;
  self->misses = 0;
  self->sessions++;
}

static bool is_ready(Gui *gui) {
  return ase_device_link(ase_session_device(gui->session)) == ASE_LINK_READY;
}

static bool append_aimed(Monkey *self, GString *line, GtkWidget *widget);
static void perform(const char *line);

/* A person clears what is latched, and waits: whoever pressed Hold a moment ago cannot arm yet. */
static void make_ready(Monkey *self) {
  AseDevice *device = ase_session_device(self->gui.session);
  if (ase_device_state(device)->faults)
    ase_device_clear_faults(device);
  for (int k = 0; k < 100 && is_ready(&self->gui) && !ase_device_may_arm(device, NULL); k++)
    gui_pass(0.05);
}

/* Did the press that armed begin what its button means since? */
static void judge_release(Monkey *self) {
  const AseProcedure *procedure = ase_session_procedure(self->gui.session);
  const AseStep step = ase_procedure_find(procedure, ASE_STATE_RUNNING);
  if (step == ASE_STEPS || !ase_step_moves(step))
    return;
  self->unasked++;
  g_printerr("sequence %u: the release of what arms began a motion\n", self->sequence);
}

/* By the button, if it arms now, pressed for longer than a second, or until it hears again;
 * otherwise by the session. */
static void arm_on_purpose(Monkey *self) {
  GtkWidget *next = gui_next_button(&self->gui);
  GString *line = g_string_new("xdotool");
  self->may_be_armed = true;
  make_ready(self);
  if (aui_press_button_needs_long_press(AUI_PRESS_BUTTON(next)) && append_aimed(self, line, next)) {
    g_string_append_printf(line, " mousedown 1 sleep %s mouseup 1",
                           g_rand_boolean(self->random) ? "1.3" : "2.6");
    perform(line->str);
    gui_pass(0.1);
    judge_release(self);
  }
  if (is_ready(&self->gui) && !gui_is_armed(&self->gui))
    ase_session_begin_arming(self->gui.session, NULL);
  for (int k = 0; k < 20 && !gui_is_armed(&self->gui); k++)
    gui_pass(0.05);
  self->misses = gui_is_armed(&self->gui) || !self->arm.pid ? 0 : self->misses + 1;
  g_string_free(line, TRUE);
}

static bool is_settled(Gui *gui) {
  return !gui_is_armed(gui);
}

static void disarm(Monkey *self) {
  ase_session_cancel(self->gui.session);
  ase_device_disarm(ase_session_device(self->gui.session));
  for (int k = 0; k < 100 && is_ready(&self->gui) && !is_settled(&self->gui); k++)
    gui_pass(0.05);
  if (is_settled(&self->gui))
    self->may_be_armed = false;
}

/* ---- the end of a window ---- */

/* As a person does; whether the arm is to be halted first is answered with yes. */
static void close_politely(GtkWindow *window) {
  if (ADW_IS_MESSAGE_DIALOG(window) &&
      adw_message_dialog_has_response(ADW_MESSAGE_DIALOG(window), "hold"))
    adw_message_dialog_response(ADW_MESSAGE_DIALOG(window), "hold");
  gtk_window_close(window);
}

/* What it has opened beside the window would take all further keys. */
static guint close_but(GtkWidget *kept) {
  GListModel *windows = gtk_window_get_toplevels();
  guint open = 0;
  for (guint k = g_list_model_get_n_items(windows); k-- > 0;) {
    g_autoptr(GtkWindow) window = g_list_model_get_item(windows, k);
    if (!window || GTK_WIDGET(window) == kept || !gtk_widget_get_visible(GTK_WIDGET(window)))
      continue;
    close_politely(window);
    open++;
  }
  return open;
}

static void close_others(Monkey *self) {
  for (int k = 0; k < 20 && close_but(self->gui.window); k++)
    gui_pass(0.05);
}

/* Nothing of it is left when it is closed. */
static void close_windows(Monkey *self) {
  AseSession *session = self->gui.session;
  close_others(self);
  for (int k = 0; k < 600 && close_but(NULL); k++)
    gui_pass(0.05);
  if (self->gui.window)
    g_error("sequence %u: the window does not close", self->sequence);
  if (!session)
    return;
  g_signal_handlers_disconnect_by_data(ase_session_device(session), self);
  g_object_add_weak_pointer(G_OBJECT(session), (gpointer *)&session);
  g_clear_object(&self->gui.session);
  for (int k = 0; k < 40 && session; k++)
    gui_pass(0.05);
  self->kept += session != NULL;
  if (session) {
    g_printerr("sequence %u: the session is kept\n", self->sequence);
    g_object_remove_weak_pointer(G_OBJECT(session), (gpointer *)&session);
  }
}

/* ---- the monkey ---- */

/* Of what closes the program, or leaves it, nothing. */
static const char *const keys[] = {
    "Tab",    "Tab",    "shift+Tab", "Return", "Return",    "space",     "space", "Up",
    "Down",   "Left",   "Right",     "Escape", "ctrl+z",    "ctrl+l",    "F1",    "shift+Escape",
    "ctrl+1", "ctrl+2", "ctrl+3",    "ctrl+4", "ctrl+5",    "ctrl+6",    "5",     "a",
    "plus",   "minus",  "Delete",    "Menu",   "shift+F10", "Page_Down", "End",   "alt+a"};

static void append_point(Monkey *self, GString *line) {
  const int width = gtk_widget_get_width(self->gui.window);
  const int height = gtk_widget_get_height(self->gui.window);
  const int x = g_rand_int_range(self->random, EDGE, MAX(width - EDGE, EDGE + 1));
  const int y = g_rand_int_range(self->random, EDGE, MAX(height - EDGE, EDGE + 1));
  g_string_append_printf(line, " mousemove %d %d", x, y);
}

static bool append_aimed(Monkey *self, GString *line, GtkWidget *widget) {
  graphene_rect_t at;
  if (!widget || !gtk_widget_get_mapped(widget) ||
      !gtk_widget_compute_bounds(widget, self->gui.window, &at))
    return false;
  g_string_append_printf(line, " mousemove %.0f %.0f", at.origin.x + 0.5 * at.size.width,
                         at.origin.y + 0.5 * at.size.height);
  return true;
}

static void append_click(Monkey *self, GString *line) {
  const int repeats = g_rand_int_range(self->random, 1, 4);
  const int button = g_rand_int_range(self->random, 0, 10) ? 1 : 3;
  g_string_append_printf(line, " click --repeat %d --delay %d %d", repeats,
                         g_rand_int_range(self->random, 20, 120), button);
}

/* Pressed for less than a second. */
static void append_press(Monkey *self, GString *line) {
  g_string_append_printf(line, " mousedown 1 sleep 0.%d", g_rand_int_range(self->random, 1, 6));
  if (g_rand_boolean(self->random))
    append_point(self, line);
  g_string_append(line, " mouseup 1");
}

/* The button that arms hears, and the arm is not armed. */
static bool would_arm(Monkey *self) {
  return ase_session_next(self->gui.session) == ASE_NEXT_ARM &&
         gui_can_use(gui_next_button(&self->gui));
}

static void append_deed(Monkey *self, GString *line) {
  const bool is_tempted = would_arm(self) && g_rand_boolean(self->random);
  const int deed = is_tempted ? AIMED : g_rand_int_range(self->random, 0, 10);
  if (deed < 3) {
    append_point(self, line);
    append_click(self, line);
  } else if (deed < 5) {
    if (append_aimed(self, line, gui_next_button(&self->gui))) {
      self->tries += would_arm(self);
      (g_rand_boolean(self->random) ? append_click : append_press)(self, line);
    }
  } else if (deed < 6) {
    append_point(self, line);
    append_press(self, line);
  } else {
    g_string_append_printf(line, " key --delay %d %s", g_rand_int_range(self->random, 5, 60),
                           keys[g_rand_int_range(self->random, 0, G_N_ELEMENTS(keys))]);
  }
}

static void on_done(GPid pid, int status, gpointer data) {
  (void)status;
  g_spawn_close_pid(pid);
  *(bool *)data = true;
}

/* The main loop runs meanwhile: it is held while the monkey goes on. */
static void perform(const char *line) {
  g_auto(GStrv) argv = NULL;
  g_autoptr(GError) error = NULL;
  bool is_done = false;
  GPid pid;
  if (!g_shell_parse_argv(line, NULL, &argv, &error) ||
      !g_spawn_async(NULL, argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                     &pid, &error))
    g_error("%s", error->message);
  g_child_watch_add(pid, on_done, &is_done);
  while (!is_done)
    gui_pass(0.02);
}

static void play(Monkey *self) {
  GString *line = g_string_new("xdotool");
  const int deeds = g_rand_int_range(self->random, 2, 9);
  for (int k = 0; k < deeds; k++)
    append_deed(self, line);
  perform(line->str);
  gui_pass(0.1);
  g_string_free(line, TRUE);
}

static void care_for(Monkey *self) {
  close_others(self);
  if (!self->gui.window || self->sequence % REOPEN_EACH == 0 || self->misses == MISSES ||
      aui_connection_is_simulated(self->gui.session)) {
    close_windows(self);
    outside_pull(&self->arm); /* what is latched in the controller would fail the check */
    outside_plug(&self->arm);
    open_window(self);
  }
  if (self->sequence % PULL_EACH == PULL_EACH - 2)
    outside_pull(&self->arm);
  if (self->sequence % PULL_EACH == 0 && !self->arm.pid)
    outside_plug(&self->arm);
}

static void run(Monkey *self) {
  if (self->sequence % ARM_EACH == ARM_EACH - 1)
    arm_on_purpose(self);
  else if (self->may_be_armed)
    disarm(self);
  play(self);
  care_for(self);
}

/* ---- the screen ---- */

/* Where no window manager says that it moves windows, GDK does so itself: it goes on when the
 * window is gone (BadWindow of XMoveWindow, in GTK 4.8), and moves windows off the screen, where it
 * knows no monitor for their menus. This one says so, and never does. */
static Display *pretend_manager(void) {
  Display *display = XOpenDisplay(NULL);
  if (!display)
    return NULL;
  const Window root = DefaultRootWindow(display);
  const Window own = XCreateSimpleWindow(display, root, -1, -1, 1, 1, 0, 0, 0);
  const Atom check = XInternAtom(display, "_NET_SUPPORTING_WM_CHECK", False);
  const Atom moves = XInternAtom(display, "_NET_WM_MOVERESIZE", False);
  const Window both[2] = {root, own};
  for (guint k = 0; k < 2; k++)
    XChangeProperty(display, both[k], check, XA_WINDOW, 32, PropModeReplace,
                    (const unsigned char *)&own, 1);
  XChangeProperty(display, root, XInternAtom(display, "_NET_SUPPORTED", False), XA_ATOM, 32,
                  PropModeReplace, (const unsigned char *)&moves, 1);
  XSync(display, False);
  return display;
}

/* ---- the line ---- */

/* AddressSanitizer keeps what was freed, up to 256 MB, and tells of leaks itself. */
static bool is_small(double grown_mb) {
#ifdef __SANITIZE_ADDRESS__
  return isfinite(grown_mb);
#else
  return grown_mb < MOST_MB;
#endif
}

static int tell(Monkey *self, double before_mb) {
  const double grown_mb = resident_mb() - before_mb;
  const bool is_good = !self->unasked && !messages && !self->kept && is_small(grown_mb) &&
                       self->armings >= MAX(self->sequence / LEAST_ARMED, 1);
  printf("SHOW 12.4 monkey: %u sequences, %u windows, %u armed on purpose (and %u times the "
         "program's own simulator), "
         "%u presses too short on what arms measured=%u armed or moving unasked, %u messages (and "
         "%u of "
         "GTK's accounting), %u sessions kept, "
         "%+.0f MB, longest round of the main loop %.0f ms of CPU "
         "target=0 armed or moving unasked, 0 messages, 0 sessions kept, < %d MB %s\n",
         self->sequence, self->sessions, self->armings - self->unasked, self->simulated,
         self->tries, self->unasked, messages, accountings, self->kept, grown_mb,
         watchdog_worst_ms(), MOST_MB, is_good ? "PASS" : "FAIL");
  return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  const guint sequences = argc > 1 ? (guint)strtoul(argv[1], NULL, 10) : 40;
  const guint32 seed = argc > 2 ? (guint32)strtoul(argv[2], NULL, 10) : 1;
  Monkey self = {.random = g_rand_new_with_seed(seed)};
  double before_mb = 0.0;
  g_log_set_writer_func(on_log, NULL, NULL);
  Display *display = pretend_manager();
  self.application = display ? gui_application_new() : NULL;
  if (!self.application)
    return 77;
  g_settings_set_boolean(aui_settings(), "tour-seen", TRUE);
  outside_start(&self.arm, "planar2r", SPEED);
  open_window(&self);
  for (self.sequence = 1; self.sequence <= sequences; self.sequence++) {
    run(&self);
    if (self.sequence == MAX(sequences / 4, 1))
      before_mb = resident_mb();
  }
  self.sequence = sequences;
  close_windows(&self);
  const int status = tell(&self, before_mb);
  outside_stop(&self.arm);
  g_rand_free(self.random);
  g_object_unref(self.application);
  XCloseDisplay(display);
  return status;
}
