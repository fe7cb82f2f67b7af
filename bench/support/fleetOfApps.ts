import { setTimeout } from "node:timers/promises"
import type { BenchHarness } from "./BenchHarness.ts"
import { startServer } from "./processes.ts"

export const FLEET = { apps: 30, bots: 10_000, sessions: 100_000, eventsEach: 50, webhooks: 2_000, attempts: 500_000 }
const SESSIONS_PER_STEP = 5_000

const appOf = (n: string) => `'app_' || lpad((${n} % ${FLEET.apps})::text, 26, '0')`
const idOf = (kind: string, n: string) => `'${kind}_' || lpad((${n})::text, 26, '0')`

/** Apps, bots, conversations, webhooks and what happened to them in a week, as rows. */
const STEPS: ReadonlyArray<string> = [
  `insert into apps (app_id, name) select ${appOf("n")}, 'App ' || n from generate_series(0, ${FLEET.apps - 1}) n`,
  `insert into characters (app_id, slug, version) select ${appOf("n")}, 'bench', 1
    from generate_series(0, ${FLEET.apps - 1}) n`,
  `insert into character_versions (app_id, slug, version, profile)
    select ${appOf("n")}, 'bench', 1, '{"display_name":"Bench"}' from generate_series(0, ${FLEET.apps - 1}) n`,
  `insert into end_users (app_id, external_user_ref)
    select ${appOf("n")}, 'u' || n from generate_series(0, ${FLEET.sessions - 1}) n`,
  `insert into sessions (app_id, session_id, character_slug, external_user_ref, proactive_controls, metadata,
      created_at)
    select ${appOf("n")}, ${idOf("ses", "n")}, 'bench', 'u' || n, '{}', '{}', now() - interval '7 days' * random()
    from generate_series(0, ${FLEET.sessions - 1}) n`,
  `insert into session_logs (app_id, session_id, last_cursor)
    select ${appOf("n")}, ${idOf("ses", "n")}, ${FLEET.eventsEach} from generate_series(0, ${FLEET.sessions - 1}) n`,
  ...Array.from(
    { length: FLEET.sessions / SESSIONS_PER_STEP },
    (_, step) => `insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
      select ${appOf("n")}, ${idOf("ses", "n")}, c, ${idOf("evt", "n::bigint * 100 + c")}, 'message.created',
        case when c % 2 = 1 then 'user' else 'character' end, ${idOf("run", "n::bigint * 100 + c / 2")}, 'api',
        '{"text":"A reply of ordinary length, as they come.","turn_index":1}'
      from generate_series(${step * SESSIONS_PER_STEP}, ${(step + 1) * SESSIONS_PER_STEP - 1}) n,
        generate_series(1, ${FLEET.eventsEach}) c`
  ),
  `insert into telegram_bots (app_id, channel_id, mode, character_slug, user_id, username, token, status, reason,
      status_since, last_in_at, probe_due_at)
    select ${appOf("n")}, ${idOf("bot", "n")}, 'byo', 'bench', 1000000 + n, 'bench_' || n || '_bot', 'x',
      case when n % 50 = 0 then 'degraded' when n % 50 = 1 then 'suspended' when n % 50 = 2 then 'revoked'
        when n % 50 = 3 then 'pending' else 'active' end,
      case when n % 50 = 0 then 'webhook_hijacked' when n % 50 = 2 then 'token_rejected' end,
      now() - interval '7 days' * random(), now() - interval '7 days' * random(), now() + interval '1 day'
    from generate_series(0, ${FLEET.bots - 1}) n`,
  `insert into channels (app_id, channel_id, covers, kind, paced, endpoint, target, hold_kind, last_success_at)
    select ${appOf("n")}, ${idOf("bot", "n")}, 'chats', 'telegram_byo', true, 'telegram ' || n, '{}', 'telegram',
      case when n % 20 > 0 then now() - interval '7 days' * random() end
    from generate_series(0, ${FLEET.bots - 1}) n`,
  `insert into telegram_paces (app_id, channel_id, chat_id)
    select ${appOf("n")}, ${idOf("bot", "n")}, 0 from generate_series(0, ${FLEET.bots - 1}) n`,
  // Every second session is a chat with one of its app's bots.
  `insert into telegram_chats (app_id, channel_id, chat_id, kind, session_id, external_user_ref, last_in_at)
    select ${appOf("n")}, ${idOf("bot", `n % ${FLEET.bots}`)}, n, 'private', ${idOf("ses", "n")}, 'u' || n,
      now() - interval '7 days' * random()
    from generate_series(0, ${FLEET.sessions - 1}) n where n / ${FLEET.apps} % 2 = 0`,
  `insert into lanes (app_id, session_id, channel_id, generation, position, head, status)
    select app_id, session_id, channel_id, 1, ${FLEET.eventsEach}, ${FLEET.eventsEach}, 'idle' from telegram_chats`,
  `insert into channels (app_id, channel_id, covers, session_id, kind, endpoint, target, status, failing_since,
      last_success_at, last_failure_at, consecutive_failures)
    select ${appOf("n")}, ${idOf("chn", "n")}, 'session', ${idOf("ses", "n")}, 'webhook', 'https://example.com',
      json_build_object('url', 'https://example.com/' || n),
      case when n % 40 = 0 then 'failing' when n % 40 = 1 then 'disabled' else 'active' end,
      case when n % 40 < 2 then now() - interval '2 days' end, now() - interval '1 hour', now() - interval '2 hours',
      case when n % 40 < 2 then 9 else 0 end
    from generate_series(0, ${FLEET.webhooks - 1}) n`,
  `insert into lanes (app_id, session_id, channel_id, generation, position, head, status)
    select app_id, session_id, channel_id, 1, ${FLEET.eventsEach}, ${FLEET.eventsEach}, 'idle' from channels
    where kind = 'webhook'`,
  `insert into delivery_attempts (app_id, session_id, channel_id, cursor, fence, event_id, outcome, status_code,
      error_code, started_at, latency_ms)
    select ${appOf(`(n % ${FLEET.webhooks})`)}, ${idOf("ses", `n % ${FLEET.webhooks}`)},
      ${idOf("chn", `n % ${FLEET.webhooks}`)}, n / ${FLEET.webhooks} + 1, n, ${idOf("evt", "n")},
      case when n % 40 = 0 then 'not_sent' when n % 40 = 1 then 'rejected' else 'sent' end,
      case when n % 40 = 0 then null when n % 40 = 1 then 500 else 200 end,
      case when n % 40 = 0 then 'ECONNREFUSED' end,
      now() - interval '7 days' * (${FLEET.attempts} - n) / ${FLEET.attempts}, 20 + 100 * random()
    from generate_series(0, ${FLEET.attempts - 1}) n`,
  `insert into turns (app_id, session_id, turn_index, run_ref, cursor, reply_mode, source_kind, hold_micro_usd,
      cost_micro_usd, accepted_at, started_at, outcome, settled_at, character_version)
    select ${appOf("n")}, ${idOf("ses", "n")}, t, ${idOf("run", "n::bigint * 100 + t")},
      2 * t - 1, 'fast', 'api', 100, 10,
      now() - interval '7 days' * random(), now(), case when n % 50 = 0 then 'generation_failed' else 'replied' end,
      now() - interval '7 days' * random(), 1
    from generate_series(0, ${FLEET.sessions - 1}) n, generate_series(1, 5) t`,
  `insert into ledger (app_id, at, run_ref, session_id, turn_index, activity, entry, amount_micro_usd, price_version)
    select app_id, settled_at, run_ref, session_id, turn_index, 'turn', 'settle', 10, '1' from turns`,
  `insert into audit_log (account_id, entry_id, at, actor_kind, actor, action, app_id, subject, detail)
    select 'operator', ${idOf("aud", "n")}, now() - interval '7 days' * (200000 - n) / 200000,
      case when n % 3 = 0 then 'operator' else 'runtime_key' end, 'op_' || n % 7,
      (array['bot.suspend', 'channel.resume', 'content.view'])[n % 3 + 1],
      ${appOf("n")}, ${idOf("bot", "n % 10000")}, '{}'
    from generate_series(0, 199999) n`
]

/** Waits until the job that sums up attempts and turns has done so. */
const sumUp = async ({ url, sql, settle }: BenchHarness): Promise<void> => {
  const worker = await startServer(url, "worker")
  while ((await sql`select 1 from channel_figures where failures_24h > 0 limit 1`).length === 0) await setTimeout(500)
  await worker.stop()
  await settle()
}

/** Prints each step, since all take some minutes. */
export const addFleetOfApps = async (harness: BenchHarness): Promise<void> => {
  for (const [n, step] of STEPS.entries()) {
    await harness.sql.unsafe(step)
    if (n % 5 === 0) console.error(`filled ${n + 1} of ${STEPS.length}`)
  }
  await harness.settle()
  await sumUp(harness)
}
