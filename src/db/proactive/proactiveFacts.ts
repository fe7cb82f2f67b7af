import { type Reserve, totalOf } from "#src/model/reservation.ts"
import * as Effect from "effect/Effect"
import type * as Context from "effect/Context"
import type { ProactiveControls } from "#pipeline/domain/Character.ts"
import { controlsOf, type ControlSource } from "#pipeline/proactive/controls.ts"
import type { Facts, Scheduled, StoryBeat } from "#pipeline/proactive/Facts.ts"
import { moodOf } from "#pipeline/proactive/mood.ts"
import { type Policy, readPolicy } from "#pipeline/proactive/Policy.ts"
import { decidePreferences } from "#pipeline/relational/decidePreferences.ts"
import { type Bearing, NEW_BEARING, NO_PREFERENCES, type OpenLoop } from "#pipeline/relational/Relationship.ts"
import type { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import type { Database, Sql } from "#src/db/postgres/Database.ts"
import { isSuspended } from "#src/db/tenancy/isSuspended.ts"
import { loopColumns } from "#src/db/memory/relationshipStatements.ts"
import { scheduledOf } from "./scheduleStatements.ts"
import { areDeliveriesOnHold, isSuspendedByOperator } from "#src/db/delivery/isSuspendedByOperator.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"

interface Row {
  readonly character_slug: string
  readonly character_version: number
  readonly external_user_ref: string
  readonly proactive_controls: Partial<ProactiveControls>
  readonly created_at: Date
  readonly status: string
  readonly turn_count: number
  readonly open_turns: number
  /** The person's messages that extraction has not processed yet. */
  readonly unread: ReadonlyArray<string>
  readonly unanswered_character_turns: number
  readonly last_user_at: Date | null
  readonly last_character_at: Date | null
  readonly blocked: boolean
  readonly timezone: string | null
  readonly age_band: "adult" | "minor" | "unknown"
  readonly policy: object | null
  readonly bearing: Partial<Bearing> | null
  readonly kinds: ReadonlyArray<string>
  readonly unreachable: boolean
  readonly suspended: boolean
  /** Of the app's characters to this person, in milliseconds, and whether in this session. */
  readonly initiatives: ReadonlyArray<readonly [number, boolean]>
  readonly last_initiative_at: Date | null
  readonly beat: StoryBeat | null
  readonly scheduled: ReadonlyArray<Scheduled>
  readonly prompt_bytes: number
  /** The person's last messages with their times in milliseconds, newest first. */
  readonly said: ReadonlyArray<readonly [string, number]>
  readonly crisis_at: number | null
}

export interface Gathered {
  /** What a turn would have to reserve, in micro-USD. */
  readonly reservedMicroUsd: number
  readonly facts: Facts
  readonly sources: Readonly<Record<string, ControlSource>>
  readonly turnCount: number
}

/** The turn to leave out, if this is a second check of a turn that has already begun. */
export type ExceptTurn = { readonly turnIndex: number } | null

/** Maximum number of unprocessed messages, newest first. */
const UNREAD = 20

/** How many of the person's last messages show their mood, and how much of each is read. */
const SAID = 8
const SAID_CHARS = 600
/** How many turns to search for a crisis. Nobody takes more turns in a day. */
const CRISIS_TURNS = 1_000

/** How far back a person's day can reach in any time zone, however long a turn takes. */
const LOOKED_BACK = "4 days"

const momentOf = (sql: Sql) => sql`coalesce((t.initiative ->> 'as_of')::timestamptz, t.settled_at, t.accepted_at)`

const select = (sql: Sql, { appId, sessionId }: SessionRef, now: number, except: number) => sql`
  select s.character_slug, c.version as character_version,
    coalesce((select v.prompt_bytes from character_versions v where v.app_id = s.app_id and v.slug = s.character_slug
      and v.version = c.version), 0) as prompt_bytes, s.external_user_ref, s.proactive_controls, s.created_at,
    l.status, l.turn_count, l.open_turns, l.unanswered_character_turns, l.last_user_at, l.last_character_at, u.blocked,
      u.timezone, u.age_band, p.policy, r.bearing, to_json(array(
      select e.payload ->> 'text' from turns t join events e on e.app_id = t.app_id and e.session_id = t.session_id
        and e.cursor = t.cursor and e.role = 'user'
      where t.app_id = s.app_id and t.session_id = s.session_id and t.turn_index > coalesce(r.read_turn, 0)
        and t.initiative is null order by t.turn_index desc limit ${UNREAD}::int
    )) as unread,
    (
      select coalesce(json_agg(json_build_array(left(e.payload ->> 'text', ${SAID_CHARS}::int),
        floor(extract(epoch from e.created_at) * 1000)) order by t.turn_index desc), '[]')
      from (
        select turn_index, cursor from turns
        where app_id = s.app_id and session_id = s.session_id and initiative is null
        order by turn_index desc limit ${SAID}::int
      ) t join events e on e.app_id = s.app_id and e.session_id = s.session_id and e.cursor = t.cursor
        and e.role = 'user'
    ) as said,
    (
      select floor(extract(epoch from max(g.started_at)) * 1000)::float8 from turn_stages g
      where g.app_id = s.app_id and g.session_id = s.session_id and g.turn_index > l.turn_count - ${CRISIS_TURNS}::int
        and g.stage in ('safety', 'grounding') and g.decision like 'crisis%'
        and g.started_at > ${new Date(now).toISOString()}::timestamptz - interval '24 hours'
    ) as crisis_at,
    to_json(array(
      select distinct h.kind from lanes n join channels h using (app_id, channel_id) where n.app_id = s.app_id
        and n.session_id = s.session_id and h.status in ('active', 'failing') order by h.kind
    )) as kinds,
    coalesce((
      select not bool_or(t.status = 'active' and h.status in ('active', 'failing') and b.status in ('pending',
        'active', 'degraded') and not (${isSuspendedByOperator(sql, sql`b.app_id`)}))
      from telegram_chats t join telegram_bots b using (app_id, channel_id) join channels h using (app_id, channel_id)
        where t.session_id = s.session_id and t.app_id = s.app_id
    ), false) as unreachable, (${isSuspended(sql, sql`s.app_id`)} or ${areDeliveriesOnHold(sql)}) as suspended,
    coalesce((
      select json_agg(json_build_array(floor(extract(epoch from ${momentOf(sql)}) * 1000), t.session_id = s.session_id))
      from sessions o join turns t using (app_id, session_id)
      where o.app_id = s.app_id and o.external_user_ref = s.external_user_ref and t.initiative is not null
        and t.accepted_at > now() - ${LOOKED_BACK}::interval
        and not (t.session_id = s.session_id and t.turn_index = ${except}::int)
    ), '[]') as initiatives,
    (
      select ${momentOf(sql)} from turns t
      where t.app_id = s.app_id and t.session_id = s.session_id and t.initiative is not null
        and t.turn_index <> ${except}::int order by t.accepted_at desc limit 1
    ) as last_initiative_at,
    (
      select json_build_object('step', p.step, 'summary', b ->> 'summary', 'at', floor(extract(epoch
        from p.entered_at) * 1000))
      from storyline_steps p join storylines y on y.app_id = p.app_id and y.slug = s.character_slug
        and y.id = p.storyline_id and y.fields ->> 'status' = 'active'
        cross join lateral json_array_elements(y.fields -> 'beats') b
      where p.app_id = s.app_id and p.session_id = s.session_id and p.initiates and b ->> 'key' = p.beat
        order by p.step desc limit 1
    ) as beat,
    ${scheduledOf(sql)} as scheduled
  from sessions s join session_logs l using (app_id, session_id) join characters c on c.app_id = s.app_id
    and c.slug = s.character_slug
    join end_users u on u.app_id = s.app_id and u.external_user_ref = s.external_user_ref
    left join relationships r on r.app_id = s.app_id and r.session_id = s.session_id left
      join proactive_policies p on p.app_id = s.app_id
  where s.app_id = ${appId} and s.session_id = ${sessionId}`

/** The number of proactive turns on the app's day of this time: in total (kind null), and by kind of channel. */
const countDay = (sql: Sql, { appId, sessionId }: SessionRef, timezone: string, at: Date, except: number) => sql`
  with today as (
    select t.initiative from turns t
    where t.app_id = ${appId} and t.initiative is not null and t.accepted_at > now() - ${LOOKED_BACK}::interval
      and (${momentOf(sql)} at time zone
        ${timezone})::date = (${at.toISOString()}::timestamptz at time zone ${timezone})::date
      and not (t.session_id = ${sessionId} and t.turn_index = ${except}::int)
  )
  select null as kind, count(*)::int as sent from today
  union all
  select kind, count(*)::int from today cross join lateral json_array_elements_text(initiative -> 'channels') kind
    group by kind`

/**
 * Whether these limits, and the policy's limit for proactive messages, have room for this amount. The same check as for
 * a send.
 */
const affordable = (
  sql: Sql,
  appId: string,
  externalUserRef: string,
  { cost_cap: { daily_usd, monthly_usd } }: Policy,
  holdMicroUsd: number
) => {
  const micro = (usd: number | null) => (usd === null ? null : Math.round(usd * 1_000_000))
  const hold = sql`${Math.max(holdMicroUsd, 1)}::bigint`
  return sql`
    with spent as (
      select coalesce(sum(amount_micro_usd) filter (where at >= date_trunc('day', now(), 'utc')), 0) as today,
        coalesce(sum(amount_micro_usd), 0) as this_month
      from ledger where app_id = ${appId} and activity = 'proactive' and at >= date_trunc('month', now(), 'utc')
        and ${daily_usd !== null || monthly_usd !== null}
    )
    select not coalesce(
      coalesce(is_over_budget(a, ${hold}), false) or coalesce(is_over_cap(u, d, ${hold}), false)
      or coalesce(s.today + ${hold} >
        ${micro(daily_usd)}::bigint, false)
          or coalesce(s.this_month + ${hold} > ${micro(monthly_usd)}::bigint, false), false) as affordable
    from spent s left join allowances a on a.app_id = ${appId} and a.kind = 'app'
      left join allowances u on u.app_id = ${appId} and u.kind = 'end_user' and u.external_user_ref = ${externalUserRef}
      left join allowances d on d.app_id = u.app_id and d.kind = 'default'`
}

/**
 * Collects what decides whether a character may write first. The values are exact if the caller has locked the session
 * and its limits. Undefined: no such session.
 */
export const makeGatherFacts = (
  { query }: Context.Service.Shape<typeof Database>,
  characters: Context.Service.Shape<typeof CharacterVersions>,
  reserve: Reserve
) =>
  Effect.fnUntraced(function* (session: SessionRef, now: number, except: ExceptTurn = null) {
    const mine = except?.turnIndex ?? 0
    const [rows, loops] = yield* Effect.all(
      [
        query<Array<Row>>((sql) => select(sql, session, now, mine)),
        query<Array<OpenLoop>>(
          (sql) => sql`
        select ${loopColumns(sql)} from open_loops
          where app_id = ${session.appId}
            and session_id = ${session.sessionId} and status = 'open' and due_at is not null order by loop_id`
        )
      ],
      { concurrency: "unbounded" }
    )
    const [row] = rows
    if (row === undefined) return undefined
    const character = yield* characters.get(session.appId, row.character_slug, row.character_version)
    const policy = readPolicy(row.policy ?? {})
    const reservedMicroUsd = totalOf(reserve("proactive", ""), row.prompt_bytes)
    const counted =
      policy.daily_cap_app !== null ||
      Object.values(policy.channel_policy.channels).some(({ daily_cap }) => daily_cap !== null)
    const today = counted
      ? yield* query<Array<{ kind: string | null; sent: number }>>((sql) =>
          countDay(sql, session, policy.timezone, new Date(now), mine)
        )
      : []
    const sentBy = (kind: string | null) => today.find((sent) => sent.kind === kind)?.sent ?? 0
    // A turn's reservation is already counted.
    const [money] =
      except !== null
        ? [{ affordable: true }]
        : yield* query<Array<{ affordable: boolean }>>((sql) =>
            affordable(sql, session.appId, row.external_user_ref, policy, reservedMicroUsd)
          )
    const { effective, sources } = controlsOf(row.proactive_controls, character.behavioral_thresholds)
    const lastProactiveAt = row.last_initiative_at?.getTime() ?? null
    const lastUserAt = row.last_user_at?.getTime() ?? null
    const said = row.said.toReversed().map(([text, at]) => ({ text, at }))
    const kinds = row.kinds.length > 0 ? row.kinds : ["event_log"]
    const facts: Facts = {
      sessionId: session.sessionId,
      at: now,
      policy,
      controls: effective,
      rhythm: character.life_rhythm,
      // A request to stop takes effect at once, before extraction has processed the turn.
      preferences: row.unread.toReversed().reduce((before, text) => decidePreferences(before, text, []) ?? before, {
        ...NO_PREFERENCES,
        ...(row.bearing ?? NEW_BEARING).preferences
      }),
      person: { ageBand: row.age_band, timezone: row.timezone, blocked: row.blocked },
      unreachable: row.unreachable,
      suspended: row.suspended,
      active: row.status === "active",
      openTurns: row.open_turns - (except === null ? 0 : 1),
      lastTurnAt: Math.max(
        row.created_at.getTime(),
        lastUserAt ?? 0,
        row.last_character_at?.getTime() ?? 0,
        lastProactiveAt ?? 0
      ),
      unansweredTurns: row.unanswered_character_turns,
      // If the person has never written, everything that the character has sent was proactive.
      proactiveUnanswered:
        row.unanswered_character_turns > 0 &&
        (lastUserAt === null || (lastProactiveAt !== null && lastProactiveAt > lastUserAt)),
      lastProactiveAt,
      proactiveTurns: row.initiatives.filter(([, own]) => own).map(([at]) => at),
      personProactiveTurns: row.initiatives.map(([at]) => at),
      appToday: counted ? sentBy(null) : null,
      channels: kinds.map((kind) => ({ kind, today: sentBy(kind) })),
      affordable: money?.affordable ?? true,
      crisisAt: row.crisis_at,
      said,
      mood: moodOf(said, now),
      loops,
      beat: row.beat,
      scheduled: row.scheduled
    }
    return { facts, sources, turnCount: row.turn_count, reservedMicroUsd } satisfies Gathered
  })
