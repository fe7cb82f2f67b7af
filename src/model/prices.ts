import * as Context from "effect/Context"
import { createHash } from "node:crypto"
import type { Usage } from "#pipeline/domain/Turn.ts"

/** In micro-USD per million tokens. */
export interface Price {
  readonly input: number
  readonly cached: number
  readonly output: number
}

/**
 * The MODEL_PRICES entry of one model, in USD: per million tokens, per picture of any size, per minute of audio.
 * `list`: use our list price.
 */
export type ConfiguredPrice =
  | "list"
  | {
      readonly input?: number | undefined
      readonly cached_input?: number | undefined
      readonly output?: number | undefined
      readonly image?: number | undefined
      readonly minute?: number | undefined
    }
export type ConfiguredPrices = Readonly<Record<string, ConfiguredPrice>>

/** Where a price comes from. `assumed`: no price is known for the model. */
export type PriceSource = "list" | "configured" | "free" | "assumed"

const usd = (input: number, cached: number, output: number): Price => ({
  input: Math.round(input * 1_000_000),
  cached: Math.round(cached * 1_000_000),
  output: Math.round(output * 1_000_000)
})

/** Version of the list below. Change it with every price, so that ledger entries show which prices they used. */
export const PRICE_VERSION = "2026-11-27"

/** List prices, in USD per million tokens. */
const listed: ReadonlyMap<string, Price> = new Map([
  ["gpt-5.5", usd(5, 0.5, 30)],
  ["gpt-5.4", usd(2.5, 0.25, 15)],
  ["gpt-5.4-mini", usd(0.75, 0.075, 4.5)],
  ["gpt-5.4-nano", usd(0.2, 0.02, 1.25)],
  ["gpt-5.1", usd(1.25, 0.125, 10)],
  ["gpt-5", usd(1.25, 0.125, 10)],
  ["gpt-5-mini", usd(0.25, 0.025, 2)],
  ["gpt-5-nano", usd(0.05, 0.005, 0.4)],
  ["gpt-4.1", usd(2, 0.5, 8)],
  ["gpt-4.1-mini", usd(0.4, 0.1, 1.6)],
  ["gpt-4.1-nano", usd(0.1, 0.025, 0.4)],
  ["gpt-4o", usd(2.5, 1.25, 10)],
  ["gpt-4o-mini", usd(0.15, 0.075, 0.6)],
  // Embeddings have no output.
  ["text-embedding-3-small", usd(0.02, 0.02, 0)],
  ["text-embedding-3-large", usd(0.13, 0.13, 0)],
  ["text-embedding-ada-002", usd(0.1, 0.1, 0)]
])

/**
 * The assumed price of a model without a known price: that of the small default model. Such entries are marked, so that
 * they are not mistaken for a bill. The assumption makes budgets work for these models, too.
 */
const ASSUMED = usd(0.25, 0.025, 2)
const FREE = usd(0, 0, 0)

/** List prices in USD per minute of audio. */
const minutes: ReadonlyMap<string, number> = new Map([
  ["gpt-4o-transcribe", 0.006],
  ["gpt-4o-mini-transcribe", 0.003],
  ["whisper-1", 0.006]
])
const ASSUMED_MINUTE = 0.006

/** List prices in USD for a picture of medium quality: square, and portrait or landscape. */
const pictures: ReadonlyMap<string, readonly [square: number, long: number]> = new Map([
  ["gpt-image-1", [0.042, 0.063]],
  ["gpt-image-1-mini", [0.011, 0.015]],
  ["gpt-image-1.5", [0.034, 0.05]],
  ["dall-e-3", [0.04, 0.08]],
  ["dall-e-2", [0.02, 0.02]]
])
const ASSUMED_PICTURE = [0.04, 0.04] as const
/** A reference picture of up to 1024 pixels is about 400 input tokens, at 10 dollars per million. */
const REFERENCE = 0.004

/** Our own engines, which are free. */
const OFFLINE = /^offline-/

export type Tokens = Pick<Usage, "inputTokens" | "cachedInputTokens" | "outputTokens">
export type PictureSize = "square" | "portrait" | "landscape"

export interface PriceList {
  /** Stored with every ledger entry. */
  readonly version: string
  /** Where the token price of a model comes from. */
  readonly sourceOf: (model: string) => PriceSource
  readonly priceOf: (model: string) => Price
  /** Whole micro-USD, rounded up. Cached tokens are a part of the input tokens. */
  readonly costMicroUsd: (model: string, tokens: Tokens) => number
  /** Whole micro-USD, rounded up. */
  readonly transcriptionMicroUsd: (model: string, seconds: number) => number
  /** Whole micro-USD. Reference pictures cost extra by our list. A configured price covers them. */
  readonly imageMicroUsd: (model: string, size: PictureSize, references?: number) => number
  readonly transcriptionSourceOf: (model: string) => PriceSource
  readonly imageSourceOf: (model: string) => PriceSource
  /** Every model with a known price. */
  readonly tokens: ReadonlyArray<{ readonly model: string } & Price>
}

