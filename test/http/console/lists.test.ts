import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

const ADMIN_TOKEN = "the-operator-who-looks-for-something"

let server: TestServer
let operator: TestApp
beforeAll(async () => {
  server = await startTestServer({ env: { ADMIN_TOKEN, OUTBOUND_ALLOW: "127.0.0.1" } })
  operator = new TestApp(server.baseUrl, "", ADMIN_TOKEN)
})
afterAll(() => server.close())

const sql = () => server.database.sql
const page = async (path: string): Promise<string> => {
  const { status, body } = await operator.get(path)
  assert.strictEqual(status, 200, path)
  return String(body)
}
/** What a screen says, without its markup. */
const read = async (path: string): Promise<string> =>
  (await page(path))
    .replace(/^.*<main/s, "<main")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
/** Which of these a screen shows, in its order. */
const shown = async (path: string, of: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const body = (await page(path)).replace(/^.*<tbody/s, "<tbody")
  return of.filter((text) => body.includes(text)).toSorted((a, b) => body.indexOf(a) - body.indexOf(b))
}
/** The column by which a list says that it is ordered, and which way. */
const orderOf = async (path: string): Promise<readonly [column: string, direction: string]> => {
  const [, direction = "", column = ""] = /<th[^>]*aria-sort="(\w+)"[^>]*>(.*?)<\/th>/s.exec(await page(path)) ?? []
  return [column.replaceAll(/<[^>]*>|[↑↓]/g, " ").trim(), direction]
}
const createNamedApp = async (name: string): Promise<TestApp> => {
  const { data } = (await operator.post("/admin/apps", { name })).body
  return new TestApp(server.baseUrl, data.app_id, data.api_key)
}
/** Every session of a list of the API, one a page. */
const idsOf = async (query: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const { status, body } = await operator.get(`/admin/sessions?${query}&limit=1&cursor=${cursor}`)
    assert.strictEqual(status, 200, JSON.stringify(body))
    found.push(...body.data.sessions.map(({ id }: { id: string }) => id))
    cursor = body.data.next_cursor
  }
  return found
}

describe("the list of conversations", () => {
  it("is in the order that it shows, with names and a total, and finds parts of texts", async () => {
    const app = await createNamedApp("Velvet Fox")
    const character_slug = await app.createCharacter({ display_name: "Mara Lindqvist" })
    const sessions: Record<string, string> = {}
    for (const ref of ["anna", "JoAnna", "100%_bert"])
      sessions[ref] = await app.createSession({ character_slug, external_user_ref: ref })
    const list = `/console/conversations?app=${app.appId}`
    const inOrder = [sessions["100%_bert"]!, sessions["JoAnna"]!, sessions["anna"]!]
    assert.deepStrictEqual(await shown(list, Object.values(sessions)), inOrder)
    assert.deepStrictEqual(await orderOf(list), ["Began", "descending"])
    const text = await read(list)
    assert.include(text, "3 conversations")
    assert.include(text, "Mara Lindqvist")
    assert.include(text, "Velvet Fox")
    assert.include(text, "Began")
    assert.notInclude(text, character_slug)

    for (const [query, found] of [
      ["person=ANNA", ["JoAnna", "anna"]],
      ["person=ann&match=whole", []],
      ["person=anna&match=whole", ["anna"]],
      ["person=%25", ["100%_bert"]],
      ["person=_", ["100%_bert"]],
      ["person=%5C", []],
      [`character=${character_slug.slice(2, 8).toUpperCase()}`, ["100%_bert", "JoAnna", "anna"]],
      ["character=nobody", []]
    ] as const)
      assert.deepStrictEqual(
        await shown(`${list}&${query}`, Object.values(sessions)),
        found.map((ref) => sessions[ref]!),
        query
      )
    assert.include(await read(`${list}&person=anna`), "2 conversations")
    assert.deepStrictEqual(await idsOf(`app_id=${app.appId}&person=aNNa`), [sessions["JoAnna"]!, sessions["anna"]!])
    assert.deepStrictEqual(await idsOf(`app_id=${app.appId}&character=MARA`), inOrder)
    const { data } = (await operator.get(`/admin/sessions/${sessions["anna"]}`)).body
    assert.deepInclude(data, { app_name: "Velvet Fox", character_name: "Mara Lindqvist" })
  })

  it("is in the order of the latest danger, if danger is what is looked for", async () => {
    const app = await createNamedApp("Kindred")
    const [first, second, third] = [await app.createSession(), await app.createSession(), await app.createSession()]
    const danger = (session: string, hours: number) => sql()`
      insert into turn_stages (app_id, session_id, turn_index, fence, seq, stage, attempt, started_at, latency_ms,
        status, decision)
      values (${app.appId}, ${session}, 1, 1, ${hours}, 'safety', 1, now() - ${hours}::int * interval '1 hour', 1, 'ok',
        'crisis+danger')`
    for (const [session, hours] of [
      [second, 2],
      [third, 5],
      [third, 3],
      [first, 1]
    ] as const)
      await danger(session, hours)
    const since = new Date(Date.now() - 6 * 3_600_000).toISOString()
    assert.deepStrictEqual(await idsOf(`app_id=${app.appId}&crisis_since=${since}`), [first, second, third])
    const list = `/console/conversations?app=${app.appId}&crisis=86400`
    assert.deepStrictEqual(await shown(list, [first, second, third]), [first, second, third])
    assert.deepStrictEqual(await orderOf(list), ["In danger", "descending"])
    assert.include(await read(list), "3 conversations")
    // Where one list continues, the other does not.
    const { body } = await operator.get(`/admin/sessions?crisis_since=${since}&limit=1`)
    assert.strictEqual((await operator.get(`/admin/sessions?cursor=${body.data.next_cursor}`)).status, 422)
  })
})

