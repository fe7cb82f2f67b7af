import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { ChannelKind } from "#channels/ChannelKind.ts"
import { type LaneLease, Lanes, type LaneStep, type ClaimCapacity } from "#channels/Lanes.ts"
import { TELEGRAM_BYO, TELEGRAM_MANAGED } from "#channels/telegram/telegramKinds.ts"
import { WEBHOOK } from "#channels/webhook/webhookKind.ts"
import { Database } from "#src/db/postgres/Database.ts"
import * as PostgresLanes from "#src/db/delivery/PostgresLanes.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { until } from "#test/support/until.ts"

const ROOM: ClaimCapacity = {
  lanes: 64,
  endpoints: new Map(),
  apps: new Map(),
  perEndpoint: 4,
  perPaced: 20,
  perApp: 8
}

let database: TestDatabase
let runtime: ManagedRuntime.ManagedRuntime<Lanes, never>

beforeEach(async () => {
  database = await createTestDatabase()
  runtime = ManagedRuntime.make(
    PostgresLanes.layer.pipe(Layer.provide(Database.layer({ url: Redacted.make(database.url), maxConnections: 4 })))
  )
  await database.sql`insert into apps (app_id, name) values ('app_a', 'a'), ('app_b', 'b')`
  await database.sql`insert into workers (worker_id) values ('wrk_1'), ('wrk_2')`
})
afterEach(async () => {
  await runtime.dispose()
  await database.drop()
})

/**
 * Channels with lanes on sessions whose log holds `events` events. Foreign rows are missing, because only lanes are
 * read.
 */
const seed = async (options: {
  readonly app?: string
  readonly channel: string
  readonly sessions: ReadonlyArray<string>
  readonly events?: number
  readonly types?: ReadonlyArray<string>
  readonly endpoint?: string
  readonly paced?: boolean
  readonly kind?: ChannelKind
}) => {
  const {
    app = "app_a",
    channel,
    sessions,
    events = 3,
    types = null,
    endpoint = channel,
    kind = WEBHOOK,
    paced = kind.paced
  } = options
  const { sql } = database
  await sql`insert into channels (app_id, channel_id, kind, hold_kind, endpoint, target, events, paced)
    values (${app}, ${channel}, ${kind.name}, ${kind.holdKind}, ${endpoint}, '{}', ${types as Array<string> | null},
      ${paced})`
  for (const session of sessions) {
    for (let cursor = 1; cursor <= events; cursor++) {
      await sql`
        insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
        values (${app}, ${session}, ${cursor},
          ${`evt_${session}_${cursor}`},
            ${cursor % 2 === 1 ? "message.created" : "run.status"}, 'user', 'run_1', 'api', '{}')
              on conflict do nothing`
    }
    await sql`insert into lanes (app_id, session_id, channel_id, generation, position, head, status)
      values (${app}, ${session}, ${channel}, 1, 0, ${events}, 'ready')`
  }
}
const lanes = <A, E>(use: (lanes: Lanes["Service"]) => Effect.Effect<A, E>) => runtime.runPromise(Lanes.use(use))
const claim = async (owner = "wrk_1", room: Partial<ClaimCapacity> = {}) =>
  (await lanes((l) => l.claim(owner, { ...ROOM, ...room }))).leases
const step = (lease: LaneLease, place: number, change: Partial<LaneStep> = {}): LaneStep => ({
  lease,
  event: lease.events[place]!,
  part: 0,
  last: true,
  outcome: "sent",
  reflectsHealth: true,
  statusCode: 200,
  errorCode: null,
  answer: null,
  request: null,
  startedAt: new Date(),
  latency: Duration.millis(3),
  move: "pass",
  next: lease.events[place + 1] ?? null,
  throttle: null,
  ...change
})
const lane = async (session = "s1") =>
  (
    await database.sql`
      select position::int, head::int, status, owner, fence, failures, sending::int from lanes
      where session_id = ${session}`
  )[0]

