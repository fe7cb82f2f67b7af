import * as Effect from "effect/Effect"
import * as z from "zod"
import { Transcriber } from "#channels/Transcriber.ts"
import { Writer } from "#pipeline/generation/Writer.ts"
import { Apps } from "#src/db/tenancy/Apps.ts"
import { IMAGE_SIZES, Painter } from "#src/model/Painter.ts"
import { Prices } from "#src/model/prices.ts"
import { ModelCast, ratesOf } from "#src/model/reservation.ts"
import { findAccountApp } from "#src/http/tenancy/accountApp.ts"
import { WITH_TOKEN } from "#src/http/tenancy/accountPlane.ts"
import { toUsd } from "./caps.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import { RatesData, SafetyUsageData, safetyQuery, UsageData, usageQuery } from "./usageSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { readSafety, readUsage } from "./usage.ts"
import { accountAppExists } from "#src/http/tenancy/appExists.ts"

/** Usage and prices. */
export const usageRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/v1/usage",
    {
      config: { demo: true },
      schema: {
        operationId: "getUsage",
        summary: "What the app has used",
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
        summary: "Crisis referrals, AI disclosures and break reminders of the app, by month",
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
        summary: "What a message costs, what is listened to, and a picture, and by which prices",
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
          const { listen, costMicroUsd } = yield* Transcriber
          const prices = yield* Prices
          const { messages, evalTurn } = ratesOf(prices, yield* ModelCast)
          const source = prices.sourceOf(model)
          const { priceMicroUsd } = yield* Painter
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
                price_usd: toUsd(worst),
                estimate_usd: toUsd(estimate)
              })),
              {
                kind: "eval_turn",
                unit: "turn",
                price_usd: toUsd(evalTurn.worst),
                estimate_usd: toUsd(evalTurn.estimate)
              },
              ...(listen === null
                ? []
                : [{ kind: "transcription", unit: "minute", price_usd: minute, estimate_usd: minute }]),
              {
                kind: "image",
                unit: "image",
                price_usd: toUsd(Math.max(...IMAGE_SIZES.map(priceMicroUsd))),
                estimate_usd: toUsd(priceMicroUsd("square"))
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

  app.get(
    "/v1/account/usage",
    {
      config: { account: "usage:read" },
      schema: {
        ...WITH_TOKEN,
        operationId: "getAccountUsage",
        summary: "What all apps of the account have used",
        querystring: usageQuery("day", "kind", "app", "character", "model", "end_user"),
        response: answers(UsageData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const apps = yield* Apps.use((apps) => apps.idsOf(request.account.accountId))
          return success(yield* readUsage(apps, request.query))
        })
      )
  )

  app.get(
    "/v1/account/usage/safety",
    {
      config: { account: "usage:read" },
      schema: {
        ...WITH_TOKEN,
        operationId: "getAccountSafetyUsage",
        summary: "Crisis referrals, AI disclosures and break reminders of all apps of the account, by month",
        querystring: safetyQuery,
        response: answers(SafetyUsageData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const apps = yield* Apps.use((apps) => apps.idsOf(request.account.accountId))
          return success(yield* readSafety(apps, request.query))
        })
      )
  )

  app.get(
    "/v1/account/apps/:app_id/usage/safety",
    {
      config: { account: "usage:read", exists: accountAppExists },
      schema: {
        ...WITH_TOKEN,
        operationId: "getAppSafetyUsage",
        summary: "Crisis referrals, AI disclosures and break reminders of an app of the account, by month",
        params: z.object({ app_id: z.string() }),
        querystring: safetyQuery,
        response: answers(SafetyUsageData, 404)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id: appId } = yield* findAccountApp(request)
          return success(yield* readSafety([appId], request.query))
        })
      )
  )

  app.get(
    "/v1/account/apps/:app_id/usage",
    {
      config: { account: "usage:read", exists: accountAppExists },
      schema: {
        ...WITH_TOKEN,
        operationId: "getAppUsage",
        summary: "What an app of the account has used",
        params: z.object({ app_id: z.string() }),
        querystring: usageQuery("day", "kind", "character", "model", "end_user"),
        response: answers(UsageData, 404)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id: appId } = yield* findAccountApp(request)
          return success(yield* readUsage([appId], request.query))
        })
      )
  )
}
