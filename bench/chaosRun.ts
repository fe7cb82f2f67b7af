import { setTimeout as pause } from "node:timers/promises"
import postgres from "postgres"
import { createAppIn } from "#test/support/createAppIn.ts"
import { type Answering, reset, startReceiver, status } from "#test/support/Receiver.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { startSlowModel } from "#test/support/SlowModel.ts"
import { type LogEvent, TestApp } from "#test/support/TestApp.ts"
import { startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until, untilWithin } from "#test/support/until.ts"
import { UNREACHED_LIMITS } from "./support/processes.ts"
import { seeded } from "./support/seeded.ts"

export interface ChaosOptions {
  /** A separate database for this run, migrated or empty: the first process migrates it. */
  readonly databaseUrl: string
  readonly sends: number
  readonly sessions: number
  readonly kills: number
  readonly processes: number
  readonly seed: number
  /** How long a model call takes. */
  readonly modelMs: number
  /** How many of a hundred webhook requests the receiver fails on the first attempt. */
  readonly receiverFaults: number
  /** Crashes and restarts the database this many times. */
  readonly database?: { readonly crashes: number; readonly crash: () => Promise<void> }
}

/**
 * A turn that has lost its worker four times waits up to this long for its fifth attempt
 * (src/db/conversation/Workers.ts). The turns behind it in its session wait, too.
 */
const LONGEST_WAIT_MS = 90_000

/** Compares what was sent with what is on the logs. */
export interface ChaosReport {
  /** Requests, including resends. */
  readonly attempts: number
  readonly acknowledged: number
  /** Acknowledged messages that are not on the log as acknowledged, or whose turn has no outcome. */
  readonly lost: number
  /** Events that belong to no send. */
  readonly unexpected: number
  /** Messages or outcomes that are on a log more than once. */
  readonly duplicated: number
  /**
   * Cursors, messages, outcomes or observers out of order: each log is 1..N, in the order of the sends, for every
   * observer.
   */
  readonly reordered: number
  /** Turns that lost their worker at least once and still finished. */
  readonly recovered: number
  /** Turns that ended as message.failed. */
  readonly failed: number
  readonly kills: number
  readonly databaseCrashes: number
  readonly reconnects: number
  readonly events: number
  /** Duplicate webhook requests, since delivery is at least once. */
  readonly redelivered: number
  readonly receiverFaults: number
  readonly seconds: number
  readonly seed: number
}

interface Sent {
  readonly key: string
  readonly runRef: string
  readonly cursor: number
}

/** Follows one log to its end, through whichever process is running. */
class Observer {
  readonly seen: Array<LogEvent> = []
  get cursor(): number {
    return this.seen.at(-1)?.cursor ?? 0
  }
  /** Records everything in the order of arrival, as a simple client would. */
  take(events: ReadonlyArray<LogEvent>): void {
    this.seen.push(...events)
  }
}

