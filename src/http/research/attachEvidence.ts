import * as Effect from "effect/Effect"
import * as z from "zod"
import { Evidence } from "#src/db/research/Evidence.ts"
import type { Bundle } from "#src/imports/Bundle.ts"
import { evidenceLimitReached } from "./researchErrors.ts"
import { BundleEvidence } from "./evidenceSchemas.ts"

/** Adds the evidence in a file to the character, except what it already has, in use or retracted. */
export const attachEvidence = Effect.fnUntraced(function* (appId: string, slug: string, bundle: Bundle) {
  const evidence = yield* Evidence
  const of = { appId, slug }
  for (const { source: { retrieved_at: at, ...source } = {}, status = "active", ...brought } of z
    .array(BundleEvidence)
    .parse(bundle.evidence)) {
    if (yield* evidence.has(of, brought.text)) continue
    const said = Object.fromEntries(
      Object.entries({ ...source, retrieved_at: at === undefined ? undefined : new Date(at).toISOString() }).filter(
        ([, value]) => value !== undefined
      )
    )
    yield* evidence
      .create(of, { ...brought, status, source: said, sessionId: null, researchId: null })
      .pipe(Effect.catchTag("EvidenceLimitReached", () => Effect.fail(evidenceLimitReached)))
  }
})
