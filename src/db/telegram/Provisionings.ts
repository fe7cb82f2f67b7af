import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createHash, randomBytes } from "node:crypto"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import { EVENT_TYPES } from "#channels/telegram/render.ts"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { CLAIM_CODE } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import { BotRows } from "./BotRows.ts"
import type { BotIdentity, StoredBot } from "./bots/StoredBot.ts"
import type { BotSettings } from "./bots/configureBot.ts"

/** A link that is shown once can be used for so long. */
export const LINK_MINUTES = 15
/** A bot whose token cannot be had for so long is not tried any more. */
const TAKEN_IN_WITHIN = "6 hours"
/** How long a username stays its app's once its link has run out: somebody may still make the bot. */
const NAME_HELD_FOR = "1 day"
/** Who takes a bot in has introduced it by then, or the probe does. */
const INTRODUCED_WITHIN = "2 minutes"
/** Who replaces a token has done so by then, or will not. */
const ROTATED_WITHIN = "1 minute"

export interface Wanted extends BotSettings {
  readonly channelId: string
  readonly characterSlug: string
  readonly suggestedUsername: string
  /** Nobody comes upon this username but by the link. */
  readonly isRandom: boolean
  readonly suggestedName: string
  readonly ownerRef: string | null
  /** Where its updates are to go, as far as that is known; behind it comes its id. */
  readonly hooksAt: string | null
  readonly linkMinutes: number
  /** The claim code is kept until the bot is there. */
  readonly isShownAgain: boolean
}

export interface Provisioned {
  readonly bot: StoredBot
  readonly claimCode: string
  readonly expiresAt: Date
}

/** A bot that a person has made, as the manager is told. */
export interface MadeBot {
  readonly userId: number
  readonly username: string
  readonly ownerId: number
}

export interface BotPlace {
  readonly appId: string
  readonly channelId: string
}

/** Another app holds the suggested username. */
export class NameTaken extends Schema.TaggedError<NameTaken>()("NameTaken", {}) {}

const hash = (code: string) => createHash("sha256").update(code).digest()

/** Requests for managed bots, and how the bots that are made find them. */
export class Provisionings extends Context.Service<
  Provisionings,
  {
    readonly create: (appId: string, wanted: Wanted) => Effect.Effect<Provisioned, NameTaken | DatabaseError>
    /** The bot that is bound to this Telegram bot already, in whatever app. */
    readonly bound: (userId: number) => Effect.Effect<BotPlace | undefined, DatabaseError>
    /**
     * Whose request the bot answers: the one whose link bears its random name, or the only one that the person who made
     * it has claimed. Otherwise it is kept unclaimed.
     */
    readonly match: (made: MadeBot) => Effect.Effect<BotPlace | undefined, DatabaseError>
    /**
     * A person says by a code which request is theirs; gives the link's parts, and the bot if they have made it
     * already.
     */
    readonly claim: (
      code: string,
      personId: number
    ) => Effect.Effect<
      { readonly username: string; readonly name: string; readonly made: MadeBot | undefined } | undefined,
      DatabaseError
    >
    /** The bot that was waited for. */
    readonly adopt: (
      place: BotPlace,
      identity: BotIdentity,
      ownerId: number,
      token: Redacted.Redacted<string>
    ) => Effect.Effect<void, DatabaseError>
    /**
     * It is another's by now. Whether the new owner may go on with it is for the app to say, which is told: the bot is
     * suspended until then.
     */
    readonly setOwner: (place: BotPlace, ownerId: number) => Effect.Effect<void, DatabaseError>
    readonly beginRotation: (place: BotPlace) => Effect.Effect<void, DatabaseError>
    /** Telegram still has the old token: unless it was begun a moment ago, nothing has come of it. */
    readonly endRotation: (place: BotPlace) => Effect.Effect<void, DatabaseError>
    /** Ends requests whose time has run out, and the bots that there will not be. */
    readonly expire: Effect.Effect<void, DatabaseError>
  }