describe("a claim", () => {
  it("returns the events after the position, in order, and records the intent to send the first one", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"] })
    const [lease] = await claim()
    expect(lease?.events.map(({ cursor }) => cursor)).toEqual([1, 2, 3])
    expect(JSON.parse(lease?.events[0]?.text ?? "")).toMatchObject({ cursor: 1, session_id: "s1" })
    expect(await lane()).toMatchObject({ owner: "wrk_1", fence: 1, sending: 1, position: 0 })
    expect(await claim("wrk_2")).toEqual([])
  })

  it("skips events that the channel does not want, and then becomes idle", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"], events: 4, types: ["message.created"] })
    const [lease] = await claim()
    expect(lease?.events.map(({ cursor }) => cursor)).toEqual([1, 3])
    expect(await lanes((l) => l.settle(step(lease!, 0)))).toBe("next")
    expect(await lanes((l) => l.settle(step(lease!, 1)))).toBe("rest")
    expect(await lane()).toMatchObject({ position: 4, status: "idle", owner: null, sending: null })
  })

  it("moves a lane without wanted events to the head of its log at once", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"], types: ["image.ready"] })
    expect(await claim()).toEqual([])
    expect(await lane()).toMatchObject({ position: 3, status: "idle", owner: null })
  })

  it("takes no more lanes of an endpoint or an app than its limit, whatever else is ready", async () => {
    await seed({ channel: "chn_1", sessions: Array.from({ length: 20 }, (_, n) => `x${n}`), endpoint: "https://slow" })
    await seed({ channel: "chn_2", sessions: ["y1"], endpoint: "https://slow" })
    await seed({ channel: "chn_3", sessions: Array.from({ length: 20 }, (_, n) => `z${n}`) })
    await seed({ app: "app_b", channel: "chn_4", sessions: ["b1"] })
    const leases = await claim("wrk_1", { endpoints: new Map([["https://slow", 1]]) })
    const of = (endpoint: string) => leases.filter((lease) => lease.endpoint === endpoint).length
    expect(of("https://slow")).toBe(3)
    expect(leases.filter(({ appId }) => appId === "app_a").length).toBeLessThanOrEqual(8)
    expect(of("chn_4")).toBe(1)
  })

  it("gives a free slot to the app and the endpoint that use the fewest, whatever has waited longer", async () => {
    for (const slow of ["slow_1", "slow_2"]) {
      await seed({ channel: slow, sessions: [`${slow}_1`, `${slow}_2`] })
      await seed({ app: "app_b", channel: `${slow}_of_b`, sessions: [`${slow}_b1`, `${slow}_b2`] })
    }
    await database.sql`update lanes set due_at = now() - interval '1 hour'`
    await seed({ app: "app_b", channel: "quick_of_b", sessions: ["quick_b"] })
    await database.sql`insert into apps (app_id, name) values ('app_c', 'c')`
    await seed({ app: "app_c", channel: "quick", sessions: ["quick_c"] })
    const busy: Partial<ClaimCapacity> = {
      endpoints: new Map(["slow_1", "slow_2", "slow_1_of_b", "slow_2_of_b"].map((endpoint) => [endpoint, 2])),
      apps: new Map([
        ["app_a", 4],
        ["app_b", 4]
      ])
    }
    const [first] = await claim("wrk_1", { ...busy, lanes: 1 })
    expect(first?.sessionId).toBe("quick_c")
    const next = await claim("wrk_1", { ...busy, apps: new Map([["app_b", 4]]), lanes: 2 })
    expect(next.map(({ appId }) => appId)).toEqual(["app_a", "app_a"])
    const [own] = await claim("wrk_1", { ...busy, apps: new Map([["app_a", 7]]), lanes: 1 })
    expect(own?.sessionId).toBe("quick_b")
  })

  it("reaches all channels in turn if there are more than one claim can visit", async () => {
    const channels = Array.from({ length: 300 }, (_, n) => `chn_${String(n).padStart(3, "0")}`)
    await database.sql`
      insert into channels (app_id, channel_id, kind, endpoint, target) select 'app_a', c, 'webhook', c, '{}'
      from unnest(${channels}::text[]) c`
    await database.sql`
      insert into lanes (app_id, session_id, channel_id, generation, position, head, status)
      select 'app_a', 's1', c, 1, 0, 1, 'ready' from unnest(${channels}::text[]) c`
    await database.sql`
      insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
      values ('app_a', 's1', 1, 'evt_1', 'message.created', 'user', 'run_1', 'api', '{}')`
    const room = { lanes: 300, perApp: 1000 }
    const first = await lanes((l) => l.claim("wrk_1", { ...ROOM, ...room }))
    expect(first).toMatchObject({ more: true })
    const second = await lanes((l) => l.claim("wrk_1", { ...ROOM, ...room }))
    expect(new Set([...first.leases, ...second.leases].map(({ channelId }) => channelId)).size).toBe(300)
  })

  it("parks the ready lanes of a paused channel, and leaves those of a channel that asked for a wait", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"] })
    await seed({ channel: "chn_2", sessions: ["s2"] })
    await database.sql`update channels set status = 'paused' where channel_id = 'chn_1'`
    await database.sql`update channels set not_before = now() + interval '1 minute' where channel_id = 'chn_2'`
    expect(await claim()).toEqual([])
    expect(await lane("s1")).toMatchObject({ status: "parked" })
    expect(await lane("s2")).toMatchObject({ status: "ready", owner: null })
  })

  it("parks the ready lanes of bots that the operator holds, and of no other channel or app", async () => {
    await seed({ channel: "bot_1", sessions: ["s1"], kind: TELEGRAM_BYO })
    await seed({ channel: "chn_2", sessions: ["s2"] })
    await seed({ app: "app_b", channel: "bot_3", sessions: ["s3"], kind: TELEGRAM_BYO })
    await database.sql`insert into telegram_holds (scope) values ('app_a')`
    expect((await claim()).map(({ sessionId }) => sessionId).sort()).toEqual(["s2", "s3"])
    expect(await lane("s1")).toMatchObject({ status: "parked" })
    await database.sql`update lanes set status = 'ready', owner = null`
    await database.sql`insert into telegram_holds (scope) values ('*')`
    expect((await claim()).map(({ sessionId }) => sessionId)).toEqual(["s2"])
  })

  it("takes nothing for an unregistered worker", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"] })
    expect(await claim("wrk_dead")).toEqual([])
  })
})

