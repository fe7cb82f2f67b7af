import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createAccountIn } from "#test/support/accounts/createAccountIn.ts"
import { createOperatorIn, createOperatorSessionIn } from "#test/support/accounts/createOperatorIn.ts"
import { inlineRefs } from "#test/support/sources/inlineRefs.ts"
import { operationsIn } from "#test/support/sources/operationsIn.ts"
import { type Receiver, startReceiver } from "#test/support/Receiver.ts"
import { type FakeBot, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

type Fields = Readonly<Record<string, string>>
interface Route {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly example: object | undefined
}
/** What a route acts on, and what is sent to it. */
interface Target {
  readonly params?: Fields
  readonly body?: object
}

let harness: TelegramHarness
let receiver: Receiver
let manager: FakeBot
let operator: TestApp
let routes: ReadonlyArray<Route> = []

/** Every route of operators that writes: from the document, which has the routes that are registered. */
const listWrites = async (): Promise<ReadonlyArray<Route>> => {
  const document = (await harness.app.get("/openapi.json")).body
  return operationsIn(document).flatMap(({ path, method, operation }) =>
    method === "get" || operation.security?.[0]?.operatorToken === undefined
      ? []
      : [
          {
            operationId: operation.operationId,
            method: method.toUpperCase(),
            path,
            example:
              operation.requestBody === undefined
                ? undefined
                : inlineRefs(document, operation.requestBody).content["application/json"]?.example
          }
        ]
  )
}

beforeAll(async () => {
  receiver = await startReceiver((response, { path }) => {
    response.writeHead(path.startsWith("/broken") ? 400 : 200).end()
  })
  const telegram = await startFakeTelegram({ takesAnyWebhookUrl: true })
  manager = telegram.createBot({ username: "maker_bot", can_manage_bots: true })
  harness = await startTelegramHarness({
    telegram,
    env: { OUTBOUND_ALLOW: "127.0.0.1", TELEGRAM_MANAGER_TOKEN: manager.token }
  })
  operator = await createOperatorIn(harness.server, "owner")
  routes = await listWrites()
  await sql()`create table refusing (is_on boolean not null)`
  await sql()`insert into refusing values (false)`
  await sql().unsafe(`
    create function refuse_entries() returns trigger language plpgsql as $$ begin
      if (select is_on from refusing) then raise exception 'the audit log takes no entries'; end if;
      return new;
    end $$`)
  await sql()`create trigger refuse_entries before insert on audit_log for each row execute function refuse_entries()`
})
afterAll(async () => {
  await harness.close()
  await receiver.close()
})

const sql = () => harness.server.database.sql
const post = async (path: string, body: object = {}) => {
  const answer = await operator.post(path, body)
  assert.strictEqual(answer.status, 200, `${path} ${JSON.stringify(answer.body)}`)
  return answer.body.data
}

// What the routes act on. Each route gets its own, because many of them end what they act on.
const someApp = async () => ({ app_id: (await harness.server.createApp()).appId })
const suspendedApp = async () => {
  const app = await someApp()
  await post(`/admin/apps/${app.app_id}/suspend`)
  return app
}
const someSession = async () => {
  const session = await harness.app.createSession()
  await harness.app.converse(session, "What is for dinner?")
  return { session_id: session }
}
const someBot = async () => ({ bot_id: (await harness.attach()).id })
const suspendedBot = async () => {
  const bot = await someBot()
  await post(`/admin/bots/${bot.bot_id}/suspend`)
  return bot
}
const managedBot = async () => {
  const character_slug = await harness.app.createCharacter()
  const { body } = await harness.app.post("/v1/telegram/bots", { mode: "managed", character_slug, join_window_ms: 0 })
  const [, username = "", name = ""] = /newbot\/maker_bot\/(\w+)\?name=(\w+)$/.exec(body.data.link.url) ?? []
  harness.telegram.confirmNewBot(manager, harness.telegram.createUser(), { username, name })
  const bot_id = String(body.data.id)
  await until("the bot to be active", async () => {
    const { body: found } = await harness.app.get(`/v1/telegram/bots/${bot_id}`)
    return found.data?.status === "active"
  })
  return { bot_id }
}
const someWebhook = async () => {
  const url = new URL(`/ok/${randomUUID()}`, receiver.url).href
  // An app may have few of them.
  const app = await harness.server.createApp()
  const { body } = await app.post(`/v1/apps/${app.appId}/channels`, { kind: "webhook", url })
  return { channel_id: String(body.data.id) }
}
const someAlertChannel = async () => {
  const url = new URL(`/ok/${randomUUID()}`, receiver.url).href
  return { channel_id: String((await post("/admin/alert-channels", { url })).channel_id) }
}
const failedDelivery = async () => {
  const session = await harness.app.createSession()
  const url = new URL(`/broken/${randomUUID()}`, receiver.url).href
  const { body } = await harness.app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url })
  await harness.app.converse(session, "What is for dinner?")
  const channel_id = String(body.data.id)
  const [failed] = await until("failed deliveries", async () => {
    const { deliveries } = (await operator.get(`/admin/deliveries?channel_id=${channel_id}`)).body.data
    return deliveries.length >= 2 && deliveries
  })
  return { channel_id, attempt_id: String(failed.id) }
}
const failedJob = async () => {
  const [job] = await sql()<Array<{ id: string }>>`
    select id::text from graphile_worker.add_job('recount', '{}'::json,
      run_at := now() + interval '1 day', max_attempts := 1)`
  const id = job?.id ?? ""
  await sql()`update graphile_worker._private_jobs set attempts = 1, last_error = 'boom' where id = ${id}::text::bigint`
  return { job_id: id }
}
const someToken = async () => ({ prefix: (await createOperatorIn(harness.server, "viewer")).key.slice(0, 11) })
const someSignIn = async () => ({ prefix: (await createOperatorSessionIn(harness.server, "viewer")).prefix })
const accountToken = async () => {
  const { accountId, prefix } = await createAccountIn(harness.server)
  return { account_id: accountId, prefix }
}
const appKey = async () => {
  const app = await harness.server.createApp()
  const { api_keys } = (await operator.get(`/admin/apps/${app.appId}/api-keys`)).body.data
  return { app_id: app.appId, prefix: String(api_keys[0].prefix) }
}
const someCharacter = async () => ({ app_id: harness.app.appId, slug: await harness.app.createCharacter() })
const attachForm = async () => ({
  app: harness.app.appId,
  character: await harness.app.createCharacter(),
  token: harness.telegram.createBot().token
})
const held = async () => {
  const { app_id } = await someApp()
  await post("/admin/holds", { app_id })
  return app_id
}