/** Records each event once, in the order of first arrival. */
class DedupingObserver extends Observer {
  readonly #known = new Set<number>()
  repeats = 0
  override take(events: ReadonlyArray<LogEvent>): void {
    for (const event of events) {
      if (this.#known.has(event.cursor)) this.repeats++
      else super.take([event])
      this.#known.add(event.cursor)
    }
  }
}

/**
 * Sends, kills and reads at the same time, and then compares. All random choices come from the seed, except what timing
 * decides.
 */
export const runChaos = async (options: ChaosOptions, say: (line: string) => void = () => {}): Promise<ChaosReport> => {
  const startedAt = performance.now()
  const random = seeded(options.seed)
  const pick = <A>(list: ReadonlyArray<A>): A => list[Math.floor(random() * list.length)] as A
  const model = await startSlowModel(options.modelMs)
  let receive: Answering = status(200)
  const sink = await startReceiver((response, request) => receive(response, request))
  const live: Array<TroupeProcess> = []
  const everStarted: Array<TroupeProcess> = []
  const start = async () => {
    const process = await startTroupe({
      NODE_ENV: "production",
      DATABASE_URL: options.databaseUrl,
      ROLES: "api,worker",
      OPENAI_BASE_URL: model.baseUrl,
      SECRETS_KEY,
      OUTBOUND_ALLOW: "127.0.0.1",
      ...UNREACHED_LIMITS
    })
    everStarted.push(process)
    live.push(process)
  }
  const sql = postgres(options.databaseUrl, { max: 2, onnotice: () => {} })

  try {
    await Promise.all(Array.from({ length: options.processes }, start))
    const { appId, key } = await createAppIn(sql)
    const client = () =>
      new TestApp((live.length > 0 ? pick(live) : undefined)?.baseUrl ?? "http://127.0.0.1:9", appId, key)
    const channel = await client().post(`/v1/apps/${appId}/channels`, { kind: "webhook", url: sink.url })
    if (channel.status !== 200) throw new Error(`channel refused: ${JSON.stringify(channel.body)}`)
    const character = await client().createCharacter()
    const sessions = await Promise.all(
      Array.from({ length: options.sessions }, () => client().createSession({ character_slug: character }))
    )

    let attempts = 0
    let acknowledged = 0
    let reconnects = 0
    let kills = 0
    let sending = true
    const sent = new Map(sessions.map((session): [string, Array<Sent>] => [session, []]))

    // One sender per session: the next message is sent once the last one is acknowledged, so that the order of the log
    // is known.
    const sendAll = async (session: string, count: number) => {
      for (let n = 1; n <= count; n++) {
        const messageKey = `${session}-${n}`
        while (kills < options.kills && acknowledged >= (options.sends * (kills + 1)) / options.kills) await pause(5)
        while (true) {
          attempts++
          const answer = await client()
            .send(session, `Message number ${n}.`, { "idempotency-key": messageKey })
            .catch(() => null)
          if (answer?.status === 200) {
            acknowledged++
            sent
              .get(session)
              ?.push({ key: messageKey, runRef: answer.body.data.run_ref, cursor: answer.body.data.cursor })
            break
          }
          if (answer !== null && answer.status < 500) throw new Error(`send refused: ${JSON.stringify(answer.body)}`)
          await pause(20)
        }
      }
    }

    const polls = new Map(sessions.map((session) => [session, new Observer()]))
    const streams = new Map(sessions.map((session) => [session, new Observer()]))
    const pushes = new Map(sessions.map((session) => [session, new DedupingObserver()]))
    let receiverFaults = 0
    const failedOnce = new Set<string>()
    const faults: ReadonlyArray<Answering> = [
      status(500),
      status(429, { "retry-after": "1" }),
      status(301, { location: "http://169.254.169.254/" }),
      reset
    ]
    receive = (response, request) => {
      const event: LogEvent = JSON.parse(request.body.toString())
      const take = () => pushes.get(String(event["session_id"]))?.take([event])
      if (!failedOnce.has(event.id) && random() * 100 < options.receiverFaults) {
        failedOnce.add(event.id)
        receiverFaults++
        const fault = pick([...faults, null])
        if (fault !== null) return fault(response, request)
        // The request is handled, but the answer is lost.
        take()
        return reset(response, request)
      }
      take()
      return status(200)(response, request)
    }
    const leaving = new AbortController()
    const pollOn = async (session: string, observer: Observer) => {
      while (!leaving.signal.aborted) {
        const page = await client()
          .get(`/v1/sessions/${session}/events?since=${observer.cursor}&wait=1`)
          .catch(() => null)
        if (page?.status === 200) observer.take(page.body.data.events)
        else await pause(20)
      }
    }
    const streamOn = async (session: string, observer: Observer) => {
      while (!leaving.signal.aborted) {
        const from = client()
        const leave = AbortSignal.timeout(100 + Math.floor(random() * 1500))
        await readStream(from, session, observer, leave).catch(() => {})
        reconnects++
        await pause(5)
      }
    }

    const observers = [...polls]
      .map(([session, observer]) => pollOn(session, observer))
      .concat([...streams].map(([session, observer]) => streamOn(session, observer)))
    const share = (index: number) =>
      Math.floor(options.sends / options.sessions) + (index < options.sends % options.sessions ? 1 : 0)
    const senders = Promise.all(sessions.map((session, index) => sendAll(session, share(index)))).finally(() => {
      sending = false
    })

    // Kills are spread over the sends: each happens in the middle of its share, and the senders wait for it at the end
    // of the share. Processes restart in the background, and at least one is always running.
    const restarts: Array<Promise<void>> = []
    let failedStart: unknown
    const killer = async () => {
      while (kills < options.kills) {
        const due = Math.floor((options.sends * (kills + 0.5)) / options.kills)
        await until("sends to go on", () => acknowledged >= due || !sending || failedStart !== undefined)
        await until(
          "a process beside the victim",
          () => live.length > 1 || options.processes === 1 || failedStart !== undefined
        )
        // A failed start is a finding, not a kill: it ends the run with its reason.
        if (failedStart !== undefined) throw failedStart
        const victim = pick(live)
        live.splice(live.indexOf(victim), 1)
        await victim.stop("SIGKILL")
        kills++
        say(`kill ${kills}: ${acknowledged} acknowledged`)
        const restart = start()
        restarts.push(restart)
        if (live.length === 0) await restart
        else
          restart.catch((error: unknown) => {
            failedStart = error
          })
      }
      await Promise.all(restarts)
    }
    let databaseCrashes = 0
    const crasher = async () => {
      const { crashes, crash } = options.database ?? { crashes: 0, crash: async () => {} }
      while (databaseCrashes < crashes) {
        const due = Math.floor((options.sends * (databaseCrashes + 0.75)) / crashes)
        await untilWithin(600_000, "sends to go on", () => acknowledged >= due || !sending || failedStart !== undefined)
        await crash()
        databaseCrashes++
        say(`database crash ${databaseCrashes}: ${acknowledged} acknowledged`)
      }
    }
    await Promise.all([senders, killer(), crasher()])

    const open = async () => Number((await sql`select count(*) as n from turns where outcome is null`)[0]?.["n"])
    await untilWithin(60_000 + LONGEST_WAIT_MS, "every turn to end", async () => (await open()) === 0).catch(
      async (error: unknown) => {
        const first = await sql`
        select distinct on (session_id) session_id, turn_index, fence, crashes, due_at - now() as due_in, owner,
          now() - heartbeat_at as owner_heard, count(*) over (partition by session_id) as open
        from turns left join workers on worker_id = owner where outcome is null order by session_id, turn_index
          limit 10`
        throw new Error(`these are the first that are open: ${JSON.stringify(first)}`, { cause: error })
      }
    )
    // Of the conversations only: the log of alerts may have events of its own, as processes are killed.
    const tails = new Map(
      (
        await sql<Array<{ session_id: string; last_cursor: string }>>`
          select session_id, last_cursor from session_logs where session_id = any(${sessions}::text[])`
      ).map((row) => [row.session_id, Number(row.last_cursor)])
    )
    const atEnd = (observed: Map<string, Observer>) =>
      [...observed].every(([session, observer]) => observer.cursor >= (tails.get(session) ?? 0))
    // A failed delivery is retried after about five seconds, and blocks the ones behind it.
    await untilWithin(
      30_000 + options.receiverFaults * 20_000,
      "the observers to reach the end",
      () => atEnd(polls) && atEnd(streams) && atEnd(pushes)
    )
    leaving.abort()
    await Promise.all(observers)

    const turns = await sql<
      Array<{ run_ref: string; crashes: number; outcome: string | null }>
    >`select run_ref, crashes, outcome from turns`
    const verdict = compare(sessions, sent, polls, [streams, pushes], tails)
    return {
      attempts,
      acknowledged,
      ...verdict,
      recovered: turns.filter((turn) => turn.crashes > 0 && turn.outcome === "replied").length,
      failed: turns.filter((turn) => turn.outcome === "failed").length,
      kills,
      databaseCrashes,
      reconnects,
      events: [...tails.values()].reduce((sum, tail) => sum + tail, 0),
      redelivered: [...pushes.values()].reduce((sum, { repeats }) => sum + repeats, 0),
      receiverFaults,
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
      seed: options.seed
    }
  } finally {
    await Promise.all(everStarted.map((process) => process.stop("SIGKILL")))
    await model.close()
    await sink.close()
    await sql.end({ timeout: 1 })
  }
}

/** Server-sent events as a browser reads them: an event counts once its blank line has arrived. */
const readStream = async (app: TestApp, session: string, observer: Observer, leave: AbortSignal): Promise<void> => {
  const response = await fetch(`${app.baseUrl}/v1/sessions/${session}/events/stream`, {
    headers: { authorization: `Bearer ${app.key}`, "last-event-id": String(observer.cursor) },
    signal: leave
  })
  if (response.status !== 200 || response.body === null) return
  let rest = ""
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split("\n\n")
    rest = frames.pop() ?? ""
    for (const frame of frames) {
      const data = frame.split("\n").find((line) => line.startsWith("data: "))
      if (data !== undefined) observer.take([JSON.parse(data.slice(6))])
    }
  }
}

