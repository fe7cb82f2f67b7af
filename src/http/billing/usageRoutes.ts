import * as Effect from "effect/Effect"
import { Transcriber } from "#channels/Transcriber.ts"
import { Writer } from "#pipeline/generation/Writer.ts"
import { IMAGE_SIZES, ImageModel } from "#src/model/ImageModel.ts"
import { Prices } from "#src/model/prices.ts"
import { ratesOf } from "#src/model/rates.ts"
import { ConfiguredModels } from "#src/model/reservation.ts"
import { toUsd } from "#src/http/server/usd.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import { RatesData, SafetyUsageData, safetyQuery, UsageData, usageQuery } from "./usageSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { readSafety, readUsage } from "./usage.ts"

/** Usage and prices. */
export const usageRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/v1/usage",
    {
      config: { demo: true },
      schema: {
        operationId: "getUsage",
        summary: "Get the app's usage",
        tags: ["Usage"],
        querystring: usageQuery("day", "kind", "character", "model", "end_user"),
        response: answers(UsageData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.map(readUsage([request.principal.appId], request.query), (usage) => success(usage))
      )
  )

  app.get(
    "/v1/usage/safety",
    {
      config: { demo: true },
      schema: {
        operationId: "getSafetyUsage",
        summary: "Count crisis referrals, AI disclosures and break reminders of the app, by month",
        tags: ["Usage"],
        querystring: safetyQuery,
        response: answers(SafetyUsageData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.map(readSafety([request.principal.appId], request.query), (counts) => success(counts))
      )
  )

  app.get(
    "/v1/rates",
    {
      config: { demo: true },
      schema: {
        operationId: "getRates",
        summary: "Get the prices of messages, embeddings, voice transcription and images, and where they come from",
        tags: ["Usage"],
        response: answers(RatesData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { engine, model } = yield* Writer
          const transcriber = yield* Transcriber
          const prices = yield* Prices
          const cast = yield* ConfiguredModels
          const { messages, evalTurn, embedding } = ratesOf(prices, cast)
          const source = prices.sourceOf(model)
          const sources = [
            source,
            ...(cast.analyzes ? [prices.sourceOf(cast.analyzeModel)] : []),
            ...(embedding === null ? [] : [prices.sourceOf(embedding.model)])
          ]
          const price_source = sources.includes("assumed") ? "assumed" : source
          const imageModel = yield* ImageModel
          const { costMicroUsd } = transcriber
          const minute = toUsd(costMicroUsd(60))
          return success({
            currency: "USD",
            price_version: prices.version,
            engine,
            model,
            priced: source !== "assumed",
            price_source: source,
            rates: [
              ...messages.map(({ kind, worst, estimate }) => ({
                kind,
                unit: "message",
                price_source,
                price_usd: toUsd(worst),
                estimate_usd: toUsd(estimate)
              })),
              {
                kind: "eval_turn",
                unit: "turn",
                price_source,
                price_usd: toUsd(evalTurn.worst),
                estimate_usd: toUsd(evalTurn.estimate)
              },
              ...(embedding === null
                ? []
                : [
                    {
                      kind: "embedding",
                      unit: "text",
                      price_source: prices.sourceOf(embedding.model),
                      price_usd: toUsd(embedding.worst),
                      estimate_usd: toUsd(embedding.estimate)
                    }
                  ]),
              ...(transcriber.model === null
                ? []
                : [
                    {
                      kind: "transcription",
                      unit: "minute",
                      price_source: prices.transcriptionSourceOf(transcriber.model),
                      price_usd: minute,
                      estimate_usd: minute
                    }
                  ]),
              {
                kind: "image",
                unit: "image",
                price_source: prices.imageSourceOf(imageModel.model),
                price_usd: toUsd(Math.max(...IMAGE_SIZES.map((size) => imageModel.priceMicroUsd(size)))),
                estimate_usd: toUsd(imageModel.priceMicroUsd("square"))
              }
            ],
            tokens: prices.tokens.map(({ model, input, cached, output }) => ({
              model,
              input_usd: toUsd(input),
              cached_input_usd: toUsd(cached),
              output_usd: toUsd(output)
            }))
          })
        })
      )
  )
}
