import { execFileSync } from "node:child_process"
import { closeSync, openSync, readFileSync, writeSync } from "node:fs"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

let folder: string
let server: TroupeProcess | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "troupe-readiness-"))
})
afterEach(async () => {
  await server?.stop("SIGTERM")
  server = undefined
  await rm(folder, { recursive: true, force: true })
})

const readyz = async (): Promise<{ status: number; body: string }> => {
  const answer = await fetch(`${server?.baseUrl}/readyz`)
  return { status: answer.status, body: await answer.text() }
}
const fails = (wanted: RegExp, causeIt = () => {}) =>
  until(`/readyz to fail with ${wanted}`, async () => {
    causeIt()
    const { status, body } = await readyz()
    return status === 503 && wanted.test(body) ? body : undefined
  })
const ready = () => until("/readyz to be ready", async () => ((await readyz()).status === 200 ? true : undefined))

/** PostgreSQL is restarted by the process that it belongs to. */
const crashDatabase = (dataDir: string) =>
  process.kill(Number(readFileSync(join(dataDir, "pg", "postmaster.pid"), "utf8").split("\n", 1)[0]), "SIGQUIT")

/** Appends to a file until its disk is full. PostgreSQL takes and frees space meanwhile, so one look is not enough. */
const fill = (file: string) => {
  const descriptor = openSync(file, "a")
  try {
    for (let bytes = 1024 ** 2; bytes >= 1; bytes = Math.floor(bytes / 2)) {
      const block = Buffer.alloc(bytes)
      try {
        while (writeSync(descriptor, block) === bytes);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error
      }
    }
  } finally {
    closeSync(descriptor)
  }
}

const isRoot = process.getuid?.() === 0

describe("/readyz", () => {
  it("names the standby while the database is one, and the process stays up", async () => {
    server = await startTroupe({ DATA_DIR: folder })
    await ready()
    const signal = join(folder, "pg", "standby.signal")
    await writeFile(signal, "", { mode: 0o644 })
    crashDatabase(folder)
    await fails(/"check":"standby"/)
    assert.strictEqual((await fetch(`${server.baseUrl}/healthz`)).status, 200)
    await rm(signal)
    crashDatabase(folder)
    await ready()
  })

  it.skipIf(!isRoot)(
    "names the full disk of the database, and is ready again when there is space (as root: mounts a tmpfs)",
    async () => {
      const disk = join(folder, "disk")
      await mkdir(disk)
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=256m,mode=0755", "tmpfs", disk])
      try {
        server = await startTroupe({ DATA_DIR: join(disk, "data") })
        await ready()
        const body = await fails(/"check":"write"/, () => fill(join(disk, "filler")))
        assert.include(body, "disk of the database is full")
        await rm(join(disk, "filler"))
        await ready()
        await server.stop("SIGTERM")
        server = undefined
      } finally {
        await server?.stop("SIGKILL")
        server = undefined
        execFileSync("umount", ["--lazy", disk])
      }
    }
  )
})