/** What is found by the name of a parameter. */
const BY_PARAMETER: Readonly<Record<string, () => Promise<Fields>>> = {
  app_id: someApp,
  session_id: someSession,
  bot_id: someBot,
  channel_id: someWebhook,
  attempt_id: failedDelivery,
  job_id: failedJob
}
const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString()
const REASON = "Complaint 4711 of today"

/** What a route needs besides: another target, or the fields of its form. */
const TARGETS: Readonly<Record<string, () => Promise<Target>>> = {
  createAlertChannel: async () => ({ body: { url: new URL("/ok/alerts", receiver.url).href } }),
  deleteAlertChannel: async () => ({ params: await someAlertChannel() }),
  resumeAlertChannel: async () => ({ params: await someAlertChannel() }),
  testAlertChannel: async () => ({ params: await someAlertChannel() }),
  resumeApp: async () => ({ params: await suspendedApp() }),
  revokeOperatorAppKey: async () => ({ params: await appKey() }),
  resumeFleetBot: async () => ({ params: await suspendedBot() }),
  rotateFleetBotToken: async () => ({ params: await managedBot() }),
  createFleetBatch: async () => ({
    body: { action: "probe", filter: { bot_ids: [(await someBot()).bot_id] }, dry_run: false }
  }),
  createRetryBatch: async () => ({
    body: {
      filter: { channel_id: (await failedDelivery()).channel_id, since: anHourAgo() },
      dry_run: false
    }
  }),
  replayOperatorChannel: async () => ({ params: await someWebhook(), body: { since: 0 } }),
  putHold: async () => ({ body: await someApp() }),
  releaseHold: async () => ({ body: { app_id: await held() } }),
  revokeSignIn: async () => ({ params: await someSignIn() }),
  revokeOperatorToken: async () => ({ params: await someToken() }),
  attachBotInConsole: async () => ({ body: await attachForm() }),
  linkBotInConsole: async () => ({ body: await attachForm() }),
  resumeBotInConsole: async () => ({ params: await suspendedBot() }),
  rotateBotTokenInConsole: async () => ({ params: await managedBot() }),
  setBotTokenInConsole: async () => {
    const { bot, id } = await harness.attach()
    return { params: { bot_id: id }, body: { token: harness.telegram.revokeToken(bot) } }
  },
  startBulk: async () => ({ body: { action: "probe", filter: `app=${(await someApp()).app_id}`, bots: "0" } }),
  openConversation: async () => ({ params: await someSession(), body: { reason: REASON } }),
  retryDeliveriesInConsole: async () => {
    const { channel_id } = await failedDelivery()
    const { selection } = await post("/admin/deliveries/batches", {
      filter: { channel_id, since: anHourAgo() },
      dry_run: true
    })
    return { body: { filter: `channel=${channel_id}`, deliveries: String(selection.deliveries) } }
  },
  sendTestMessage: async () => ({ params: await someCharacter(), body: { text: "What is for dinner?" } }),
  restartTestChat: async () => ({ params: await someCharacter() }),
  resumeAppInConsole: async () => ({ params: await suspendedApp() }),
  revokeAccountTokenInConsole: async () => ({ params: await accountToken() }),
  holdInConsole: async () => ({ body: { reason: REASON } }),
  // Of all apps, or nothing of Telegram would go on afterwards.
  releaseInConsole: async () => {
    await post("/admin/holds", { app_id: null })
    return { body: { app: "" } }
  },
  endSignInInConsole: async () => ({ params: await someSignIn() }),
  createOperatorTokenInConsole: async () => ({ body: { name: "Deployment", role: "viewer", days: "30" } }),
  revokeOperatorTokenInConsole: async () => ({ params: await someToken() })
}
/** The form that answers whatever path there is no form for. */
const NO_WRITES: ReadonlySet<string> = new Set(["doNothing"])

