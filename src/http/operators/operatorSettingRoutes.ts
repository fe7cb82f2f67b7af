import * as Effect from "effect/Effect"
import * as z from "zod"
import { success } from "#src/http/server/envelope.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { EffectiveSettings } from "./EffectiveSettings.ts"
import { VIEWS } from "./access.ts"

const SettingsData = z.object({
  settings: z.array(
    z.object({
      name: z.string(),
      value: z.string().nullable().describe("null: there is none, or it is a secret"),
      source: z.enum(["environment", "default"]),
      secret: z.boolean(),
      is_set: z.boolean()
    })
  )
})

/** The settings of the process that answers. */
export const operatorSettingRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/settings",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "listSettings",
        summary: "List the settings of this process, and where each comes from. Secrets show only whether they are set",
        response: answers(SettingsData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.map(EffectiveSettings, (effective) =>
          success({
            settings: effective.map(({ name, value, source, isSecret, isSet }) => ({
              name,
              value,
              source,
              secret: isSecret,
              is_set: isSet
            }))
          })
        )
      )
  )
}
