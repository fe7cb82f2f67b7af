import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { MODEL_FAILURES } from "#pipeline/ModelFailure.ts"
import type { ModelError } from "#pipeline/ModelError.ts"
import { type Finding, fine, skipped, warned, wrong } from "#src/health/Finding.ts"
import { probe } from "#src/model/openai/probe.ts"
import type { Findings } from "#src/model/openai/learned.ts"
import { Settings } from "#src/settings/Settings.ts"

/** What was found out about the server of a model that answers. */
const abilities = ({ format, length_parameter, sampling, system_role }: Findings): string =>
  [
    `format ${format}`,
    length_parameter,
    ...(sampling ? [] : ["no sampling options"]),
    ...(system_role ? [] : ["no system role"])
  ].join(", ")

const answering = (model: string, findings: Findings): Finding =>
  findings.prose
    ? warned(
        "model",
        `${model} answers, but writes no JSON where it is asked for: it decides nothing but the text of replies.`,
        MODEL_FAILURES.unusable.fix
      )
    : fine("model", `${model} answers (${abilities(findings)}).`)

const failing = (model: string, { code, failure, said, notes = [] }: ModelError, waited: Duration.Input): Finding => {
  const { observed, fix } = MODEL_FAILURES[failure ?? "server_error"]
  const name = failure === undefined || failure === code ? code : `${code}, ${failure}`
  const isSlow = failure === "timeout" || failure === "loading"
  return wrong(
    "model",
    [
      `${model} does not answer (${name}): ${observed}.`,
      ...(isSlow ? [`After ${Duration.toSeconds(waited)} s it may be still loading.`] : []),
      ...(said === undefined ? [] : [`It says: ${said}.`]),
      ...notes.map((note) => `It was ${note}.`)
    ].join(" "),
    `${fix}.`
  )
}

/** Asks the model as turns do. */
export const onModel = Effect.gen(function* () {
  const { model } = yield* Settings
  if (model === null) return skipped("model", "There is no model: the offline engine answers.")
  return yield* probe(model).pipe(
    Effect.map((findings) => answering(model.model, findings)),
    Effect.catch((error) => Effect.succeed(failing(model.model, error, model.callTimeout))),
    // The finding says it.
    Effect.provide(Logger.layer([]))
  )
})
