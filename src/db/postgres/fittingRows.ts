import type postgres from "postgres"
import type { Sql } from "./Database.ts"

/**
 * The maximum size of a page of rows that may be large, in bytes of JSON. To parse and write more at once would hold up
 * other requests. A row that is larger by itself has a page of its own.
 */
const PAGE_BYTES = 1024 * 1024

type Fragment = postgres.PendingQuery<postgres.Row[]>

/** A row of a list, and whether it fits on the page that the first row begins. */
export interface Fitting {
  readonly fits: boolean
}

/** A row of `A` whose large column `K` is null if it does not fit. */
export type FittingRow<A, K extends keyof A> = Omit<A, K> & Fitting & { readonly [Large in K]: A[Large] | null }

/** The rows of a page, and whether there are more. */
export interface Listed<A> {
  readonly items: ReadonlyArray<A>
  readonly more: boolean
}

/** The column `fits`. `bytes`: the size of a row. `order`: the order of the list. */
export const fitsOnPage = (sql: Sql, bytes: Fragment, order: Fragment) => sql`
  coalesce(sum(${bytes}) over (order by ${order} rows between unbounded preceding and 1 preceding) + ${bytes}
    <= ${PAGE_BYTES}::int, true) as fits`

/** `rows`: up to one more than the limit. `whole`: the item of a row that fits. */
export const listed = <Row extends Fitting, A>(
  rows: ReadonlyArray<Row>,
  limit: number,
  whole: (row: Row) => A | null
): Listed<A> => {
  const items = rows.slice(0, limit).flatMap((row) => {
    const item = row.fits ? whole(row) : null
    return item === null ? [] : [item]
  })
  return { items, more: rows.length > items.length }
}
