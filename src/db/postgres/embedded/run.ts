import * as Effect from "effect/Effect"
import { type FileHandle, open } from "node:fs/promises"
import { spawn } from "node:child_process"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

export interface Ran {
  readonly code: number | null
  readonly output: string
}

/** The user and group that PostgreSQL runs as when this process is root. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

export interface Command {
  /** Null: run as this process's own user. */
  readonly owner: Owner | null
  readonly file: string
  readonly args: ReadonlyArray<string>
  /**
   * The working directory. It is entered before root privileges are dropped, so it may be below a directory that the
   * owner cannot traverse.
   */
  readonly directory: string
  /** A file that the command reads as /dev/fd/3. */
  readonly input?: string
}

/**
 * PostgreSQL refuses to run as uid 0, so root switches to another user without capabilities, without root's groups, and
 * without a way to regain them.
 */
const asOwner = ({ uid, gid }: Owner, file: string, args: ReadonlyArray<string>) => [
  "setpriv",
  `--reuid=${uid}`,
  `--regid=${gid}`,
  "--clear-groups",
  "--inh-caps=-all",
  "--ambient-caps=-all",
  "--bounding-set=-all",
  "--no-new-privs",
  file,
  ...args
]

/** The server outlives this process, so it does not inherit our environment: no keys, and no PG* variables. */
const environment = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" }

const spawned = ({ owner, file, args, directory }: Command, input: FileHandle | null) =>
  Effect.callback<Ran, EmbeddedPostgresError>((resume) => {
    const [command = file, ...rest] = owner === null ? [file, ...args] : asOwner(owner, file, args)
    const child = spawn(command, rest, {
      cwd: directory,
      detached: true,
      env: environment,
      stdio: ["ignore", "pipe", "pipe", ...(input === null ? [] : [input.fd])]
    })
    let output = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.stderr?.on("data", (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.on("error", (cause) => {
      const hint =
        owner === null ? "" : " PostgreSQL does not run as root, and dropping root needs setpriv (util-linux)."
      resume(
        Effect.fail(
          new EmbeddedPostgresError({
            reason: "command",
            message: `Cannot run ${command}: ${cause.message}.${hint} Start as another user, or set DATABASE_URL.`
          })
        )
      )
    })
    child.on("close", (code) => {
      resume(Effect.succeed({ code, output: output.trim() }))
    })
  })

const opened = (path: string) =>
  Effect.tryPromise({
    try: () => open(path),
    catch: (cause) =>
      new EmbeddedPostgresError({ reason: "command", message: `Cannot read ${path}: ${String(cause)}.` })
  })

/** Runs a command to its end, in its own process group, because Ctrl-C is handled by this process. */
export const run = (command: Command): Effect.Effect<Ran, EmbeddedPostgresError> =>
  Effect.uninterruptible(
    command.input === undefined
      ? spawned(command, null)
      : Effect.acquireUseRelease(
          opened(command.input),
          (input) => spawned(command, input),
          (input) => Effect.promise(() => input.close())
        )
  )
