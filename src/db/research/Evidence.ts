import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { newId } from "#pipeline/domain/Id.ts"
import {
  CHUNK_CHARS,
  type EVIDENCE_KINDS,
  type EVIDENCE_STATUSES,
  type EVIDENCE_TRUST,
  type EvidenceSource,
  MAX_EVIDENCE
} from "#pipeline/evidence/Evidence.ts"
import { chunk } from "#pipeline/evidence/chunk.ts"
import { languageOf } from "#pipeline/languages.ts"
import type { QueryTerm } from "#pipeline/retrieval/recallQuery.ts"
import { contentOf } from "#pipeline/retrieval/contentWords.ts"
import { terms } from "#pipeline/retrieval/terms.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { searchEvidence } from "./evidenceStatements.ts"
import { dictionaryFor } from "#src/db/memory/stemming.ts"

export interface StoredEvidence {
  readonly evidence_id: string
  readonly kind: (typeof EVIDENCE_KINDS)[number]
  readonly text: string
  readonly source: EvidenceSource
  readonly trust: (typeof EVIDENCE_TRUST)[number]
  readonly status: (typeof EVIDENCE_STATUSES)[number]
  readonly session_id: string | null
  readonly research_id: string | null
  /** Paths of the character that were changed by accepted findings based on it. */
  readonly used_by: ReadonlyArray<string>
  readonly created_at: Date
  readonly updated_at: Date
}

export interface NewEvidence {
  readonly kind: StoredEvidence["kind"]
  readonly text: string
  readonly source: Partial<EvidenceSource>
  readonly trust: StoredEvidence["trust"]
  readonly status: "active" | "disputed"
  readonly sessionId: string | null
  /** Evidence of a run. It is not in use yet. */
  readonly researchId: string | null
}

/** A change of the character that was accepted because of this evidence. */
export interface Dependent {
  readonly research_id: string
  readonly finding_id: string
  readonly claim: string
  readonly path: string | null
  readonly accepted_version: number | null
}

export interface FoundPiece {
  readonly evidence_id: string
  readonly chunk: number
  readonly text: string
  readonly title: string | null
  readonly unverified: boolean
  /** 0 to 1, relative to the best of the same search. */
  readonly score: number
}

export interface CharacterRef {
  readonly appId: string
  readonly slug: string
}

/** The limit of evidence is reached. */
export class EvidenceLimitReached extends Schema.TaggedError<EvidenceLimitReached>()("EvidenceLimitReached", {}) {}

export const sha256Of = (text: string): string => createHash("sha256").update(text).digest("hex")

const NO_SOURCE = { title: null, url: null, license: null, retrieved_at: null }

const columns = (
  sql: Sql
) => sql`e.evidence_id, e.kind, e.text, e.source, e.trust, e.status, e.session_id, e.research_id, e.created_at,
  e.updated_at, (
  select coalesce(json_agg(distinct f.proposed_change ->> 'path') filter (where f.accepted_version is not null), '[]')
  from finding_quotes q join findings f using (app_id, slug, finding_id)
  where q.app_id = e.app_id and q.slug = e.slug and q.evidence_id = e.evidence_id and f.status = 'accepted'
) as used_by`

/** The frequency of each content word in each piece. */
const countWords = (pieces: ReadonlyArray<string>) =>
  pieces.map((text, place) => {
    const words = contentOf(terms(text))
    const frequencies = new Map<string, number>()
    for (const word of words) frequencies.set(word, (frequencies.get(word) ?? 0) + 1)
    return {
      chunk: place,
      text,
      words: words.length,
      terms: Array.from(frequencies, ([term, frequency]) => ({ term, frequency }))
    }
  })

