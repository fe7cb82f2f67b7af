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
 * What MODEL_PRICES says of one model, in USD: tokens per million, a picture of any size, a minute of what is listened
 * to. `list`: as our list has it.
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

/** Where a price comes from. `assumed`: nobody has named one for the model. */
export type PriceSource = "list" | "configured" | "free" | "assumed"

const usd = (input: number, cached: number, output: number): Price => ({
  input: Math.round(input * 1_000_000),
  cached: Math.round(cached * 1_000_000),
  output: Math.round(output * 1_000_000)
})

/** Names the list below: a new one with every change of a price, so that what was booked says by which prices. */
export const PRICE_VERSION = "2026-11-23"

/** List prices, written in USD per million tokens. */
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
  ["gpt-4o-mini", usd(0.15, 0.075, 0.6)]
])

/**
 * What a model costs whose price nobody has named: as much as the small model that is the default. What is booked by it
 * is marked, so that nobody takes it for a bill; and yet a budget ends the use of such a model.
 */
const ASSUMED = usd(0.25, 0.025, 2)
const FREE = usd(0, 0, 0)

/** List prices in USD per minute of what is listened to. */
const minutes: ReadonlyMap<string, number> = new Map([
  ["gpt-4o-transcribe", 0.006],
  ["gpt-4o-mini-transcribe", 0.003],
  ["whisper-1", 0.006]
])
const ASSUMED_MINUTE = 0.006

/** List prices in USD for a picture of medium quality: square, and longer than that. */
const pictures: ReadonlyMap<string, readonly [square: number, long: number]> = new Map([
  ["gpt-image-1", [0.042, 0.063]],
  ["gpt-image-1-mini", [0.011, 0.015]],
  ["gpt-image-1.5", [0.034, 0.05]],
  ["dall-e-3", [0.04, 0.08]],
  ["dall-e-2", [0.02, 0.02]]
])
const ASSUMED_PICTURE = [0.04, 0.04] as const

/** Engines of our own, which cost nobody anything. */
const OFFLINE = /^offline-/

export type Tokens = Pick<Usage, "inputTokens" | "cachedInputTokens" | "outputTokens">
export type PictureSize = "square" | "portrait" | "landscape"

export interface PriceList {
  /** Stands on every entry of the ledger. */
  readonly version: string
  /** Where the price of a model's tokens comes from. */
  readonly sourceOf: (model: string) => PriceSource
  readonly priceOf: (model: string) => Price
  /** Whole micro-USD, rounded up. Cached tokens are a part of the input tokens. */
  readonly costMicroUsd: (model: string, tokens: Tokens) => number
  /** Whole micro-USD, rounded up. */
  readonly transcriptionMicroUsd: (model: string, seconds: number) => number
  /** Whole micro-USD. */
  readonly imageMicroUsd: (model: string, size: PictureSize) => number
  /** Every model whose price is known. */
  readonly tokens: ReadonlyArray<{ readonly model: string } & Price>
}

/** A dated release (`gpt-5-mini-2025-08-07`) costs what its family costs. */
const familyOf = (model: string): string => model.replace(/-\d{4}-\d{2}-\d{2}$/, "")

const named = <A>(table: Readonly<Record<string, A>>, model: string): A | undefined =>
  Object.hasOwn(table, model)
    ? table[model]
    : Object.hasOwn(table, familyOf(model))
      ? table[familyOf(model)]
      : undefined

/**
 * By the list, with what an operator has configured before it. `isLocal`: models are asked on this machine or a private
 * network, where the list does not hold and nobody pays.
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
  /** The price of something else than tokens: as configured, or free, or as `fromList` has it. */
  const priceOfOther = <A>(
    model: string,
    mine: (price: Exclude<ConfiguredPrice, "list">) => A | undefined,
    fromList: A,
    free: A
  ): A => {
    const price = named(configured, model)
    const own = price === undefined || price === "list" ? undefined : mine(price)
    return own ?? (price === "list" || !isFree(model) ? fromList : free)
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
    transcriptionMicroUsd: (model, seconds) =>
      Math.ceil(
        (priceOfOther(model, ({ minute }) => minute, minutes.get(model) ?? ASSUMED_MINUTE, 0) * 1_000_000 * seconds) /
          60
      ),
    imageMicroUsd: (model, size) => {
      const [square, long] = priceOfOther<readonly [number, number]>(
        model,
        ({ image }) => (image === undefined ? undefined : [image, image]),
        pictures.get(model) ?? ASSUMED_PICTURE,
        [0, 0]
      )
      return Math.round((size === "square" ? square : long) * 1_000_000)
    },
    tokens: [
      ...new Set([...listed.keys(), ...Object.keys(configured).filter((model) => sourceOf(model) === "configured")])
    ].map((model) => {
      const { input, cached, output } = sourceOf(model) === "free" ? (listed.get(model) ?? FREE) : priceOf(model)
      return { model, input, cached, output }
    })
  }
}

/** The list as it stands, for models at public addresses. */
export const LIST_PRICES = makePrices({})

/** By which prices this process books. */
export const Prices = Context.Reference<PriceList>("src/model/Prices", { defaultValue: () => LIST_PRICES })

const CHARS_PER_TOKEN = 4

/** About how many tokens a text is, for engines that do not say. */
export const tokensIn = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN)
