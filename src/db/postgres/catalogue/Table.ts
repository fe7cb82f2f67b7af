import type { Sql } from "#src/db/postgres/Database.ts"
import type { Query } from "#src/db/postgres/postgres.ts"

/** What a row may belong to. */
export type Owner = "app" | "character" | "person" | "session"

export interface AppOf {
  readonly appId: string
}
export interface PersonOf extends AppOf {
  readonly externalUserRef: string
}
export interface SessionsOf extends AppOf {
  readonly sessionIds: ReadonlyArray<string>
}

/**
 * What is erased as one:
 *   session  what is stored about sessions
 *   traces   what is stored about a person besides their sessions; `/forget` ends here
 *   chats    the chats through which a person without sessions was reached
 *   person   the rest, unless the person has come back
 *   app      what is stored about an app without sessions
 */
export interface Scopes {
  readonly session: SessionsOf
  readonly traces: PersonOf
  readonly chats: PersonOf
  readonly person: PersonOf
  readonly app: AppOf
}
export type Scope = keyof Scopes

export type Statement<Of> = (sql: Sql, of: Of) => Query

/**
 * How a table takes part. `deleted`: its rows of that owner are deleted. `before` runs before rows of any table are
 * deleted, so that it may read them; `instead` replaces the delete; `kept` says why there is none.
 */
export type Erasure<Of> =
  | "deleted"
  | { readonly before?: Statement<Of>; readonly instead?: Statement<Of>; readonly kept?: string }

/** A version of a character of an app, and the app that evals play it in. */
export interface CopyOf {
  readonly appId: string
  readonly slug: string
  readonly version: number
  readonly to: string
}

/** Rows of a person, or of one of their sessions, after a position: empty at first, then `at` of the last row. */
export interface PageOf extends PersonOf {
  /** Empty if the rows are read by person. */
  readonly sessionId: string
  readonly after: string
  readonly limit: number
}

/** A row of an export: its JSON, and its position among the others. Null: this position shows nothing. */
export interface ExportedRow {
  readonly at: string
  readonly row: string | null
}
/** A stored object of an export, and its path in the ZIP. */
export interface ExportedObject {
  readonly at: string
  readonly object_key: string
  readonly path: string
}

/**
 * How the export of a person shows a table. Columns are named, so a new one is exported only by decision. The export
 * masks and leaves out what the API does.
 */
export interface Exported {
  /** The file in the ZIP. `*` is the id of a session: it has a file of its own. */
  readonly file: string
  /** What the file holds, for the README beside it. */
  readonly about: string
  readonly shape: "object" | "array" | "lines"
  readonly by: "person" | "session"
  /** ExportedRow, in the order of `at`, until there are none. */
  readonly rows: Statement<PageOf>
  /** ExportedObject, in the order of `at`, until there are none. */
  readonly objects?: Statement<PageOf>
}

/** The settings that say after how many days rows are deleted. */
export const RETENTION_SETTINGS = [
  "LOG_RETENTION_DAYS",
  "DELIVERY_RETENTION_DAYS",
  "TURN_RETENTION_DAYS",
  "EVAL_RETENTION_DAYS",
  "BATCH_RETENTION_DAYS",
  "IMPORT_RETENTION_DAYS"
] as const

/**
 * What keeps a table small: `bounded` says why it cannot grow without end, or after which time rows are always deleted;
 * `setting` deletes the `rows` that it names; `kept` says why its rows stay. See docs/operate/retention.md.
 */
export type KeptSmall =
  | { readonly bounded: string }
  | { readonly setting: (typeof RETENTION_SETTINGS)[number]; readonly rows: string }
  | { readonly kept: string }

/**
 * What happens to the rows of an app that moves to another cell, unless all of them move: those with `where` move;
 * `begins` says why the app begins there without any, and `stays` why they stay here and don't move.
 */
export type Moved = { readonly where: string } | { readonly begins: string } | { readonly stays: string }

/** A table, and all that follows from whom its rows belong to. */
export interface Table {
  readonly name: string
  readonly retention: KeptSmall
  /** The column that says to which one of these a row belongs. No owner: it belongs to the service. */
  readonly owners: Partial<Readonly<Record<Owner, string>>>
  /** Rows of sessions and of apps are deleted unless it says otherwise; what is a person's alone says how. */
  readonly erasure?: { readonly [S in Scope]?: Erasure<Scopes[S]> }
  /** How the app that evals play in gets its rows of a character; or why it needs none. */
  readonly copied?: Statement<CopyOf> | { readonly not: string }
  readonly moved?: Moved
  /** How a person's rows are exported; or why they are not. What is of a session or a person says it. */
  readonly exported?: Exported | { readonly not: string }
}
