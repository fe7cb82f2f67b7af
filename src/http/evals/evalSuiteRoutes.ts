import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { Cases } from "#pipeline/evals/Suite.ts"
import { Characters } from "#src/db/character/Characters.ts"
import { EvalSuites, type StoredSuite } from "#src/db/evals/EvalSuites.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { characterNotFound } from "#src/http/character/characterErrors.ts"
import { evalSuiteNotFound } from "./evalErrors.ts"
import { versionConflict } from "#src/http/server/errors.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listedPage, listQuery } from "#src/http/server/listing.ts"
import { answers, created, written } from "#src/http/server/schemas/answers.ts"
import { isSlug } from "#src/http/character/characterSchemas.ts"
import { SuiteCreate, SuiteData, SuiteDeleted, SuitePage, SuitePatch } from "./evalSuiteSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { evalSuiteExists } from "./evalExists.ts"

const toResource = ({
  suite_id,
  name,
  character_slug,
  cases,
  gates,
  version,
  created_at,
  updated_at
}: StoredSuite) => ({
  id: suite_id,
  name,
  character_slug,
  cases,
  gates,
  version,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString()
})
/** The request schema has already validated this; converts it to the pipeline's type. */
const decodeCases = Schema.decodeUnknownSync(Cases)

const hasCharacter = Effect.fnUntraced(function* (appId: string, slug: string) {
  if (!isSlug(slug) || (yield* Characters.use((characters) => characters.get(appId, slug))) === undefined)
    return yield* characterNotFound.about("body.character_slug")
})

export const evalSuiteRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Evals"]
  const list = "/v1/evals/suites"
  const one = `${list}/:suite_id`
  const params = z.object({ suite_id: z.string() })
  const shown = (suite: StoredSuite) =>
    success(toResource(suite), [
      {
        command: curl(baseUrl(), "POST", `${list}/${suite.suite_id}/runs`, { engine: "offline" }),
        description: "Run it with the offline engine, free"
      }
    ])

  app.post(
    list,
    {
      config: { writes: true },
      schema: {
        operationId: "createEvalSuite",
        summary: "Create an eval suite: cases, which are conversations with checks, and gates",
        tags,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: SuiteCreate,
        response: answers(SuiteData.extend(created), "character_not_found")
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
            const { name, character_slug, cases, gates } = request.body
            yield* hasCharacter(appId, character_slug)
            return shown(
              yield* EvalSuites.use((suites) =>
                suites.create(appId, { name, character_slug, cases: decodeCases(cases), gates })
              )
            )
          })
        )
      )
  )

  app.get(
    list,
    {
      schema: {
        operationId: "listEvalSuites",
        summary: "List the app's eval suites, newest first",
        tags,
        querystring: z.object({ character_slug: z.string().max(63).optional(), ...listQuery }),
        response: answers(SuitePage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { character_slug: characterSlug = null, cursor, limit } = request.query
          const before = yield* cursorKey(cursor)
          const found = yield* EvalSuites.use((suites) =>
            suites.list(request.principal.appId, { characterSlug, before, limit })
          )
          const { items, next_cursor } = listedPage(found, (row) => row.suite_id)
          return success({ suites: items.map(toResource), next_cursor })
        })
      )
  )

  app.get(
    one,
    {
      schema: {
        operationId: "getEvalSuite",
        summary: "Get an eval suite",
        tags,
        params,
        response: answers(SuiteData, "eval_suite_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { suite_id: id } = request.params
          const suite = isId("evs", id)
            ? yield* EvalSuites.use((suites) => suites.get(request.principal.appId, id))
            : undefined
          return suite === undefined ? yield* evalSuiteNotFound : shown(suite)
        })
      )
  )

  app.patch(
    one,
    {
      config: { exists: evalSuiteExists, writes: true },
      schema: {
        operationId: "updateEvalSuite",
        summary: "Update an eval suite. Its existing runs do not change",
        tags,
        params,
        body: SuitePatch,
        response: answers(SuiteData.extend(written), "character_not_found", "eval_suite_not_found", "version_conflict")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { suite_id: id } = request.params
          const { appId } = request.principal
          if (!isId("evs", id)) return yield* evalSuiteNotFound
          const { name, character_slug, cases, gates, expected_version } = request.body
          const present = yield* EvalSuites.use((suites) => suites.get(appId, id))
          if (present === undefined) return yield* evalSuiteNotFound
          if (character_slug !== undefined) yield* hasCharacter(appId, character_slug)
          const suite = yield* EvalSuites.use((suites) =>
            suites.update(appId, id, expected_version, (before) =>
              Effect.succeed({
                name: name ?? before.name,
                character_slug: character_slug ?? before.character_slug,
                cases: cases === undefined ? before.cases : decodeCases(cases),
                gates: gates === undefined ? before.gates : (gates ?? [])
              })
            )
          ).pipe(Effect.catchTag("VersionConflict", ({ current }) => Effect.fail(versionConflict("suite", current))))
          return suite === undefined ? yield* evalSuiteNotFound : shown(suite)
        })
      )
  )

  app.delete(
    one,
    {
      config: { exists: evalSuiteExists, writes: true },
      schema: {
        operationId: "deleteEvalSuite",
        summary: "Delete an eval suite. Its runs are kept",
        tags,
        params,
        response: answers(SuiteDeleted, "eval_suite_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { suite_id: id } = request.params
          const gone =
            isId("evs", id) && (yield* EvalSuites.use((suites) => suites.remove(request.principal.appId, id)))
          if (!gone) return yield* evalSuiteNotFound
          return success({ id, status: "deleted" }, [
            { command: curl(baseUrl(), "GET", `/v1/evals/runs?suite_id=${id}`), description: "List its runs" }
          ])
        })
      )
  )
}
