import { EventEmitter } from "node:events"
import { Logger, run, type Runner, type TaskList } from "graphile-worker"

/** graphile-worker with the server's settings. */
export const startRunner = (url: string, taskList: TaskList): Promise<Runner> =>
  run({
    connectionString: url,
    maxPoolSize: 6,
    concurrency: 200,
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    events: new EventEmitter(),
    taskList,
    preset: { worker: { localQueue: { size: 200 }, completeJobBatchDelay: 5, failJobBatchDelay: 5 } }
  })
