import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isLocalUrl } from "#src/model/localAddress.ts"
import { makePrices, Prices } from "#src/model/prices.ts"
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
        : { model: model.model, analyzeModel: model.analyzeModel, analyzes: model.analyzes, maxTokens: model.maxTokens }
    const unpriced = [...new Set([cast.model, ...(cast.analyzes ? [cast.analyzeModel] : [])])].filter(
      (name) => prices.sourceOf(name) === "assumed"
    )
    for (const name of unpriced) {
      yield* Effect.logWarning(
        "the price of a model is not known: it is booked at an assumed price and marked as unpriced",
        { model: name, fix: "Name its price in MODEL_PRICES." }
      )
    }
    return Layer.merge(Layer.succeed(Prices, prices), Layer.succeed(ConfiguredModels, cast))
  })
)
