#!/usr/bin/env bash
# Builds the image, and runs it as a hardened host does: as a user without a name, with a read-only root.
#   DATABASE_URL=postgres://... deploy/test-container.sh
# Needs root, buildah, debootstrap and Node, and a PostgreSQL server that this machine reaches. Its database is
# migrated. The base images are made by debootstrap, so no registry of images is needed. Optional variables:
#   BASE_ROOT  a folder with a Debian root made by debootstrap, to save time
# Exits 0: it works. 1: it does not. 77: it cannot be tested here.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=""
[ "$(id -u)" = 0 ] || missing=" root"
for tool in buildah debootstrap node npm; do command -v $tool >/dev/null || missing="$missing $tool"; done
[ -z "$missing" ] || { echo "The image cannot be tested here. Missing:$missing" >&2; exit 77; }
: "${DATABASE_URL:?Set DATABASE_URL to a PostgreSQL database}"

running=""
work=$(mktemp -d /var/tmp/troupe-image.XXXXXX)
images() { buildah --root "$work/images" --runroot "$work/run" --storage-driver "${STORAGE_DRIVER:-overlay}" "$@"; }
cleanup() {
  for pid in $running; do kill -KILL "$pid" 2>/dev/null || true; done
  wait
  images rm --all >/dev/null 2>&1 || true
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT
say() { echo "== $*"; }
now() { date +%s%3N; }

say "base images"
base=${BASE_ROOT:-$work/base}
[ -d "$base/usr" ] ||
  debootstrap --variant=minbase bookworm "$base" http://deb.debian.org/debian >"$work/debootstrap.log"
# As debian:bookworm-slim, without caches, lists and documents.
mkdir -p "$work/slim" "$work/node/usr/lib/node_modules"
tar -C "$base" --one-file-system --exclude=./proc/* --exclude=./sys/* --exclude=./dev/* --exclude=./var/cache/apt/* \
  --exclude=./var/lib/apt/lists/* --exclude=./usr/share/doc/* --exclude=./usr/share/man/* \
  --exclude=./usr/share/locale/* -cf - . | tar -C "$work/slim" -xf -
cp -L "$(node -p process.execPath)" "$work/node/usr/lib/node"
# The folder of npm itself: `npm root -g` depends on which Node runs it.
cp -a "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$work/node/usr/lib/node_modules/npm"
made=$(images from scratch)
images add -q "$made" "$work/slim" / >/dev/null
images commit -q "$made" troupe-base >/dev/null
# The image to build in has npm, and the root certificates of this machine for its registry.
images add -q "$made" "$work/node" / >/dev/null
images add -q "$made" /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt >/dev/null
images run --isolation chroot "$made" -- sh -c 'ln -s ../lib/node /usr/bin/node &&
  ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/bin/npm'
images config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$made"
images commit -q "$made" troupe-build >/dev/null
images rm "$made" >/dev/null

say "build"
images build --isolation chroot --format docker --network host --pull-never \
  --build-arg BUILD_IMAGE=localhost/troupe-build --build-arg BASE_IMAGE=localhost/troupe-base \
  -f deploy/Containerfile -t troupe . >"$work/build.log" 2>&1 || { tail -30 "$work/build.log" >&2; exit 1; }
root=$(images mount "$(images from localhost/troupe)")
size() { du -sm --apparent-size "$1" | cut -f1; }
say "size: $(size "$root") MB"
say "of it: the base image $(size "$work/slim") MB, packages $(size "$root/app/node_modules") MB"
mapfile -t image < <(images inspect --type image --format '{{range .OCIv1.Config.Env}}{{println .}}{{end}}' troupe |
  grep =)

# The process in its own mounts and process ids, as process 1, in the network of this machine.
rights="setpriv --reuid=12345 --regid=12345 --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs"
node=/app/node_modules/node/bin/node
contain() { # settings, command
  exec unshare --mount --pid --fork sh -c '
    root=$1 rights=$2; shift 2
    mount --bind "$root" "$root" && mount -o remount,bind,ro "$root" && mount -t tmpfs tmpfs "$root/tmp" &&
    mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev" && cd "$root" &&
    exec chroot . $rights env -i -C /app "$@"' sh "$root" "$rights" "$@"
}
inside() { # process, settings, command
  nsenter --target "$1" --mount --pid --root --wd $rights "${@:2}"
}
common=("${image[@]}" "DATABASE_URL=$DATABASE_URL" "SECRETS_KEY=$(head -c 32 /dev/zero | base64)" HOST=127.0.0.1
  AUTO_MIGRATE=false)
start() { # name, settings
  begun=$(now)
  contain "${common[@]}" "${@:2}" $node /app/bin/troupe.mjs serve >"$work/$1.out" 2>"$work/$1.err" &
  started=$!
  first=""
  until [ -n "$first" ] || ! kill -0 $started 2>/dev/null; do
    read -r first _ <"/proc/$started/task/$started/children" || true
  done
  # The process itself: it outlives unshare, because it has changed its user.
  running="$running $first"
  until grep -q '^{"ready":true' "$work/$1.out"; do
    { [ $(($(now) - begun)) -lt 120000 ] && kill -0 $started 2>/dev/null; } ||
      { say "$1 did not start"; cat "$work/$1.out" "$work/$1.err" >&2; exit 1; }
    sleep 0.05
  done
  say "$1: ready after $(($(now) - begun)) ms"
  say "$1: $(awk '{print ($14 + $15) * 10}' "/proc/$first/stat") ms of processor time"
}
check() { # name, process, its port
  inside "$2" env "OPERATIONS_PORT=$3" $node /app/deploy/healthcheck.mjs || { say "$1: unhealthy"; exit 1; }
  inside "$2" sh -c '[ "$(id -u)" = 12345 ] && ! touch /app/x 2>/dev/null && touch /tmp/x' ||
    { say "$1: not as user 12345 with a read-only root"; exit 1; }
}
stop() { # name, unshare, process
  begun=$(now) code=0
  kill -TERM $3
  wait "$2" || code=$?
  say "$1: exit code $code, $(($(now) - begun)) ms after SIGTERM"
  [ $code = 0 ]
}

(contain "${common[@]}" $node /app/bin/troupe.mjs migrate) >"$work/migrate.out" 2>&1 ||
  { say "the database was not migrated"; cat "$work/migrate.out" >&2; exit 1; }
start api ROLES=api PORT=28080 OPERATIONS_PORT=28081
api="$started $first"
start worker ROLES=worker OPERATIONS_PORT=28082
worker="$started $first"
check api "${api#* }" 28081
check worker "${worker#* }" 28082
stop api $api
stop worker $worker
running=""
say "the image works"