describe("a step", () => {
  it("moves the position and records the outcome together, once", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"] })
    const [lease] = await claim()
    expect(await lanes((l) => l.settle(step(lease!, 0)))).toBe("next")
    expect(await lane()).toMatchObject({ position: 1, sending: 2, owner: "wrk_1" })
    expect(await database.sql`select cursor::int, outcome, status_code from delivery_attempts`).toMatchObject([
      { cursor: 1, outcome: "sent", status_code: 200 }
    ])
  })

  it("writes nothing if the lane was taken over, and the attempt in flight is unknown", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"] })
    const [zombie] = await claim()
    await database.sql`update lanes set owner = null`
    const [heir] = await claim("wrk_2")
    expect(await lanes((l) => l.settle(step(zombie!, 0)))).toBe("lost")
    expect(await lane()).toMatchObject({ position: 0, owner: "wrk_2", sending: 1 })
    expect(await database.sql`select cursor::int, fence, outcome, error_code from delivery_attempts`).toMatchObject([
      { cursor: 1, fence: 1, outcome: "unknown", error_code: "interrupted" }
    ])
    expect(await lanes((l) => l.settle(step(heir!, 0)))).toBe("next")
  })

  it("that failed waits until its time, and a job then wakes a courier", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"] })
    const [lease] = await claim()
    const failed = step(lease!, 0, {
      outcome: "not_sent",
      move: { retryAfter: Duration.seconds(60), failures: 1 },
      next: null
    })
    expect(await lanes((l) => l.settle(failed))).toBe("rest")
    expect(await lane()).toMatchObject({ position: 0, status: "waiting", failures: 1, owner: null })
    expect(await claim()).toEqual([])
    expect(
      await database.sql`
        select run_at > created_at + interval '55 seconds' as later from graphile_worker._private_jobs`
    ).toMatchObject([{ later: true }])
    await database.sql`update lanes set due_at = now()`
    await lanes((l) => l.sweep)
    expect((await claim())[0]?.failures).toBe(1)
  })

  it("releases the lane if its channel was changed meanwhile, because its content is outdated", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"] })
    const [lease] = await claim()
    await database.sql`update channels set version = version + 1`
    expect(await lanes((l) => l.settle(step(lease!, 0)))).toBe("ready")
    expect(await lane()).toMatchObject({ position: 1, owner: null, sending: null, status: "ready" })
    const [next] = await claim()
    expect(next).toMatchObject({ channelVersion: 2, events: [{ cursor: 2 }, { cursor: 3 }] })
    expect(await lanes((l) => l.settle(step(next!, 0)))).toBe("next")
  })

  it("releases the lane if its channel was stopped meanwhile", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"] })
    const [lease] = await claim()
    await database.sql`update channels set status = 'paused'`
    expect(await lanes((l) => l.settle(step(lease!, 0)))).toBe("ready")
    expect(await lane()).toMatchObject({ position: 1, owner: null, sending: null })
  })

  it("reports more events if the log has grown meanwhile", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"], events: 1 })
    const [lease] = await claim()
    await database.sql`update lanes set head = 2`
    expect(await lanes((l) => l.settle(step(lease!, 0)))).toBe("ready")
  })
})