/** What sources say about characters. The pieces of evidence in use can be searched, by BM25 over stems. */
export class Evidence extends Context.Service<
  Evidence,
  {
    readonly create: (
      of: CharacterRef,
      evidence: NewEvidence
    ) => Effect.Effect<StoredEvidence, EvidenceLimitReached | DatabaseError>
    readonly get: (of: CharacterRef, evidenceId: string) => Effect.Effect<StoredEvidence | undefined, DatabaseError>
    /** Newest first. */
    readonly list: (
      of: CharacterRef,
      filter: {
        readonly status: string | null
        readonly kind: string | null
        readonly before: string | null
        readonly limit: number
      }
    ) => Effect.Effect<ReadonlyArray<StoredEvidence>, DatabaseError>
    /** The existing ones of these ids. */
    readonly some: (
      of: CharacterRef,
      evidenceIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<StoredEvidence>, DatabaseError>
    /** Whether the character has this text as evidence, in use or retracted. */
    readonly has: (of: CharacterRef, text: string) => Effect.Effect<boolean, DatabaseError>
    /** Lets replies use it from now on. Joins the caller's transaction. */
    readonly use: (of: CharacterRef, evidenceIds: ReadonlyArray<string>) => Effect.Effect<void, DatabaseError>
    /** Takes it out of use permanently, and lists the changes that were based on it. Undefined: it does not exist. */
    readonly retract: (
      of: CharacterRef,
      evidenceId: string
    ) => Effect.Effect<
      { readonly evidence: StoredEvidence; readonly dependents: ReadonlyArray<Dependent> } | undefined,
      DatabaseError
    >
    /** Pieces of evidence in use, best first, that match at least this share of the search. */
    readonly search: (
      of: CharacterRef,
      search: { readonly terms: ReadonlyArray<QueryTerm>; readonly leastShare: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<FoundPiece>, DatabaseError>
  }
>()("src/db/research/Evidence") {
  static readonly layer = Layer.effect(
    Evidence,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database

      const some = ({ appId, slug }: CharacterRef, ids: ReadonlyArray<string>) =>
        query<Array<StoredEvidence>>(
          (sql) => sql`
      select ${columns(sql)} from evidence e
        where e.app_id = ${appId} and e.slug =
          ${slug} and e.evidence_id = any(${[...ids]}::text[]) order by e.evidence_id`
        )
      const get = (of: CharacterRef, id: string) => Effect.map(some(of, [id]), ([evidence]) => evidence)

      const use = Effect.fnUntraced(function* ({ appId, slug }: CharacterRef, ids: ReadonlyArray<string>) {
        const unused = yield* query<Array<{ evidence_id: string; text: string; dictionary: string }>>(
          (sql) => sql`
        select evidence_id, text, dictionary from evidence e
          where app_id = ${appId} and slug = ${slug} and evidence_id = any(${[...ids]}::text[]) and status = 'active'
          and not exists (select from evidence_chunks c where c.app_id = e.app_id and c.slug = e.slug
            and c.evidence_id = e.evidence_id) order by evidence_id`
        )
        for (const { evidence_id: id, text, dictionary } of unused) {
          const pieces = countWords(chunk(text, CHUNK_CHARS).map((piece) => piece.text))
          yield* query(
            (sql) => sql`
          with piece as (
            select p.* from json_to_recordset(${JSON.stringify(pieces)}::text::json) as p(chunk int, text text,
              words int, terms json)
          ), written as (
            insert into evidence_chunks (app_id, slug, evidence_id, chunk, text, words)
              select ${appId}, ${slug}, ${id}, chunk, text, words from piece
          )
          insert into evidence_terms (app_id, slug, lexeme, evidence_id, chunk, frequency, words)
          select ${appId}, ${slug}, coalesce(stem[1], t.term), ${id}, p.chunk, sum(t.frequency)::int, p.words
          from piece p cross join lateral json_to_recordset(p.terms) as t(term text, frequency int) cross
            join lateral (select ts_lexize(${dictionary}::regdictionary, t.term) as stem) s
          where stem is null or cardinality(stem) > 0 group by 3, p.chunk, p.words`
          )
        }
      })

      const create = Effect.fnUntraced(function* (
        of: CharacterRef,
        { kind, text, source, trust, status, sessionId, researchId }: NewEvidence
      ) {
        const { appId, slug } = of
        yield* query(
          (sql) => sql`select 1 from characters where app_id = ${appId} and slug = ${slug} for no key update`
        )
        const [{ there } = { there: 0 }] = yield* query<Array<{ there: number }>>(
          (sql) => sql`
        select count(*)::int as there from evidence
          where app_id = ${appId} and slug = ${slug} and status <> 'retracted'`
        )
        if (there >= MAX_EVIDENCE) return yield* new EvidenceLimitReached()
        const id = newId("evd")
        const whole: EvidenceSource = { ...NO_SOURCE, sha256: sha256Of(text), ...source }
        const language = languageOf(text)
        yield* query(
          (sql) => sql`
        insert into evidence (app_id, slug, evidence_id, kind, text, source, trust, status, dictionary, session_id,
          research_id)
        values (${appId}, ${slug}, ${id},
          ${kind}, ${text}, ${JSON.stringify(whole)}::text::json,
            ${trust}, ${status}, ${dictionaryFor([language])}, ${sessionId}, ${researchId})`
        )
        if (researchId === null) yield* use(of, [id])
        return (yield* get(of, id)) ?? (yield* Effect.die(new Error("an evidence just written is gone")))
      }, transaction)

      const retract = Effect.fnUntraced(function* (of: CharacterRef, id: string) {
        const { appId, slug } = of
        // The same lock as for accepting a finding. So an acceptance at the same time is either refused or listed here.
        yield* query(
          (sql) => sql`select 1 from characters where app_id = ${appId} and slug = ${slug} for no key update`
        )
        const found = yield* query(
          (sql) => sql`
        update evidence set updated_at = case when status = 'retracted' then updated_at else clock_timestamp() end,
          status = 'retracted'
        where app_id = ${appId} and slug = ${slug} and evidence_id = ${id} returning 1`
        )
        if (found.length === 0) return undefined
        yield* query(
          (sql) => sql`delete from evidence_chunks where app_id = ${appId} and slug = ${slug} and evidence_id = ${id}`
        )
        const dependents = yield* query<Array<Dependent>>(
          (sql) => sql`
        select f.research_id, f.finding_id, f.claim, f.proposed_change ->> 'path' as path, f.accepted_version
        from finding_quotes q join findings f using (app_id, slug, finding_id)
        where q.app_id = ${appId} and q.slug =
          ${slug} and q.evidence_id = ${id} and f.status = 'accepted' order by f.finding_id`
        )
        const evidence = yield* get(of, id)
        return evidence === undefined ? undefined : { evidence, dependents }
      }, transaction)

      return Evidence.of({
        create,
        has: ({ appId, slug }, text) =>
          query(
            (sql) => sql`
        select 1 from evidence where app_id =
          ${appId} and slug = ${slug} and session_id is null and text = ${text} limit 1`
          ).pipe(Effect.map((rows) => rows.length > 0)),
        get,
        some,
        use,
        retract,
        list: ({ appId, slug }, { status, kind, before, limit }) =>
          query<Array<StoredEvidence>>(
            (sql) => sql`
        select ${columns(sql)} from evidence e where e.app_id = ${appId} and e.slug = ${slug}
          ${
            status === null
              ? sql``
              : sql`and e.status =
            ${status}`
          } ${
            kind === null
              ? sql``
              : sql`and e.kind =
              ${kind}`
          } ${before === null ? sql`` : sql`and e.evidence_id < ${before}`}
        order by e.evidence_id desc limit ${limit}::int`
          ),
        search: (of, search) =>
          search.terms.length === 0
            ? Effect.succeed([])
            : query<Array<FoundPiece>>((sql) => searchEvidence(sql, of, search))
      })
    })
  )
}
