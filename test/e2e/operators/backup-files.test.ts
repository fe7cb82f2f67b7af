import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"

const folder = mkdtempSync(join(tmpdir(), "troupe-backup-files-"))
const into = { DATABASE_URL: inject("postgresUrl"), SECRETS_KEY }
const pathOf = (name: string) => join(folder, name)
const listener = createServer()

beforeAll(async () => {
  execFileSync("mkfifo", [pathOf("pipe")])
  mkdirSync(pathOf("folder"))
  listener.listen(pathOf("socket"))
  await once(listener, "listening")
})
afterAll(() => {
  listener.close()
  rmSync(folder, { recursive: true, force: true })
})

describe("something else than a regular file", () => {
  it.each([
    { kind: "a pipe", path: pathOf("pipe") },
    { kind: "a folder", path: pathOf("folder") },
    { kind: "a socket", path: pathOf("socket") },
    { kind: "a device", path: "/dev/zero" }
  ])("is refused by verify, restore and --repeat-erasures at once: $kind", async ({ kind, path }) => {
    for (const [args, command] of [
      [["verify", path], "backup"],
      [["restore", path], "backup"],
      [["restore", path, "--repeat-erasures", path], "erasures export"]
    ] as const) {
      const { code, stdout, stderr } = await runTroupe(into, args)
      const told = `troupe: ${path} is ${kind}: give a regular file that "troupe ${command}" has written\n`
      assert.deepStrictEqual([code, stdout, stderr], [1, "", told])
    }
  })
})
