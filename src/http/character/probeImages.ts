import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Expenses } from "#src/db/billing/Expenses.ts"
import { toUsd } from "#src/http/server/usd.ts"
import { ImageModel } from "#src/model/ImageModel.ts"
import { Pictures } from "#src/pictures/Pictures.ts"
import { Storage } from "#src/storage/Storage.ts"
import { workNotAffordable } from "#src/http/billing/billingErrors.ts"

const PROBE = "A single green leaf on a white background."

/** Generates one picture and discards it. */
export const probeImages = Effect.fnUntraced(function* (appId: string) {
  const { engine, model, priceMicroUsd, generate } = yield* ImageModel
  const { kind: storage } = yield* Storage
  const expenses = yield* Expenses
  const payer = { appId, sessionId: null }
  const expense = yield* expenses.reserve(payer, "probe", priceMicroUsd("square"), { use: "pictures" })
  if (expense === null) return yield* workNotAffordable
  const begunAt = yield* Clock.currentTimeMillis
  const error_code = yield* generate({
    prompt: PROBE,
    size: "square",
    name: "Probe",
    seed: "probe",
    modelSeed: null,
    references: []
  }).pipe(
    Effect.flatMap((painted) => Pictures.use((pictures) => pictures.clean(painted))),
    Effect.as(null),
    Effect.catchTags({
      ImageFailed: ({ code }) => Effect.succeed(code),
      PictureRefused: () => Effect.succeed("bad_image")
    })
  )
  yield* expenses.settle(expense, error_code === null ? expense.microUsd : 0)
  return {
    status: error_code === null ? "ok" : "failed",
    engine,
    model,
    storage,
    error_code,
    latency_ms: (yield* Clock.currentTimeMillis) - begunAt,
    cost_usd: error_code === null ? toUsd(expense.microUsd) : 0
  }
})
