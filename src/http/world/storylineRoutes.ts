import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { SessionStories, type Story } from "#src/db/memory/SessionStories.ts"
import { Storylines } from "#src/db/world/Storylines.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { sessionExited, sessionNotFound } from "#src/http/conversation/conversationErrors.ts"
import { storylineConflict, storylineNotFound } from "./worldErrors.ts"
import { findSession } from "#src/http/conversation/findSession.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import {
  SessionStorylineData,
  SessionStorylines,
  StorylineCreate,
  StorylineData,
  StorylinePatch,
  TriggerBody
} from "./storylineSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { registerWorldRoutes } from "./worldRoutes.ts"
import { sessionStorylineExists, storylineExists } from "./worldExists.ts"

const MAX_TOLD = 50

const STATUS_IN_WORDS = { draft: "a draft", paused: "paused", retired: "retired" } as const

const toResource =
  (sessionId: string) =>
  ({ storyline, status, steps, present }: Story) => ({
    storyline_id: present.storyline_id,
    session_id: sessionId,
    title: storyline?.title ?? "",
    status,
    current_beat: present.beat,
    entered_at: present.entered_at,
    history: steps
      .slice(-MAX_TOLD)
      .map(({ beat, entered_at, turn_index, trigger }) => ({ beat, entered_at, turn_index, trigger }))
  })

/** The stories of a character, and each session's position in them. */
export const storylineRoutes: Routes = (server) => {
  registerWorldRoutes(server, {
    path: "storylines",
    parameter: "storyline_id",
    prefix: "stl",
    exists: storylineExists,
    absent: storylineNotFound,
    names: ["Storyline", "Storylines"],
    summaries: {
      list: "List the storylines of the character, newest first",
      create: "Create a storyline from beats. Each session follows one storyline at a time",
      get: "Get a storyline",
      update: "Update a storyline by JSON merge patch. A session stays at its beat while that beat exists",
      delete: "Delete a storyline. Sessions in it can start another"
    },
    table: Storylines,
    create: StorylineCreate,
    patch: StorylinePatch,
    data: StorylineData,
    full: (most) => `The character has ${most} storylines, which is the limit.`,
    toFields: Effect.succeed,
    toResource: ({ id, ...storyline }, { slug }) => Effect.succeed({ id, character_slug: slug, ...storyline }),
    next: ({ status }, { baseUrl, path }) =>
      status === "active"
        ? []
        : [
            {
              command: curl(baseUrl, "PATCH", path, { status: "active" }),
              description:
                `Activate the storyline. It is ${STATUS_IN_WORDS[status]}, and sessions start only active ` +
                "storylines"
            }
          ]
  })

  const { app, answer, baseUrl } = server
  const tags = ["World"]
  const inSession = z.object({ session_id: z.string() })

  app.get(
    "/v1/sessions/:session_id/storylines",
    {
      config: { demo: true },
      schema: {
        operationId: "listSessionStorylines",
        summary: "List the current and past storylines of a session, latest first",
        tags,
        params: inSession,
        response: answers(SessionStorylines, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const session = yield* findSession(appId, request.params.session_id)
          const { session_id: sessionId, character_slug: slug } = session
          const stories = yield* SessionStories.use((told) => told.list({ appId, slug, sessionId }))
          return success({ storylines: stories.map(toResource(sessionId)) })
        })
      )
  )

  app.post(
    "/v1/sessions/:session_id/storylines/:storyline_id/triggers",
    {
      config: { demo: true, exists: sessionStorylineExists, writes: true },
      schema: {
        operationId: "triggerStoryline",
        summary: "Trigger a beat of the storyline that waits for this event. It is entered immediately",
        tags,
        params: inSession.extend({ storyline_id: z.string() }),
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: TriggerBody,
        response: answers(
          SessionStorylineData.extend(created),
          "session_not_found",
          "storyline_not_found",
          "session_exited",
          "storyline_conflict"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { appId } = request.principal
            const { session_id: sessionId, storyline_id: id } = request.params
            const { trigger } = request.body
            const session = yield* findSession(appId, sessionId)
            const slug = session.character_slug
            const storyline = isId("stl", id)
              ? yield* Storylines.use((storylines) => storylines.get({ appId, slug }, id))
              : undefined
            if (storyline === undefined) return yield* storylineNotFound
            if (session.status !== "active") return yield* sessionExited
            const stories = yield* SessionStories
            const entered = yield* stories.trigger(
              { appId, slug, sessionId, version: session.character_version },
              id,
              trigger
            )
            if (entered === null) return yield* storylineConflict(trigger).about("body.trigger")
            const story = (yield* stories.list({ appId, slug, sessionId })).find(
              ({ present }) => present.storyline_id === id
            )
            if (story === undefined) return yield* sessionNotFound
            return success(toResource(sessionId)(story), [
              {
                command: curl(baseUrl(), "GET", `/v1/sessions/${sessionId}/state`),
                description: "See the state of the session"
              }
            ])
          })
        )
      )
  )
}
