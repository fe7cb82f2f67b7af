import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"

const ROOT = resolve(import.meta.dirname, "../..")

export interface Served {
  readonly baseUrl: string
  readonly pid: number
  readonly stop: () => Promise<void>
}

/** Starts a script that prints `{"ready":true,"base_url":...}`, and waits for it. */
const startScript = async (args: ReadonlyArray<string>, env: Record<string, string>): Promise<Served> => {
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"]
  })
  let stdout = ""
  const baseUrl = await new Promise<string>((ready, failed) => {
    child.stdout?.on("data", (data) => {
      stdout += data
      const line = stdout.split("\n").find((line) => line.startsWith('{"ready":'))
      if (line !== undefined) ready(JSON.parse(line).base_url)
    })
    child.once("exit", (code) => failed(new Error(`${args.join(" ")} exited with ${code}`)))
  })
  return {
    baseUrl,
    pid: child.pid ?? 0,
    stop: async () => {
      const exited = once(child, "exit")
      child.kill("SIGTERM")
      await exited
    }
  }
}

/** Rate limits that are never reached. Requests are counted all the same. */
export const UNREACHED_LIMITS = {
  MESSAGES_PER_MINUTE: "1000000000",
  REQUESTS_PER_MINUTE: "1000000000",
  STREAMS_PER_APP: "1000000",
  PUBLIC_REQUESTS_PER_MINUTE: "1000000000"
}

export const startServer = (databaseUrl: string, roles: string, env: Record<string, string> = {}): Promise<Served> =>
  startScript(["bin/troupe.mjs", "serve"], {
    DATABASE_URL: databaseUrl,
    ROLES: roles,
    PORT: "0",
    NODE_ENV: "production",
    SECRETS_KEY,
    ...UNREACHED_LIMITS,
    ...env
  })

/** A plain Fastify route that answers everything with these bytes. */
export const startHello = (body: string): Promise<Served> =>
  startScript(["bench/support/hello.ts"], { HELLO_BODY: body })

/** A plain node:http server that accepts every request. */
export const startSink = (host = "127.0.0.1"): Promise<Served> => startScript(["bench/support/sink.ts", host], {})

/** A plain node:http server that writes one chunk to every open connection on request. */
export const startBareStream = (): Promise<Served> => startScript(["bench/support/bareStream.ts"], {})

/** Resident memory of a process, in bytes. */
export const residentBytes = (pid: number): number => {
  const pages = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]
  return Number(pages) * 4096
}
