import { randomUUID } from "node:crypto"
import { createParser } from "eventsource-parser"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { createFleet, type Fleet } from "#test/support/Fleet.ts"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"
import type { TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"
import { idle } from "#test/support/idle.ts"

const SESSIONS = 8
const WRITERS = 6
const WRITING_MS = 15_000
const LEASE_SECONDS = 5

let fleet: Fleet
let live: Array<TroupeProcess>
/** Readers stop when it is over. */
const load = { isOver: false }
beforeEach(async () => {
  fleet = await createFleet()
  fleet.model.answerAfter(0)
  load.isOver = false
  live = [await fleet.start("api,worker"), await fleet.start("api,worker")]
})
afterEach(() => fleet.close())

const pick = <A>(all: ReadonlyArray<A>): A => all[Math.floor(Math.random() * all.length)] as A
const between = (least: number, most: number) => least + Math.floor(Math.random() * (most - least))
const someone = (): TestApp => fleet.clientOf(pick(live))

/** Tries again with another process until one answers. */
const insist = async <A>(ask: (app: TestApp) => Promise<A | undefined>): Promise<A> => {
  while (true) {
    const answer = await ask(someone()).catch(() => undefined)
    if (answer !== undefined) return answer
    await idle(50)
  }
}
const ok = (answer: { readonly status: number; readonly body: any }) =>
  answer.status === 200 ? answer.body.data : undefined

/** A reader who comes and goes, and keeps a cursor. */
const poller = async (heard: Array<LogEvent>) => {
  for (let since = "0"; !load.isOver;) {
    const query = `since=${since}&limit=${pick([1, 7, 40, 500])}&wait=${pick([0, 0.2, 1])}`
    const page = await insist(async (app) => ok(await app.get(`/v1/events?${query}`)))
    heard.push(...page.events)
    since = page.next_cursor
    if (Math.random() < 0.1) await idle(between(50, 1500))
  }
}

/** The same on streams, which it leaves in the middle. */
const streamer = async (heard: Array<LogEvent>) => {
  let last = "0"
  while (!load.isOver) {
    const app = someone()
    const parser = createParser({
      onEvent: ({ id, data }) => {
        heard.push(JSON.parse(data) as LogEvent)
        last = id ?? last
      }
    })
    try {
      const { body } = await fetch(`${app.baseUrl}/v1/events/stream?since=${last}`, {
        headers: { authorization: `Bearer ${app.key}` },
        signal: AbortSignal.timeout(between(100, 3000))
      })
      const text = new TextDecoder()
      for await (const part of body ?? []) parser.feed(text.decode(part, { stream: true }))
    } catch {
      await idle(20)
    }
  }
}

interface Handled {
  readonly worker: number
  /** The lease began after this. */
  readonly askedAt: number
  readonly from: number
  readonly to: number
  readonly event: LogEvent
}

/** One process of a consumer: handles what it is given, and then acknowledges it with the next pull. */
const consumer = async (worker: number, handled: Array<Handled>) => {
  let ack: string | undefined
  while (!load.isOver) {
    const limit = pick([1, 5, 30])
    const body = JSON.stringify({ limit, wait: 1, ...(ack !== undefined && { ack }) })
    const askedAt = performance.now()
    const answer = await someone()
      .post("/v1/consumers/workers/pull", body)
      .catch(() => undefined)
    // Whether an unanswered ack was heard does not matter: it can be sent again.
    const pulled = answer === undefined ? undefined : ok(answer)
    if (pulled === undefined) {
      await idle(50)
      continue
    }
    const from = performance.now()
    await idle(between(0, 40))
    const to = performance.now()
    handled.push(...pulled.events.map((event: LogEvent) => ({ worker, askedAt, from, to, event })))
    ack = pulled.ack ?? undefined
  }
}

const writer = async (sessions: ReadonlyArray<string>, until: number) => {
  while (performance.now() < until) {
    const [session, key] = [pick(sessions), randomUUID()]
    await insist(async (app) => ok(await app.send(session, "Hello", { "idempotency-key": key })))
    await idle(between(0, 60))
  }
}

/** Appends to a log as the server does, in a transaction that got its number long before, and stays open after. */
const slowTransaction = async (session: string, key: string) => {
  await fleet.database.sql.begin(async (sql) => {
    await sql`select pg_current_xact_id()`
    await idle(1000)
    await sql`
      with log as (
        update session_logs l set last_cursor = l.last_cursor + 1, feed_position = greatest(l.feed_position,
          pg_current_xact_id()::text::bigint + (select shift from feed_epochs order by epoch desc limit 1))
        where session_id = ${session} returning *
      )
      insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload, feed_position)
      select app_id, session_id, last_cursor, ${`evt_${key}`}, 'channel.notice', 'system', ${`run_${key}`}, 'system',
        '{}', feed_position from log`
    await idle(1000)
  })
}

const killer = async (until: number) => {
  while (performance.now() < until) {
    await idle(3000)
    const victim = live.shift()
    await victim?.stop("SIGKILL")
    live.push(await fleet.start("api,worker"))
  }
}

const bySession = (events: ReadonlyArray<LogEvent>) =>
  Object.fromEntries(
    [...Map.groupBy(events, (event) => String(event["session_id"]))].map(([session, all]) => [
      session,
      all.map(({ cursor, id }) => `${cursor} ${id}`)
    ])
  )
/** Whether it was surely done before its lease ended. After that, another may be given the same events. */
const isInLease = ({ askedAt, to }: Handled): boolean => to - askedAt < LEASE_SECONDS * 1000
/** Without later copies. */
const firsts = (events: ReadonlyArray<LogEvent>) => [...new Map(events.map((event) => [event.id, event])).values()]

describe("the feed under load", () => {
  it("is a merge of all logs for every reader, although processes are killed and transactions stay open", async ({
    annotate
  }) => {
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => someone().createSession()))
    await insist(async (app) => ok(await app.request("PUT", "/v1/consumers/workers", { lease_seconds: LEASE_SECONDS })))
    const polled: ReadonlyArray<Array<LogEvent>> = [[], []]
    const streamed: ReadonlyArray<Array<LogEvent>> = [[], []]
    const handled: Array<Handled> = []
    const readers = [
      ...polled.map((heard) => poller(heard)),
      ...streamed.map((heard) => streamer(heard)),
      consumer(1, handled),
      consumer(2, handled)
    ]

    const end = performance.now() + WRITING_MS
    await Promise.all([
      ...Array.from({ length: WRITERS }, () => writer(sessions, end)),
      killer(end),
      ...[0, 1, 2, 3].map(async (n) => {
        await idle(n * 2500)
        await slowTransaction(sessions[n] ?? "", `slow-${n}`)
      })
    ])
    await until("every turn to end", async () => {
      const [row] = await fleet.database.sql`select sum(open_turns)::int as open from session_logs`
      return row?.["open"] === 0
    })
    const logs = (await Promise.all(sessions.map((session) => someone().events(session)))).flat()
    const known = new Set(logs.map(({ id }) => id))
    const hasAll = (events: ReadonlyArray<LogEvent>) => new Set(events.map(({ id }) => id)).size >= known.size
    await until("every reader to have read everything", () =>
      [...polled, ...streamed, handled.map(({ event }) => event)].every(hasAll)
    ).catch(() => {})
    load.isOver = true
    await Promise.all(readers)

    const expected = bySession(logs)
    await annotate(`${logs.length} events`)
    for (const heard of [...polled, ...streamed]) {
      assert.deepStrictEqual(bySession(heard), expected)
      assert.strictEqual(heard.length, logs.length)
    }
    const events = handled.map(({ event }) => event)
    assert.deepStrictEqual(bySession(firsts(events)), expected)
    await annotate(`${events.length - logs.length} events were handled twice, because an answer was lost`)
    for (const [session, all] of Map.groupBy(handled.filter(isInLease), ({ event }) => event["session_id"]))
      for (const [n, one] of all.entries())
        for (const other of all.slice(n + 1))
          assert.isTrue(
            one.worker === other.worker || one.to <= other.from || other.to <= one.from,
            `two processes handled ${String(session)} at once`
          )
    assert.isAbove(new Set(handled.map(({ worker }) => worker)).size, 1)
  })
})
