import { mintApiKey } from "#src/accounts/apiKey.ts"
import { startSlowModel } from "#test/support/model/SlowModel.ts"
import type { Result, Row } from "../Row.ts"
import { APP, type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { startServer } from "../support/processes.ts"
import { median, percentile, round } from "../support/statistics.ts"
import { openSession } from "./turn.ts"

const QUIET = "app_00000000000000000000QU1ET"
const QUIET_SESSIONS = Array.from({ length: 3 }, (_, n) => `ses_${String(n).padStart(26, "Q")}`)
/** Sessions of the flooding app. Each gets one message at a time. */
const FLOOD = 600
const MESSAGE = JSON.stringify({ text: "What do you think of the harbour in winter?", reply_mode: "deep" })
/** Duration of a model call. */
const CALL_MS = 1000
/** A second app with the character of the first, and its key. */
const addQuietApp = async ({ sql }: BenchHarness): Promise<string> => {
  const key = mintApiKey()
  await sql`insert into apps (app_id, name) values (${QUIET}, 'quiet')`
  await sql`insert into api_keys (prefix, app_id, name, secret_hash)
    values (${key.prefix}, ${QUIET}, 'quiet', ${key.secretHash})`
  await sql`insert into characters (app_id, slug, version)
    select ${QUIET}, slug, version from characters where app_id = ${APP}`
  await sql`insert into character_versions (app_id, slug, version, profile)
    select ${QUIET}, slug, version, profile from character_versions where app_id = ${APP}`
  await sql`insert into end_users (app_id, external_user_ref) select ${QUIET}, unnest(${QUIET_SESSIONS}::text[])`
  await sql`
    insert into sessions (app_id, session_id, character_slug, external_user_ref, proactive_controls, metadata)
    select ${QUIET}, id, 'bench', id, '{}', '{}' from unnest(${QUIET_SESSIONS}::text[]) as s(id)`
  await sql`insert into session_logs (app_id, session_id)
    select ${QUIET}, id from unnest(${QUIET_SESSIONS}::text[]) as s(id)`
  return key.apiKey
}

/** Resolves once the app has no unanswered turns. */
const answered = async ({ sql }: BenchHarness, app: string) => {
  while ((await sql`select from turns where app_id = ${app} and outcome is null limit 1`).length > 0)
    await new Promise((resume) => setTimeout(resume, 100))
}

const measure = async (
  rounds: number,
  what: string,
  messages: number,
  env: Record<string, string>
): Promise<Result> => {
  const harness = await startBenchHarness(FLOOD)
  const key = await addQuietApp(harness)
  const server = await startServer(harness.url, "api,worker", env)
  const quiet = await Promise.all(QUIET_SESSIONS.map((session) => openSession({ key }, server, session, MESSAGE)))
  const headers = { authorization: `Bearer ${harness.key}`, "content-type": "application/json" }
  const send = async (session: string) => {
    const response = await fetch(`${server.baseUrl}/v1/sessions/${session}/messages`, {
      method: "POST",
      headers,
      body: MESSAGE
    })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`a message of the flood was answered with ${response.status}`)
  }
  const replies = () => Promise.all(quiet.map((session) => session.turn()))
  try {
    const raw: Array<Record<string, number>> = []
    await replies()
    for (let n = 0; n < rounds; n++) {
      const alone = await replies()
      for (let sent = 0; sent < messages; sent += FLOOD) await Promise.all(harness.sessions.map(send))
      const beside = await replies()
      const [open] =
        await harness.sql`select count(*)::int as turns from turns where app_id = ${APP} and outcome is null`
      await answered(harness, APP)
      raw.push({
        alone_p50_ms: round(median(alone)),
        beside_p50_ms: round(median(beside)),
        alone_max_ms: round(percentile(alone, 1)),
        beside_max_ms: round(percentile(beside, 1)),
        still_open: open!["turns"]
      })
    }
    const of = (name: string) => median(raw.map((row) => row[name] ?? Number.NaN))
    const ratio = round(of("beside_p50_ms") / of("alone_p50_ms"))
    return {
      name: "fair",
      what,
      ours: of("beside_p50_ms"),
      limit: of("alone_p50_ms"),
      unit: "ms",
      ratio,
      goal: "<= 1.5",
      reached: ratio <= 1.5,
      raw
    }
  } finally {
    for (const session of quiet) session.close()
    await server.stop()
    await harness.close()
  }
}

/** A reply of one app while another has hundreds of deep messages waiting, compared with the same reply alone. */
export const fair: Row = {
  name: "fair",
  run: async (rounds) => {
    const model = await startSlowModel(CALL_MS)
    try {
      return [
        await measure(
          rounds,
          `deep reply of a quiet app beside ${FLOOD} deep messages of another, a model that takes ${CALL_MS} ms a call`,
          FLOOD,
          {
            OPENAI_BASE_URL: model.baseUrl,
            TURN_DEADLINE_DEEP_SECONDS: "120"
          }
        ),
        await measure(rounds, `the same with the offline engine, beside ${5 * FLOOD} messages`, 5 * FLOOD, {})
      ]
    } finally {
      await model.close()
    }
  }
}
