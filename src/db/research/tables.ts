import type { Table } from "#src/db/postgres/catalogue/Table.ts"

const OWNERS = { app: "app_id", character: "slug" } as const
const NOT_PLAYED = { not: "work on a character, which replies do not read" }

export const tables: ReadonlyArray<Table> = [
  {
    name: "readiness_probes",
    retention: { bounded: "one row for each probe, which the app pays for; deleted with the character" },
    owners: OWNERS,
    copied: NOT_PLAYED
  },
  {
    name: "finding_quotes",
    retention: { bounded: "a few for each finding; deleted with the evidence" },
    owners: OWNERS,
    copied: NOT_PLAYED
  },
  {
    name: "findings",
    retention: { bounded: "a few for each research run, which the app pays for" },
    owners: OWNERS,
    erasure: {
      session: {
        // Evidence that was found in what they have said.
        before: (sql, { appId, sessionIds }) => sql`
          delete from findings f using finding_quotes q, evidence e
            where e.app_id = ${appId} and e.session_id = any(${[...sessionIds]}::text[])
            and q.app_id = e.app_id and q.slug = e.slug and q.evidence_id = e.evidence_id and f.app_id = q.app_id
              and f.slug = q.slug and f.finding_id = q.finding_id`
      }
    },
    copied: NOT_PLAYED
  },
  {
    name: "research_sources",
    retention: { bounded: "a few for each research run; the text is deleted when the run ends" },
    owners: OWNERS,
    copied: NOT_PLAYED
  },
  {
    name: "research",
    retention: { bounded: "one row for each run, which the app pays for" },
    owners: OWNERS,
    copied: NOT_PLAYED
  },
  {
    name: "evidence_terms",
    retention: { bounded: "the words of the evidence" },
    owners: OWNERS,
    copied: (sql, { appId, slug, to }) => sql`
      insert into evidence_terms (app_id, slug, lexeme, evidence_id, chunk, frequency, words)
      select ${to}, t.slug, t.lexeme, t.evidence_id, t.chunk, t.frequency, t.words from evidence_terms t
        join evidence e on e.app_id = ${to} and e.slug = t.slug and e.evidence_id = t.evidence_id
      where t.app_id = ${appId} and t.slug = ${slug} on conflict do nothing`
  },
  {
    name: "evidence_chunks",
    retention: { bounded: "the text of the evidence" },
    owners: OWNERS,
    copied: (sql, { appId, slug, to }) => sql`
      insert into evidence_chunks (app_id, slug, evidence_id, chunk, text, words)
      select ${to}, c.slug, c.evidence_id, c.chunk, c.text, c.words from evidence_chunks c
        join evidence e on e.app_id = ${to} and e.slug = c.slug and e.evidence_id = c.evidence_id
      where c.app_id = ${appId} and c.slug = ${slug} on conflict do nothing`
  },
  {
    name: "evidence",
    retention: { bounded: "what the app has added; deleted on request" },
    owners: { ...OWNERS, session: "session_id" },
    // What replies may be given of it: what is in chunks, and is not of one session.
    copied: (sql, { appId, slug, to }) => sql`
      insert into evidence (app_id, slug, evidence_id, kind, text, source, trust, status, dictionary, created_at,
        updated_at)
      select ${to}, slug, evidence_id, kind, text, source, trust, status, dictionary, created_at, updated_at
        from evidence e
      where app_id = ${appId} and slug = ${slug} and session_id is null
        and exists (select from evidence_chunks c where c.app_id = e.app_id and c.slug = e.slug
          and c.evidence_id = e.evidence_id) on conflict do nothing`,
    exported: { not: "words of the log, which is exported" }
  }
]
