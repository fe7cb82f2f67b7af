import { type FakeModel, start } from "#test/support/model/FakeModel.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

export const EMBEDDER = "text-embedding-3-small"
/** USD per million tokens. High, so that a few words cost whole micro-dollars. */
export const PRICE = 100

export interface EmbeddingServers {
  readonly model: FakeModel
  readonly server: TestServer
  /** With the same model, but no setting for embeddings. */
  readonly without: TestServer
  /** An app of `server`. */
  readonly app: TestApp
  readonly close: () => Promise<void>
}

/** A server that searches by meaning, and one that does not. */
export const startEmbeddingServers = async (): Promise<EmbeddingServers> => {
  const model = await start()
  const env = { OPENAI_BASE_URL: model.url, OPENAI_MODEL: "small" }
  const server = await startTestServer({
    env: {
      ...env,
      OPENAI_EMBED_MODEL: EMBEDDER,
      MODEL_PRICES: JSON.stringify({ [EMBEDDER]: { input: PRICE, output: 0 } })
    }
  })
  const without = await startTestServer({ env })
  return {
    model,
    server,
    without,
    app: await server.createApp(),
    close: async () => {
      await server.close()
      await without.close()
      await model.close()
    }
  }
}

/** Waits until everything that is to be embedded has been. */
export const jobsAreDone = ({ database }: TestServer) =>
  until("the jobs to be done", async () => {
    const jobs = await database.sql`
      select 1 from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier in ('history', 'relate')`
    return jobs.length === 0
  })
