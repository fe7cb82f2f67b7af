import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

export interface Ran {
  readonly code: number | null
  readonly output: string
}

/**
 * PostgreSQL refuses uid 0, so root drops to another uid. It keeps dac_override, because the project or DATA_DIR may
 * lie below a directory that only root may walk (/root, `mktemp -d`); dac_read_search would do too, but containers lack it.
 */
const asUid = (uid: number, file: string, args: ReadonlyArray<string>) => [
  "setpriv",
  `--reuid=${uid}`,
  "--clear-groups",
  "--securebits=+no_setuid_fixup",
  "--inh-caps=-all,+dac_override",
  "--ambient-caps=-all,+dac_override",
  "--bounding-set=-all,+dac_override",
  file,
  ...args
]

/** The server outlives this process, so it gets none of our environment: no keys, and no PG* variable changes it. */
const environment = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" }

/** Runs a command to its end, as `uid` when one is given. In a process group of its own: Ctrl-C is ours to handle. */
export const run = (uid: number | null, file: string, args: ReadonlyArray<string>): Effect.Effect<Ran, EmbeddedPostgresError> =>
  Effect.uninterruptible(Effect.callback((resume) => {
    const [command = file, ...rest] = uid === null ? [file, ...args] : asUid(uid, file, args)
    const child = spawn(command, rest, { cwd: "/", detached: true, env: environment, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => { output += chunk.toString() })
    child.stderr.on("data", (chunk: Buffer) => { output += chunk.toString() })
    child.on("error", (cause) => {
      const hint = uid === null ? "" : " PostgreSQL does not run as root, and dropping root needs setpriv (util-linux)."
      resume(Effect.fail(new EmbeddedPostgresError({
        reason: "command",
        message: `Cannot run ${command}: ${cause.message}.${hint} Start as another user, or set DATABASE_URL.`
      })))
    })
    child.on("close", (code) => { resume(Effect.succeed({ code, output: output.trim() })) })
  }))
