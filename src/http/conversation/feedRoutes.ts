import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { FastifyRequest } from "fastify"
import * as z from "zod"
import { AppFeed, type FeedLost, type FeedRead, MAX_FEED_PAGE } from "#channels/event-log/AppFeed.ts"
import { decodeFeedCursor, encodeFeedCursor } from "#channels/event-log/FeedCursor.ts"
import { followFeed } from "#channels/event-log/followFeed.ts"
import { pollFeed } from "#channels/event-log/pollFeed.ts"
import { ReadRoom } from "#channels/event-log/ReadRoom.ts"
import { curl, encodedEnvelope } from "#src/http/server/envelope.ts"
import { validationError } from "#src/http/server/errors.ts"
import { openStream } from "#src/http/server/eventStream.ts"
import { endsWithCredential } from "#src/http/server/logReading.ts"
import { readerOf } from "#src/http/server/limits/Cost.ts"
import { OpenReads } from "#src/http/server/limits/OpenReads.ts"
import { answers, answersAs } from "#src/http/server/schemas/answers.ts"
import { betweenInQuery, wholeInQuery } from "#src/http/server/schemas/number.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { feedCursorExpired } from "./conversationErrors.ts"
import { RETRY_MS } from "./eventRoutes.ts"
import { eventType, FeedPage } from "./eventSchemas.ts"
import { about } from "#src/http/server/about.ts"
import { sinkOf } from "./sinkOf.ts"

const START = "0"
/** In the place of a cursor: the end of the feed at this moment. */
const NOW = "now"
const DEFAULT_PAGE = 200
/** A list of event types, separated by commas. */
const typesInQuery = z
  .string()
  .max(1000)
  .transform((text) => text.split(","))
  .pipe(z.array(eventType).min(1).max(40))
  .optional()
  .meta({ type: "string", pattern: "^[a-z_]+\\.[a-z_]+(,[a-z_]+\\.[a-z_]+)*$" })
  .describe("Only events of these types, separated by commas")

const filters = {
  types: typesInQuery,
  character: z.string().min(1).max(64).optional().describe("Only events of sessions with this character, by its slug"),
  session: z.string().min(1).max(64).optional().describe("Only events of this session")
}
type Filters = z.output<z.ZodObject<typeof filters>>

const since = z
  .string()
  .max(200)
  .default(START)
  .describe(
    "Exclusive. The next_cursor of an earlier answer, or the id of an event of the stream. " +
      "0: from the oldest event that is kept. now: only what is written from now on"
  )

/** Where a reader begins, and the field of the request that says so. */
interface Start {
  readonly from: string
  readonly field: string
}

const readOf = (
  request: FastifyRequest,
  { from, field }: Start,
  { types, character, session }: Filters,
  limit: number
) =>
  Effect.gen(function* () {
    const { appId } = request.principal
    const cursor =
      from === START ? null : from === NOW ? yield* AppFeed.use((feed) => feed.end(appId)) : decodeFeedCursor(from)
    if (cursor === undefined)
      return yield* validationError(
        `${field}: must be a cursor of the feed`,
        "Send a next_cursor unchanged, or 0, or now."
      )
    const filter = { types: types ?? null, characterSlug: character ?? null, sessionId: session ?? null }
    const read: FeedRead = { appId, since: cursor, filter, limit }
    return read
  })

const orExpired = <Page extends { readonly _tag: string }>(page: Page | FeedLost) =>
  page._tag === "Lost" ? Effect.fail(feedCursorExpired(page as FeedLost)) : Effect.succeed(page as Page)

const startOf = (request: FastifyRequest, since: string): Start => {
  const lastEventId = request.headers["last-event-id"]
  return typeof lastEventId === "string" && lastEventId !== ""
    ? { from: lastEventId, field: "headers.last-event-id" }
    : { from: since, field: "query.since" }
}

/** All events of all sessions of an app, and its operational events, in one order. */
export const feedRoutes: Routes = ({ app, baseUrl, stopping, run }) => {
  app.get(
    "/v1/events",
    {
      config: { demo: true, cost: { reads: 1 } },
      schema: {
        operationId: "readFeed",
        summary: "List the events of all sessions of the app after a cursor, with its operational events",
        tags: ["Events"],
        querystring: z.object({
          since,
          limit: wholeInQuery(1, MAX_FEED_PAGE).default(DEFAULT_PAGE),
          wait: betweenInQuery(0, 30).default(0).describe("Seconds to wait for an event if there is none yet"),
          ...filters
        }),
        response: answers(FeedPage, "cursor_expired")
      }
    },
    async (request, reply) => {
      const { since: from, limit, wait } = request.query
      const field = "query.since"
      const text = await run(
        reply,
        Effect.gen(function* () {
          const read = yield* readOf(request, { from, field }, request.query, limit)
          const reading = endsWithCredential(request, wait, pollFeed(read, Duration.seconds(wait), stopping))
          const page = yield* OpenReads.use((reads) => reads.whileOpen(readerOf(request), wait, reading)).pipe(
            Effect.flatMap(orExpired),
            about(field)
          )
          const events = page.events.map(({ json }) => json).join(",")
          const next = page.next.position === 0 && page.next.sessionId === "" ? START : encodeFeedCursor(page.next)
          return encodedEnvelope(`{"events":[${events}],"next_cursor":"${next}","has_more":${page.hasMore}}`, [
            {
              command: curl(baseUrl(), "GET", `/v1/events?since=${next}&wait=30`),
              description: "Wait for the next events"
            }
          ])
        })
      )
      return reply
        .header("content-type", "application/json; charset=utf-8")
        .header("cache-control", "no-store")
        .send(text)
    }
  )

  app.get(
    "/v1/events/stream",
    {
      exposeHeadRoute: false,
      config: { demo: true, cost: { reads: 1 } },
      schema: {
        operationId: "streamFeed",
        summary: "Stream the events of all sessions of the app. A connection lasts at most five minutes",
        tags: ["Events"],
        headers: z.object({ "last-event-id": z.string().max(200).optional().describe("Takes precedence over since") }),
        querystring: z.object({ since, ...filters }),
        response: answersAs(
          "text/event-stream",
          z.string().describe("One frame per event: id is the cursor after it, event its type, data the event as JSON"),
          "cursor_expired"
        )
      }
    },
    async (request, reply) => {
      await run(
        reply,
        Effect.gen(function* () {
          const start = startOf(request, request.query.since)
          const read = yield* readOf(request, start, request.query, MAX_FEED_PAGE)
          const feed = yield* AppFeed
          const sink = yield* sinkOf(reply.raw, readerOf(request))
          const reads = yield* OpenReads
          const retryMs = RETRY_MS.least + (yield* Random.nextIntBetween(0, RETRY_MS.spread))
          yield* Effect.acquireUseRelease(
            reads.open(readerOf(request)),
            () =>
              Effect.gen(function* () {
                const first = yield* Effect.flatMap(
                  Effect.provideService(feed.readFrames(read), ReadRoom, sink.room),
                  orExpired
                ).pipe(about(start.field))
                openStream(reply, retryMs)
                const following = Effect.raceFirst(followFeed(read, first, sink), stopping)
                yield* endsWithCredential(request, 1, following).pipe(
                  Effect.ignore,
                  Effect.ensuring(Effect.sync(() => sink.end()))
                )
              }),
            (leave) => Effect.sync(leave)
          )
        })
      )
      return reply
    }
  )
}