describe("an event with a requested retry", () => {
  it("is sent before the lane continues, and does not move the position", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"] })
    await database.sql`update lanes set position = 2, redo = '{1}'`
    const [lease] = await claim()
    expect(lease?.events).toMatchObject([{ cursor: 1, redo: true }])
    expect(await lanes((l) => l.settle(step(lease!, 0)))).toBe("ready")
    expect(await lane()).toMatchObject({ position: 2, status: "ready" })
    expect((await claim())[0]?.events).toMatchObject([{ cursor: 3, redo: false }])
  })
})

describe("an event with several parts", () => {
  const within = async () => (await database.sql`select position::int, part, status, owner from lanes`)[0]

  it("keeps the position until its last part, and a retry starts with the part that failed", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"] })
    const [lease] = await claim()
    const [event] = lease!.events
    expect(await lanes((l) => l.settle(step(lease!, 0, { last: false, next: event! })))).toBe("next")
    expect(await within()).toMatchObject({ position: 0, part: 1, owner: "wrk_1" })
    const failed = {
      part: 1,
      last: false,
      outcome: "not_sent",
      move: { retryAfter: Duration.zero, failures: 1 },
      next: null
    } as const
    await lanes((l) => l.settle(step(lease!, 0, failed)))
    await lanes((l) => l.sweep)
    const [again] = await claim()
    expect(again).toMatchObject({ part: 1, failures: 1 })
    expect(await lanes((l) => l.settle(step(again!, 0, { part: 1 })))).toBe("next")
    expect(await within()).toMatchObject({ position: 1, part: 0 })
    expect(await database.sql`select part, fence, outcome from delivery_attempts order by part, fence`).toMatchObject([
      { part: 0, fence: 1, outcome: "sent" },
      { part: 1, fence: 1, outcome: "not_sent" },
      { part: 1, fence: 2, outcome: "sent" }
    ])
  })

  it("with a requested retry reports which parts have arrived, and ends with the last one", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"], paced: true })
    await database.sql`update lanes set position = 2, redo = '{1}'`
    await database.sql`insert into delivery_attempts (app_id, session_id, channel_id, cursor, part, fence, event_id,
      outcome, started_at) values
      ('app_a', 's1', 'chn_1', 1, 0, 0, 'evt_s1_1', 'sent', now()),
        ('app_a', 's1', 'chn_1', 1, 1, 0, 'evt_s1_1', 'unknown', now())`
    const [lease] = await claim()
    expect(lease?.events).toMatchObject([{ cursor: 1, redo: true, sent: [0] }])
    await lanes((l) => l.settle(step(lease!, 0, { part: 1, last: false, next: lease!.events[0]! })))
    expect((await database.sql`select array_to_json(redo) as redo from lanes`)[0]).toMatchObject({ redo: [1] })
    await lanes((l) => l.settle(step(lease!, 0, { part: 2 })))
    expect((await database.sql`select array_to_json(redo) as redo, position::int from lanes`)[0]).toMatchObject({
      redo: [],
      position: 2
    })
  })
})

