import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdirSync } from "node:fs"
import { join, resolve } from "node:path"

const CACHE = resolve(import.meta.dirname, "../../node_modules/.cache/prometheus")

/** The programs of Prometheus. */
export interface Prometheus {
  readonly prometheus: string
  readonly promtool: string
}

const installed = (): Prometheus | null => {
  try {
    for (const program of ["prometheus", "promtool"]) execFileSync(program, ["--version"], { stdio: "ignore" })
    return { prometheus: "prometheus", promtool: "promtool" }
  } catch {
    return null
  }
}

/** Debian's package, unpacked and not installed: it would start a service. */
const unpacked = (): Prometheus | null => {
  const programs = { prometheus: join(CACHE, "usr/bin/prometheus"), promtool: join(CACHE, "usr/bin/promtool") }
  if (existsSync(programs.prometheus)) return programs
  mkdirSync(CACHE, { recursive: true })
  try {
    execFileSync("apt-get", ["download", "prometheus"], { cwd: CACHE, stdio: "ignore" })
    const [file = ""] = globSync("prometheus_*.deb", { cwd: CACHE })
    execFileSync("dpkg", ["-x", file, CACHE], { cwd: CACHE, stdio: "ignore" })
    return programs
  } catch {
    return null
  }
}

/** Prometheus, if it is installed or Debian's package can be fetched. */
export const findPrometheus = (): Prometheus | null => installed() ?? unpacked()
