import { createAppIn } from "./accounts/createAppIn.ts"
import { SECRETS_KEY } from "./secretsKey.ts"
import { type SlowModel, startSlowModel } from "./model/SlowModel.ts"
import { TestApp } from "./TestApp.ts"
import { createTestDatabase, type TestDatabase } from "./TestDatabase.ts"
import { TEST_PRICES } from "./model/testPrices.ts"
import { startTroupe, type TroupeProcess } from "./TroupeProcess.ts"

/** Real processes on one database, with a slow model behind them and a client in front. */
export interface Fleet {
  readonly database: TestDatabase
  readonly model: SlowModel
  readonly start: (roles: "api" | "worker" | "api,worker", env?: Record<string, string>) => Promise<TroupeProcess>
  /** A client of this process, for the fleet's one app. */
  readonly clientOf: (process: TroupeProcess) => TestApp
  /** Ends all remaining processes and drops the database. */
  readonly close: () => Promise<void>
}

export const createFleet = async (given?: TestDatabase): Promise<Fleet> => {
  const database = given ?? (await createTestDatabase())
  const model = await startSlowModel()
  const { appId, key } = await createAppIn(database.sql)
  const started: Array<Promise<TroupeProcess>> = []
  return {
    database,
    model,
    start: (roles, env = {}) => {
      const process = startTroupe({
        NODE_ENV: "production",
        SECRETS_KEY,
        DATABASE_URL: database.url,
        ROLES: roles,
        OPENAI_BASE_URL: model.baseUrl,
        MODEL_PRICES: TEST_PRICES,
        OPENAI_TIMEOUT_SECONDS: "120",
        TURN_DEADLINE_FAST_SECONDS: "120",
        ...env
      })
      started.push(process)
      return process
    },
    clientOf: (process) => new TestApp(process.baseUrl, appId, key),
    close: async () => {
      // Also those that the test has not waited for, because it failed or timed out.
      await Promise.all(
        started.map((starting) =>
          starting.then(
            (process) => process.stop("SIGKILL"),
            () => undefined
          )
        )
      )
      await model.close()
      await database.drop()
    }
  }
}
