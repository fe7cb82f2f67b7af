import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { EventEmitter } from "node:events"
import { primaryOf } from "#src/db/postgres/primary.ts"
import { Logger, run, type Runner as GraphileRunner, type TaskList, type WorkerEvents } from "graphile-worker"

/** Number of prefetched jobs. Few, so that a backlog spreads over processes. */
const LOCAL_QUEUE = 50

const quiet = new Logger(() => () => {})

export interface PoolOptions {
  readonly url: Redacted.Redacted<string>
  /** Maximum number of concurrent jobs. */
  readonly concurrency: number
  readonly taskList: TaskList
  readonly crontab: string
}

/** A running graphile-worker pool. */
export interface JobPool {
  readonly runner: GraphileRunner
  /** Its id in graphile-worker's table of workers. */
  readonly id: string
  /** The address of the server that it is connected to. */
  readonly server: string
  /** Settles when the pool has ended, whether or not it was asked to stop. */
  readonly ended: Promise<void>
}

export const startJobPool = ({ url, ...options }: PoolOptions) =>
  Effect.tryPromise(async (): Promise<JobPool> => {
    const connectionString = await primaryOf(Redacted.value(url))
    const events: WorkerEvents = new EventEmitter()
    let id = ""
    events.on("pool:create", ({ workerPool }) => {
      id = workerPool.id
    })
    // The pool's own promise may never settle once its connections are lost. Its shutdown event is reliable.
    const ended = new Promise<void>((resolve) => {
      events.on("pool:gracefulShutdown", () => resolve())
    })
    return run({
      ...options,
      connectionString,
      maxPoolSize: 6,
      noHandleSignals: true,
      logger: quiet,
      events,
      preset: { worker: { localQueue: { size: LOCAL_QUEUE }, completeJobBatchDelay: 5, failJobBatchDelay: 5 } }
    }).then((runner) => ({ runner, id, server: connectionString, ended: Promise.race([ended, runner.promise]) }))
  })
