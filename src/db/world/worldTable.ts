import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type IdPrefix, newId } from "#pipeline/domain/Id.ts"
import type { Database, DatabaseError, Sql } from "#src/db/postgres/Database.ts"
import { iso } from "#src/db/postgres/moments.ts"

export interface CharacterRef {
  readonly appId: string
  readonly slug: string
}

/** The limit is reached. */
export class WorldLimitReached extends Schema.TaggedError<WorldLimitReached>()("WorldLimitReached", {
  most: Schema.Int
}) {}

/** The session that it should belong to is not a session of this character. */
export class SessionGone extends Schema.TaggedError<SessionGone>()("SessionGone", {}) {}

/** A stored item of a character's world. */
export type Stored<A> = A & { readonly created_at: string; readonly updated_at: string }
export type FieldsOf<A> = Omit<A, "id">

export interface WorldTable<A extends { readonly id: string }> {
  /** Undefined: no such character. */
  readonly create: (
    of: CharacterRef,
    fields: FieldsOf<A>
  ) => Effect.Effect<Stored<A> | undefined, WorldLimitReached | SessionGone | DatabaseError>
  readonly get: (of: CharacterRef, id: string) => Effect.Effect<Stored<A> | undefined, DatabaseError>
  /** Newest first, those older than `before`. */
  readonly list: (
    of: CharacterRef,
    page: { readonly before: string | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Stored<A>>, DatabaseError>
  /** `change` returns the next fields for the current ones, under the world's lock. Undefined: it does not exist. */
  readonly update: <E, R>(
    of: CharacterRef,
    id: string,
    change: (now: Stored<A>) => Effect.Effect<FieldsOf<A>, E, R>
  ) => Effect.Effect<Stored<A> | undefined, E | SessionGone | DatabaseError, R>
  /** Returns the deleted item. Undefined: it does not exist. */
  readonly remove: (of: CharacterRef, id: string) => Effect.Effect<Stored<A> | undefined, DatabaseError>
}

type Row = Stored<{ readonly id: string; readonly fields: object }>

/** Takes the world's lock, which every change takes first, and counts the change. False: no such character. */
export const changeWorld = ({ query }: Context.Service.Shape<typeof Database>, { appId, slug }: CharacterRef) =>
  Effect.map(
    query(
      (sql) => sql`
  insert into worlds (app_id, slug, revision) select app_id, slug, 1 from characters
    where app_id = ${appId} and slug = ${slug}
  on conflict (app_id, slug) do update set revision = worlds.revision + 1 returning 1`
    ),
    (rows) => rows.length > 0
  )

export interface Options<A> {
  readonly table: string
  readonly prefix: IdPrefix
  /** Limit per character. */
  readonly most: number
  /** The only session that an item belongs to. Null: it belongs to none. */
  readonly sessionOf?: (fields: FieldsOf<A>) => string | null
  /** Whether each session may have the same number in addition. */
  readonly bySession?: boolean
}

/** One kind of item in characters' worlds: a table of documents. */
export const worldTable = <A extends { readonly id: string }>(
  database: Context.Service.Shape<typeof Database>,
  { table, prefix, most, sessionOf = () => null, bySession = false }: Options<A>
) => {
  const { query, transaction } = database
  const toStored = ({ id, fields, created_at, updated_at }: Row) =>
    ({ id, ...fields, created_at, updated_at }) as Stored<A>
  const moment = Effect.map(Clock.currentTimeMillis, (now) => new Date(now).toISOString())

  /** Erasing a session takes the world's lock first, so that nothing is written for an erased session. */
  const lockSession = Effect.fnUntraced(function* ({ appId, slug }: CharacterRef, fields: FieldsOf<A>) {
    const sessionId = sessionOf(fields)
    if (sessionId === null) return
    const there = yield* query(
      (sql) =>
        sql`select 1 from sessions where app_id =
          ${appId} and session_id = ${sessionId} and character_slug = ${slug} for key share`
    )
    if (there.length === 0) return yield* new SessionGone()
  })

  const get = ({ appId, slug }: CharacterRef, id: string) =>
    query<Array<Row>>(
      (sql) => sql`
    select id, fields, ${iso(sql, "created_at")},
      ${iso(sql, "updated_at")} from ${sql(table)} where app_id = ${appId} and slug = ${slug} and id = ${id}`
    ).pipe(Effect.map(([row]) => (row === undefined ? undefined : toStored(row))))

  const list: WorldTable<A>["list"] = ({ appId, slug }, { before, limit }) =>
    query<Array<Row>>(
      (sql) => sql`
    select id, fields, ${iso(sql, "created_at")}, ${iso(sql, "updated_at")} from ${sql(table)}
    where app_id = ${appId} and slug = ${slug} ${
      before === null
        ? sql``
        : sql`and id <
      ${before}`
    } order by id desc limit ${limit}::int`
    ).pipe(Effect.map((rows) => rows.map(toStored)))

  /** The matching items, oldest first. */
  const where = ({ appId, slug }: CharacterRef, fit: (sql: Sql) => ReturnType<Sql>) =>
    query<Array<Row>>(
      (sql) => sql`
    select id, fields, ${iso(sql, "created_at")},
      ${iso(sql, "updated_at")} from ${sql(table)} where app_id = ${appId} and slug = ${slug} ${fit(sql)} order by id`
    ).pipe(Effect.map((rows) => rows.map(toStored)))

  const create = Effect.fnUntraced(function* (of: CharacterRef, fields: FieldsOf<A>) {
    const { appId, slug } = of
    if (!(yield* changeWorld(database, of))) return undefined
    const [{ there } = { there: 0 }] = yield* query<Array<{ there: number }>>(
      (sql) => sql`select count(*)::int as there from ${sql(table)} where app_id = ${appId} and slug = ${slug}
      ${bySession ? sql`and session_id is not distinct from ${sessionOf(fields)}` : sql``}`
    )
    yield* lockSession(of, fields)
    if (there >= most) return yield* new WorldLimitReached({ most })
    const at = yield* moment
    const id = newId(prefix)
    yield* query(
      (sql) => sql`
      insert into ${sql(table)} (app_id, slug, id, fields, created_at, updated_at)
      values (${appId}, ${slug}, ${id}, ${JSON.stringify(fields)}::text::json, ${at}::timestamptz, ${at}::timestamptz)`
    )
    return toStored({ id, fields, created_at: at, updated_at: at })
  }, transaction)

  const update = <E, R>(of: CharacterRef, id: string, change: (now: Stored<A>) => Effect.Effect<FieldsOf<A>, E, R>) =>
    transaction(
      Effect.gen(function* () {
        const { appId, slug } = of
        yield* changeWorld(database, of)
        const now = yield* get(of, id)
        if (now === undefined) return undefined
        const fields = yield* change(now)
        yield* lockSession(of, fields)
        const at = yield* moment
        yield* query(
          (sql) => sql`
      update ${sql(table)} set fields =
        ${JSON.stringify(fields)}::text::json,
          updated_at = ${at}::timestamptz where app_id = ${appId} and slug = ${slug} and id = ${id}`
        )
        return toStored({ id, fields, created_at: now.created_at, updated_at: at })
      })
    )

  const remove = Effect.fnUntraced(function* (of: CharacterRef, id: string) {
    const { appId, slug } = of
    yield* changeWorld(database, of)
    const [gone] = yield* query<Array<Row>>(
      (sql) => sql`
      delete from ${sql(table)} where app_id =
        ${appId} and slug = ${slug} and id =
          ${id} returning id, fields, ${iso(sql, "created_at")}, ${iso(sql, "updated_at")}`
    )
    return gone === undefined ? undefined : toStored(gone)
  }, transaction)

  return { create, get, list, update, remove, where }
}
