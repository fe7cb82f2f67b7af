import { createServer, type Server } from "node:http"
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { collect, longestLoopBlock } from "#test/support/longestLoopBlock.ts"
import { readZip } from "#test/support/readZip.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const SESSIONS = 12
const EVENTS_OF_EACH = 3000
/** What this process holds in memory, without garbage. */
const held = () => {
  collect()
  // The second collection frees the buffers that the first has found to be garbage.
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

let folder: string
let server: TestServer
let app: TestApp
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "troupe-export-"))
  server = await startTestServer({ env: { STORAGE_DIR: join(folder, "objects") } })
  app = await server.createApp()
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const ask = (ref: string) =>
  fetch(`${app.baseUrl}/v1/end-users/${ref}/export`, { headers: { authorization: `Bearer ${app.key}` } })
const made = (ref: string) =>
  until("the export", async () => {
    const answer = await ask(ref)
    if (answer.status === 200) return answer
    assert.strictEqual(answer.status, 202)
    await answer.text()
    return undefined
  })

describe("the export of a person with a long log", () => {
  it("delays nobody and needs little memory, while it is created and while it is downloaded", async () => {
    const character_slug = await app.createCharacter()
    const sessions = await Promise.all(
      Array.from({ length: SESSIONS }, () => app.createSession({ character_slug, external_user_ref: "talker" }))
    )
    // Words that are all different, so that a ZIP compresses them little.
    await server.database.sql`
        with written as (
          insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
          select ${app.appId}, s, n, 'evt_' || s || n, 'message.created', 'user', 'run_' || n, 'api',
            json_build_object('text', (select string_agg(md5(s || n || m), ' ') from generate_series(1, 40) m))
          from unnest(${sessions}::text[]) s, generate_series(1, ${EVENTS_OF_EACH}::int) n
        )
        update session_logs set last_cursor = ${EVENTS_OF_EACH} where session_id = any(${sessions}::text[])`
    const file = join(folder, "talker.zip")
    const download = async () => {
      const answer = await made("talker")
      await pipeline(Readable.fromWeb(answer.body as never), createWriteStream(file))
      return Number(answer.headers.get("content-length"))
    }
    const { turnMs, result: length } = await longestLoopBlock(download)
    assert.isBelow(turnMs, 50)

    await server.database.sql`update exports set expires_at = now() - interval '1 second'`
    const before = held()
    let most = 0
    const sampling = setInterval(() => {
      most = Math.max(most, held() - before)
    }, 1500)
    await download()
    clearInterval(sampling)
    assert.isAbove(most, 0)
    assert.isBelow(most, length / 2)
    const bytes = await readFile(file)
    assert.approximately(bytes.length, length, 1000)
    const files = await readZip(bytes)
    for (const session of sessions) {
      const lines = (files.get(`log/${session}.jsonl`)?.toString() ?? "").trimEnd().split("\n")
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line).cursor),
        Array.from({ length: EVENTS_OF_EACH }, (_, n) => n + 1)
      )
    }
  })
})

describe("an export whose storage does not answer", () => {
  let s3: Server
  let another: TestServer
  beforeAll(async () => {
    s3 = createServer((_, reply) => reply.writeHead(403).end()).listen(0, "127.0.0.1")
    await once(s3, "listening")
    another = await startTestServer({
      env: {
        S3_ENDPOINT: `http://127.0.0.1:${(s3.address() as AddressInfo).port}`,
        S3_BUCKET: "pictures",
        S3_ACCESS_KEY_ID: "id",
        S3_SECRET_ACCESS_KEY: "secret"
      }
    })
  })
  afterAll(async () => {
    await another.close()
    s3.close()
  })

  it("fails, and says why", async () => {
    const own = await another.createApp()
    await own.createSession({ external_user_ref: "one" })
    const answer = await until("the export to fail", async () => {
      const answer = await own.get("/v1/end-users/one/export")
      return answer.status !== 202 && answer
    })
    assert.deepStrictEqual([answer.status, answer.body.detail.code], [502, "export_failed"])
    assert.include(answer.body.detail.message, "storage_unavailable")
  })
})