>()("src/db/telegram/Provisionings") {
  static readonly layer = Layer.effect(
    Provisionings,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const rows = yield* BotRows
      const secrets = yield* Secrets
      const services = yield* Effect.context<Database | LogSignals>()

      const create = Effect.fnUntraced(function* (appId: string, wanted: Wanted) {
        const { channelId } = wanted
        const claimCode = randomBytes(24).toString("base64url")
        const held = yield* query(
          (sql) => sql`
        insert into telegram_names (name, app_id, held_until)
        values (${wanted.suggestedUsername.toLowerCase()},
          ${appId}, now() + ${wanted.linkMinutes}::int * interval '1 minute' + ${NAME_HELD_FOR}::interval)
        on conflict (name) do update set app_id = excluded.app_id, held_until = greatest(telegram_names.held_until,
          excluded.held_until)
        where telegram_names.app_id = excluded.app_id or telegram_names.held_until < now()
        returning 1`
        )
        if (held.length === 0) return yield* new NameTaken()
        yield* query(
          (sql) => sql`
        insert into telegram_bots (app_id, channel_id, mode, character_slug, webhook_url, status, owner_ref,
          unknown_policy, join_window_ms, drafts)
        values (${appId}, ${channelId}, 'managed',
          ${wanted.characterSlug}, ${wanted.hooksAt === null ? null : `${wanted.hooksAt}/${channelId}`},
            'awaiting_creation', ${wanted.ownerRef},
              ${wanted.unknownPolicy ?? "skip"},
                ${wanted.joinWindowMs ?? 1200}::int, ${wanted.drafts ?? false}::boolean)`
        )
        yield* query(
          (sql) => sql`
        insert into channels (app_id, channel_id, covers, kind, paced, endpoint, target, events, status)
        values (${appId}, ${channelId}, 'chats', 'telegram_managed', true,
          ${`telegram ${channelId}`}, '{}', ${[...EVENT_TYPES]}::text[], 'paused')`
        )
        yield* query(
          (sql) => sql`insert into telegram_paces (app_id, channel_id, chat_id) values (${appId}, ${channelId}, 0)`
        )
        const [row] = yield* query<Array<{ expires_at: Date }>>(
          (sql) => sql`
        insert into telegram_provisionings (app_id, channel_id, suggested_username, is_random, suggested_name,
          claim_hash, claim_code, expires_at)
        values (${appId}, ${channelId},
          ${wanted.suggestedUsername}, ${wanted.isRandom}, ${wanted.suggestedName}, ${hash(claimCode)},
          ${wanted.isShownAgain ? secrets.seal(CLAIM_CODE, [appId, channelId], Redacted.make(claimCode)) : null},
            now() + ${wanted.linkMinutes}::int * interval '1 minute')
        returning expires_at`
        )
        const bot = yield* rows.get(appId, channelId)
        if (bot === undefined || row === undefined) return yield* Effect.die(new Error("a bot just written is gone"))
        return { bot, claimCode, expiresAt: row.expires_at }
      }, transaction)

      const matched = (userId: number) =>
        query<Array<BotPlace>>(
          (sql) => sql`
      select app_id as "appId", channel_id as "channelId" from telegram_provisionings
        where user_id = ${userId} order by matched_at desc limit 1`
        ).pipe(Effect.map(([row]) => row))
      const match = Effect.fnUntraced(function* ({ userId, username, ownerId }: MadeBot) {
        // Whoever found the request and died before the bot was taken in finds it again.
        const found = yield* matched(userId)
        if (found !== undefined) return found
        // A username that an app has thought of is no proof of which link was used: a person may choose the same one. A
        // random name is known from its link only.
        const [claimed] = yield* query<Array<BotPlace>>(
          (sql) => sql`
        with open as (
          select app_id, channel_id, case when named and is_random then 1 when named then 2 else 3 end as rank
          from telegram_provisionings, lateral (select lower(suggested_username) = lower(${username}) as named) n
          where matched_at is null and expires_at > now() and coalesce(claimed_by,
            ${ownerId}) = ${ownerId} and (claimed_by is not null or (named and is_random))
        ), best as (
          select rank from open group by rank having count(*) = 1 and rank = (select min(rank) from open)
        )
        update telegram_provisionings p set matched_at = now(), user_id = ${userId} from open o join best using (rank)
        where p.app_id = o.app_id and p.channel_id = o.channel_id and p.matched_at is null
        returning p.app_id as "appId", p.channel_id as "channelId"`
        )
        // Another process may have heard of it in the same moment.
        const place = claimed ?? (yield* matched(userId))
        // People write on to a bot that an app has let go: it is not given to another.
        if (place === undefined) {
          yield* query(
            (sql) => sql`
          insert into telegram_unclaimed (user_id, username, owner_id)
            select ${userId}, ${username},
              ${ownerId} where not exists (select from telegram_bots where user_id = ${userId})
          on conflict (user_id) do update set username = excluded.username, owner_id = excluded.owner_id`
          )
        }
        return place
      }, transaction)

      const claim = Effect.fnUntraced(function* (code: string, personId: number) {
        const [request] = yield* query<
          Array<{ suggested_username: string; suggested_name: string; user_id: number | null }>
        >(
          (sql) => sql`
        update telegram_provisionings p set claimed_by = ${personId} from telegram_bots b
        where p.claim_hash = ${hash(code)} and ((p.matched_at is null and p.expires_at > now()
          and coalesce(p.claimed_by, ${personId}) = ${personId}) or p.claimed_by = ${personId})
          and b.app_id = p.app_id and b.channel_id = p.channel_id and b.status = 'awaiting_creation'
        returning p.suggested_username, p.suggested_name, p.user_id`
        )
        if (request === undefined) return undefined
        const waiting = yield* query<Array<MadeBot>>(
          (sql) => sql`
        select user_id as "userId", username, owner_id as "ownerId" from telegram_unclaimed
          where owner_id = ${personId} and (user_id =
            ${request.user_id} or (${request.user_id}::bigint is null
              and seen_at > now() - ${LINK_MINUTES}::int * interval '1 minute'))`
        )
        return {
          username: request.suggested_username,
          name: request.suggested_name,
          made: waiting.length === 1 ? waiting[0] : undefined
        }
      }, transaction)

      const isOver = (
        sql: Sql
      ) => sql`p.expires_at < now() and (p.matched_at is null or (p.matched_at < now() - ${TAKEN_IN_WITHIN}::interval
      and exists (select from telegram_bots b where b.app_id = p.app_id and b.channel_id = p.channel_id
        and b.status = 'awaiting_creation')))`
      const expireOne = Effect.fnUntraced(function* ({ appId, channelId }: BotPlace) {
        const over = yield* query(
          (sql) => sql`
        delete from telegram_provisionings p
          where p.app_id = ${appId} and p.channel_id = ${channelId} and ${isOver(sql)} returning 1`
        )
        if (over.length > 0) yield* rows.detach(appId, channelId, "link_expired")
      }, transaction)
      const forgetNames = query((sql) => sql`delete from telegram_names where held_until < now()`)
      const expire = query<Array<BotPlace>>(
        (sql) => sql`
      select p.app_id as "appId", p.channel_id as "channelId" from telegram_provisionings p where ${isOver(sql)}`
      ).pipe(
        Effect.flatMap((over) => Effect.forEach(over, expireOne, { discard: true })),
        Effect.andThen(forgetNames),
        Effect.asVoid
      )

      return Provisionings.of({
        create,
        bound: (userId) =>
          query<Array<BotPlace>>(
            (sql) => sql`
        select app_id as "appId", channel_id as "channelId" from telegram_bots
          where user_id = ${userId} and status <> 'detached'`
          ).pipe(Effect.map(([row]) => row)),
        match,
        claim,
        adopt: ({ appId, channelId }, identity, ownerId, token) =>
          transaction(
            Effect.gen(function* () {
              yield* rows.replaceToken(appId, channelId, token, identity)
              yield* query(
                (sql) => sql`
          update telegram_bots set owner_id =
            ${ownerId}, status = 'pending', profile_due_at = now() + ${INTRODUCED_WITHIN}::interval
          where app_id = ${appId} and channel_id = ${channelId} and status = 'awaiting_creation'`
              )
              yield* query(
                (sql) =>
                  sql`update telegram_provisionings set claim_code = null
                    where app_id = ${appId} and channel_id = ${channelId}`
              )
              yield* query((sql) => sql`delete from telegram_unclaimed where user_id = ${identity.userId}`)
            })
          ),
        setOwner: Effect.fnUntraced(
          function* ({ appId, channelId }, ownerId) {
            // Two that hear of it at once do it once.
            yield* query(
              (sql) => sql`select 1 from channels where app_id = ${appId} and channel_id = ${channelId} for update`
            )
            const changed = yield* query(
              (sql) =>
                sql`update telegram_bots set owner_id =
                  ${ownerId} where app_id = ${appId}
                    and channel_id = ${channelId} and owner_id is distinct from ${ownerId} returning 1`
            )
            if (changed.length === 0) return
            yield* rows.become(appId, channelId, {
              status: "suspended",
              reason: "owner_changed",
              from: ["pending", "active", "degraded", "revoked"],
              news: null
            })
            yield* appendOperational({ appId, type: "bot.owner_changed", payload: { bot_id: channelId } })
          },
          transaction,
          Effect.provideContext(services)
        ),
        beginRotation: ({ appId, channelId }) =>
          query(
            (sql) => sql`
        update telegram_bots set rotating_since = now(), probe_due_at = least(probe_due_at,
          now() + interval '1 minute') where app_id = ${appId} and channel_id = ${channelId}`
          ).pipe(Effect.asVoid),
        endRotation: ({ appId, channelId }) =>
          query(
            (sql) => sql`
        update telegram_bots set rotating_since = null
          where app_id = ${appId} and channel_id =
            ${channelId} and rotating_since < now() - ${ROTATED_WITHIN}::interval`
          ).pipe(Effect.asVoid),
        expire
      })
    })
  )
}
