import { randomBytes } from "node:crypto"
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { type Binaries, EmbeddedPostgresError, handOver, runProgram } from "./binaries.ts"

const DRAFT = "new-"
/** A draft older than this was left by a process that died while making it. */
const STALE_DRAFT_MS = 10 * 60 * 1000

const removeStaleDrafts = async (home: string) => {
  for (const name of await readdir(home)) {
    if (!name.startsWith(DRAFT)) continue
    const path = join(home, name)
    const made = await stat(path).catch(() => null)
    if (made !== null && Date.now() - made.mtimeMs > STALE_DRAFT_MS) await rm(path, { recursive: true, force: true })
  }
}

/** Makes a cluster under a draft name; the rename decides who was first, and whoever was not uses the other's. */
export const createCluster = async (binaries: Binaries, home: string): Promise<void> => {
  await removeStaleDrafts(home)
  const draft = await mkdtemp(join(home, DRAFT))
  const password = randomBytes(24).toString("base64url")
  const passwordFile = `${draft}.pw`
  try {
    await handOver(draft)
    await writeFile(passwordFile, password, { mode: 0o600 })
    await handOver(passwordFile)
    const made = await runProgram(binaries.initdb, [
      "-D", draft, "-U", "troupe", "-A", "scram-sha-256", `--pwfile=${passwordFile}`, "-E", "UTF8", "--locale=C", "--no-instructions"
    ])
    if (made.code !== 0) throw new EmbeddedPostgresError({ problem: `initdb failed: ${made.output.trim()}` })
    await writeFile(join(draft, "password"), password, { mode: 0o600 })
    await rename(draft, join(home, "pg"))
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!(error instanceof Error && "code" in error && (error.code === "ENOTEMPTY" || error.code === "EEXIST"))) throw error
  } finally {
    await rm(passwordFile, { force: true })
  }
}

/** Where a started server listens, by its own word; throws when it is not started. */
export const clusterAddress = async (home: string): Promise<{ readonly pid: number; readonly url: string }> => {
  const [pid, , , port] = (await readFile(join(home, "pg", "postmaster.pid"), "utf8")).split("\n")
  const password = await readFile(join(home, "pg", "password"), "utf8")
  return { pid: Number(pid), url: `postgres://troupe:${password}@127.0.0.1:${port}/postgres` }
}

const freePort = () => new Promise<number>((resolve, reject) => {
  const server = createServer().on("error", reject).listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
  })
})

/** Starts the server and waits for it. False when it did not: another process was first, or it still recovers. */
export const startCluster = async (binaries: Binaries, home: string): Promise<boolean> => {
  const settings = { port: await freePort(), listen_addresses: "127.0.0.1", unix_socket_directories: "", max_connections: 200, shared_buffers: "128MB" }
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`).join(" ")
  const started = await runProgram(binaries.pg_ctl, ["start", "-w", "-t", "30", "-s", "-D", join(home, "pg"), "-l", join(home, "pg", "server.log"), "-o", options])
  return started.code === 0
}

export const stopCluster = (binaries: Binaries, home: string) => runProgram(binaries.pg_ctl, ["stop", "-w", "-s", "-m", "fast", "-D", join(home, "pg")])