const count = <A>(list: ReadonlyArray<A>, fits: (item: A) => boolean) =>
  list.reduce((sum, item) => sum + (fits(item) ? 1 : 0), 0)
const extras = (list: ReadonlyArray<unknown>) => list.length - new Set(list).size

const compare = (
  sessions: ReadonlyArray<string>,
  sent: ReadonlyMap<string, ReadonlyArray<Sent>>,
  polls: ReadonlyMap<string, Observer>,
  others: ReadonlyArray<ReadonlyMap<string, Observer>>,
  tails: ReadonlyMap<string, number>
) => {
  let lost = 0
  let unexpected = 0
  let duplicated = 0
  let reordered = 0
  for (const session of sessions) {
    const log = polls.get(session)?.seen ?? []
    const sends = sent.get(session) ?? []
    const said = log.filter((event) => event.type === "message.created" && event.role === "user")
    const ends = log.filter(
      (event) => (event.type === "message.created" && event.role === "character") || event.type === "message.failed"
    )
    const runs = new Set(sends.map((send) => send.runRef))

    lost += count(
      sends,
      (send) => !said.some((event) => event.trace_id === send.runRef && event.payload["client_message_id"] === send.key)
    )
    lost += count(sends, (send) => !ends.some((event) => event.trace_id === send.runRef))
    unexpected += count(log, (event) => !runs.has(event.trace_id))
    duplicated +=
      extras(said.map((event) => event.payload["client_message_id"])) +
      extras(ends.map((event) => event.trace_id)) +
      extras(log.map((event) => event.id))
    // In order: cursors 1..N, messages as they were sent, outcomes in the order of their messages, all observers alike.
    reordered +=
      count(log, (event) => event.cursor !== log.indexOf(event) + 1) + Math.abs(log.length - (tails.get(session) ?? 0))
    const expected = sends.map((send) => send.runRef)
    reordered +=
      count(said, (event) => event.trace_id !== expected[said.indexOf(event)]) +
      count(ends, (event) => event.trace_id !== expected[ends.indexOf(event)])
    for (const other of others)
      reordered += JSON.stringify(other.get(session)?.seen ?? []) === JSON.stringify(log) ? 0 : 1
  }
  return { lost, unexpected, duplicated, reordered }
}
