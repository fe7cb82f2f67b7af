import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { newId } from "#pipeline/domain/Id.ts"
import { Alignment, type ChannelScope } from "./Alignment.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { maskUrl } from "./maskUrl.ts"
import { CHANNEL_SECRET, CHANNEL_URL, PREVIOUS_CHANNEL_SECRET } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import { openUrl, type UrlRow } from "./webhookUrls.ts"

/** Channels of one session, and app-wide channels of one app. */
export const MAX_CHANNELS = 5

export interface StoredChannel {
  readonly channel_id: string
  readonly session_id: string | null
  readonly kind: string
  /** Masked: the whole address may hold a credential. */
  readonly url: string
  readonly events: ReadonlyArray<string> | null
  readonly status: "active" | "paused" | "failing" | "disabled"
  readonly version: number
  /** Of the lane of its session; null for an app-wide channel, which has many. */
  readonly position: number | null
  readonly consecutive_failures: number
  readonly created_at: Date
}

type ChannelRow = Omit<StoredChannel, "url"> & UrlRow

export interface NewChannel {
  readonly kind: string
  readonly url: URL
  readonly secret: Redacted.Redacted<string>
  readonly events: ReadonlyArray<string> | null
  /** Deliver what is already on the log, too. */
  readonly fromStart: boolean
}

export interface ChannelChange {
  readonly url?: URL
  readonly events?: ReadonlyArray<string> | null
  /** Takes the place of the present one, which goes on signing for a while. */
  readonly secret?: { readonly next: Redacted.Redacted<string>; readonly previousFor: Duration.Duration }
}

export interface ChannelFilter {
  readonly after: string | null
  readonly limit: number
}

/** There are as many channels as there may be. */
export class ChannelLimitReached extends Schema.TaggedError<ChannelLimitReached>()("ChannelLimitReached", {}) {}

/**
 * Paths of the same app to one host are one endpoint. Another app's are not: what it does to a host that both use must
 * not slow this one down.
 */
const endpointOf = (appId: string, url: URL) => `${appId} ${url.origin}`

/** Push channels, of a session or of a whole app. Undefined where there is no such channel in the scope. */
export class Channels extends Context.Service<
  Channels,
  {
    readonly create: (
      scope: ChannelScope,
      channel: NewChannel
    ) => Effect.Effect<StoredChannel, ChannelLimitReached | DatabaseError>
    readonly get: (scope: ChannelScope, channelId: string) => Effect.Effect<StoredChannel | undefined, DatabaseError>
    readonly list: (
      scope: ChannelScope,
      filter: ChannelFilter
    ) => Effect.Effect<ReadonlyArray<StoredChannel>, DatabaseError>
    readonly change: (
      scope: ChannelScope,
      channelId: string,
      change: ChannelChange
    ) => Effect.Effect<StoredChannel | undefined, DatabaseError>
    /** Gives the channel as it was. */
    readonly remove: (scope: ChannelScope, channelId: string) => Effect.Effect<StoredChannel | undefined, DatabaseError>
    readonly pause: (scope: ChannelScope, channelId: string) => Effect.Effect<StoredChannel | undefined, DatabaseError>
    /** Walks on from where each lane stands; one that waits for its next attempt does not wait any longer. */
    readonly resume: (scope: ChannelScope, channelId: string) => Effect.Effect<StoredChannel | undefined, DatabaseError>
    /** Delivers again what comes after this cursor, in each session of the channel. */
    readonly replay: (
      scope: ChannelScope,
      channelId: string,
      since: number
    ) => Effect.Effect<StoredChannel | undefined, DatabaseError>
  }
