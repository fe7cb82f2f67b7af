import * as fc from "fast-check"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { EventSource } from "eventsource"
import { type LogEvent, TestApp } from "#test/support/TestApp.ts"
import { feedShows } from "#test/support/conversation/feedShows.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const closers: Array<() => unknown> = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

const read = async (app: TestApp, query: string) => {
  const { status, body } = await app.get(`/v1/events?${query}`)
  assert.strictEqual(status, 200, JSON.stringify(body))
  return body.data as { events: ReadonlyArray<LogEvent>; next_cursor: string; has_more: boolean }
}
/** The whole feed after a cursor, in pages of this size. */
const readAll = async (app: TestApp, since = "0", limit = 200, filter = "") => {
  const events: Array<LogEvent> = []
  for (let from = since; ;) {
    const page = await read(app, `since=${from}&limit=${limit}${filter}`)
    events.push(...page.events)
    from = page.next_cursor
    if (!page.has_more) return { events, cursor: from }
  }
}
/** Has a conversation, and waits until the feed shows the reply: other transactions may delay it a little. */
const converse = async (app: TestApp, session: string, text: string) => {
  await app.converse(session, text)
  await feedShows(
    app,
    (await app.events(session)).map(({ id }) => id)
  )
}
/** Fails unless these are all events of these logs, each log in its order. */
const assertMerge = async (app: TestApp, events: ReadonlyArray<LogEvent>, sessions: ReadonlyArray<string>) => {
  for (const session of sessions)
    assert.deepStrictEqual(
      events.filter((event) => event["session_id"] === session),
      await app.events(session)
    )
  assert.strictEqual(new Set(events.map(({ id }) => id)).size, events.length)
}
const openStream = (app: TestApp, query = "", lastEventId?: string) => {
  const seen: Array<{ readonly id: string; readonly event: LogEvent }> = []
  const source = new EventSource(`${app.baseUrl}/v1/events/stream${query}`, {
    fetch: (url, init) =>
      fetch(url, {
        ...init,
        headers: {
          ...init.headers,
          authorization: `Bearer ${app.key}`,
          ...(lastEventId !== undefined && { "last-event-id": lastEventId })
        }
      })
  })
  closers.push(() => source.close())
  for (const type of ["message.created", "run.status", "character.initiated", "session.exited"])
    source.addEventListener(type, (message) =>
      seen.push({ id: message.lastEventId, event: JSON.parse(message.data) as LogEvent })
    )
  return seen
}

/** Events with payloads of this size on a log of the app. */
const writeLarge = async (app: TestApp, count: number, size: number) => {
  const { sql } = server.database
  const session = await app.createSession()
  await sql`
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
    select ${app.appId}, ${session}, n, 'evt_' || ${session}::text || n, 'message.created', 'user', 'run_' || n, 'api',
      json_build_object('text', repeat('x', ${size}::int))
    from generate_series(1, ${count}::int) n`
  await sql`update session_logs set last_cursor = ${count} where session_id = ${session}`
  return session
}

