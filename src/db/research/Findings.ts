import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Change } from "#pipeline/research/Change.ts"
import { Characters, type StoredCharacter } from "#src/db/character/Characters.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { type CharacterRef, Evidence } from "./Evidence.ts"
import type { VersionConflict } from "#src/db/postgres/VersionConflict.ts"

export interface StoredFinding {
  readonly finding_id: string
  readonly research_id: string
  readonly claim: string
  readonly confidence: number
  readonly quotes: ReadonlyArray<{ readonly evidence_id: string; readonly quote: string }>
  readonly proposed_change: Change | null
  readonly status: "proposed" | "accepted" | "rejected"
  readonly accepted_version: number | null
  readonly created_at: string
  readonly decided_at: string | null
}

/**
 * `unfinished`: its run is still in progress. `accepted`: it is already applied to the character. `retracted`: its
 * evidence was retracted.
 */
export class FindingRefused extends Schema.TaggedError<FindingRefused>()("FindingRefused", {
  reason: Schema.Literals(["unfinished", "accepted", "retracted"])
}) {}

const columns = (
  sql: Sql
) => sql`f.finding_id, f.research_id, f.claim, f.confidence, f.proposed_change, f.status, f.accepted_version,
  to_json(f.created_at) #>> '{}' as created_at, to_json(f.decided_at) #>> '{}' as decided_at,
  (select coalesce(json_agg(json_build_object('evidence_id', q.evidence_id, 'quote', q.quote) order by q.evidence_id),
    '[]') from finding_quotes q where q.app_id = f.app_id and q.slug = f.slug
      and q.finding_id = f.finding_id) as quotes`

/** Findings of runs, and the decisions about them. */
export class Findings extends Context.Service<
  Findings,
  {
    readonly ofRun: (of: CharacterRef, researchId: string) => Effect.Effect<ReadonlyArray<StoredFinding>, DatabaseError>
    readonly get: (
      of: CharacterRef,
      researchId: string,
      findingId: string
    ) => Effect.Effect<StoredFinding | undefined, DatabaseError>
    /**
     * Applies its change, or another one in its place, as a version of the character, and lets replies use its
     * evidence. An accepted finding stays as it is.
     */
    readonly accept: <E>(
      of: CharacterRef,
      researchId: string,
      findingId: string,
      instead: Change | null,
      apply: (profile: StoredCharacter["profile"], change: Change) => Effect.Effect<object, E>
    ) => Effect.Effect<StoredFinding | undefined, E | FindingRefused | VersionConflict | DatabaseError>
    readonly reject: (
      of: CharacterRef,
      researchId: string,
      findingId: string
    ) => Effect.Effect<StoredFinding | undefined, FindingRefused | DatabaseError>
  }
>()("src/db/research/Findings") {
  static readonly layer = Layer.effect(
    Findings,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const characters = yield* Characters
      const evidence = yield* Evidence

      const ofRun = ({ appId, slug }: CharacterRef, researchId: string) =>
        query<Array<StoredFinding>>(
          (sql) => sql`
      select ${columns(sql)} from findings f
        where f.app_id = ${appId} and f.slug = ${slug} and f.research_id = ${researchId} order by f.finding_id`
        )
      const get = ({ appId, slug }: CharacterRef, researchId: string, id: string) =>
        query<Array<StoredFinding>>(
          (sql) => sql`
      select ${columns(sql)} from findings f
        where f.app_id = ${appId} and f.slug = ${slug} and f.research_id = ${researchId} and f.finding_id = ${id}`
        ).pipe(Effect.map((rows) => rows[0]))

      /** Runs under the character's lock, which every decision takes first. */
      const undecided = Effect.fnUntraced(function* (of: CharacterRef, researchId: string, id: string) {
        const { appId, slug } = of
        yield* query((sql) => sql`select 1 from characters where app_id = ${appId} and slug = ${slug} for update`)
        const [run] = yield* query<Array<{ open: boolean }>>(
          (sql) => sql`
        select status in ('queued', 'running') as open from research
          where app_id = ${appId} and slug = ${slug} and research_id = ${researchId} for share`
        )
        const finding = yield* get(of, researchId, id)
        if (finding !== undefined && run?.open === true) return yield* new FindingRefused({ reason: "unfinished" })
        return finding
      })

      const decide = (
        { appId, slug }: CharacterRef,
        id: string,
        status: "accepted" | "rejected",
        change: Change | null,
        version: number | null
      ) =>
        query(
          (sql) => sql`
      update findings set status = ${status},
        proposed_change = ${change === null ? null : JSON.stringify(change)}::text::json,
          accepted_version = ${version}, decided_at = clock_timestamp()
      where app_id = ${appId} and slug = ${slug} and finding_id = ${id}`
        )

      const accept = <E>(
        of: CharacterRef,
        researchId: string,
        id: string,
        instead: Change | null,
        apply: (profile: StoredCharacter["profile"], change: Change) => Effect.Effect<object, E>
      ) =>
        transaction(
          Effect.gen(function* () {
            const finding = yield* undecided(of, researchId, id)
            if (finding === undefined || finding.status === "accepted") return finding
            const ids = finding.quotes.map(({ evidence_id }) => evidence_id)
            if ((yield* evidence.some(of, ids)).some(({ status }) => status === "retracted"))
              return yield* new FindingRefused({ reason: "retracted" })
            const change = instead ?? finding.proposed_change
            const character =
              change === null
                ? undefined
                : yield* characters.update(of.appId, of.slug, undefined, (profile) => apply(profile, change), {
                    kind: "finding",
                    id
                  })
            yield* decide(of, id, "accepted", change, character?.version ?? null)
            yield* evidence.use(of, ids)
            return yield* get(of, researchId, id)
          })
        )

      const reject = Effect.fnUntraced(function* (of: CharacterRef, researchId: string, id: string) {
        const finding = yield* undecided(of, researchId, id)
        if (finding === undefined || finding.status === "rejected") return finding
        if (finding.status === "accepted") return yield* new FindingRefused({ reason: "accepted" })
        yield* decide(of, id, "rejected", finding.proposed_change, null)
        return yield* get(of, researchId, id)
      }, transaction)

      return Findings.of({ ofRun, get, accept, reject })
    })
  )
}
