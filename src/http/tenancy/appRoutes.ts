import * as Effect from "effect/Effect"
import * as z from "zod"
import { Apps } from "#src/db/tenancy/Apps.ts"
import { Writer } from "#pipeline/generation/Writer.ts"
import { toAppResource } from "./appResource.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { appNotFound } from "./tenancyErrors.ts"
import { versionConflict } from "#src/http/server/errors.ts"
import { answers, written } from "#src/http/server/schemas/answers.ts"
import { AppData, MeData, AppPatch } from "./appSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { appExists } from "./appExists.ts"

export const appRoutes: Routes = ({ app, answer, baseUrl }) => {
  app.get(
    "/v1/me",
    {
      config: { demo: true },
      schema: {
        operationId: "getMe",
        summary: "Get the app that the key belongs to",
        tags: ["App"],
        response: answers(MeData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const found = yield* Apps.use((apps) => apps.get(appId))
          if (found === undefined) return yield* appNotFound
          const { engine, model } = yield* Writer
          return success({ ...toAppResource(found), engine, model }, [
            { command: curl(baseUrl(), "GET", "/v1/characters"), description: "List the characters of this app" },
            { command: curl(baseUrl(), "GET", "/v1/sessions"), description: "List the sessions of this app" }
          ])
        })
      )
  )

  app.patch(
    "/v1/apps/:app_id",
    {
      config: { demo: true, exists: appExists, writes: true },
      schema: {
        operationId: "updateApp",
        summary: "Update settings of the app by JSON merge patch. Each change creates a new version",
        tags: ["App"],
        params: z.object({ app_id: z.string() }),
        body: AppPatch,
        response: answers(AppData.extend(written), "app_not_found", "version_conflict")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          if (request.params.app_id !== appId) return yield* appNotFound
          const changed = yield* Apps.use((apps) => apps.patch(appId, request.body)).pipe(
            Effect.catchTag("VersionConflict", ({ current }) => Effect.fail(versionConflict("app", current)))
          )
          if (changed === undefined) return yield* appNotFound
          return success(toAppResource(changed), [
            { command: curl(baseUrl(), "GET", "/v1/me"), description: "Get the app again" }
          ])
        })
      )
  )
}