describe("a paced lane", () => {
  it("records no intent while the operator holds its bot, whenever it was leased", async () => {
    await seed({ channel: "bot_1", sessions: ["s1"], kind: TELEGRAM_MANAGED })
    const [lease] = await claim()
    await database.sql`insert into telegram_holds (scope) values ('*')`
    expect(await lanes((l) => l.intend(lease!, 1, 0))).toBe(false)
    expect(await lane()).toMatchObject({ sending: null })
    await database.sql`delete from telegram_holds`
    expect(await lanes((l) => l.intend(lease!, 1, 0))).toBe(true)
  })

  it("records its intent after the claim, so a worker that dies while waiting has sent nothing", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"], paced: true })
    const [waiting] = await claim()
    expect(await lane()).toMatchObject({ owner: "wrk_1", sending: null })
    await database.sql`update lanes set owner = null`
    const [heir] = await claim("wrk_2")
    expect(heir).toMatchObject({ interrupted: null, unknowns: 0 })
    expect(await database.sql`select 1 from delivery_attempts`).toEqual([])
    expect(await lanes((l) => l.intend(waiting!, 1, 0))).toBe(false)
    expect(await lanes((l) => l.intend(heir!, 1, 0))).toBe(true)
    expect(await lane()).toMatchObject({ owner: "wrk_2", sending: 1 })
  })

  it("takes back its intent if nothing was sent, but not the one of an earlier lease", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"], paced: true })
    const [lease] = await claim()
    await lanes((l) => l.intend(lease!, 1, 0))
    await lanes((l) => l.withdraw(lease!))
    expect(await lane()).toMatchObject({ owner: "wrk_1", sending: null })
    await lanes((l) => l.intend(lease!, 1, 0))
    await database.sql`update lanes set owner = null`
    const [heir] = await claim("wrk_2")
    await lanes((l) => l.withdraw(heir!))
    expect(await lane()).toMatchObject({ owner: "wrk_2", sending: 1 })
  })

  it("keeps the attempt in flight, even if further workers die, until one decides what follows from it", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"], paced: true })
    const [lease] = await claim()
    await lanes((l) => l.intend(lease!, 1, 2))
    for (const owner of ["wrk_2", "wrk_1"]) {
      await database.sql`update lanes set owner = null`
      const [heir] = await claim(owner)
      expect(heir).toMatchObject({ interrupted: { cursor: 1, part: 2 }, unknowns: 1 })
    }
    await database.sql`update lanes set owner = null`
    const [last] = await claim()
    expect(await database.sql`select part, fence, outcome, error_code from delivery_attempts`).toMatchObject([
      { part: 2, fence: 1, outcome: "unknown", error_code: "interrupted" }
    ])
    await lanes((l) => l.settle(step(last!, 0, { part: 2, outcome: null })))
    await database.sql`update lanes set owner = null`
    expect((await claim())[0]).toMatchObject({ interrupted: null })
  })

  it("still counts the attempt in flight if its next attempt has to wait first", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"], paced: true })
    const [lease] = await claim()
    await lanes((l) => l.intend(lease!, 1, 0))
    await database.sql`update lanes set owner = null`
    const [heir] = await claim("wrk_2")
    await lanes((l) => l.settle(step(heir!, 0, { outcome: null, move: { retryAfter: Duration.zero, failures: 0 } })))
    await lanes((l) => l.sweep)
    expect((await claim("wrk_2"))[0]).toMatchObject({ interrupted: null, unknowns: 1 })
  })

  it("is released untouched if its channel was stopped before the intent", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"], paced: true })
    const [lease] = await claim()
    await database.sql`update channels set status = 'paused'`
    expect(await lanes((l) => l.intend(lease!, 1, 0))).toBe(false)
  })

  it("that the receiver refuses for now is parked, and does not affect its channel's health", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"], paced: true })
    const [lease] = await claim()
    await lanes((l) => l.intend(lease!, 1, 0))
    expect(
      await lanes((l) =>
        l.settle(step(lease!, 0, { outcome: "not_sent", reflectsHealth: false, move: "park", next: null }))
      )
    ).toBe("rest")
    expect(await lane()).toMatchObject({ status: "parked", position: 0, owner: null, sending: null })
    expect(await database.sql`select 1 from channels where failing_since is not null`).toEqual([])
  })
})

