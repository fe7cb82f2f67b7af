import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AssumedPrices, type ModelUse } from "#src/model/assumedPrices.ts"
import { isLocalUrl } from "#src/model/localAddress.ts"
import { makePrices, Prices, type PriceSource } from "#src/model/prices.ts"
import { ConfiguredModels, OFFLINE_MODELS } from "#src/model/reservation.ts"
import { Settings } from "#src/settings/Settings.ts"

/**
 * The prices that this process books with and the models that it replies with. Logs which of these models have no
 * price.
 */
export const pricing = Layer.unwrap(
  Effect.gen(function* () {
    const { model, modelPrices } = yield* Settings
    const prices = makePrices({
      configured: modelPrices,
      isLocal: model !== null && model.baseUrl !== null && isLocalUrl(model.baseUrl)
    })
    const cast =
      model === null
        ? OFFLINE_MODELS
        : {
            model: model.model,
            analyzeModel: model.analyzeModel,
            analyzes: model.analyzes,
            maxTokens: model.maxTokens,
            embedModel: model.embedModel
          }
    const assumed = (use: ModelUse, name: string | null | undefined, sourceOf: (model: string) => PriceSource) =>
      typeof name === "string" && sourceOf(name) === "assumed" ? [{ use, name }] : []
    const unpriced = [
      ...assumed("text", cast.model, prices.sourceOf),
      ...assumed("text", cast.analyzes ? cast.analyzeModel : null, prices.sourceOf),
      ...assumed("embeddings", model?.embedModel, prices.sourceOf),
      ...assumed("voice", model?.transcribeModel, prices.transcriptionSourceOf),
      ...assumed("pictures", model?.imageModel, prices.imageSourceOf)
    ]
    for (const name of new Set(unpriced.map((one) => one.name))) {
      yield* Effect.logWarning("the price of a model is not known: it is booked at an assumed price", {
        model: name,
        fix: "Name its price in MODEL_PRICES."
      })
    }
    return Layer.mergeAll(
      Layer.succeed(Prices, prices),
      Layer.succeed(ConfiguredModels, cast),
      Layer.succeed(AssumedPrices, new Set(unpriced.map(({ use }) => use)))
    )
  })
)
