import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { resolve } from "node:path"
import { until } from "./until.ts"

export const ROOT = resolve(import.meta.dirname, "../..")

export interface Started {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  /** The URL in the ready line, once it is printed. */
  readonly ready: () => Promise<string>
  readonly exit: Promise<number | NodeJS.Signals>
}

const OURS = new RegExp(
  "^(DATABASE_URL|DATABASE_DIRECT_URL|DATA_DIR|AUTO_MIGRATE|HOST|PUBLIC_URL|ROLES|NODE_ENV|OPENAI_.*|TURN_.*|" +
    "SECRETS_.*|SERVICE_TEXTS|TELEGRAM_.*|OUTBOUND_ALLOW|ADMIN_TOKEN|OPERATIONS_.*|CELL|LOG_.*|OTEL_.*|DEMO_.*|" +
    "OIDC_.*|MODEL_PRICES|CORS_ORIGINS)$"
)

/**
 * Starts a program in the project's folder as the leader of its own process group, with an environment without the test
 * runner's variables.
 */
export const startProgram = (
  command: ReadonlyArray<string>,
  env: Record<string, string>,
  user?: { readonly uid: number; readonly gid: number }
): Started => {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.test(name)))
  const child = spawn(command[0] ?? "", command.slice(1), {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...inherited, PORT: "0", ...env },
    ...user
  })
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (data) => {
    stdout += data
  })
  child.stderr.on("data", (data) => {
    stderr += data
  })
  const exit = once(child, "close").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    exit,
    ready: () =>
      until(
        () => `ready line (so far: ${stdout}${stderr})`,
        () => {
          if (child.exitCode !== null) throw new Error(`exited with ${child.exitCode} before it was ready: ${stderr}`)
          const line = stdout
            .split("\n")
            .slice(0, -1)
            .find((line) => line.startsWith('{"ready":'))
          return line === undefined ? undefined : (JSON.parse(line).base_url as string)
        }
      )
  }
}