>()("src/db/delivery/Channels") {
  static readonly layer = Layer.effect(
    Channels,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const alignment = yield* Alignment
      const secrets = yield* Secrets

      const sealUrl = (appId: string, channelId: string, url: URL) =>
        secrets.seal(CHANNEL_URL, [appId, channelId], Redacted.make(url.href))
      const masked = Effect.fnUntraced(function* ({ app_id, url, plain_url, ...channel }: ChannelRow) {
        const address = yield* openUrl(secrets, { app_id, channel_id: channel.channel_id, url, plain_url }).pipe(
          Effect.orDie
        )
        return { ...channel, url: maskUrl(new URL(Redacted.value(address))) } satisfies StoredChannel
      })

      const select = (
        { appId, sessionId }: ChannelScope,
        { channelId, after, limit }: ChannelFilter & { readonly channelId: string | null }
      ) =>
        query<Array<ChannelRow>>(
          (sql) => sql`
        select c.app_id, c.channel_id, c.session_id, c.kind, c.url, c.target ->> 'url' as plain_url,
          array_to_json(c.events) as events, c.status, c.version, l.position, c.consecutive_failures, c.created_at
        from channels c left join lanes l on l.app_id = c.app_id and l.session_id = c.session_id
          and l.channel_id = c.channel_id
        where c.app_id = ${appId} and ${
          sessionId === null
            ? sql`c.covers =
          'app'`
            : sql`c.session_id = ${sessionId}`
        } and c.status <> 'deleted'
          and (${channelId}::text is null
            or c.channel_id = ${channelId}) and (${after}::text is null or c.channel_id > ${after})
        order by c.channel_id limit ${limit}`
        ).pipe(Effect.flatMap(Effect.forEach(masked)))
      const get = (scope: ChannelScope, channelId: string) =>
        select(scope, { channelId, after: null, limit: 1 }).pipe(Effect.map((rows) => rows[0]))

      // One after another, so that two that are created at once count each other; and exclusive of new sessions, of
      // which each app-wide channel has a lane.
      const lockScope = ({ appId, sessionId }: ChannelScope) =>
        query((sql) =>
          sessionId === null
            ? sql`select 1 from apps where app_id = ${appId} for no key update`
            : sql`select 1 from sessions where app_id = ${appId} and session_id = ${sessionId} for no key update`
        )

      const create = Effect.fnUntraced(function* (
        scope: ChannelScope,
        { kind, url, secret, events, fromStart }: NewChannel
      ) {
        yield* lockScope(scope)
        if ((yield* select(scope, { channelId: null, after: null, limit: MAX_CHANNELS })).length === MAX_CHANNELS)
          return yield* new ChannelLimitReached()
        const { appId, sessionId } = scope
        const channelId = newId("chn")
        yield* query(
          (sql) => sql`
        insert into channels (app_id, channel_id, covers, session_id, kind, endpoint, target, url, secret, events,
          rewind_to, aligned_to)
        values (${appId}, ${channelId},
          ${sessionId === null ? "app" : "session"},
            ${sessionId}, ${kind}, ${endpointOf(appId, url)}, '{}', ${sealUrl(appId, channelId, url)},
          ${secrets.seal(CHANNEL_SECRET, [appId, channelId], secret)}, ${events}::text[], ${fromStart ? 0 : null}, '')`
        )
        yield* alignment.begin(scope, channelId)
        return (yield* get(scope, channelId)) ?? (yield* Effect.die(new Error("a channel just written is gone")))
      }, transaction)

      /** Changes a channel under its row's lock. */
      const changing = (scope: ChannelScope, channelId: string, change: Effect.Effect<unknown, DatabaseError>) =>
        transaction(
          Effect.gen(function* () {
            yield* query(
              (sql) =>
                sql`select 1 from channels where app_id = ${scope.appId} and channel_id = ${channelId} for update`
            )
            if ((yield* get(scope, channelId)) === undefined) return undefined
            yield* change
            return yield* get(scope, channelId)
          })
        )

      const rotate = Effect.fnUntraced(function* (
        appId: string,
        channelId: string,
        { next, previousFor }: NonNullable<ChannelChange["secret"]>
      ) {
        const row = [appId, channelId]
        const seconds = Duration.toSeconds(previousFor)
        const [present] = yield* query<Array<{ secret: Uint8Array }>>(
          (sql) => sql`select secret from channels where app_id = ${appId} and channel_id = ${channelId}`
        )
        // A sealed secret opens only in the column that it was sealed for.
        const previous =
          present === undefined || seconds === 0
            ? null
            : secrets.seal(
                PREVIOUS_CHANNEL_SECRET,
                row,
                yield* secrets.open(CHANNEL_SECRET, row, present.secret).pipe(Effect.orDie)
              )
        yield* query(
          (sql) => sql`
        update channels set secret = ${secrets.seal(CHANNEL_SECRET, row, next)}, previous_secret = ${previous},
          previous_secret_until = ${previous === null ? null : seconds}::float8 * interval '1 second' + now()
        where app_id = ${appId} and channel_id = ${channelId}`
        )
      })

      const change = (scope: ChannelScope, channelId: string, { url, events, secret }: ChannelChange) => {
        const { appId } = scope
        return changing(
          scope,
          channelId,
          Effect.gen(function* () {
            if (secret !== undefined) yield* rotate(appId, channelId, secret)
            if (url !== undefined) {
              // What the old endpoint asked for is not for the new one.
              yield* query(
                (sql) => sql`
            update channels set target = '{}',
              url = ${sealUrl(appId, channelId, url)}, endpoint = ${endpointOf(appId, url)}, not_before = null
            where app_id = ${appId} and channel_id = ${channelId}`
              )
            }
            if (events !== undefined)
              yield* query(
                (sql) =>
                  sql`update channels set events =
                    ${events}::text[] where app_id = ${appId} and channel_id = ${channelId}`
              )
            yield* query(
              (sql) =>
                sql`update channels set version = version + 1 where app_id = ${appId} and channel_id = ${channelId}`
            )
          })
        )
      }

      const remove = Effect.fnUntraced(function* (scope: ChannelScope, channelId: string) {
        const { appId, sessionId } = scope
        if (sessionId === null) yield* lockScope(scope)
        yield* query(
          (sql) => sql`select 1 from channels where app_id = ${appId} and channel_id = ${channelId} for update`
        )
        const channel = yield* get(scope, channelId)
        if (channel === undefined) return undefined
        if (sessionId === null) {
          yield* query(
            (sql) =>
              sql`update channels set status = 'deleted', aligned_to = ''
                where app_id = ${appId} and channel_id = ${channelId}`
          )
          yield* alignment.begin(scope, channelId)
        } else {
          yield* query(
            (sql) =>
              sql`delete from lanes where app_id = ${appId} and session_id = ${sessionId} and channel_id = ${channelId}`
          )
          yield* query((sql) => sql`delete from channels where app_id = ${appId} and channel_id = ${channelId}`)
        }
        return channel
      }, transaction)

      // Whoever delivers on the session's lane now can no longer write what comes of it. The lanes of an app-wide
      // channel stop at their next step.
      const pause = (scope: ChannelScope, channelId: string) => {
        const { appId, sessionId } = scope
        return changing(
          scope,
          channelId,
          Effect.gen(function* () {
            yield* query(
              (sql) => sql`update channels set status = 'paused' where app_id = ${appId} and channel_id = ${channelId}`
            )
            if (sessionId === null) return
            yield* query(
              (sql) => sql`
          update lanes set fence = fence + 1, owner = null
            where app_id = ${appId} and session_id = ${sessionId} and channel_id = ${channelId}`
            )
          })
        )
      }

      /**
       * Starts the next generation: from `rewindTo`, or, where it is null, from where the lanes are or are still on
       * their way to.
       */
      const start = (scope: ChannelScope, channelId: string, rewindTo: number | null) =>
        changing(
          scope,
          channelId,
          Effect.gen(function* () {
            yield* query(
              (sql) => sql`
          update channels set status = 'active', generation = generation + 1, failing_since = null,
            consecutive_failures = 0, not_before = null,
            rewind_to = coalesce(${rewindTo}::bigint, case when aligned_to is not null then rewind_to end),
              aligned_to = ''
          where app_id = ${scope.appId} and channel_id = ${channelId}`
            )
            yield* alignment.begin(scope, channelId)
          })
        )

      return Channels.of({
        create,
        get,
        list: (scope, filter) => select(scope, { ...filter, channelId: null }),
        change,
        remove,
        pause,
        resume: (scope, channelId) => start(scope, channelId, null),
        replay: start
      })
    })
  )
}
