import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Exported, ExportedObject, ExportedRow, PageOf, PersonOf } from "#src/db/postgres/catalogue/Table.ts"
import { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

/** All that is kept of a person, a page at a time. What there is, and in which form, is declared with the tables. */
export class PersonReader extends Context.Service<
  PersonReader,
  {
    readonly exported: ReadonlyArray<Exported>
    /** Their sessions after this one, by id. */
    readonly sessions: (
      person: PersonOf,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>, DatabaseError>
    readonly rows: (exported: Exported, page: PageOf) => Effect.Effect<ReadonlyArray<ExportedRow>, DatabaseError>
    readonly objects: (exported: Exported, page: PageOf) => Effect.Effect<ReadonlyArray<ExportedObject>, DatabaseError>
  }
>()("src/db/privacy/PersonReader") {
  static readonly layer = Layer.effect(
    PersonReader,
    Effect.gen(function* () {
      const { query } = yield* Database
      const tables = yield* Tables
      return PersonReader.of({
        exported: tables.flatMap(({ exported }) => (exported !== undefined && "file" in exported ? [exported] : [])),
        sessions: ({ appId, externalUserRef }, after, limit) =>
          query<Array<{ session_id: string }>>(
            (sql) => sql`
          select session_id from sessions where app_id = ${appId} and external_user_ref = ${externalUserRef}
            and session_id > ${after} order by session_id limit ${limit}::int`
          ).pipe(Effect.map((rows) => rows.map(({ session_id }) => session_id))),
        rows: ({ rows }, page) => query<Array<ExportedRow>>((sql) => rows(sql, page)),
        objects: ({ objects }, page) =>
          objects === undefined ? Effect.succeed([]) : query<Array<ExportedObject>>((sql) => objects(sql, page))
      })
    })
  )
}