describe("the list of deliveries", () => {
  it("is in the order of the events that it shows, and names apps, people and webhooks", async () => {
    const app = await createNamedApp("Copper Kettle")
    const session = await app.createSession({ external_user_ref: "olga" })
    await app.converse(session, "What is for dinner?")
    const { id: channel } = (
      await app.post(`/v1/apps/${app.appId}/channels`, { kind: "webhook", url: "http://127.0.0.1:1/hook" })
    ).body.data
    await sql()`update channels set status = 'paused' where channel_id = ${channel}`
    const [older, newer] = (await app.events(session)).slice(-2)
    // The older event was tried last.
    const attempt = (event: { id: string; cursor: number }, code: string, minutes: number, fence = 1) => sql()`
      insert into delivery_attempts (app_id, session_id, channel_id, cursor, fence, event_id, outcome, error_code,
        started_at)
      values (${app.appId}, ${session}, ${channel}, ${event.cursor}, ${fence}, ${event.id}, 'not_sent', ${code},
        now() - ${minutes}::int * interval '1 minute')`
    await attempt(older!, "http_503", 1)
    await attempt(newer!, "timeout", 2)
    const list = `/console/deliveries?app=${app.appId}`
    assert.deepStrictEqual(await shown(list, [older!.id, newer!.id]), [newer!.id, older!.id])
    assert.deepStrictEqual(await orderOf(list), ["Event", "descending"])
    const text = await read(list)
    assert.include(text, "2 deliveries")
    assert.include(text, `event ${newer!.cursor} of olga`)
    assert.include(text, "webhook http://127.0.0.1:1/hook")
    assert.include(text, "Copper Kettle")
    assert.notInclude(text, channel)
    assert.deepStrictEqual(await shown(`${list}&error=HTTP_5`, [older!.id, newer!.id]), [older!.id])
    assert.deepStrictEqual(await shown(`${list}&error=%25`, [older!.id, newer!.id]), [])
    const { deliveries } = (await operator.get(`/admin/deliveries?app_id=${app.appId}&error_code=time`)).body.data
    assert.deepStrictEqual(
      deliveries.map(({ event_id, app_name }: any) => [event_id, app_name]),
      [[newer!.id, "Copper Kettle"]]
    )
    // Another attempt at the newer one adds no row to the list, but one to the screen of the delivery.
    await attempt(newer!, "http_502", 0, 2)
    const again = await read(list)
    assert.include(again, "2 deliveries")
    assert.include(again, "2 attempts")
    assert.include(again, "http_502")
    assert.notInclude(again, "timeout")
    const all = (await operator.get(`/admin/deliveries?app_id=${app.appId}`)).body.data.deliveries
    assert.lengthOf(all, 3)
    const [, attemptPath = ""] = /href="(\/console\/deliveries\/evt_[^"]*)"/.exec(await page(list)) ?? []
    assert.match(await read(attemptPath), /Through webhook http:\/\/127\.0\.0\.1:1\/hook .* App Copper Kettle .* olga/)
    assert.match(await read(attemptPath), /All attempts .*http_502 .*timeout/)
  })
})

