import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Exported, ExportedObject, ExportedRow, PageOf, PersonOf } from "#src/db/postgres/catalogue/Table.ts"
import { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

/** A file of an export, and how its contents are read. */
export interface PersonFile extends Omit<Exported, "rows" | "objects"> {
  readonly rows: (page: PageOf) => Effect.Effect<ReadonlyArray<ExportedRow>, DatabaseError>
  readonly objects: ((page: PageOf) => Effect.Effect<ReadonlyArray<ExportedObject>, DatabaseError>) | undefined
}

/** Everything that is stored about a person, in pages. The tables declare what is exported, and in which form. */
export class PersonReader extends Context.Service<
  PersonReader,
  {
    /** The files of a person's export, in the order of the tables. */
    readonly files: ReadonlyArray<PersonFile>
    /** Their sessions after this one, by id. */
    readonly sessions: (
      person: PersonOf,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>, DatabaseError>
  }
>()("src/db/privacy/PersonReader") {
  static readonly layer = Layer.effect(
    PersonReader,
    Effect.gen(function* () {
      const { query } = yield* Database
      const tables = yield* Tables
      return PersonReader.of({
        files: tables
          .flatMap(({ exported }) => (exported !== undefined && "file" in exported ? [exported] : []))
          .map(({ file, about, shape, by, rows, objects }) => ({
            file,
            about,
            shape,
            by,
            rows: (page) => query<Array<ExportedRow>>((sql) => rows(sql, page)),
            objects:
              objects === undefined ? undefined : (page) => query<Array<ExportedObject>>((sql) => objects(sql, page))
          })),
        sessions: ({ appId, externalUserRef }, after, limit) =>
          query<Array<{ session_id: string }>>(
            (sql) => sql`
          select session_id from sessions where app_id = ${appId} and external_user_ref = ${externalUserRef}
            and session_id > ${after} order by session_id limit ${limit}::int`
          ).pipe(Effect.map((rows) => rows.map(({ session_id }) => session_id)))
      })
    })
  )
}
