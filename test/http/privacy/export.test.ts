import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { MAX_OF_APP } from "#src/db/privacy/Exports.ts"
import { secretsIn } from "#test/support/hostile/findSecrets.ts"
import { readZip } from "#test/support/files/readZip.ts"
import type { Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let app: TestApp
let slug: string
beforeAll(async () => {
  server = await startTestServer({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  app = await server.createApp()
  slug = await app.createCharacter({ greeting: "Come in out of the rain." })
})
afterAll(() => server.close())

const shape = ({ status, body }: Answer) => [status, body.detail?.code]
const at = (ref: string) => `/v1/end-users/${encodeURIComponent(ref)}/export`
const open = (external_user_ref: string, more: object = {}, by = app) =>
  by.createSession({ character_slug: slug, external_user_ref, ...more })

const download = (ref: string, by: TestApp = app) =>
  fetch(by.baseUrl + at(ref), { headers: { authorization: `Bearer ${by.key}` } })
/** Polls until the ZIP is ready. */
const exported = async (ref: string, by: TestApp = app) => {
  const response = await until("the export to be ready", async () => {
    const answer = await download(ref, by)
    if (answer.status === 200) return answer
    assert.strictEqual(answer.status, 202, await answer.text())
    return undefined
  })
  return { headers: response.headers, files: await readZip(Buffer.from(await response.arrayBuffer())) }
}
const json = (files: ReadonlyMap<string, Buffer>, path: string) =>
  JSON.parse(files.get(path)?.toString() ?? assert.fail(`no ${path}`))
const linesOf = (files: ReadonlyMap<string, Buffer>, path: string) =>
  (files.get(path)?.toString() ?? assert.fail(`no ${path}`))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
const sql = () => server.database.sql
const setRow = (ref: string, columns: object) =>
  sql()`update exports set ${sql()(columns)} where app_id = ${app.appId} and external_user_ref = ${ref}`

describe("the export of an end-user", () => {
  it("is prepared, and is then a ZIP of everything that the API shows of them", async () => {
    const ref = "ada/1"
    const session = await open(ref, {
      end_user: { display_name: "Ada", locale: "pt-PT", age_band: "adult" },
      metadata: { plan: "gold" }
    })
    await app.converse(session, "I have a chemistry exam tomorrow. What is for dinner?")
    const memory = (await app.post(`/v1/sessions/${session}/memories`, { text: "Nadia plays the cello." })).body.data
    const forgotten = (await app.post(`/v1/sessions/${session}/memories`, { text: "Likes liquorice." })).body.data
    await app.delete(`/v1/sessions/${session}/memories/${forgotten.id}`)
    await app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url: "http://127.0.0.1:1/secret-path" })
    const image = (
      await app.post("/v1/images", { character_slug: slug, session_id: session, kind: "scene", prompt: "The harbour." })
    ).body.data.image_request_id
    await until("the picture", async () => (await app.get(`/v1/images/${image}`)).body.data.status === "ready")
    const other = await open("somebody-else")
    await app.converse(other, "My secret is an orange cat")

    const first = await app.get(at(ref))
    assert.strictEqual(first.status, 202)
    assert.match(first.headers.get("retry-after") ?? "", /^\d+$/)
    assert.deepInclude(first.body.data, { status: "preparing", external_user_ref: ref })
    assert.match(first.body.data.export_id, /^exp_/)

    const { headers, files } = await exported(ref)
    assert.strictEqual(headers.get("content-type"), "application/zip")
    assert.strictEqual(headers.get("content-disposition"), `attachment; filename="${first.body.data.export_id}.zip"`)
    const events = await app.events(session)
    assert.deepStrictEqual(linesOf(files, `log/${session}.jsonl`).slice(0, events.length), [...events])
    assert.deepInclude(json(files, "profile.json"), {
      external_user_ref: ref,
      display_name: "Ada",
      locale: "pt-PT",
      age_band: "adult",
      blocked: false
    })
    const [only, ...others] = json(files, "sessions.json")
    assert.deepInclude(only, { id: session, character_slug: slug, metadata: { plan: "gold" } })
    assert.isEmpty(others)
    const shown = (await app.get(`/v1/sessions/${session}/memories`)).body.data.memories
    const kept = json(files, "memories.json")
    assert.deepStrictEqual(
      kept.find(({ id }: { id: string }) => id === memory.id),
      shown.find(({ id }: { id: string }) => id === memory.id)
    )
    assert.isUndefined(kept.find(({ id }: { id: string }) => id === forgotten.id))
    const [picture] = json(files, "pictures.json")
    assert.deepInclude(picture, { image_request_id: image, status: "ready", prompt: "The harbour." })
    const url = (await app.get(`/v1/images/${image}`)).body.data.image_url
    assert.deepStrictEqual(files.get(picture.file), Buffer.from(await (await fetch(url)).arrayBuffer()))
    const [month] = json(files, "ledger.json")
    assert.deepInclude(month, { messages: 1, images: 1 })
    assert.strictEqual(
      month.cost_usd,
      (await app.get(`/v1/end-users/${encodeURIComponent(ref)}/usage`)).body.data.cost_usd
    )

    const readme = files.get("README.txt")?.toString() ?? ""
    for (const path of files.keys())
      if (!path.startsWith("pictures/") && path !== "README.txt")
        assert.include(readme, path.replace(session, "<session id>"))
    const all = [...files].map(([path, content]) => path + content.toString("latin1")).join("\n")
    for (const foreign of ["orange cat", "somebody-else", other, "secret-path", "liquorice", "lexemes", "tombstone"])
      assert.notInclude(all, foreign)
    assert.deepStrictEqual(secretsIn(all), [])
  })

  it("stays the same for an hour, and is then created again", async () => {
    await open("karl")
    const before = await exported("karl")
    await app.converse(await open("karl"), "Hello")
    assert.lengthOf(json((await exported("karl")).files, "sessions.json"), 1)
    await setRow("karl", { expires_at: new Date(Date.now() - 1000) })
    const after = await exported("karl")
    assert.lengthOf(json(after.files, "sessions.json"), 2)
    assert.notStrictEqual(before.headers.get("content-disposition"), after.headers.get("content-disposition"))
  })

  it("of a person without sessions contains their profile and nothing else", async () => {
    await app.patch("/v1/end-users/idle/caps", { daily_messages: 5 })
    const { files } = await exported("idle")
    assert.strictEqual(json(files, "profile.json").external_user_ref, "idle")
    for (const path of ["sessions.json", "memories.json", "pictures.json", "ledger.json"])
      assert.deepStrictEqual(json(files, path), [])
    assert.isEmpty([...files.keys()].filter((path) => path.startsWith("log/")))
  })

  it("is private: another app, and a missing person, get 404", async () => {
    await open("mine")
    await exported("mine")
    const other = await server.createApp()
    assert.deepStrictEqual(shape(await other.get(at("mine"))), [404, "end_user_not_found"])
    assert.deepStrictEqual(shape(await app.get(at("nobody"))), [404, "end_user_not_found"])
    assert.deepStrictEqual(shape(await app.get(at("x".repeat(300)))), [404, "end_user_not_found"])
  })

  it("is deleted as soon as the person's erasure is requested", async () => {
    await open("lethe")
    await exported("lethe")
    const [row] = await sql()`select object_keys from exports where external_user_ref = 'lethe'`
    assert.isNotEmpty(row?.["object_keys"])
    const { erasure_id } = (await app.delete("/v1/end-users/lethe")).body.data
    assert.deepStrictEqual(shape(await app.get(at("lethe"))), [404, "end_user_not_found"])
    assert.isEmpty(await sql()`select 1 from exports where external_user_ref = 'lethe'`)
    await until(
      "the contents to be gone",
      async () =>
        (await sql()`select 1 from object_contents where object_key = any(${row?.["object_keys"]})`).length === 0
    )
    await until(
      "the erasure",
      async () => (await app.get(`/v1/erasures/${erasure_id}`)).body.data.status === "completed"
    )
    assert.deepStrictEqual(shape(await app.get(at("lethe"))), [404, "end_user_not_found"])
  })

  it("masks scores as the API does, and is created again when the app opts out", async () => {
    const own = await server.createApp()
    const character_slug = await own.createCharacter()
    const session = await own.createSession({ character_slug, external_user_ref: "bo" })
    const opt = (expose_relational_numerics: boolean) =>
      own.patch(`/v1/apps/${own.appId}`, { expose_relational_numerics })
    await opt(true)
    await own.converse(session, "Thank you, I love this place and I trust you.")
    await own.waitFor(session, ({ type }) => type === "relationship_score.changed")
    const scoresIn = async () =>
      linesOf((await exported("bo", own)).files, `log/${session}.jsonl`)
        .filter(({ type }) => type === "relationship_score.changed")
        .flatMap(({ payload }) => payload.relationship_scores)
    assert.isNotEmpty(await scoresIn())
    await opt(false)
    assert.isEmpty(await scoresIn())
  })

  it("is recorded in the audit log, once for each export", async () => {
    await open("told")
    await exported("told")
    await app.get(at("told"))
    const rows = await sql()`select actor_kind, app_id from audit_log where action = 'end_user.exported'
      and subject = 'told'`
    assert.deepStrictEqual([...rows], [{ actor_kind: "runtime_key", app_id: app.appId }])
  })
})

describe("an export that is not ready", () => {
  it("says so if it failed, until it can be tried again", async () => {
    await open("frail")
    await exported("frail")
    const expiresAtMs = Date.now() + 600_000
    await setRow("frail", {
      status: "failed",
      error_code: "storage_unavailable",
      expires_at: new Date(expiresAtMs)
    })
    const answer = await app.get(at("frail"))
    assert.deepStrictEqual(shape(answer), [502, "export_failed"])
    const retryAfter = Number(answer.headers.get("retry-after"))
    assert.isAtMost(retryAfter, 600)
    assert.isAtLeast(retryAfter, Math.floor((expiresAtMs - Date.now()) / 1000))
    await setRow("frail", { expires_at: new Date(Date.now() - 1000) })
    assert.strictEqual((await exported("frail")).files.has("profile.json"), true)
  })

  it("is made by another worker if the first one is gone, and nothing of the first attempt remains", async () => {
    await open("twice")
    await exported("twice")
    const keys = async () =>
      ((await sql()`select object_keys from exports where external_user_ref = 'twice'`)[0]?.["object_keys"] ??
        []) as ReadonlyArray<string>
    const left = await keys()
    await setRow("twice", { status: "running", owner: "wrk_gone", expires_at: null })
    await sql()`select graphile_worker.add_job('exports', '{}'::json)`
    const { files } = await exported("twice")
    assert.isTrue(files.has("profile.json"))
    assert.notIncludeMembers([...(await keys())], [...left])
    await until(
      "the parts of the first to be gone",
      async () => (await sql()`select 1 from stored_objects where object_key = any(${[...left]})`).length === 0
    )
  })

  it("is given up if it has crashed too many workers", async () => {
    await open("poison")
    await exported("poison")
    await setRow("poison", { status: "running", owner: "wrk_gone", expires_at: null, attempts: 5 })
    await sql()`select graphile_worker.add_job('exports', '{}'::json)`
    await until("it to be given up", async () => (await app.get(at("poison"))).status === 502)
    const [row] = await sql()`select error_code from exports where external_user_ref = 'poison'`
    assert.strictEqual(row?.["error_code"], "given_up")
  })

  it("is refused if the app already has as many exports as allowed", async () => {
    const own = await server.createApp()
    await own.createSession({ external_user_ref: "one" })
    await sql()`
      insert into exports (app_id, export_id, external_user_ref, status, expires_at)
      select ${own.appId}, 'exp_' || n, 'person-' || n, 'ready', now() + interval '1 hour'
        from generate_series(1, ${MAX_OF_APP}::int) n`
    const answer = await own.get(at("one"))
    assert.deepStrictEqual(shape(answer), [429, "export_limit_reached"])
    assert.isNotNull(answer.headers.get("retry-after"))
    await sql()`delete from exports where app_id = ${own.appId} and export_id = 'exp_1'`
    assert.strictEqual((await own.get(at("one"))).status, 202)
  })

  it("lets one of several requests at once take the last place", async () => {
    const own = await server.createApp()
    await own.createCharacter({ slug })
    const people = ["one", "two", "three", "four"]
    for (const ref of people) await open(ref, {}, own)
    await sql()`
      insert into exports (app_id, export_id, external_user_ref, status, expires_at)
      select ${own.appId}, 'exp_' || n, 'person-' || n, 'ready', now() + interval '1 hour'
        from generate_series(1, ${MAX_OF_APP - 1}::int) n`
    const statuses = (await Promise.all(people.map((ref) => own.get(at(ref))))).map(({ status }) => status)
    assert.deepStrictEqual(statuses.toSorted(), [202, 429, 429, 429])
  })
})