describe("the lists of apps, characters and accounts", () => {
  it("find parts of names, and say how many there are", async () => {
    const [red, grey] = [await createNamedApp("Red Harbour"), await createNamedApp("Grey 50%_Harbour")]
    const both = [red.appId, grey.appId]
    assert.deepStrictEqual((await shown("/console/apps?name=HARB", both)).toSorted(), both.toSorted())
    assert.include(await read("/console/apps?name=HARB"), "2 apps")
    assert.deepStrictEqual(await shown("/console/apps?name=%25_h", both), [grey.appId])
    assert.deepStrictEqual(await shown("/console/apps?name=5%25_h", both), [])
    const { apps } = (await operator.get("/admin/apps?name=rbou")).body.data
    assert.deepStrictEqual(apps.map(({ app_id }: any) => app_id).toSorted(), both.toSorted())
    assert.deepStrictEqual(await shown("/console/apps?name=harbour&sort=newest", both), [grey.appId, red.appId])
    assert.deepStrictEqual(await orderOf("/console/apps?sort=newest"), ["Created", "descending"])
  })

  it("show of which account an app is, by name", async () => {
    const app = await createNamedApp("Amber Mill")
    await sql()`insert into accounts (account_id, kind, name, email)
      values ('acc_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'person', 'Ada Byron', 'ada@example.com')`
    await sql()`update apps set account_id = 'acc_01ARZ3NDEKTSV4RRFFQ69G5FAV' where app_id = ${app.appId}`
    for (const account of ["byRON", "ADA@", "acc_01ARZ3NDEKTSV4RRFFQ69G5FAV"])
      assert.match(await read(`/console/apps?account=${encodeURIComponent(account)}`), /1 app .*Amber Mill .*Ada Byron/)
    assert.deepStrictEqual(await shown("/console/apps?account=nobody", [app.appId]), [])
  })

  it("show characters in the order of their last change, across pages", async () => {
    const app = await createNamedApp("Blue Tram")
    const slugs: Array<string> = []
    for (const name of ["Edda", "Mara", "Nils"]) slugs.push(await app.createCharacter({ display_name: `${name} 100%` }))
    const [edda, mara, nils] = slugs as [string, string, string]
    const list = `/console/characters?app=${app.appId}`
    assert.deepStrictEqual(await shown(list, slugs), [nils, mara, edda])
    await sql()`update characters set updated_at = now() + interval '1 second' where slug = ${edda}`
    assert.deepStrictEqual(await shown(list, slugs), [edda, nils, mara])
    assert.deepStrictEqual(await orderOf(list), ["Changed", "descending"])
    assert.include(await read(list), "3 characters")
    assert.deepStrictEqual(await shown(`${list}&name=ARA+1`, slugs), [mara])
    assert.deepStrictEqual(await shown(`${list}&name=${nils.slice(3)}`, slugs), [nils])
    assert.deepStrictEqual(await shown(`${list}&name=0_`, slugs), [])

    // More than fit on two pages, all changed at the same moment.
    await sql()`
      insert into characters (app_id, slug, version, updated_at)
      select ${app.appId}, 'crowd-' || n, 1, timestamptz '2020-01-01' from generate_series(100, 219) n`
    await sql()`
      insert into character_versions (app_id, slug, version, profile)
      select ${app.appId}, 'crowd-' || n, 1, '{}' from generate_series(100, 219) n`
    const seen: Array<string> = []
    for (let path: string | undefined = list; path !== undefined;) {
      const text = await page(path)
      seen.push(...[...text.matchAll(/class="id">((?:crowd|mara)-\w+)</g)].map(([, slug]) => slug!))
      path = /<a href="([^"]*)">Next page/.exec(text)?.[1]?.replaceAll("&amp;", "&")
    }
    assert.lengthOf(seen, 123)
    assert.lengthOf(new Set(seen), 123)
    assert.deepStrictEqual(seen.slice(0, 3), [edda, nils, mara])
  })

  it("do not count more than a thousand", async () => {
    await sql()`
      insert into accounts (account_id, kind, name)
      select 'acc_' || lpad(n::text, 26, '0'), 'person', 'Crowd ' || n from generate_series(1, 1001) n`
    assert.include(await read("/console/accounts?search=crowd"), "At least 1,000 accounts")
    assert.include(await read("/console/accounts?search=crowd+1001"), "1 account ")
    assert.deepStrictEqual(await orderOf("/console/accounts"), ["Created", "descending"])
  })
})

describe("the filter by app", () => {
  it("takes part of a name, and offers a choice if several apps have it", async () => {
    const [north, south] = [await createNamedApp("North Lantern"), await createNamedApp("South Lantern")]
    const ids = [await north.createSession(), await south.createSession()]
    for (const screen of ["conversations", "deliveries", "webhooks", "bots", "characters"])
      assert.match(
        await read(`/console/${screen}?app=lantern`),
        /Several apps are called like this\. Choose one: North Lantern .* South Lantern/,
        screen
      )
    assert.deepStrictEqual(await shown("/console/conversations?app=lantern", ids), [])
    assert.deepStrictEqual(await shown("/console/conversations?app=NORTH+lant", ids), [ids[0]!])
    const choices = await page("/console/conversations?app=lantern&state=active")
    const [, url = ""] = new RegExp(`href="([^"]*app=${south.appId}[^"]*)"`).exec(choices) ?? []
    assert.include(url, "state=active")
    assert.deepStrictEqual(await shown(url.replaceAll("&amp;", "&"), ids), [ids[1]!])
  })
})
