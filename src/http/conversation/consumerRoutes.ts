import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { type Consumer, Consumers, MAX_CONSUMERS } from "#src/db/conversation/Consumers.ts"
import { curl, encodedEnvelope, noteIgnored, success } from "#src/http/server/envelope.ts"
import { unknownIn } from "#src/http/server/makeAnswer.ts"
import { endsWithCredential } from "#src/http/server/logReading.ts"
import { readerOf } from "#src/http/server/limits/Cost.ts"
import { OpenReads } from "#src/http/server/limits/OpenReads.ts"
import { resourceExists } from "#src/http/server/resourceExists.ts"
import { answers, written } from "#src/http/server/schemas/answers.ts"
import { between, wholeBetween } from "#src/http/server/schemas/number.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { consumerLimitReached, consumerNotFound } from "./conversationErrors.ts"
import { EventData, eventType } from "./eventSchemas.ts"

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/
const isName = (name: string) => NAME.test(name)
const params = z.object({ consumer: z.string() })
const named = z.object({
  consumer: z.string().regex(NAME, "Must be 1 to 64 of a-z, 0-9, _ and -, and begin with a letter or digit")
})

const ack = z
  .string()
  .max(64)
  .refine((text) => isId("lea", text), "Must be the ack of an earlier pull, unchanged")
  .optional()
  .describe("The ack of an earlier pull: its events have been handled, and are not given to a process again")

const ConsumerPut = z.object({
  from: z
    .enum(["start", "now"])
    .optional()
    .meta({
      description: "Where a new consumer begins: at the oldest event that is kept (default), or with the next one",
      examples: ["now"]
    }),
  types: z.array(eventType).min(1).max(40).nullable().optional().describe("Only events of these types. null: all"),
  character: z.string().min(1).max(64).nullable().optional().describe("Only sessions with this character. null: all"),
  lease_seconds: wholeBetween(5, 3600)
    .optional()
    .describe("How long a process may take to handle what it was given. Default: 60"),
  ack
})

export const ConsumerData = z.object({
  name: z.string(),
  types: z.array(z.string()).nullable(),
  character: z.string().nullable(),
  lease_seconds: z.int(),
  created_at: z.iso.datetime(),
  leased_sessions: z.int().describe("Sessions of which a process has events"),
  waiting_sessions: z.int().describe("Sessions of which events wait for that process, or for another one"),
  next_event_at: z.iso.datetime().nullable().describe("When the next event was written. null: it has read everything")
})
const Pull = z.object({
  ack,
  limit: wholeBetween(1, 500)
    .optional()
    .meta({ description: "Maximum number of events. Default: 100", examples: [50] }),
  wait: between(0, 30).optional().describe("Seconds to wait for an event if there is none. Default: 0")
})
const PulledData = z.object({
  events: z.array(EventData),
  ack: z.string().nullable().describe("Send it when the events have been handled. null: there are none"),
  acknowledged_sessions: z
    .int()
    .describe("How many sessions the ack in the request was for. 0: its lease had ended, or it was sent before"),
  expired: z.boolean().describe("true: events were deleted because of their age before a process was given them")
})

const toResource = (consumer: Consumer) => ({
  ...consumer,
  created_at: consumer.created_at.toISOString(),
  next_event_at: consumer.next_event_at?.toISOString() ?? null
})

const exists = resourceExists(
  consumerNotFound,
  ({ consumer = "" }, request) =>
    isName(consumer) &&
    Effect.map(
      Consumers.use((consumers) => consumers.list(request.principal.appId, consumer)),
      ([found]) => found
    )
)

const find = Effect.fnUntraced(function* (appId: string, name: string) {
  const [found] = isName(name) ? yield* Consumers.use((consumers) => consumers.list(appId, name)) : []
  return found === undefined ? yield* consumerNotFound : toResource(found)
})

