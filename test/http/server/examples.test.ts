import { afterAll, assert, beforeAll, it } from "vitest"
import { createAccountIn } from "#test/support/accounts/createAccountIn.ts"
import { createOperatorIn } from "#test/support/accounts/createOperatorIn.ts"
import { inlineRefs } from "#test/support/sources/inlineRefs.ts"
import { operationsIn } from "#test/support/sources/operationsIn.ts"
import type { Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

type Json = Answer["body"]
interface Request {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly body: Json
}

/** Without Telegram, a queue of payments, a suspended app or an approved device code, these examples end so. */
const OTHERWISE: Readonly<Record<string, ReadonlyArray<number>>> = {
  createBot: [422, 502],
  createBotBatch: [200, 422, 502],
  updateBot: [404],
  createBotLink: [404],
  answerPreCheckout: [404],
  // The session may not have come to the storyline yet.
  triggerStoryline: [200, 409],
  updateAppEndUserCaps: [200, 404],
  // The session already has a message.
  addHistory: [200, 409],
  fetchAccountToken: [400],
  suspendFleetBot: [404],
  resumeFleetBot: [404],
  probeFleetBot: [404],
  rotateFleetBotSecret: [404],
  rotateFleetBotToken: [404],
  rebrandFleetBot: [404],
  pauseOperatorChannel: [404],
  resumeOperatorChannel: [404],
  replayOperatorChannel: [404],
  retryAttempt: [404],
  putHold: [404],
  releaseHold: [404]
}

let server: TestServer
let app: TestApp
let requests: ReadonlyArray<Request>
let paths: ReadonlyArray<string>
const sentBy: { account?: TestApp; operator?: TestApp } = {}
/** What earlier answers called the resource at the end of a path. */
const ids = new Map<string, string>()

beforeAll(async () => {
  server = await startTestServer({ env: { OUTBOUND_ALLOW: "example.com" } })
  app = await server.createApp()
  sentBy.account = (await createAccountIn(server)).client
  sentBy.operator = await createOperatorIn(server, "owner")
  const { body: document } = await app.get("/openapi.json")
  paths = Object.keys(document.paths)
  requests = operationsIn(document).flatMap(({ path, method, operation: { operationId, requestBody } }) =>
    requestBody === undefined
      ? []
      : [
          {
            operationId,
            method: method.toUpperCase(),
            path,
            body: inlineRefs(document, requestBody).content["application/json"].example
          }
        ]
  )
  ids.set("/v1/apps/{app_id}", app.appId)
})
afterAll(() => server.close())

const callerOf = (path: string): TestApp =>
  (path.startsWith("/v1/account/") ? sentBy.account : path.startsWith("/admin") ? sentBy.operator : app) ?? app

/** The path with the ids of what was made before, and of nothing where nothing was. */
const fill = (path: string): string => {
  const segments = path.split("/")
  return segments
    .map((segment, at) => {
      if (!segment.startsWith("{")) return segment
      const known = ids.get(segments.slice(0, at + 1).join("/")) ?? ids.get(segment)
      return encodeURIComponent(known ?? "none")
    })
    .join("/")
}

const keep = (path: string, data: Json) => {
  if (typeof data.external_user_ref === "string") ids.set("{external_user_ref}", data.external_user_ref)
  const below = paths.find((other) => other.startsWith(`${path}/{`))
  const name = below === undefined ? undefined : /^\{(\w+)\}/.exec(below.slice(path.length + 1))?.[1]
  if (name === undefined) return
  const one = `${path}/{${name}}`
  const id = data[name] ?? data.id ?? data.image_request_id ?? data.slug ?? data.external_user_ref
  if (typeof id !== "string") return
  ids.set(one, id)
  ids.set(`{${name}}`, id)
}

const requested = (operationId: string): Request => {
  const found = requests.find((request) => request.operationId === operationId)
  if (found === undefined) throw new Error(`no operation ${operationId} has a body`)
  return found
}

/** What exists before some of the examples can be sent. */
const PREPARED: Readonly<Record<string, () => Promise<object | void>>> = {
  createMemory: async () => {
    const session = ids.get("{session_id}") ?? ""
    await app.converse(session, "I have a chemistry exam tomorrow. Remind me to pack my calculator.")
    const loop = await until("an open loop", async () => {
      const { open_loops } = (await app.get(`/v1/sessions/${session}/open-loops`)).body.data
      return open_loops[0]?.id as string | undefined
    })
    ids.set("{loop_id}", loop)
  },
  commitImport: async () => {
    const path = `/v1/imports/${ids.get("{import_id}")}`
    const { report } = (await app.get(path)).body.data
    const accepted = report.warnings.map(({ code }: { code: string }) => code)
    return { content_hash: (await app.patch(path, { accept_warnings: accepted })).body.data.content_hash }
  },
  // The time in the example will have passed some day.
  scheduleProactiveMessage: async () => ({ at: new Date(Date.now() + 3_600_000).toISOString() }),
  acceptFinding: async () => {
    const { slug, id } = { slug: ids.get("{slug}"), id: ids.get("{research_id}") }
    const finding = await until("a finding", async () => {
      const { findings } = (await app.get(`/v1/characters/${slug}/research/${id}`)).body.data
      return findings[0]?.id as string | undefined
    })
    ids.set("{finding_id}", finding)
  },
  regradeEvalRun: async () => {
    await until("the end of the run", async () =>
      (await app.get(`/v1/evals/runs/${ids.get("{run_id}")}`)).body.data.status === "completed" ? true : undefined
    )
  }
}

it("every example of a request works as it stands, in the order of the document", async () => {
  const answered: Array<string> = []
  const creates = requests.filter(({ operationId }) => operationId === "createSession")
  const rest = requests.filter((request) => !creates.includes(request) && !request.path.startsWith("/admin"))
  const [first, ...others] = rest.filter(({ operationId }) => operationId !== "revokeAccountToken")
  const ordered = [first, requested("createAccountApp"), ...creates, ...others, requested("revokeAccountToken")]
  for (const { operationId, method, path, body } of ordered.filter((request) => request !== undefined)) {
    const changed = (await PREPARED[operationId]?.()) ?? {}
    const answer = await callerOf(path).request(method, fill(path), { ...body, ...changed })
    if (answer.status === 200 && method === "POST") {
      keep(path, answer.body.data)
      if (operationId === "createEvalRun") ids.set("{run_id}", answer.body.data.id)
    }
    if (!(OTHERWISE[operationId] ?? [200]).includes(answer.status))
      answered.push(
        `${operationId} ${method} ${fill(path)}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`
      )
  }
  assert.deepStrictEqual(answered, [])
})

it("every example of an operator's request is one that the server accepts", async () => {
  const refused: Array<string> = []
  const ownApp = (await sentBy.operator?.post("/admin/apps", { name: "Examples" }))?.body.data.app_id
  ids.set("/admin/apps/{app_id}", ownApp)
  ids.set("/admin/sessions/{session_id}", ids.get("{session_id}") ?? "")
  ids.delete("{bot_id}")
  ids.delete("{channel_id}")
  for (const { operationId, method, path, body } of requests.filter((request) => request.path.startsWith("/admin"))) {
    const { status, body: answer } = await callerOf(path).request(method, fill(path), body)
    if (!(OTHERWISE[operationId] ?? [200]).includes(status))
      refused.push(`${operationId} ${fill(path)}: ${status} ${JSON.stringify(answer).slice(0, 200)}`)
  }
  assert.deepStrictEqual(refused, [])
})