describe("the feed of an app", () => {
  it("has every event of every session, as in its log, each log in its order", async () => {
    const app = await server.createApp()
    const character_slug = await app.createCharacter()
    const sessions = await Promise.all(Array.from({ length: 4 }, () => app.createSession({ character_slug })))
    await Promise.all(sessions.map((session) => converse(app, session, "Hello")))
    await converse(app, sessions[0] ?? "", "And again")
    for (const limit of [1, 3, 200]) {
      const { events } = await readAll(app, "0", limit)
      await assertMerge(app, events, sessions)
      assert.strictEqual(new Set(events.map((event) => event["session_id"])).size, sessions.length)
    }
  })

  it("has the operational events of the app", async () => {
    const app = await server.createApp()
    await app.createSession()
    const since = (await readAll(app)).cursor
    await server.database.sql`update apps set name = 'renamed' where app_id = ${app.appId}`
    await app.get("/v1/delivery/events")
    await server.database.sql`
      with log as (update session_logs set last_cursor = last_cursor + 1 where session_id = ${app.appId} returning *)
      insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
      select app_id, session_id, last_cursor, 'evt_op', 'bot.revoked', 'system', 'run_op', 'system', '{}' from log`
    await feedShows(app, ["evt_op"])
    const { events } = await readAll(app, since)
    assert.deepStrictEqual(
      events.map(({ id }) => id),
      ["evt_op"]
    )
    assert.deepStrictEqual(events, (await app.get("/v1/delivery/events")).body.data.events)
  })

  it("is empty for a new app, and then begins with its first event", async () => {
    const app = await server.createApp()
    assert.deepStrictEqual(await read(app, "since=0"), { events: [], next_cursor: "0", has_more: false })
    const waiting = read(app, "since=0&wait=20")
    const session = await app.createSession()
    await app.send(session, "Hello")
    const page = await waiting
    assert.strictEqual(page.events[0]?.["session_id"], session)
    assert.strictEqual(page.events[0]?.cursor, 1)
  })

  it("shows an app nothing of another one, whose cursors are of no use", async () => {
    const [mine, other] = [await server.createApp(), await server.createApp()]
    await converse(mine, await mine.createSession(), "Hello")
    const theirs = await other.createSession()
    await converse(other, theirs, "Hello")
    const { events, cursor } = await readAll(other)
    await assertMerge(other, events, [theirs])
    assert.deepStrictEqual((await readAll(mine, cursor)).events, [])
  })

  it("waits for an event, and answers as soon as it is there", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    await converse(app, session, "Hello")
    const { cursor } = await readAll(app)
    const empty = await read(app, `since=${cursor}&wait=0.2`)
    assert.deepStrictEqual(empty, { events: [], next_cursor: cursor, has_more: false })
    const quiet = await server.createApp()
    const silence = read(quiet, "since=0&wait=30")
    const waiting = read(app, `since=${cursor}&wait=30`)
    await app.send(session, "Again")
    // Before the wait of another app ends, in which nothing happens.
    assert.isNotEmpty((await Promise.race([waiting, silence])).events)
  })

  it("begins with the next event at now", async () => {
    const app = await server.createApp()
    assert.strictEqual((await read(app, "since=now")).next_cursor, "0")
    const session = await app.createSession()
    await converse(app, session, "Hello")
    const { events, next_cursor } = await read(app, "since=now")
    assert.deepStrictEqual(events, [])
    const seen = openStream(app, "?since=now")
    await until("the stream to show a message", async () => {
      await converse(app, session, "Again")
      return seen.length > 0
    })
    assert.isAbove(seen[0]?.event.cursor ?? 0, 3)
    assert.deepStrictEqual((await readAll(app, next_cursor)).events, await app.events(session, 3))
  })

  it("filters by type, character and session, and still advances", async () => {
    const app = await server.createApp()
    const [first, second] = [await app.createCharacter(), await app.createCharacter()]
    const a = await app.createSession({ character_slug: first })
    const b = await app.createSession({ character_slug: second })
    for (const session of [a, b]) await converse(app, session, "Hello")
    const all = (await readAll(app)).events
    const filtered = async (filter: string) => (await readAll(app, "0", 2, filter)).events
    const expected = (fits: (event: LogEvent) => boolean) => all.filter(fits)
    assert.deepStrictEqual(
      await filtered("&types=run.status"),
      expected(({ type }) => type === "run.status")
    )
    assert.deepStrictEqual(
      await filtered("&types=run.status,message.created"),
      expected(({ type }) => type === "run.status" || type === "message.created")
    )
    assert.deepStrictEqual(
      await filtered(`&character=${second}`),
      expected((event) => event["session_id"] === b)
    )
    assert.deepStrictEqual(
      await filtered(`&session=${a}&types=message.created`),
      expected((event) => event["session_id"] === a && event.type === "message.created")
    )
    const none = await read(app, "since=0&types=message.failed")
    assert.deepStrictEqual([none.events, none.has_more], [[], false])
    assert.notStrictEqual(none.next_cursor, "0")
  })

  it.each([
    ["a cursor that is none", "since=12"],
    ["an empty cursor", "since="],
    ["a cursor that was cut off", "since=abcdef12.00000001.12"],
    ["a type that there is not", "types=message.creatd"],
    ["no types", "types="],
    ["a page that is too large", "limit=1001"],
    ["a wait that is too long", "wait=31"]
  ])("refuses %s", async (_, query) => {
    const { status, body } = await (await server.createApp()).get(`/v1/events?${query}`)
    assert.strictEqual(status, 422, JSON.stringify(body))
    assert.strictEqual(body.detail.code, "validation_error")
  })

  it("has pages of about a megabyte at most, and the log of a session of a quarter", async () => {
    const app = await server.createApp()
    const session = await writeLarge(app, 40, 300_000)
    const ofLog = (await app.get(`/v1/sessions/${session}/events?since=0`)).body.data
    assert.deepStrictEqual([ofLog.events.length, ofLog.next_cursor, ofLog.has_more], [1, 1, true])
    await until("the feed to show them", async () => (await readAll(app)).events.length === 40)
    const first = await read(app, "limit=200")
    assert.isTrue(first.has_more)
    assert.isBelow(JSON.stringify(first).length, 1.2 * 1024 * 1024)
    assert.deepStrictEqual(
      (await readAll(app)).events.map(({ cursor }) => cursor),
      Array.from({ length: 40 }, (_, n) => n + 1)
    )
  })

  it("has the bytes of the log of a session, whatever an event holds", async () => {
    const app = await server.createApp()
    const character_slug = await app.createCharacter()
    const { sql } = server.database
    const bytes = async (path: string) => {
      const answer = await fetch(`${server.baseUrl}${path}`, { headers: { authorization: `Bearer ${app.key}` } })
      const text = await answer.text()
      return text.slice(text.indexOf('"events":['), text.indexOf(',"next_cursor"'))
    }
    const text = fc.string({ unit: "grapheme", maxLength: 20 }).filter((each) => !each.includes("\0"))
    const event = fc.record({
      source: fc.option(text),
      payload: fc.dictionary(text, fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean())),
      // From long ago until far in the future, to the microsecond.
      at: fc.integer({ min: -2_000_000_000, max: 8_000_000_000 }),
      micros: fc.integer({ min: 0, max: 999_999 })
    })
    await fc.assert(
      fc.asyncProperty(
        text.map((each) => `u${each}`),
        fc.array(event, { minLength: 1, maxLength: 30 }),
        async (external_user_ref, events) => {
          const session = await app.createSession({ character_slug, external_user_ref, new_thread: true })
          await sql`
            insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, source_id, payload,
              created_at)
            select ${app.appId}, ${session}, l.last_cursor + e.n, 'evt_' || e.n, 'message.created', 'user',
              'run_' || e.n, 'api', e.source, e.payload::json, to_timestamp(e.at) + e.micros * interval '1 microsecond'
            from unnest(${events.map(({ source }) => source)}::text[],
              ${events.map(({ payload }) => JSON.stringify(payload))}::text[], ${events.map(({ at }) => at)}::bigint[],
              ${events.map(({ micros }) => micros)}::int[]) with ordinality as e(source, payload, at, micros, n)
            join session_logs l on l.session_id = ${session}`
          await sql`update session_logs set last_cursor = last_cursor + ${events.length} where session_id = ${session}`
          const ofLog = await bytes(`/v1/sessions/${session}/events?since=0`)
          const ofFeed = () => bytes(`/v1/events?session=${session}`)
          await until("the feed to show them", async () => (await ofFeed()).length === ofLog.length)
          assert.strictEqual(await ofFeed(), ofLog)
        }
      ),
      { numRuns: 15 }
    )
  })

  it("does not overtake an open transaction: it delays, and loses nothing", async () => {
    const app = await server.createApp()
    const [held, free] = [await app.createSession(), await app.createSession()]
    const since = (await readAll(app)).cursor
    let waiting: Promise<{ events: ReadonlyArray<LogEvent> }> | undefined
    await server.database.sql.begin(async (sql) => {
      await sql`update session_logs set last_cursor = last_cursor + 1 where session_id = ${held}`
      await sql`
        insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
        select ${app.appId}, ${held}, last_cursor, 'evt_late', 'message.failed', 'system', 'run_late', 'system',
          '{"turn_index":1,"reason":"timed_out","recoverable":true}'
        from session_logs where session_id = ${held}`
      await app.converse(free, "Hello")
      assert.deepStrictEqual((await readAll(app, since)).events, [])
      waiting = read(app, `since=${since}&wait=20`)
    })
    assert.strictEqual((await waiting)?.events[0]?.id, "evt_late")
    await converse(app, free, "And now")
    const { events } = await readAll(app, since)
    await assertMerge(app, events, [held, free])
  })
})

