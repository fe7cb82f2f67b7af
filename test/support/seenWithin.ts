import type postgres from "postgres"
import { until } from "./until.ts"

/**
 * What was seen within this time by the clock of the database. A look that took longer says nothing about a state that
 * lasts only for a while, so it is repeated. `see` must set up that state itself, because it may run several times.
 */
export const seenWithin = async <A>(sql: postgres.Sql, milliseconds: number, see: () => Promise<A>): Promise<A> => {
  const clock = async () => {
    const [row] = await sql<[{ now: number }]>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`
    return row.now
  }
  const { seen } = await until(`a look within ${milliseconds} ms`, async () => {
    const from = await clock()
    const seen = await see()
    return (await clock()) - from < milliseconds && { seen }
  })
  return seen
}
