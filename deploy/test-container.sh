#!/usr/bin/env bash
# Builds the image, and runs it as a hardened host does: as a user without a name, with a read-only root.
#   DATABASE_URL=postgres://... deploy/test-container.sh
# Needs root, buildah, debootstrap, crun and Node, and a PostgreSQL server that this machine reaches. Its database is
# migrated. The base images are made by debootstrap, so no registry of images is needed. Optional variables:
#   BASE_ROOT  a folder with a Debian root made by debootstrap, to save time
# Exits 0: it works. 1: it does not. 77: it cannot be tested here.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=""
[ "$(id -u)" = 0 ] || missing=" root"
for tool in buildah debootstrap crun node npm; do command -v $tool >/dev/null || missing="$missing $tool"; done
[ -z "$missing" ] || { echo "The image cannot be tested here. Missing:$missing" >&2; exit 77; }
: "${DATABASE_URL:?Set DATABASE_URL to a PostgreSQL database}"

work=$(mktemp -d /var/tmp/troupe-image.XXXXXX)
images() { buildah --root "$work/images" --runroot "$work/run" --storage-driver "${STORAGE_DRIVER:-overlay}" "$@"; }
containers() { crun --root "$work/containers" --cgroup-manager disabled "$@"; }
cleanup() {
  for name in api worker; do containers delete --force $name >/dev/null 2>&1 || true; done
  images rm --all >/dev/null 2>&1 || true
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT
say() { echo "== $*"; }
now() { date +%s%3N; }

say "base images"
base=${BASE_ROOT:-$work/base}
[ -d "$base/usr" ] || debootstrap --variant=minbase bookworm "$base" http://deb.debian.org/debian >"$work/debootstrap.log"
# As debian:bookworm-slim, without caches, lists and documents.
mkdir -p "$work/slim" "$work/node/usr/lib/node_modules"
tar -C "$base" --one-file-system --exclude=./proc/* --exclude=./sys/* --exclude=./dev/* --exclude=./var/cache/apt/* \
  --exclude=./var/lib/apt/lists/* --exclude=./usr/share/doc/* --exclude=./usr/share/man/* \
  --exclude=./usr/share/locale/* -cf - . | tar -C "$work/slim" -xf -
cp -L "$(node -p process.execPath)" "$work/node/usr/lib/node"
cp -a "$(npm root -g)/npm" "$work/node/usr/lib/node_modules/npm"
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
say "size: $(size "$root") MB, of which the base image is $(size "$work/slim") MB and packages $(size "$root/app/node_modules") MB"

# A bundle as a container engine makes it from the image, in the network of this machine.
bundle() { # name, settings
  mkdir -p "$work/$1"
  (cd "$work/$1" && crun spec)
  node - "$work/$1/config.json" "$root" "${@:2}" <<'JS'
const [path, root, ...settings] = process.argv.slice(2)
const fs = require("node:fs")
const spec = JSON.parse(fs.readFileSync(path, "utf8"))
spec.root = { path: root, readonly: true }
spec.process.terminal = false
spec.process.user = { uid: 12345, gid: 12345 }
spec.process.cwd = "/app"
spec.process.args = ["/app/node_modules/node/bin/node", "/app/bin/troupe.mjs", "serve"]
spec.process.env = settings
for (const kind of ["bounding", "effective", "permitted", "inheritable", "ambient"]) spec.process.capabilities[kind] = []
spec.mounts = spec.mounts.filter(({ type }) => type !== "cgroup" && type !== "mqueue")
spec.mounts.push({ destination: "/tmp", type: "tmpfs", source: "tmpfs", options: ["nosuid", "nodev", "size=64m"] })
spec.linux.namespaces = spec.linux.namespaces.filter(({ type }) => type !== "network" && type !== "cgroup")
fs.writeFileSync(path, JSON.stringify(spec))
JS
}
start() { # name
  begun=$(now)
  containers run --bundle "$work/$1" "$1" >"$work/$1.out" 2>"$work/$1.err" &
  eval "pid_$1=$!"
  until grep -q '^{"ready":true' "$work/$1.out"; do
    [ $(($(now) - begun)) -lt 120000 ] && kill -0 "$(eval echo \$pid_"$1")" 2>/dev/null ||
      { say "$1 did not start"; cat "$work/$1.out" "$work/$1.err" >&2; exit 1; }
    sleep 0.05
  done
  say "$1: ready after $(($(now) - begun)) ms"
}

common=(NODE_ENV=production "DATABASE_URL=$DATABASE_URL" "SECRETS_KEY=$(head -c 32 /dev/zero | base64)" HOST=127.0.0.1)
bundle api "${common[@]}" ROLES=api PORT=28080 OPERATIONS_PORT=28081
bundle worker "${common[@]}" ROLES=worker OPERATIONS_PORT=28082
start api
start worker
for name in api worker; do
  containers exec $name /app/node_modules/node/bin/node /app/deploy/healthcheck.mjs || { say "$name: unhealthy"; exit 1; }
  containers exec $name sh -c '[ "$(id -u)" = 12345 ] && ! touch /app/x 2>/dev/null && touch /tmp/x' ||
    { say "$name: not as user 12345 with a read-only root"; exit 1; }
done
for name in api worker; do
  begun=$(now)
  containers kill $name TERM
  code=0
  wait "$(eval echo \$pid_$name)" || code=$?
  say "$name: exit code $code, $(($(now) - begun)) ms after SIGTERM"
  [ $code = 0 ] || exit 1
done
say "the image works"