/** A dated release (`gpt-5-mini-2025-08-07`) has the price of its family. */
const familyOf = (model: string): string => model.replace(/-\d{4}-\d{2}-\d{2}$/, "")

const named = <A>(table: Readonly<Record<string, A>>, model: string): A | undefined =>
  Object.hasOwn(table, model)
    ? table[model]
    : Object.hasOwn(table, familyOf(model))
      ? table[familyOf(model)]
      : undefined

/**
 * Prices from the list, with an operator's configuration taking precedence. `isLocal`: models run on this machine or a
 * private network, so the list does not apply and they are free.
 */
export const makePrices = ({
  configured = {},
  isLocal = false
}: {
  readonly configured?: ConfiguredPrices
  readonly isLocal?: boolean
}): PriceList => {
  const isFree = (model: string) => isLocal || OFFLINE.test(model)
  const configuredTokens = (model: string): Price | "list" | undefined => {
    const price = named(configured, model)
    return price === undefined || price === "list"
      ? price
      : price.input === undefined || price.output === undefined
        ? undefined
        : usd(price.input, price.cached_input ?? price.input, price.output)
  }
  /** The price of anything except tokens, in USD, and where it comes from. */
  const otherPrice = (
    model: string,
    unit: "image" | "minute",
    fromList: number | undefined,
    assumed: number
  ): readonly [PriceSource, number] => {
    const price = named(configured, model)
    const own = price === undefined || price === "list" ? undefined : price[unit]
    if (own !== undefined) return ["configured", own]
    if (price !== "list" && isFree(model)) return ["free", 0]
    return fromList === undefined ? ["assumed", assumed] : ["list", fromList]
  }
  const minuteOf = (model: string) => otherPrice(model, "minute", minutes.get(model), ASSUMED_MINUTE)
  const pictureOf = (model: string, size: PictureSize) => {
    const [square, long] = pictures.get(model) ?? []
    const isSquare = size === "square"
    return otherPrice(model, "image", isSquare ? square : long, ASSUMED_PICTURE[isSquare ? 0 : 1])
  }
  const sourceOf = (model: string): PriceSource => {
    const own = configuredTokens(model)
    if (own !== undefined && own !== "list") return "configured"
    if (own === undefined && isFree(model)) return "free"
    return listed.has(familyOf(model)) || listed.has(model) ? "list" : "assumed"
  }
  const priceOf = (model: string): Price => {
    const own = configuredTokens(model)
    if (own !== undefined && own !== "list") return own
    return sourceOf(model) === "free" ? FREE : (listed.get(model) ?? listed.get(familyOf(model)) ?? ASSUMED)
  }
  const changes = JSON.stringify([isLocal, Object.entries(configured).sort(([one], [other]) => (one < other ? -1 : 1))])
  return {
    version:
      !isLocal && Object.keys(configured).length === 0
        ? PRICE_VERSION
        : `${PRICE_VERSION}+${createHash("sha256").update(changes).digest("hex").slice(0, 8)}`,
    sourceOf,
    priceOf,
    costMicroUsd: (model, tokens) => {
      const price = priceOf(model)
      const cached = Math.min(tokens.cachedInputTokens, tokens.inputTokens)
      return Math.ceil(
        ((tokens.inputTokens - cached) * price.input + cached * price.cached + tokens.outputTokens * price.output) /
          1_000_000
      )
    },
    transcriptionMicroUsd: (model, seconds) => Math.ceil((minuteOf(model)[1] * 1_000_000 * seconds) / 60),
    imageMicroUsd: (model, size, references = 0) => {
      const [source, price] = pictureOf(model, size)
      const extra = source === "list" || source === "assumed" ? references * REFERENCE : 0
      return Math.round((price + extra) * 1_000_000)
    },
    transcriptionSourceOf: (model) => minuteOf(model)[0],
    imageSourceOf: (model) => pictureOf(model, "square")[0],
    tokens: [
      ...new Set([...listed.keys(), ...Object.keys(configured).filter((model) => sourceOf(model) === "configured")])
    ].map((model) => {
      const { input, cached, output } = sourceOf(model) === "free" ? (listed.get(model) ?? FREE) : priceOf(model)
      return { model, input, cached, output }
    })
  }
}

/** List prices, for models at public addresses. */
export const LIST_PRICES = makePrices({})

/** The prices that this process books with. */
export const Prices = Context.Reference<PriceList>("src/model/Prices", { defaultValue: () => LIST_PRICES })

const CHARS_PER_TOKEN = 4

/** The approximate number of tokens in a text, for engines that do not report it. */
export const tokensIn = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN)
