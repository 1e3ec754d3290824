#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What there is to translate.
#
#   extract.sh POT      every string of the sources
#   extract.sh --files  the files that have any, as POTFILES lists them
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

list_files() {
  echo '# SPDX-License-Identifier: MIT'
  {
    find src/core src/io src/session src/sim src/ui src/wire resources \( -name '*.[ch]' -o -name '*.ui' \) -exec \
      grep -lE '\<(_|N_|C_|NC_|ngettext|g_dngettext|aio_said_many(_by)?)\(|^#define \w+\(TEXT\)|translatable="yes"' {} +
    find data/desktop -name '*.desktop' -o -name '*.metainfo.xml' -o -name '*.mime.xml'
  } | LC_ALL=C sort
}

case ${1:-} in
--files) list_files ;;
'') echo "usage: po/extract.sh POT | --files" >&2 && exit 2 ;;
*)
  # TEXT: the lists of wire/layout.h that people read
  xgettext --from-code=UTF-8 --add-comments=TRANSLATORS: --package-name=armature \
    --copyright-holder='the authors of Armature' --keyword=_ --keyword=N_ --keyword=C_:1c,2 \
    --keyword=NC_:1c,2 --keyword=g_dngettext:2,3 --keyword=TEXT:3 \
    --keyword=aio_said_many:1,2 --keyword=aio_said_many_by:2,3 \
    --flag=g_strdup_printf:1:c-format --flag=g_string_append_printf:2:c-format \
    --flag=g_set_error:4:c-format --flag=ase_session_say:3:c-format \
    --flag=aio_said:1:c-format --flag=aio_said_many:1:c-format --flag=aio_said_many:2:c-format \
    --flag=aio_said_many_by:2:c-format --flag=aio_said_many_by:3:c-format \
    --flag=aio_said_list_add:2:c-format --flag=aio_error_set_said:3:c-format \
    --flag=aio_native_error:3:c-format --flag=aio_reader_say:5:c-format \
    --flag=ase_record_say:3:c-format --flag=object:2:c-format --flag=say:3:c-format \
    --files-from=<(list_files) --output="$1"
  ;;
esac
