import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as References from "effect/References"
import { SignInConsole } from "#src/accounts/signInCodes.ts"
import { PUSH_KINDS, type PushKind, PushKinds } from "#src/composition/pushKinds.ts"
import { tables } from "#src/composition/tables.ts"
import { roles } from "#src/composition/process.ts"
import { Apps } from "#src/db/tenancy/Apps.ts"
import { HttpServer } from "#src/http/server/HttpServer.ts"
import { secretsKeys } from "#src/composition/secretsKeys.ts"
import { Settings } from "#src/settings/Settings.ts"
import { SECRETS_KEY } from "./secretsKey.ts"
import { TestApp } from "./TestApp.ts"
import { createTestDatabase, type TestDatabase } from "./TestDatabase.ts"
import { TEST_PRICES } from "./model/testPrices.ts"

export interface TestServer {
  readonly baseUrl: string
  readonly database: TestDatabase
  /** Its console output. */
  readonly stdout: () => string
  /** A new app with its key, and a client for it. */
  readonly createApp: (options?: { readonly budgetUsd?: number }) => Promise<TestApp>
  readonly close: () => Promise<void>
}

/**
 * The whole server in this process, on its own database and port. It has the offline engine unless `env` names a model.
 */
export const startTestServer = async (
  options: {
    readonly env?: Record<string, string>
    readonly database?: TestDatabase
    readonly pushKinds?: ReadonlyArray<PushKind>
  } = {}
): Promise<TestServer> => {
  const database = options.database ?? (await createTestDatabase())
  const env = { PORT: "0", DATABASE_URL: database.url, SECRETS_KEY, MODEL_PRICES: TEST_PRICES, ...options.env }
  const settings = Settings.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))))
  let stdout = ""
  const runtime = ManagedRuntime.make(
    roles.pipe(
      Layer.provideMerge(tables),
      Layer.provide(secretsKeys),
      Layer.provide(settings),
      Layer.provide(Layer.succeed(PushKinds, options.pushKinds ?? PUSH_KINDS)),
      Layer.provide(Layer.succeed(References.MinimumLogLevel, "Fatal")),
      Layer.provideMerge(
        Layer.succeed(SignInConsole, (line) => {
          stdout += `${line}\n`
        })
      )
    )
  )
  const { baseUrl } = await runtime.runPromise(HttpServer)
  return {
    baseUrl,
    database,
    stdout: () => stdout,
    createApp: async ({ budgetUsd } = {}) => {
      const monthlyBudgetMicroUsd = budgetUsd === undefined ? null : Math.round(budgetUsd * 1_000_000)
      const { appId, key } = await runtime.runPromise(
        Apps.use((apps) => apps.create({ name: "test", monthlyBudgetMicroUsd })).pipe(Effect.orDie)
      )
      return new TestApp(baseUrl, appId, key.apiKey)
    },
    close: async () => {
      await runtime.dispose()
      if (options.database === undefined) await database.drop()
    }
  }
}
