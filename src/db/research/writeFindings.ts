import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { newId } from "#pipeline/domain/Id.ts"
import type { VerifiedFinding } from "#pipeline/research/verifyFindings.ts"
import type { Database } from "#src/db/postgres/Database.ts"
import { type Evidence, sha256Of } from "./Evidence.ts"
import type { OpenSource, Run } from "./Research.ts"

/** Stores the findings in a source, each with the passage that supports it, up to the evidence limit. */
export const makeWriteFindings = (
  { query }: Context.Service.Shape<typeof Database>,
  evidence: Context.Service.Shape<typeof Evidence>
) =>
  Effect.fnUntraced(function* (
    { app_id: appId, slug, research_id: researchId }: Run,
    source: OpenSource,
    upheld: ReadonlyArray<VerifiedFinding>
  ) {
    const of = { appId, slug }
    const now = yield* Clock.currentTimeMillis
    const passages = new Map<string, string>()
    for (const { claim, confidence, quote, passage, change } of upheld) {
      const evidenceId =
        source.evidence_id ??
        passages.get(passage) ??
        (yield* evidence
          .create(of, {
            kind: "quote",
            text: passage,
            trust: source.kind === "url" ? "web" : "app",
            status: "active",
            sessionId: null,
            researchId,
            source: {
              title: source.title,
              url: source.url,
              ...(source.kind === "url" && { retrieved_at: new Date(now).toISOString() }),
              ...(source.text !== null && { sha256: sha256Of(source.text) })
            }
          })
          .pipe(
            Effect.map(({ evidence_id }) => evidence_id),
            Effect.catchTag("EvidenceLimitReached", () => Effect.succeed(null))
          ))
      if (evidenceId === null) break
      passages.set(passage, evidenceId)
      const findingId = newId("fnd")
      yield* query(
        (sql) => sql`
      insert into findings (app_id, slug, finding_id, research_id, claim, confidence, proposed_change)
      values (${appId}, ${slug}, ${findingId},
        ${researchId}, ${claim}, ${confidence}, ${change === null ? null : JSON.stringify(change)}::text::json)`
      )
      yield* query(
        (sql) =>
          sql`insert into finding_quotes (app_id, slug, finding_id, evidence_id, quote)
            values (${appId}, ${slug}, ${findingId}, ${evidenceId}, ${quote})`
      )
    }
  })
