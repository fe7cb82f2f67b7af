import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createOperatorIn } from "#test/support/accounts/createOperatorIn.ts"
import { type Receiver, startReceiver } from "#test/support/Receiver.ts"
import { startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
let receiver: Receiver
let env: Record<string, string>
let isBroken = true
beforeAll(async () => {
  receiver = await startReceiver((response) => response.writeHead(isBroken ? 400 : 200).end())
  harness = await startTelegramHarness({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  const operator = await createOperatorIn(harness.server, "operator")
  env = { TROUPE_URL: harness.server.baseUrl, TROUPE_OPERATOR_TOKEN: operator.key }
})
afterAll(async () => {
  await harness.close()
  await receiver.close()
})

const troupe = (...args: ReadonlyArray<string>) => runTroupe(env, args)
/** The lines of a command that succeeds. */
const lines = async (...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await troupe(...args)
  assert.strictEqual(code, 0, stderr)
  return stdout.trimEnd().split("\n")
}
const json = async (...args: ReadonlyArray<string>) =>
  (await lines(...args, "--json")).filter((line) => line !== "").map((line) => JSON.parse(line))

describe("troupe bot", () => {
  it("lists bots, previews an action on a filter, performs it and undoes it", async () => {
    const [one, other] = [await harness.attach(), await harness.attach()]
    assert.sameMembers(
      (await json("bot", "list")).map(({ id }) => id),
      [one.id, other.id]
    )
    const [shown = ""] = await lines("bot", "list", "--state", "active", "--limit", "1")
    assert.match(shown, /^active {2}bot_\w+ {2}app_\w+ {2}@/)
    const preview = await lines("bot", "suspend", "--app", harness.app.appId, "--dry-run")
    assert.strictEqual(preview[0], "suspend: 2 bots of 1 apps: 2 active")
    assert.lengthOf(preview, 3)
    assert.deepInclude((await json("bot", "suspend", "--state", "active", "--reason", "Spam"))[0], {
      total: 2,
      done: 2,
      failed: 0
    })
    assert.lengthOf(await json("bot", "list", "--because", "operator"), 2)
    assert.match((await lines("bot", "resume", one.id))[0] ?? "", /^resume of 1: 1 done, 0 failed \(bat_\w+\)$/)
    assert.deepInclude((await json("bot", "resume", "--because", "operator"))[0], { total: 1, done: 1 })
    assert.deepInclude((await json("bot", "rotate", other.id))[0], { done: 1 })
    assert.deepInclude((await json("bot", "probe", "--all"))[0], { done: 2 })
  })

  it("reports mistakes in one line", async () => {
    for (const [args, problem] of [
      [["suspend"], /^troupe: give a bot id, a filter or --all; see --help\n$/],
      [["suspend", "bot_nobody"], /^troupe: there is no bot bot_nobody\n$/],
      [["list", "--state", "asleep"], /^troupe: 422 validation_error: query\.state: /],
      [["list", "--lag", "60"], /^troupe: --lag 60: unknown argument; see --help\n$/]
    ] as const) {
      const { code, stdout, stderr } = await troupe("bot", ...args)
      assert.deepStrictEqual([code, stdout], [1, ""], stderr)
      assert.match(stderr, problem)
    }
  })
})

describe("troupe app", () => {
  it("suspends and resumes an app over HTTP, in the name of the token", async () => {
    const app = await harness.server.createApp()
    const [suspended] = await json("app", "suspend", app.appId, "--reason", "Unpaid bills")
    assert.deepInclude(suspended, { app_id: app.appId, suspended_reason: "Unpaid bills", already: false })
    assert.strictEqual((await app.get("/v1/me")).body.detail.code, "app_suspended")
    assert.match(
      (await lines("app", "suspend", app.appId))[0] ?? "",
      /^app_\w+ {2}suspended since \S+: Unpaid bills {2}\(as before\)$/
    )
    assert.deepStrictEqual(await lines("app", "resume", app.appId), [`${app.appId}  active`])
    assert.deepInclude((await json("app", "resume", app.appId))[0], { suspended_at: null, already: true })
    const entries = await harness.server.database.sql`
      select action, actor from audit_log where app_id = ${app.appId} and action in ('app.suspended', 'app.resumed')
      order by entry_id`
    const token = env["TROUPE_OPERATOR_TOKEN"]?.slice(0, 11)
    assert.deepStrictEqual(
      entries.map(({ action, actor }) => [action, actor]),
      [
        ["app.suspended", token],
        ["app.resumed", token]
      ]
    )
    const { code, stderr } = await troupe("app", "suspend", "app_nobody")
    assert.strictEqual(code, 1)
    assert.match(stderr, /^troupe: 404 app_not_found: /)
  })
})

describe("troupe delivery and troupe app usage", () => {
  it("list what failed, repeat it, and show what an app has spent", async () => {
    const { app } = harness
    const session = await app.createSession()
    const url = new URL("/hook", receiver.url).href
    const { id } = (await app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url, retry_schedule: [1] }))
      .body.data
    const { id: last } = await app.converse(session, "What is for dinner?")
    const filter = ["--channel", id, "--since", "2026-01-01"]
    // A batch refuses to begin if what it selects has changed, so nothing may be under way.
    await until("all deliveries to be given up", async () =>
      (await json("delivery", "list", ...filter)).some(
        ({ event_id, outcome }) => event_id === last && outcome === "expired"
      )
    )
    assert.match((await lines("delivery", "list", "--channel", id, "--limit", "1"))[0] ?? "", /http_400/)
    assert.match(
      (await lines("delivery", "retry", ...filter, "--dry-run"))[0] ?? "",
      /^\d deliveries of 1 apps through 1 channels$/
    )
    isBroken = false
    assert.deepInclude((await json("delivery", "retry", ...filter, "--per-minute", "6000"))[0], { failed: 0 })
    await until("the deliveries", async () =>
      (await json("delivery", "list", ...filter)).every(({ delivered }) => delivered)
    )
    const [attempt] = await json("delivery", "list", ...filter, "--state", "any", "--limit", "1")
    assert.match((await lines("delivery", "retry", attempt.id))[0] ?? "", /^evt_\w+: \w+$/)
    assert.deepInclude((await json("app", "usage", app.appId))[0], { group_by: "day" })
    for (const [args, problem] of [
      [["delivery", "retry"], /^troupe: give an attempt id, --since or --event; see --help\n$/],
      [["app", "usage", "app_nobody"], /^troupe: 404 app_not_found: /]
    ] as const) {
      const { code, stderr } = await troupe(...args)
      assert.strictEqual(code, 1)
      assert.match(stderr, problem)
    }
  })
})
