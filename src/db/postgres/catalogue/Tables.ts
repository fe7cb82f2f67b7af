import * as Context from "effect/Context"
import type { Table } from "./Table.ts"

/**
 * Every table, in the order in which rows are deleted: what refers to others first. Domains declare their own; they are
 * collected in `src/db/catalogue`, above all of them.
 */
export class Tables extends Context.Service<Tables, ReadonlyArray<Table>>()("src/db/postgres/Tables") {}
