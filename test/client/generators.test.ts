import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { describeServer } from "#src/http/server/reference/openapi.ts"
import * as described from "#src/composition/routes.ts"

const ROOT = resolve(import.meta.dirname, "../..")
const run = promisify(execFile)
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "troupe-generators-"))
  await writeFile(join(folder, "openapi.json"), await describeServer(described))
  const script = join(ROOT, "test/support/client/foreignGenerators.ts")
  await run(process.execPath, ["--no-warnings", script, join(folder, "openapi.json"), folder])
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe("clients that others generate from /openapi.json", () => {
  it.each([
    ["@hey-api/openapi-ts", "hey/types.gen.ts", "hey/sdk.gen.ts"],
    ["swagger-typescript-api", "swagger/Api.ts", "swagger/Api.ts"]
  ])("of %s compile, and have the names of the resources", async (_, types, entry) => {
    const text = await readFile(join(folder, types), "utf8")
    for (const name of ["Session", "Character", "Message", "Event", "MessageCreatedEvent"])
      assert.match(text, new RegExp(`export (?:type|interface) ${name}\\b`), name)
    const tsc = join(ROOT, "node_modules/typescript5/bin/tsc")
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "esnext"]
    const lib = ["--moduleResolution", "bundler", "--lib", "es2023,dom,dom.iterable", "--types", "node"]
    const { stdout } = await run(process.execPath, [tsc, ...options, ...lib, join(folder, entry)]).catch(
      (failed: { stdout: string }) => failed
    )
    assert.strictEqual(stdout, "")
  })
})