/** Named consumers of the feed, for backends that have nowhere to store a cursor, or that share the work. */
export const consumerRoutes: Routes = ({ app, answer, baseUrl, stopping, run }) => {
  const tags = ["Events"]
  const pullAction = (name: string) => ({
    command: curl(baseUrl(), "POST", `/v1/consumers/${name}/pull`, { wait: 30 }),
    description: "Pull the next events"
  })

  app.get(
    "/v1/consumers",
    {
      config: { demo: true },
      schema: {
        operationId: "listConsumers",
        summary: "List the consumers of the feed",
        tags,
        response: answers(z.object({ consumers: z.array(ConsumerData) }))
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Consumers.use((consumers) => consumers.list(request.principal.appId)).pipe(
          Effect.map((all) => success({ consumers: all.map(toResource) }))
        )
      )
  )

  app.get(
    "/v1/consumers/:consumer",
    {
      config: { demo: true, exists },
      schema: {
        operationId: "readConsumer",
        summary: "Read a consumer: how much of it is leased, and how far behind it is",
        tags,
        params,
        response: answers(ConsumerData, "consumer_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.map(find(request.principal.appId, request.params.consumer), (data) => success(data))
      )
  )

  app.put(
    "/v1/consumers/:consumer",
    {
      config: { demo: true, writes: true },
      schema: {
        operationId: "putConsumer",
        summary: "Create a consumer, change it, or acknowledge what it was given",
        description: `An app has at most ${MAX_CONSUMERS} consumers.`,
        tags,
        params: named,
        body: ConsumerPut,
        response: answers(ConsumerData.extend(written), "consumer_limit_reached")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const { consumer: name } = request.params
          const { from = "start", types, character, lease_seconds, ack: token } = request.body
          const consumers = yield* Consumers
          yield* consumers
            .put(appId, name, { from, types, character, leaseSeconds: lease_seconds })
            .pipe(Effect.catchTag("ConsumerLimitReached", () => Effect.fail(consumerLimitReached(MAX_CONSUMERS))))
          if (token !== undefined) yield* consumers.acknowledge(appId, name, token)
          return success(yield* find(appId, name), [pullAction(name)])
        })
      )
  )

  app.delete(
    "/v1/consumers/:consumer",
    {
      config: { demo: true, exists, writes: true },
      schema: {
        operationId: "deleteConsumer",
        summary: "Delete a consumer with its place in the feed",
        tags,
        params,
        response: answers(z.object({ deleted: z.literal(true) }), "consumer_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { consumer: name } = request.params
          if (!isName(name)) return yield* consumerNotFound
          const deleted = yield* Consumers.use((consumers) => consumers.delete(request.principal.appId, name))
          return deleted ? success({ deleted: true }) : yield* consumerNotFound
        })
      )
  )

  app.post(
    "/v1/consumers/:consumer/pull",
    {
      config: { demo: true, exists, cost: { reads: 1 } },
      schema: {
        operationId: "pullEvents",
        summary: "Get the next events for one process of a consumer, and acknowledge earlier ones",
        tags,
        params,
        body: Pull,
        response: answers(PulledData.extend(written), "consumer_not_found")
      }
    },
    async (request, reply) => {
      const text = await run(
        reply,
        Effect.gen(function* () {
          const {
            principal: { appId },
            params: { consumer: name },
            body: { ack: token, limit = 100, wait = 0 }
          } = request
          if (!isName(name)) return yield* consumerNotFound
          const consumers = yield* Consumers
          const acknowledged = token === undefined ? 0 : yield* consumers.acknowledge(appId, name, token)
          const pulling = endsWithCredential(
            request,
            wait,
            consumers.pull(appId, name, limit, Duration.seconds(wait), stopping)
          )
          const pulled = yield* OpenReads.use((reads) => reads.whileOpen(readerOf(request), wait, pulling))
          if (pulled === undefined) return yield* consumerNotFound
          const rest = JSON.stringify({
            ack: pulled.token,
            acknowledged_sessions: acknowledged,
            expired: pulled.expired,
            ...noteIgnored(unknownIn(request))
          })
          return encodedEnvelope(`{"events":[${pulled.events.join(",")}],${rest.slice(1)}`, [pullAction(name)])
        })
      )
      return reply
        .header("content-type", "application/json; charset=utf-8")
        .header("cache-control", "no-store")
        .send(text)
    }
  )
}