describe("the stream of the feed", () => {
  it.each([
    [30, 300_000],
    [5, 1_000_000]
  ])("has %d events of %d characters each once and in order, though a page has room for few", async (count, size) => {
    const app = await server.createApp()
    await writeLarge(app, count, size)
    const { events } = await until("the feed to show them", async () => {
      const all = await readAll(app)
      return all.events.length === count ? all : undefined
    })
    const seen = openStream(app, "?since=0")
    const few = openStream(app, "?types=message.created")
    await until("all events", () => seen.length >= count && few.length >= count)
    for (const one of [seen, few])
      assert.deepStrictEqual(
        one.map(({ event }) => event.cursor),
        events.map(({ cursor }) => cursor)
      )
  })

  it("has the same events, and each id is a cursor for both the stream and the list", async () => {
    const app = await server.createApp()
    const sessions = [await app.createSession(), await app.createSession()]
    for (const session of sessions) await converse(app, session, "Hello")
    const { events } = await readAll(app)
    const seen = openStream(app, "?since=0")
    await until("all events", () => seen.length >= events.length)
    assert.deepStrictEqual(
      seen.map(({ event }) => event),
      events
    )
    for (const [index, { id }] of seen.entries())
      assert.deepStrictEqual((await readAll(app, id)).events, events.slice(index + 1))
    const rest = openStream(app, "?since=0", seen[2]?.id)
    await until("the rest", () => rest.length >= events.length - 3)
    assert.deepStrictEqual(
      rest.map(({ event }) => event),
      events.slice(3)
    )
  })

  it("goes on with what is written later, by type", async () => {
    const app = await server.createApp()
    const seen = openStream(app, "?types=message.created")
    const session = await app.createSession()
    await converse(app, session, "Hello")
    await converse(app, session, "Again")
    await until("four events", () => seen.length >= 4)
    assert.deepStrictEqual(
      seen.map(({ event }) => event),
      (await app.events(session)).filter(({ type }) => type === "message.created")
    )
  })

  it("ends when its key is revoked", async () => {
    const app = await server.createApp()
    const response = await fetch(`${app.baseUrl}/v1/events/stream`, { headers: { authorization: `Bearer ${app.key}` } })
    assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/)
    await server.database.sql`update api_keys set revoked_at = now() where app_id = ${app.appId}`
    await server.database.sql`select pg_notify('troupe_key_ended', prefix) from api_keys where app_id = ${app.appId}`
    assert.match(await response.text(), /^retry: \d+\n\n$/)
  })
})

