import type { QueryTerm } from "#pipeline/retrieval/recallQuery.ts"
import type { Sql } from "#src/db/postgres/Database.ts"

/** How much a match in a source counts for which neither the author nor the app vouches. */
const UNVERIFIED_SHARE = 0.7

/**
 * Finds pieces of evidence by BM25, those of trusted sources first among similar ones. Each word is stemmed by every
 * dictionary that the character's evidence uses.
 */
export const searchEvidence = (
  sql: Sql,
  { appId, slug }: { readonly appId: string; readonly slug: string },
  {
    terms,
    leastShare,
    limit
  }: { readonly terms: ReadonlyArray<QueryTerm>; readonly leastShare: number; readonly limit: number }
) => sql`
  with dictionaries as materialized (
    select distinct dictionary from evidence where app_id = ${appId} and slug = ${slug} and status = 'active'
  ), word as (
    select d.dictionary, t.term, coalesce(stem[1], t.term) as lexeme, t.weight
    from dictionaries d cross join
      json_to_recordset(${JSON.stringify(terms)}::text::json) as t(term text, weight float8) cross
        join lateral (select ts_lexize(d.dictionary::regdictionary, t.term) as stem) s
    where stem is null or cardinality(stem) > 0
  ), q as materialized (
    select lexeme, max(weight) as weight from word group by lexeme
  ), whole as (
    select coalesce(sum(weight), 0) as weight from (select max(weight) as weight from word group by term) w
  ), n as materialized (
    select count(*)::float8 as pieces, greatest(1, avg(words))::float8 as average from evidence_chunks
      where app_id = ${appId} and slug = ${slug}
  ), posting as materialized (
    select t.evidence_id, t.chunk, t.lexeme, t.frequency, t.words, q.weight,
      count(*) over (partition by t.lexeme) as containing
    from q join evidence_terms t on t.app_id = ${appId} and t.slug = ${slug} and t.lexeme = q.lexeme
  ), scored as (
    select evidence_id, chunk, sum(weight) as covered,
      sum(weight * ln(1 + (pieces - containing + 0.5) / (containing + 0.5)) * frequency * 2.2 / (frequency + 1.2 *
        (0.25 + 0.75 * words / average))) as score
    from posting, n group by evidence_id, chunk
  ), weighed as (
    select s.evidence_id, s.chunk, s.covered, e.source ->> 'title' as title, e.trust in ('user', 'web') as unverified,
      s.score * case when e.trust in ('user', 'web') then ${UNVERIFIED_SHARE}::float8 else 1 end as score
    from scored s join evidence e on e.app_id = ${appId} and e.slug = ${slug} and e.evidence_id = s.evidence_id
  ), best as (
    select s.* from weighed s, whole w
      where s.covered >= ${leastShare}::float8 * w.weight order by s.score desc, s.evidence_id, s.chunk
        limit ${limit}::int
  )
  select b.evidence_id, b.chunk, c.text, b.title, b.unverified, b.score / max(b.score) over () as score
  from best b join evidence_chunks c on c.app_id =
    ${appId} and c.slug = ${slug} and c.evidence_id = b.evidence_id and c.chunk = b.chunk
  order by b.score desc, b.evidence_id, b.chunk`