const targetOf = async ({ operationId, path, example }: Route): Promise<Required<Target>> => {
  const { params = {}, body = example ?? {} } = (await TARGETS[operationId]?.()) ?? {}
  const found: Record<string, string> = { ...params }
  for (const [, name = ""] of path.matchAll(/\{(\w+)\}/g)) {
    if (found[name] !== undefined) continue
    const make = BY_PARAMETER[name]
    assert.isDefined(make, `${operationId} acts on a ${name}: say in this test how to make one`)
    Object.assign(found, await make?.())
  }
  return { params: found, body }
}

/** Sends a request, and returns whether it did what was asked. A form that was refused says so on the next page. */
const send = async (
  { method, path }: Route,
  { params, body }: Required<Target>,
  who: { readonly key: string } & Awaited<ReturnType<typeof createOperatorSessionIn>>
) => {
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))
  if (!path.startsWith("/console")) {
    const { status, body: answer } = await new TestApp(harness.server.baseUrl, "", who.key).request(method, at, body)
    return { status, isDone: status === 200, told: JSON.stringify(answer) }
  }
  const form = new URLSearchParams({ ...(body as Fields), csrf: who.csrf })
  const response = await who.request(method, at, { body: form })
  const flash = /troupe-console-flash=([\w-]+)/.exec(response.headers.getSetCookie().join("; "))?.[1]
  const told = flash === undefined ? "" : Buffer.from(flash, "base64url").toString()
  const isRefused = told.includes('"tone":"bad"') || told.includes('"tone":"warn"')
  return { status: response.status, isDone: [200, 303].includes(response.status) && !isRefused, told }
}