describe("a feed in a database that was restored or moved", () => {
  /** Runs the work on a server, stops it, changes the database, and starts another one on it. */
  const moved = async (change: (database: TestDatabase) => Promise<unknown>) => {
    const database = await createTestDatabase()
    closers.push(() => database.drop())
    const before = await startTestServer({ database })
    const app = await before.createApp()
    const session = await app.createSession()
    await converse(app, session, "Hello")
    const old = await readAll(app)
    const half = (await read(app, "since=0&limit=2")).next_cursor
    await before.close()
    await change(database)
    const after = await startTestServer({ database })
    closers.push(() => after.close())
    return { app: new TestApp(after.baseUrl, app.appId, app.key), session, old, half }
  }
  const expired = async (app: TestApp, since: string): Promise<string> => {
    const { status, body } = await app.get(`/v1/events?since=${since}`)
    assert.deepStrictEqual([status, body.detail?.code], [410, "cursor_expired"])
    assert.include(body.detail.fix, `since=${body.detail.earliest_since}`)
    return body.detail.earliest_since
  }

  it("answers 410 with the place to continue from, which repeats and misses nothing", async () => {
    const { app, session, old, half } = await moved(({ sql }) => sql`update feed_epochs set identity = 'elsewhere'`)
    await converse(app, session, "Here")
    const all = await readAll(app)
    assert.deepStrictEqual(all.events.slice(0, old.events.length), old.events)
    await assertMerge(app, all.events, [session])
    assert.deepStrictEqual(
      (await readAll(app, await expired(app, old.cursor))).events,
      all.events.slice(old.events.length)
    )
    assert.deepStrictEqual((await readAll(app, await expired(app, half))).events, all.events.slice(2))
    const stream = await fetch(`${app.baseUrl}/v1/events/stream?since=${old.cursor}`, {
      headers: { authorization: `Bearer ${app.key}` }
    })
    assert.strictEqual(stream.status, 410)
  })

  it("puts new events after all old ones, even if transactions have lower numbers there", async () => {
    const { app, session, old } = await moved(async ({ sql }) => {
      await sql`update feed_epochs set identity = 'elsewhere'`
      await sql`update events set feed_position = feed_position + 1000000000`
      await sql`update session_logs set feed_position = feed_position + 1000000000`
    })
    await converse(app, session, "Here")
    const { events } = await readAll(app)
    assert.isAbove(events.length, old.events.length)
    await assertMerge(app, events, [session])
  })

  it("goes on after a standby took over, if the last event that was read is there", async () => {
    const { app, session, old } = await moved(() => Promise.resolve())
    const [epoch = "", , position = "", inSession = "", cursor = "", trimmed = ""] = old.cursor.split(".")
    const onPrimary = [epoch, "000000ff", position, inSession, cursor, trimmed].join(".")
    await converse(app, session, "Here")
    assert.deepStrictEqual((await readAll(app, onPrimary)).events, (await readAll(app, old.cursor)).events)
    const lost = [epoch, "000000ff", Number(position) + 1, inSession, Number(cursor) + 1, trimmed].join(".")
    assert.strictEqual(await expired(app, lost), "0")
  })

  it("answers 410 to a cursor that is ahead of this database", async () => {
    const { app, old } = await moved(() => Promise.resolve())
    const [epoch = "", timeline = "", position = "", ...rest] = old.cursor.split(".")
    assert.strictEqual(await expired(app, [epoch, timeline, Number(position) + 1e9, ...rest].join(".")), "0")
  })
})
