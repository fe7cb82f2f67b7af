import * as Effect from "effect/Effect"
import type * as z from "zod"
import { PAGE_MAX_CHARS, Pages } from "#channels/outbound/Pages.ts"
import { isId } from "#pipeline/domain/Id.ts"
import { chunk } from "#pipeline/evidence/chunk.ts"
import { Evidence } from "#src/db/research/Evidence.ts"
import type { NewSource } from "#src/db/research/Research.ts"
import { Prices } from "#src/model/prices.ts"
import { ConfiguredModels, PART_CHARS, readingMicroUsd } from "#src/model/reservation.ts"
import { validationError } from "#src/http/server/errors.ts"
import type { ResearchCreate } from "./researchSchemas.ts"

const partsOf = (text: string) => chunk(text, PART_CHARS)

/** A source in the form in which it is read, with the maximum cost of reading it. 422 says what is wrong with it. */
export const prepareSource = (appId: string, slug: string) =>
  Effect.fnUntraced(function* (
    { kind, text, evidence_id, url }: z.output<typeof ResearchCreate>["sources"][number],
    index: number
  ) {
    const none: NewSource = { kind, url: null, evidenceId: null, text: null, parts: null }
    const [prices, cast] = [yield* Prices, yield* ConfiguredModels]
    const costOf = (whole: string) =>
      partsOf(whole).reduce((sum, part) => sum + readingMicroUsd(prices, cast, part.text), 0)
    if (text !== undefined) return { source: { ...none, text, parts: partsOf(text).length }, cost: costOf(text) }
    if (url !== undefined) {
      const address = yield* Pages.use((pages) => pages.check(url)).pipe(
        Effect.catchTag("UrlRejected", ({ message, fix }) =>
          Effect.fail(validationError(`body.sources[${index}].url: ${message}`, fix))
        )
      )
      if (address === null)
        return yield* validationError(
          `body.sources[${index}].url: this server cannot read pages of this host`,
          "Send the text itself, or ask the operator to add the host to RESEARCH_HOSTS."
        )
      return {
        source: { ...none, url: address.href },
        cost: Math.ceil(PAGE_MAX_CHARS / PART_CHARS) * readingMicroUsd(prices, cast, "x".repeat(PART_CHARS))
      }
    }
    const id = evidence_id ?? ""
    const evidence = isId("evd", id) ? yield* Evidence.use((all) => all.get({ appId, slug }, id)) : undefined
    if (evidence === undefined || evidence.status === "retracted")
      return yield* validationError(
        `body.sources[${index}].evidence_id: Must be evidence of this character that has not been retracted`
      )
    return { source: { ...none, evidenceId: id, parts: partsOf(evidence.text).length }, cost: costOf(evidence.text) }
  })