describe("events with a requested retry", () => {
  it("that are no longer kept are skipped, and the events after them are not", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"] })
    await database.sql`update lanes set position = 2, redo = '{-9,-8,-7,-6,-5,-4,-3,-2,-1,1}'`
    expect(await claim()).toEqual([])
    expect((await claim())[0]?.events).toMatchObject([{ cursor: 1, redo: true }])
  })
})

describe("the health of a channel", () => {
  const health = async () =>
    (
      await database.sql`
        select status, consecutive_failures, failing_since is not null as failing,
        not_before > now() + interval '50 minutes' as probed from channels`
    )[0]
  const fail = async (change: Partial<LaneStep> = {}) => {
    await database.sql`update lanes set status = 'ready', owner = null`
    await database.sql`update channels set not_before = null`
    const [lease] = await claim()
    await lanes((l) =>
      l.settle(
        step(lease!, 0, {
          outcome: "not_sent",
          move: { retryAfter: Duration.seconds(5), failures: 1 },
          next: null,
          ...change
        })
      )
    )
  }

  it("goes from active to failing, with an hourly attempt, to disabled, and back after a success", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"] })
    await fail()
    expect(await health()).toMatchObject({ status: "active", consecutive_failures: 1, failing: true })
    await database.sql`update channels set failing_since = now() - interval '25 hours'`
    await fail()
    expect(await health()).toMatchObject({ status: "failing", consecutive_failures: 2, probed: true })
    await fail({ outcome: "sent", move: "pass" })
    expect(await health()).toMatchObject({ status: "active", consecutive_failures: 0, failing: false })
    await fail()
    await database.sql`update channels set failing_since = now() - interval '121 hours'`
    await fail()
    expect(await health()).toMatchObject({ status: "disabled" })
  })

  it("becomes disabled at once if the receiver is gone", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"] })
    await fail({ outcome: "gone", statusCode: 410 })
    expect(await health()).toMatchObject({ status: "disabled" })
  })
})

