import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { ConfiguredPrices } from "#src/model/prices.ts"
import { type BadSetting, type Given, given, need } from "./checks.ts"

/** A dollar amount that is not negative and not an obvious typing error. */
const Usd = Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))
const ModelPrice = Schema.Struct({
  input: Schema.optionalKey(Usd),
  cached_input: Schema.optionalKey(Usd),
  output: Schema.optionalKey(Usd),
  image: Schema.optionalKey(Usd),
  minute: Schema.optionalKey(Usd)
}).check(
  Schema.makeFilter(
    (price) => Object.keys(price).length > 0 && (price.input === undefined) === (price.output === undefined)
  )
)
const decodeModelPrices = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Union([Schema.Literal("list"), ModelPrice]))),
  { onExcessProperty: "error" }
)

/** Model prices, as JSON by model name. */
export const checkModelPrices = (setting: string, text: Given): Effect.Effect<ConfiguredPrices, BadSetting> => {
  const json = given(text)
  if (json === null) return Effect.succeed({})
  return need<ConfiguredPrices>(
    setting,
    Option.getOrNull(decodeModelPrices(json)),
    'must be JSON such as {"llama3.1": {"input": 0.1, "cached_input": 0.05, "output": 0.4}}. Prices ' +
      'are USD per million tokens, and input and output are set together. "image" is per picture, and ' +
      '"minute" per minute of voice. "list" instead of an object means the list price'
  )
}
