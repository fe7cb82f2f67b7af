import postgres from "postgres"
import type { Row } from "../Row.ts"
import { APP, type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { startRunner } from "../support/jobs.ts"
import { startServer } from "../support/processes.ts"
import { median, round } from "../support/statistics.ts"

const TURNS = 10_000

const backlog = async ({ sql, sessions }: BenchHarness) => {
  await sql`truncate events, turns, turn_stages`
  await sql`update session_logs set last_cursor = 2, turn_count = 1, open_turns = 1`
  await sql`
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
    select ${APP}, s.id, c, 'evt_' || lpad((s.n * 10 + c)::text, 26, '0'), case c when 1 then 'message.created'
      else 'run.status' end, case c when 1 then 'user' else 'character' end,
      'run_' || lpad(s.n::text, 26, '0'), 'api', '{"text":"hello there","bubbles":["hello there"]}'
    from unnest(${[...sessions]}::text[]) with ordinality as s(id, n), generate_series(1, 2) c`
  await sql`
    insert into turns (app_id, session_id, turn_index, run_ref, cursor, reply_mode, source_kind, hold_micro_usd)
    select ${APP}, s.id, 1, 'run_' || lpad(s.n::text, 26, '0'), 1, 'fast', 'api', 0
      from unnest(${[...sessions]}::text[]) with ordinality as s(id, n)`
  await sql`
    select count(*) from graphile_worker.add_jobs(array(
      select ('turn', json_build_object('sessions',
        json_agg(json_build_array(${APP}::text, id))), null, null, null, null, null, null)::graphile_worker.job_spec
      from unnest(${[...sessions]}::text[]) with ordinality as s(id, n) group by n / 8))`
  await sql.unsafe("vacuum analyze")
}

/** Turns per second from a backlog, by the timestamps of the worker: from the first claim to the last settlement. */
const ours = async (harness: BenchHarness): Promise<number> => {
  await backlog(harness)
  const server = await startServer(harness.url, "worker")
  for (;;) {
    const [row] = await harness.sql`select count(*)::int as open from turns where outcome is null`
    if (row!["open"] === 0) break
    await new Promise((resume) => setTimeout(resume, 100))
  }
  const [row] = await harness.sql`
      select count(*)::int as turns, extract(epoch from max(settled_at) - min(started_at))::float8 as seconds from turns
      where outcome = 'replied'`
  await server.stop()
  return row!["turns"] / row!["seconds"]
}

const noop = async (harness: BenchHarness): Promise<number> => {
  const sql = postgres(harness.url, { max: 1, onnotice: () => {} })
  await sql`
    select count(*) from graphile_worker.add_jobs(array(
      select ('noop', json_build_object('n', n), null, null, null, null, null, null)::graphile_worker.job_spec
        from generate_series(1, ${TURNS}) n))`
  await sql.unsafe("vacuum analyze")
  let first = 0
  let done = 0
  let finish = () => {}
  const all = new Promise<void>((resolve) => {
    finish = resolve
  })
  const runner = await startRunner(harness.url, {
    noop: async () => {
      if (first === 0) first = performance.now()
      if (++done === TURNS) finish()
    }
  })
  await all
  const seconds = (performance.now() - first) / 1000
  await runner.stop()
  await sql.end()
  return TURNS / seconds
}

export const turns: Row = {
  name: "turns",
  run: async (rounds) => {
    const harness = await startBenchHarness(TURNS)
    try {
      const raw: Array<Record<string, number>> = []
      for (let n = 0; n < rounds; n++)
        raw.push({ ours_per_s: round(await ours(harness)), noop_jobs_per_s: round(await noop(harness)) })
      const mine = median(raw.map((row) => row["ours_per_s"] ?? Number.NaN))
      const limit = median(raw.map((row) => row["noop_jobs_per_s"] ?? Number.NaN))
      return [
        {
          name: "turns",
          what: `turns a second out of a backlog of ${TURNS}, offline engine, against no-op jobs`,
          ours: mine,
          limit,
          unit: "/s",
          ratio: round(mine / limit),
          goal: ">= 0.3",
          reached: mine / limit >= 0.3,
          raw
        }
      ]
    } finally {
      await harness.close()
    }
  }
}
