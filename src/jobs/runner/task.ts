import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseError } from "#src/db/postgres/Database.ts"

/** When a job is added automatically. */
export interface Schedule {
  /** Minute, hour, day of the month, month and day of the week, in UTC. */
  readonly cron: string
  /** How old a missed job may be and still be added. Without it, missed jobs are skipped. */
  readonly fill?: string
  /** Jobs of one queue run one after another. */
  readonly queue?: string
}

/** A kind of job, declared in the domain that its work belongs to. */
export interface Task<R> {
  /** The name for `graphile_worker.add_job`. */
  readonly name: string
  readonly schedule: Schedule | null
  readonly work: (payload: unknown) => Effect.Effect<unknown, DatabaseError | Schema.SchemaError, R>
}

/** The services that these tasks need. */
export type ServicesOf<T> = T extends Task<infer R> ? R : never

/** A job without a payload: there is something to do. */
export const task = <R>(
  name: string,
  work: Effect.Effect<unknown, DatabaseError, R>,
  schedule: Schedule | null = null
): Task<R> => ({ name, schedule, work: () => work })

/** A job with a payload: its schema, and the work. */
export const taskFor = <S extends Schema.ConstraintDecoder<unknown>, R>(
  name: string,
  payload: S,
  work: (payload: S["Type"]) => Effect.Effect<unknown, DatabaseError, R>
): Task<R> => {
  const decode = Schema.decodeUnknownEffect(payload)
  return { name, schedule: null, work: (input) => Effect.flatMap(decode(input), work) }
}
