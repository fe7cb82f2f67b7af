import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join, resolve } from "node:path"
import { secretsIn } from "./hostile/findSecrets.ts"
import { programFile } from "./suite/program.ts"

const ROOT = resolve(import.meta.dirname, "../..")

export interface TroupeProcess {
  readonly child: ChildProcess
  readonly baseUrl: string
  readonly stdout: () => string
  readonly stderr: () => string
  /** Sends a signal and waits for the exit. Returns the exit code, or the signal that ended it. */
  readonly stop: (signal: NodeJS.Signals) => Promise<number | NodeJS.Signals>
}

/** A real `troupe serve` process that is ready. `folder` has the tree of another version. */
export const startTroupe = async (
  env: Record<string, string>,
  args: ReadonlyArray<string> = ["serve"],
  folder: string = ROOT
): Promise<TroupeProcess> => {
  const file = folder === ROOT ? programFile() : join(folder, "bin/troupe.mjs")
  const child = spawn(process.execPath, [file, ...args], {
    cwd: folder,
    env: { ...process.env, PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let stdout = ""
  let stderr = ""
  child.stderr.on("data", (data) => {
    stderr += data
  })
  // Everything that it has printed is read by then.
  const exited = once(child, "close").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  const baseUrl = await new Promise<string>((ready, failed) => {
    child.stdout.on("data", (data) => {
      stdout += data
      const line = stdout
        .split("\n")
        .slice(0, -1)
        .find((line) => line.startsWith('{"ready":'))
      if (line !== undefined) ready(JSON.parse(line).base_url)
    })
    void exited.then((code) => failed(new Error(`exited with ${code} before it was ready: ${stderr}`)))
  })
  return {
    child,
    baseUrl,
    stdout: () => stdout,
    stderr: () => stderr,
    stop: async (signal) => {
      child.kill(signal)
      const code = await exited
      // Only the key of the first start, once, one console link, and development sign-in codes are printed. No other
      // secret ever is.
      const printed = stdout.replaceAll(/sign-in code [A-Z-]{9}/g, "").replace(/\/console\?code=oc_\w+/, "")
      if (secretsIn(stderr).length > 0 || new Set(secretsIn(printed)).size > 1) throw new Error("a secret was printed")
      return code
    }
  }
}

export interface RunningCommand {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  /** The exit code, or the signal that ended it. */
  readonly exit: Promise<number | NodeJS.Signals>
}

/** Starts a command. The caller writes its stdin and ends it. */
export const startCommand = (env: Record<string, string>, args: ReadonlyArray<string>): RunningCommand => {
  const child = spawn(process.execPath, [programFile(), ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: "pipe"
  })
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (data) => {
    stdout += data
  })
  child.stderr.on("data", (data) => {
    stderr += data
  })
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    exit: once(child, "close").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  }
}

/** Runs a command to its end with this stdin. */
export const runTroupe = async (
  env: Record<string, string>,
  args: ReadonlyArray<string>,
  input = ""
): Promise<{ readonly code: number | NodeJS.Signals; readonly stdout: string; readonly stderr: string }> => {
  const { child, stdout, stderr, exit } = startCommand(env, args)
  child.stdin?.end(input)
  const code = await exit
  return { code, stdout: stdout(), stderr: stderr() }
}
