import * as z from "zod"
import type { Result, Row } from "../Row.ts"
import { startBenchHarness } from "../support/BenchHarness.ts"
import { addFleetOfApps, FLEET } from "../support/fleetOfApps.ts"
import { startServer } from "../support/processes.ts"
import { percentile, round } from "../support/statistics.ts"

const ADMIN_TOKEN = "the-operator-of-the-bench"
const MAX_LIST_MS = 50
const MAX_OVERVIEW_MS = 100
const OVERVIEWS = ["/admin/overview", "/console"]
const REQUESTS = 15

/** What is asked for where a parameter takes any text. */
const GIVEN: Readonly<Record<string, ReadonlyArray<string>>> = {
  app_id: [`app_${"7".padStart(26, "0")}`],
  channel_id: [`chn_${"40".padStart(26, "0")}`],
  external_user_ref: ["u77777"],
  person: ["U7777", "nobody"],
  character_slug: ["bench", "missing"],
  character: ["BENC", "missing"],
  account_id: [`acc_${"7".padStart(26, "0")}`],
  name: ["App 7"],
  actor: ["op_3"],
  action: ["bot.suspend", "nothing.such"],
  subject: [`bot_${"77".padStart(26, "0")}`],
  reason: ["webhook_hijacked", "nothing_such"],
  error_code: ["ECONNREFUSED", "nothing_such"],
  event_id: [`evt_${"77777".padStart(26, "0")}`],
  lag_over: ["60"],
  silent_for: ["86400"],
  unsent_for: ["86400"],
  task: ["nothing_such"],
  since: [new Date(Date.now() - 86_400_000).toISOString()],
  crisis_since: [new Date(Date.now() - 86_400_000).toISOString()],
  until: [new Date(Date.now() - 86_400_000).toISOString()],
  from: [new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10)],
  to: [new Date().toISOString().slice(0, 10)]
}
const STATES: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/admin/bots": ["active", "degraded", "suspended", "revoked,pending"],
  "/admin/channels": ["active", "failing", "disabled", "paused"]
}
/** The console has forms instead of parameters in the document. */
const SCREENS: ReadonlyArray<string> = [
  "/console/bots",
  "/console/bots?state=degraded",
  "/console/bots?late=60",
  "/console/bots?silent=86400",
  "/console/bots?unsent=86400",
  "/console/bots?sort=last_in",
  "/console/bots?sort=last_out",
  "/console/conversations",
  "/console/conversations?person=u77777",
  "/console/conversations?person=u77777&match=whole",
  "/console/conversations?character=bench",
  "/console/conversations?state=exited",
  "/console/deliveries",
  "/console/webhooks",
  "/console/webhooks?state=failing",
  "/console/characters",
  "/console/apps",
  "/console/accounts",
  "/console/system",
  "/console/audit",
  "/console/operators"
]

const Parameter = z.object({
  name: z.string(),
  in: z.string(),
  schema: z.object({ enum: z.array(z.string()).optional() })
})
const Document = z.object({
  paths: z.record(
    z.string(),
    z.object({
      get: z.object({ parameters: z.array(z.union([Parameter, z.object({ $ref: z.string() })])).optional() }).optional()
    })
  ),
  components: z.object({ parameters: z.record(z.string(), Parameter).optional() })
})

/** Every list of the operators' API, without a filter and with each value of each filter. */
const listsOf = ({ paths, components }: z.infer<typeof Document>): ReadonlyArray<string> =>
  Object.entries(paths).flatMap(([path, { get }]) => {
    if (!path.startsWith("/admin/") || path.includes("{") || path.endsWith("/export") || get === undefined) return []
    const parameters = (get.parameters ?? [])
      .map((one) => ("$ref" in one ? components.parameters?.[one.$ref.split("/").at(-1) ?? ""] : one))
      .filter((one) => one !== undefined && one.in === "query" && one.name !== "cursor" && one.name !== "limit")
    return [path].concat(
      parameters.flatMap((one) => {
        const { name, schema } = one ?? { name: "", schema: {} }
        const values = (name === "state" ? STATES[path] : undefined) ?? schema.enum ?? GIVEN[name]
        if (values === undefined) throw new Error(`${path}: no value for the parameter ${name}`)
        return values.map((value) => `${path}?${name}=${encodeURIComponent(value)}`)
      })
    )
  })

/** The slowest first page of all lists of the operators' API and of the console, each with every filter. */
export const operatorLists: Row = {
  name: "lists",
  run: async () => {
    const harness = await startBenchHarness(0)
    const server = await startServer(harness.url, "api", { ADMIN_TOKEN })
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    try {
      await addFleetOfApps(harness)
      const lists = listsOf(Document.parse(await (await fetch(`${server.baseUrl}/openapi.json`)).json()))
      const measured: Array<{ readonly path: string; readonly p50: number; readonly max: number }> = []
      for (const path of new Set([...lists, ...OVERVIEWS, ...SCREENS])) {
        const times: Array<number> = []
        for (let n = 0; n < REQUESTS; n++) {
          const since = performance.now()
          const answer = await fetch(`${server.baseUrl}${path}`, { headers })
          await answer.arrayBuffer()
          if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}`)
          times.push(performance.now() - since)
        }
        measured.push({ path, p50: round(percentile(times, 0.5)), max: round(Math.max(...times)) })
      }
      const slowestFirst = measured.toSorted((a, b) => b.p50 - a.p50)
      const result = (what: string, ofOverview: boolean, goal: number): Result => {
        const raw = slowestFirst.filter(({ path }) => OVERVIEWS.includes(path) === ofOverview)
        const ours = raw[0]?.p50 ?? Number.NaN
        return {
          name: "lists",
          what: `${what}, of ${raw.length}: ${raw[0]?.path}`,
          ours,
          limit: goal,
          unit: "ms p50",
          ratio: round(ours / goal),
          goal: "<= 1",
          reached: ours <= goal,
          raw
        }
      }
      const size = `${FLEET.bots} bots, ${FLEET.sessions} sessions, ${FLEET.sessions * FLEET.eventsEach} events`
      return [
        result(`the slowest first page of a list with ${size}`, false, MAX_LIST_MS),
        result(`the slower overview with ${size}`, true, MAX_OVERVIEW_MS)
      ]
    } finally {
      await server.stop()
      await harness.close()
    }
  }
}