/** What operators change, without what the server counts and measures by itself. */
const STATE = [
  "select app_id, name, messages_per_minute from apps",
  "select prefix, revoked_at, expires_at from api_keys",
  "select prefix, revoked_at from account_tokens",
  "select prefix, revoked_at from operator_tokens",
  "select prefix, revoked_at from operator_sessions",
  "select scope, kind, reason, released_at from telegram_holds",
  "select channel_id, status in ('paused', 'deleted') as stopped from channels",
  "select channel_id, status, reason, token_version, secret_hash from telegram_bots where mode = 'byo'",
  "select batch_id from telegram_batches",
  // The logs of conversations: the server opens its log of alerts when it has the first one.
  "select session_id, exited_at from session_logs join sessions using (app_id, session_id)",
  "select session_id, cursor from events where role = 'user' or type = 'session.exited'",
  "select erasure_id from erasures",
  "select export_id from exports",
  "select id, attempts from graphile_worker._private_jobs where last_error = 'boom'"
] as const
const stateOf = async (): Promise<Readonly<Record<string, ReadonlyArray<string>>>> =>
  Object.fromEntries(
    await Promise.all(
      STATE.map(async (query) => [
        query,
        (await sql().unsafe(`select t::text from (${query}) t order by 1`)).map(({ t }) => t)
      ])
    )
  )
const refuseEntries = (isOn: boolean) => sql()`update refusing set is_on = ${isOn}`

/** What earlier routes have begun is over, so that nothing else changes the state. */
const untilIdle = () =>
  until("the server to be idle", async () => {
    const open = await sql()`
      select 1 from erasures where status <> 'completed'
      union all select 1 from exports where status in ('queued', 'running')
      union all select 1 from telegram_batch_items where status = 'pending'
      union all select 1 from turns where outcome is null
      union all select 1 from telegram_bots where mode = 'byo' and status = 'pending'
      union all select 1 from graphile_worker._private_jobs where last_error = 'boom'
        and (attempts < max_attempts or locked_at is not null)`
    return open.length === 0
  })

const walk = async (route: Route) => {
  const who = {
    ...(await createOperatorSessionIn(harness.server, "owner", `owner of ${randomUUID()}`)),
    key: (await createOperatorIn(harness.server, "owner")).key
  }
  const target = await targetOf(route)
  const name = `${route.operationId} ${route.method} ${route.path}`

  await untilIdle()
  const before = await stateOf()
  await refuseEntries(true)
  const refused = await send(route, target, who).finally(() => refuseEntries(false))
  assert.isAtLeast(refused.status, 500, `${name} succeeds although it cannot be recorded: ${refused.told}`)
  for (const [query, rows] of Object.entries(await stateOf())) {
    const changed = rows.filter((row) => !before[query]?.includes(row))
    assert.deepStrictEqual(rows, before[query], `${name} has changed ${query} without an entry: ${changed.join()}`)
  }

  // Telegram lets a bot's webhook be set once a second.
  const answer = await until(`${name} to be allowed by Telegram`, async () => {
    const sent = await send(route, target, who)
    return sent.status !== 502 && sent
  })
  assert.isTrue(answer.isDone, `${name}: ${answer.status} ${answer.told}`)
  const entries = await sql()<Array<{ action: string }>>`
    select action from audit_log where actor_kind = 'operator'
      and credential in (${who.prefix}, ${who.key.slice(0, 11)})`
  assert.isNotEmpty(entries, `${name} has left no entry in the audit log`)
}

describe("every change that an operator makes", () => {
  it("is in the audit log, in the transaction of the change: without its entry, nothing changes", async () => {
    const writes = routes.filter(({ operationId }) => !NO_WRITES.has(operationId))
    assert.isAbove(writes.length, 50)
    const faults: Array<string> = []
    for (const route of writes)
      await walk(route).catch((fault: unknown) =>
        faults.push(fault instanceof Error ? fault.message.slice(0, 600) : String(fault))
      )
    assert.deepStrictEqual(faults, [])
  })

  it("is recorded even if Telegram then refuses its part", async () => {
    const { bot, id } = await harness.attach()
    await post(`/admin/bots/${id}/suspend`)
    harness.telegram.revokeToken(bot)
    const { status } = await operator.post(`/admin/bots/${id}/resume`, { reason: "Paid" })
    assert.notStrictEqual(status, 200)
    const [, resumed] = await sql()<Array<{ action: string; detail: object }>>`
      select action, detail from audit_log where subject = ${id} order by entry_id`
    assert.strictEqual(resumed?.action, "bot.resumed")
    assert.deepStrictEqual(resumed?.detail, {
      reason: "Paid",
      before: { status: "suspended" },
      after: { status: "pending" }
    })
  })
})
