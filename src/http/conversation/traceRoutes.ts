import * as Effect from "effect/Effect"
import * as z from "zod"
import { type TracedImage, type TraceRow, Traces } from "#src/db/conversation/Traces.ts"
import { Writer } from "#pipeline/generation/Writer.ts"
import { success } from "#src/http/server/envelope.ts"
import { findSession } from "./findSession.ts"
import { listQuery, numberCursorKey, page } from "#src/http/server/listing.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import { imageStatus } from "#src/http/character/imageSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { sessionExists } from "./sessionExists.ts"

const usd = (micro: number | null) => (micro === null ? null : micro / 1_000_000)
const total = (stages: TraceRow["stages"], of: (stage: TraceRow["stages"][number]) => number | null) =>
  stages.reduce((sum, stage) => sum + (of(stage) ?? 0), 0)

const REFUSED = "refused:"
/** The drafts that the emission gates refused, and what happened then. */
const gatesOf = (stages: TraceRow["stages"]) =>
  stages.flatMap(({ stage, decision }, index) => {
    if (stage !== "emission" || decision?.startsWith(REFUSED) !== true) return []
    const next = stages[index + 1]?.stage
    return [
      {
        gate: decision.slice(REFUSED.length),
        result: "refused",
        action: next === "generation" ? "regenerate" : next === "emission" ? "fallback_line" : "drop"
      }
    ]
  })

/** What the last retrieval found. */
const retrievalOf = (stages: TraceRow["stages"]) => {
  const detail = stages.findLast(({ stage }) => stage === "retrieval")?.detail
  return {
    memory_ids: detail?.memories?.map(({ id }) => id) ?? [],
    lore_ids: detail?.lore_ids ?? [],
    evidence_ids: detail?.evidence_ids ?? [],
    edge_ids: detail?.edge_ids ?? [],
    npc_ids: detail?.npc_ids ?? [],
    arc_ids: detail?.arc_ids ?? [],
    storyline: detail?.storyline ?? null
  }
}

const toResource = (row: TraceRow) => ({
  run_ref: row.run_ref,
  turn_index: row.turn_index,
  reply_mode: row.reply_mode,
  outcome: row.outcome ?? "generating",
  failure_reason: row.failure_reason,
  settled: row.settled_at !== null && row.read,
  attempts: row.attempts,
  recovered: row.crashes > 0 && row.outcome === "replied",
  latency_ms: row.settled_at === null ? null : row.settled_at.getTime() - row.accepted_at.getTime(),
  cost_usd: usd(row.cost_micro_usd),
  tokens: {
    input: total(row.stages, (stage) => stage.input_tokens),
    cached_input: total(row.stages, (stage) => stage.cached_input_tokens),
    output: total(row.stages, (stage) => stage.output_tokens)
  },
  retrieval: retrievalOf(row.stages),
  gates: gatesOf(row.stages),
  delivery: { attempted: row.attempted, delivered: row.delivered },
  stages: row.stages.map(({ cost_micro_usd, ...stage }) => ({ ...stage, cost_usd: usd(cost_micro_usd) }))
})

const toImage = (row: TracedImage) => ({
  run_ref: row.run_ref,
  image_request_id: row.image_id,
  status: row.status,
  error_code: row.error_code,
  attempts: row.attempts,
  latency_ms: row.finished_at === null ? null : row.finished_at.getTime() - row.created_at.getTime(),
  cost_usd: usd(row.cost_micro_usd)
})

const TraceImage = z.object({
  run_ref: z.string(),
  image_request_id: z.string(),
  status: imageStatus,
  error_code: z.string().nullable(),
  attempts: z.int(),
  latency_ms: z.number().nullable(),
  cost_usd: z.number().nullable()
})
const Stage = z
  .object({
    stage: z.string(),
    attempt: z.int(),
    latency_ms: z.number(),
    status: z.enum(["ok", "fallback", "skipped", "error"])
  })
  .loose()
export const TraceData = z
  .object({
    trace: z.array(
      z.object({
        run_ref: z.string(),
        turn_index: z.int(),
        reply_mode: z.enum(["fast", "deep"]),
        outcome: z.enum(["replied", "withheld", "exited", "failed", "generating"]),
        failure_reason: z.string().nullable(),
        settled: z
          .boolean()
          .describe(
            "Whether the turn has ended and has been analyzed. After that, the entry does " +
              "not change, except for deliveries and the outcome of an image"
          ),
        attempts: z.int(),
        recovered: z.boolean(),
        latency_ms: z.number().nullable(),
        cost_usd: z.number().nullable(),
        tokens: z.object({ input: z.int(), cached_input: z.int(), output: z.int() }),
        retrieval: z.object({
          memory_ids: z.array(z.string()),
          lore_ids: z.array(z.string()),
          evidence_ids: z.array(z.string()),
          edge_ids: z.array(z.string()),
          npc_ids: z.array(z.string()),
          arc_ids: z.array(z.string()),
          storyline: z.object({ id: z.string(), beat: z.string() }).nullable()
        }),
        gates: z.array(
          z.object({
            gate: z.string(),
            result: z.literal("refused"),
            action: z.enum(["regenerate", "fallback_line", "drop"])
          })
        ),
        delivery: z
          .object({ attempted: z.int(), delivered: z.int() })
          .describe("Deliveries of the turn's events, one for each event and channel"),
        stages: z.array(Stage)
      })
    ),
    images: z
      .array(TraceImage)
      .describe(
        "Images requested with POST /v1/images since the first of these turns, newest first, at " +
          "most `limit`. An image requested by a reply is the stage `image` of its turn"
      ),
    engine: z.string(),
    next_cursor: z.string().nullable()
  })
  .meta({ title: "Trace" })

/** The turns of a session, as the trace shows them. */
export const traceOf = Effect.fnUntraced(function* (
  appId: string,
  sessionId: string,
  {
    run_ref = null,
    limit,
    cursor
  }: { readonly run_ref?: string | null | undefined; readonly limit: number; readonly cursor?: string | undefined }
) {
  const before = yield* numberCursorKey(cursor)
  const rows = yield* Traces.use((traces) =>
    traces.ofSession(appId, sessionId, { runRef: run_ref, before, limit: limit + 1 })
  )
  const { items, next_cursor } = page(rows, limit, (row) => String(row.turn_index))
  // Images from before the first turn are on the last page.
  const from = next_cursor === null ? 0 : (items.at(-1)?.turn_index ?? 0)
  const images = yield* Traces.use((traces) =>
    traces.imagesOf(appId, sessionId, { runRef: run_ref, before, from, limit })
  )
  const { engine } = yield* Writer
  return { trace: items.map(toResource), images: images.map(toImage), engine, next_cursor }
})

export const traceRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/v1/sessions/:session_id/trace",
    {
      config: { demo: true, exists: sessionExists },
      schema: {
        operationId: "readTrace",
        summary: "Get the stages, cost and decisions of each turn, newest first",
        tags: ["Observability"],
        params: z.object({ session_id: z.string() }),
        querystring: z.object({ run_ref: z.string().max(64).optional(), ...listQuery }),
        response: answers(TraceData, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const sessionId = request.params.session_id
          yield* findSession(appId, sessionId)
          return success(yield* traceOf(appId, sessionId, request.query))
        })
      )
  )
}