describe("a lane that waits for a retry", () => {
  const failed = (lease: LaneLease, failures: number) =>
    step(lease, 0, { outcome: "not_sent", move: { retryAfter: Duration.hours(1), failures }, next: null })
  const wait = async (session: string) =>
    (
      await database.sql`
    select status, failures, due_at <= now() as due, planned_at is not null as early,
      due_at > now() + interval '50 minutes' as later from lanes where session_id = ${session}`
    )[0]

  const ready = (session: string) =>
    until(`${session} to be ready`, async () => {
      const lane = await wait(session)
      return lane?.["status"] === "ready" && lane
    })
  /** Lanes that have failed five times and are due in an hour. */
  const addWaiting = async (channel: string, sessions: ReadonlyArray<string>) => {
    await database.sql`
      insert into lanes (app_id, session_id, channel_id, generation, position, head, status, failures, due_at)
      select 'app_a', s, ${channel}, 1, 0, 3, 'waiting', 5, now() + interval '1 hour'
        from unnest(${sessions}::text[]) s`
    await database.sql`
      insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
      select 'app_a', s, 1, 'evt_' || s, 'message.created', 'user', 'run_1', 'api', '{}'
        from unnest(${sessions}::text[]) s`
  }

  it("is tried at once when another lane of its endpoint succeeds, and keeps its failure count", async () => {
    await seed({ channel: "chn_1", sessions: ["s1"], endpoint: "https://one" })
    const [alone] = await claim()
    await lanes((l) => l.settle(failed(alone!, 3)))
    await seed({ channel: "chn_2", sessions: ["s2"], endpoint: "https://one" })
    await seed({ channel: "chn_3", sessions: ["s3"], endpoint: "https://other" })
    const others = await claim()
    const of = (session: string) => others.find(({ sessionId }) => sessionId === session)!
    await addWaiting("chn_3", ["s4"])
    await lanes((l) => l.settle(step(of("s3"), 0)))
    await ready("s4")
    expect(await wait("s1")).toMatchObject({ status: "waiting", due: false })
    await lanes((l) => l.settle(step(of("s2"), 0)))
    expect(await ready("s1")).toMatchObject({ failures: 3, due: true })
    const [again] = await claim()
    expect(again).toMatchObject({ sessionId: "s1", failures: 3 })
    expect(Duration.toMinutes(again!.early!)).toBeGreaterThan(50)
  })

  it("waits as before if that attempt fails too, even if others succeed, and its next failure counts", async () => {
    await seed({ channel: "chn_1", sessions: ["s1", "s2"] })
    const first = await claim()
    const poisoned = first.find(({ sessionId }) => sessionId === "s1")!
    const sound = first.find(({ sessionId }) => sessionId === "s2")!
    await lanes((l) => l.settle(failed(poisoned, 3)))
    await lanes((l) => l.settle(step(sound, 0)))
    await ready("s1")
    const [early] = await claim()
    await lanes((l) => l.settle(failed(early!, 3)))
    expect(await wait("s1")).toMatchObject({ status: "waiting", failures: 3, later: true, early: true })
    await database.sql`update channels set last_success_at = null`
    await addWaiting("chn_1", ["s3"])
    await lanes((l) => l.settle(step(sound, 1)))
    await ready("s3")
    expect(await wait("s1")).toMatchObject({ status: "waiting", failures: 3 })
    await database.sql`update lanes set status = 'idle' where session_id = 's3'`
    await database.sql`update lanes set due_at = now(), planned_at = now() where session_id = 's1'`
    await lanes((l) => l.sweep)
    const [later] = await claim()
    expect(later).toMatchObject({ sessionId: "s1", failures: 3, early: null })
    await lanes((l) => l.settle(failed(later!, 4)))
    expect(await wait("s1")).toMatchObject({ status: "waiting", failures: 4, early: false })
  })

  it("is tried at once even if an append has locked it when the other lane succeeds, which does not wait", async () => {
    await seed({ channel: "chn_1", sessions: ["s1", "s2"] })
    const claimed = await claim()
    const of = (session: string) => claimed.find(({ sessionId }) => sessionId === session)!
    await lanes((l) => l.settle(failed(of("s1"), 3)))
    await database.sql.begin(async (sql) => {
      await sql`select from lanes where session_id = 's1' for no key update`
      await lanes((l) => l.settle(step(of("s2"), 0)))
      await until("the early retry to wait for the lane", async () => {
        const [row] = await database.sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%hurried%'`
        return row
      })
      expect(await lanes((l) => l.settle(step(of("s2"), 1)))).toBe("next")
      expect(await wait("s1")).toMatchObject({ status: "waiting" })
    })
    expect(await ready("s1")).toMatchObject({ failures: 3, due: true })
  })

  it("is retried with a few others at a time, and each success triggers more", async () => {
    await seed({ channel: "chn_1", sessions: ["s"] })
    const [sound] = await claim()
    await addWaiting(
      "chn_1",
      Array.from({ length: 200 }, (_, n) => `s${n}`)
    )
    const early = async () => (await database.sql`select from lanes where planned_at is not null`).length
    await lanes((l) => l.settle(step(sound!, 0)))
    const few = await until("a few to be retried", async () => (await early()) || undefined)
    expect(few).toBeLessThanOrEqual(64)
    const [back] = await claim()
    await lanes((l) => l.settle(step(back!, 0)))
    await until("more to be retried", async () => (await early()) > few)
  })
})
