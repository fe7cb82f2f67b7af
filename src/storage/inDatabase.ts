import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database } from "#src/db/postgres/Database.ts"
import { namesOf, Storage } from "./Storage.ts"

/** Contents as rows. This needs no further setup, and backups of the database include them. */
export const layer = Layer.effect(
  Storage,
  Effect.gen(function* () {
    const { query } = yield* Database
    return Storage.of({
      kind: "database",
      put: (key, content) =>
        Effect.asVoid(
          query(
            (sql) => sql`
      insert into object_contents (app_id, object_key, content)
        values (${namesOf(key)[0]}, ${key}, ${Buffer.from(content)})
      on conflict (app_id, object_key) do update set content = excluded.content`
          )
        ),
      get: (key) =>
        query<Array<{ content: Buffer }>>(
          (sql) => sql`
      select content from object_contents where app_id = ${namesOf(key)[0]} and object_key = ${key}`
        ).pipe(Effect.map(([row]) => row?.content ?? null)),
      remove: (key) =>
        Effect.asVoid(
          query((sql) => sql`delete from object_contents where app_id = ${namesOf(key)[0]} and object_key = ${key}`)
        )
    })
  })
)
