import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseError } from "#src/db/postgres/Database.ts"

/** When a job is added that nobody asked for. */
export interface Schedule {
  /** Minute, hour, day of the month, month and day of the week, in UTC. */
  readonly cron: string
  /** How old one may be that was missed and is made up for. Without it none is. */
  readonly fill?: string
  /** Jobs of one queue run one after another. */
  readonly queue?: string
}

/** A kind of job, as the domain declares it whose work it is. */
export interface Task<R> {
  /** What `graphile_worker.add_job` names. */
  readonly name: string
  readonly schedule: Schedule | null
  readonly work: (payload: unknown) => Effect.Effect<unknown, DatabaseError | Schema.SchemaError, R>
}

/** The services that these tasks ask for. */
export type ServicesOf<T> = T extends Task<infer R> ? R : never

/** A job that says only that there is something to do. */
export const task = <R>(
  name: string,
  work: Effect.Effect<unknown, DatabaseError, R>,
  schedule: Schedule | null = null
): Task<R> => ({ name, schedule, work: () => work })

/** A job that says what is to be done: the shape of its payload, and what to do with it. */
export const taskFor = <S extends Schema.ConstraintDecoder<unknown>, R>(
  name: string,
  payload: S,
  work: (payload: S["Type"]) => Effect.Effect<unknown, DatabaseError, R>
): Task<R> => {
  const decode = Schema.decodeUnknownEffect(payload)
  return { name, schedule: null, work: (input) => Effect.flatMap(decode(input), work) }
}
