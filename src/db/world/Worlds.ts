import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { fillMacros, NOBODY } from "#pipeline/domain/macros.ts"
import type { Edge, SessionWorld, Step, World } from "#pipeline/world/World.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import { iso } from "#src/db/postgres/moments.ts"
import type { CharacterRef } from "./worldTable.ts"

/** An NPC that represents another character has the bio of this character, with its macros, and its name. */
type StoredWorld = Omit<World, "npcs"> & {
  readonly npcs: ReadonlyArray<World["npcs"][number] & { readonly represented?: string }>
}

interface Row {
  readonly n: number
  readonly revision: number
  /** Null: unchanged since the version that is already known. */
  readonly world: StoredWorld | null
  readonly edges: ReadonlyArray<Edge>
  readonly step: Step | null
}

/** The maximum length of an NPC's summary. */
const MAX_SUMMARY_CHARS = 1000
/** The person's name is not known yet. */
const LATER: ReadonlySet<string> = new Set(["user"])
/** Number of cached worlds. */
const MAX_KEPT = 200

const filled = ({ npcs, ...world }: StoredWorld): World => ({
  ...world,
  npcs: npcs.map(({ represented, ...npc }) =>
    represented === undefined
      ? npc
      : {
          ...npc,
          summary: fillMacros(npc.summary, { character: represented, user: null }, NOBODY.told, LATER).slice(
            0,
            MAX_SUMMARY_CHARS
          )
        }
  )
})

/**
 * The characters' worlds as a session knows them. The query is batched with those of other sessions, and only returns
 * what has changed since the last one.
 */
export class Worlds extends Context.Service<
  Worlds,
  {
    /** Undefined: the character has none. */
    readonly look: (
      session: CharacterRef & { readonly sessionId: string }
    ) => Effect.Effect<SessionWorld | undefined, DatabaseError>
  }
>()("src/db/world/Worlds") {
  static readonly layer = Layer.effect(
    Worlds,
    Effect.gen(function* () {
      const { pool } = yield* Database
      const kept = new Map<string, { readonly revision: number; readonly world: World }>()
      const nameOf = ({ appId, slug }: CharacterRef) => `${appId} ${slug}`
      const keep = (name: string, revision: number, world: World) => {
        kept.delete(name)
        kept.set(name, { revision, world })
        for (const oldest of kept.keys()) {
          if (kept.size <= MAX_KEPT) return
          kept.delete(oldest)
        }
      }
      const all = (table: string, more = pool``) => pool`coalesce((
      select json_agg(t.fields::jsonb || jsonb_build_object('id', t.id) order by t.id) from ${pool(table)} t
        where t.app_id = c.app_id and t.slug = c.slug ${more}
    ), '[]')`

      /** NPCs without a summary of their own, with the bio of the character that each represents. */
      const represented = pool`
        select t.id, k.version, v.profile ->> 'visible_bio' as bio, v.profile ->> 'display_name' as name
        from npcs t
          join characters k on k.app_id = t.app_id and k.slug = t.fields ->> 'linked_slug'
          join character_versions v on v.app_id = k.app_id and v.slug = k.slug and v.version = k.version
        where t.app_id = c.app_id and t.slug = c.slug and t.fields ->> 'summary' = ''`
      const npcs = pool`coalesce((
        select json_agg(t.fields::jsonb || jsonb_build_object('id', t.id)
          || jsonb_strip_nulls(jsonb_build_object('summary', r.bio, 'represented', r.name)) order by t.id)
        from npcs t left join (${represented}) r using (id) where t.app_id = c.app_id and t.slug = c.slug
      ), '[]')`
      /** Changes with the world, and with the characters in it. */
      const revision = pool`c.revision + coalesce((select sum(r.version) from (${represented}) r), 0)::bigint`

      const look = groupCommit<CharacterRef & { readonly sessionId: string }, SessionWorld | undefined>({
        maxBatch: 64,
        inFlight: 2,
        appOf: ({ appId }) => appId,
        run: async (batch) => {
          const known = batch.map((asked) => kept.get(nameOf(asked)))
          const rows = await pool<Array<Row>>`
          select w.n::int, (${revision})::float8 as revision, (
            case when ${revision} is distinct from w.known then json_build_object(
              'npcs', ${npcs}, 'edges', ${all("graph_edges", pool`and t.session_id is null`)}, 'storylines',
                ${all("storylines")}, 'arcs', ${all("arc_influences")}
            ) end
          ) as world, coalesce((
            select json_agg(t.fields::jsonb || jsonb_build_object('id', t.id) order by t.id) from graph_edges t
              where t.app_id = w.app_id and t.session_id = w.session_id
          ), '[]') as edges, (
            select row_to_json(s) from (
              select storyline_id, beat, ${iso(pool, "entered_at")}, turn_index, trigger from storyline_steps p
                where p.app_id = w.app_id and p.session_id = w.session_id order by step desc limit 1
            ) s
          ) as step
          from unnest(${batch.map(({ appId }) => appId)}::text[], ${batch.map(({ slug }) => slug)}::text[],
            ${batch.map(({ sessionId }) => sessionId)}::text[], ${known.map((one) => one?.revision ?? null)}::bigint[])
            with ordinality as w(app_id, slug, session_id, known, n)
          join worlds c on c.app_id = w.app_id and c.slug = w.slug`
          const answers: Array<SessionWorld | undefined> = batch.map(() => undefined)
          for (const { n, revision, world, edges, step } of rows) {
            const asked = batch[n - 1]
            const present = world === null ? known[n - 1]?.world : filled(world)
            if (asked === undefined || present === undefined) continue
            if (world !== null) keep(nameOf(asked), revision, present)
            answers[n - 1] = {
              ...present,
              edges: edges.length === 0 ? present.edges : [...present.edges, ...edges],
              step
            }
          }
          return answers
        }
      })
      return Worlds.of({ look })
    })
  )
}
