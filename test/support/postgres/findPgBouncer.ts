import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdirSync } from "node:fs"
import { join, resolve } from "node:path"

const CACHE = resolve(import.meta.dirname, "../../../node_modules/.cache/pgbouncer")
/** Debian's package, and the libraries that it needs. */
const PACKAGES = ["pgbouncer", "libevent-2.1-7", "libc-ares2"]

/** How PgBouncer is started. */
export interface PgBouncerProgram {
  readonly file: string
  readonly env: Readonly<Record<string, string>>
}

/** The program of this file if it runs here. */
const running = (file: string, env: PgBouncerProgram["env"] = {}): PgBouncerProgram | null => {
  try {
    execFileSync(file, ["--version"], { stdio: "ignore", env: { ...process.env, ...env } })
    return { file, env }
  } catch {
    return null
  }
}

/** Debian's package, unpacked and not installed: it would start a service. */
const unpacked = (): PgBouncerProgram | null => {
  const file = join(CACHE, "usr/sbin/pgbouncer")
  if (!existsSync(file)) {
    mkdirSync(CACHE, { recursive: true })
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
