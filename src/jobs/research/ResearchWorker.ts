import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { Pages } from "#channels/outbound/Pages.ts"
import { fillMacros, NOBODY } from "#pipeline/domain/macros.ts"
import { chunk } from "#pipeline/evidence/chunk.ts"
import { readByRules } from "#pipeline/research/readByRules.ts"
import { type ReadRequest, SourceReader } from "#pipeline/research/SourceReader.ts"
import { verifyFindings } from "#pipeline/research/verifyFindings.ts"
import { Characters } from "#src/db/character/Characters.ts"
import { MAX_ATTEMPTS } from "#src/db/research/claimRun.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { Evidence } from "#src/db/research/Evidence.ts"
import { type OpenSource, Research, type StoredResearch } from "#src/db/research/Research.ts"
import { Prices } from "#src/model/prices.ts"
import { ConfiguredModels, PART_CHARS, readingMicroUsd } from "#src/model/reservation.ts"
import { Spending, SpendingLimit } from "#pipeline/SpendingLimit.ts"
import { attempt } from "#src/units/attempt.ts"
import { unitOf } from "#src/units/Unit.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { makeSharedRuns } from "#src/jobs/runner/sharedRuns.ts"
import { task } from "#src/jobs/runner/task.ts"
import { wasStopped } from "#src/jobs/runner/wasStopped.ts"

/** Maximum number of concurrent research runs per app and process. */
const AT_ONCE = 16

/** Works on research runs, part by part of each source. */
export class ResearchWorker extends Context.Service<
  ResearchWorker,
  {
    /** Works on open runs that no other process works on. */
    readonly work: Effect.Effect<void, DatabaseError>
  }
>()("src/jobs/research/ResearchWorker") {
  static readonly layer = Layer.effect(
    ResearchWorker,
    Effect.gen(function* () {
      const research = yield* Research
      const evidence = yield* Evidence
      const characters = yield* Characters
      const pages = yield* Pages
      const membership = yield* Membership
      const share = yield* makeSharedRuns(AT_ONCE)
      const reader = yield* SourceReader
      const [prices, cast] = [yield* Prices, yield* ConfiguredModels]

      /** The findings in a part and their cost. Null: it could not be read. */
      const read = Effect.fnUntraced(function* (request: ReadRequest, left: number) {
        if (reader === null) return { readings: readByRules(request), cost: 0, failed: false }
        const answer = yield* Effect.result(
          Effect.provideService(reader.read(request), SpendingLimit, new Spending(left))
        )
        return Result.isSuccess(answer)
          ? { readings: answer.success.readings, cost: answer.success.usage.costMicroUsd, failed: false }
          : { readings: { findings: [] }, cost: answer.failure.usage?.costMicroUsd ?? 0, failed: true }
      })

      /**
       * The text of a source. It is stored before it is read, so that all its parts come from the same version. Null:
       * there is none, which is recorded.
       */
      const textOf = Effect.fnUntraced(function* (owner: string, run: StoredResearch, source: OpenSource) {
        const fail = (code: string) => Effect.as(research.sourceFailed(owner, run, source.place, code), null)
        if (source.text !== null) return { text: source.text, title: source.title }
        if (source.kind === "evidence") {
          const kept = yield* evidence.get({ appId: run.app_id, slug: run.slug }, source.evidence_id ?? "")
          return kept === undefined
            ? yield* fail("evidence_gone")
            : kept.status === "retracted"
              ? yield* fail("evidence_retracted")
              : { text: kept.text, title: source.title }
        }
        const page = yield* Effect.result(pages.read(source.url ?? ""))
        if (Result.isFailure(page)) return yield* fail(page.failure.code)
        const { title, text } = page.success
        return (yield* research.fetched(owner, run, source.place, {
          title,
          text,
          parts: chunk(text, PART_CHARS).length
        }))
          ? page.success
          : null
      })

      const end = Effect.fnUntraced(function* (owner: string, run: StoredResearch) {
        const sources = (yield* research.get({ appId: run.app_id, slug: run.slug }, run.research_id))?.sources ?? []
        const failed = sources.length > 0 && sources.every(({ status }) => status === "failed")
        yield* research.finish(
          owner,
          run,
          failed ? { status: "failed", errorCode: "no_source_read" } : { status: "completed", errorCode: null }
        )
      })

      const go = Effect.fnUntraced(function* (owner: string, run: StoredResearch) {
        if (run.attempts > MAX_ATTEMPTS)
          return yield* research.finish(owner, run, { status: "failed", errorCode: "given_up" })
        const character = yield* characters.get(run.app_id, run.slug)
        const name = String(character?.profile["display_name"] ?? "")
        const told = {
          display_name: name,
          visible_bio: fillMacros(
            String(character?.profile["visible_bio"] ?? ""),
            { character: name, user: null },
            NOBODY.told
          )
        }
        let left = run.held_micro_usd - run.spent_micro_usd
        for (;;) {
          const source = yield* research.nextSource(run)
          if (source === undefined) return yield* end(owner, run)
          const found = yield* textOf(owner, run, source)
          if (found === null) {
            // Either this source has failed and there is another one, or another process owns the run now.
            if ((yield* research.nextSource(run))?.place === source.place) return
            continue
          }
          for (const part of chunk(found.text, PART_CHARS).slice(source.parts_read)) {
            if (reader !== null && readingMicroUsd(prices, cast, part.text) > left)
              return yield* research.finish(owner, run, { status: "completed", errorCode: "max_cost_reached" })
            const { readings, cost, failed } = yield* read(
              { question: run.question, purpose: run.purpose, character: told, text: part.text },
              left
            )
            left -= cost
            const upheld = verifyFindings(part.text, run.purpose, readings.findings)
            if (!(yield* research.partRead(owner, run, { ...source, ...found }, upheld, cost))) return
            if (failed && !(yield* research.sourceFailed(owner, run, source.place, "model_failed"))) return
            if (failed) break
          }
        }
      })

      return ResearchWorker.of({
        work: share(
          Effect.fnUntraced(function* (except) {
            const owner = yield* membership.current
            const run = Option.isNone(owner) ? undefined : yield* research.claim(owner.value, except)
            return run === undefined || Option.isNone(owner) ? undefined : { appId: run.app_id, owner, run }
          }),
          ({ owner, run }) => {
            const giveUp = research.finish(owner.value, run, { status: "failed", errorCode: "given_up" })
            return attempt(unitOf("research", run.app_id, run.run_ref), go(owner.value, run), giveUp).pipe(
              Effect.onError((cause) =>
                research.release(owner.value, run, wasStopped(cause)).pipe(Effect.timeout("2 seconds"), Effect.ignore)
              ),
              Effect.annotateLogs({ run_ref: run.run_ref })
            )
          }
        )
      })
    })
  )
}

export const researchTask = task(
  "research",
  ResearchWorker.use((worker) => worker.work),
  { cron: "* * * * *" }
)
