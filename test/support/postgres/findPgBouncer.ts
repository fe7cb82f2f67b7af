import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** PgBouncer refuses to run as root. */
export const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Not in the checkout: the user that runs PgBouncer may not be allowed to read that. */
const CACHE = join(tmpdir(), "troupe-pgbouncer-program")
/** Debian's package, and the libraries that it needs. */
const PACKAGES = ["pgbouncer", "libevent-2.1-7", "libc-ares2"]

/** How PgBouncer is started. */
export interface PgBouncerProgram {
  readonly file: string
  readonly env: Readonly<Record<string, string>>
}

/** The program of this file if it runs here, as the user that will run it. */
const running = (file: string, env: PgBouncerProgram["env"] = {}): PgBouncerProgram | null => {
  try {
    execFileSync(file, ["--version"], { stdio: "ignore", env: { ...process.env, ...env }, ...NOBODY })
    return { file, env }
  } catch {
    return null
  }
}

/** Debian's package, unpacked and not installed: it would start a service. */
const unpacked = (): PgBouncerProgram | null => {
  const file = join(CACHE, "usr/sbin/pgbouncer")
  if (!existsSync(file)) {
    mkdirSync(CACHE, { recursive: true, mode: 0o755 })
    try {
      execFileSync("apt-get", ["download", ...PACKAGES], { cwd: CACHE, stdio: "ignore" })
      for (const archive of globSync("*.deb", { cwd: CACHE }))
        execFileSync("dpkg", ["-x", archive, CACHE], { cwd: CACHE, stdio: "ignore" })
    } catch {
      return null
    }
  }
  const libraries = globSync("usr/lib/*-linux-gnu", { cwd: CACHE }).map((folder) => join(CACHE, folder))
  return running(file, { LD_LIBRARY_PATH: libraries.join(":") })
}

/** PgBouncer, if it is installed or Debian's package can be fetched. */
export const findPgBouncer = (): PgBouncerProgram | null =>
  running("pgbouncer") ?? running("/usr/sbin/pgbouncer") ?? unpacked()
