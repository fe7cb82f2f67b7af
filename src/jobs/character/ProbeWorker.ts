import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { addressed } from "#pipeline/domain/addressed.ts"
import { Continuity, toFindings } from "#pipeline/readiness/Continuity.ts"
import { runProbe } from "#pipeline/readiness/runProbe.ts"
import { Spending, SpendingLimit } from "#pipeline/SpendingLimit.ts"
import type { TurnPipelineOptions } from "#pipeline/Turn.ts"
import { Writer } from "#pipeline/generation/Writer.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { MAX_ATTEMPTS } from "#src/db/research/claimRun.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { Probes, type StoredProbe } from "#src/db/research/Probes.ts"
import { attempt } from "#src/units/attempt.ts"
import { unitOf } from "#src/units/Unit.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { makeSharedRuns } from "#src/jobs/runner/sharedRuns.ts"
import { task } from "#src/jobs/runner/task.ts"
import { wasStopped } from "#src/jobs/runner/wasStopped.ts"

/** Maximum number of concurrent rehearsals per app and process. */
const AT_ONCE = 16

/**
 * Rehearses characters turn by turn. Each turn is stored when it ends, so that a process that takes over does not pay
 * for it again.
 */
export class ProbeWorker extends Context.Service<
  ProbeWorker,
  {
    /** Works on open rehearsals that no other process works on. */
    readonly work: Effect.Effect<void, DatabaseError>
  }
>()("src/jobs/character/ProbeWorker") {
  static readonly layer = (options: TurnPipelineOptions) =>
    Layer.effect(
      ProbeWorker,
      Effect.gen(function* () {
        const probes = yield* Probes
        const versions = yield* CharacterVersions
        const membership = yield* Membership
        const share = yield* makeSharedRuns(AT_ONCE)
        const continuity = yield* Continuity
        const writer = yield* Writer

        const runAll = Effect.fnUntraced(function* (owner: string, probe: StoredProbe) {
          const turns = [...probe.turns]
          let spentMicroUsd = probe.spent_micro_usd
          if (probe.attempts > MAX_ATTEMPTS)
            return yield* probes.finish(owner, probe, {
              status: "failed",
              contradictions: null,
              spentMicroUsd,
              errorCode: "given_up"
            })
          const character = addressed(yield* versions.get(probe.app_id, probe.slug, probe.version), null)
          for (;;) {
            const rehearsed = yield* runProbe(options, {
              appId: probe.app_id,
              runRef: probe.run_ref,
              character,
              before: turns
            }).pipe(Effect.provideService(Writer, writer))
            if (rehearsed === undefined) break
            turns.push(rehearsed)
            spentMicroUsd += rehearsed.cost_micro_usd
            if (!(yield* probes.note(owner, probe, turns, spentMicroUsd))) return
          }
          const read = continuity === null ? null : yield* Effect.result(continuity.read(character))
          if (read !== null)
            spentMicroUsd += Result.isSuccess(read)
              ? read.success.usage.costMicroUsd
              : (read.failure.usage?.costMicroUsd ?? 0)
          const contradictions =
            read !== null && Result.isSuccess(read) ? toFindings(character, read.success.found) : null
          yield* probes.finish(owner, probe, { status: "completed", contradictions, spentMicroUsd, errorCode: null })
        })

        const run = (owner: string, probe: StoredProbe) =>
          Effect.provideService(
            runAll(owner, probe),
            SpendingLimit,
            new Spending(probe.held_micro_usd - probe.spent_micro_usd)
          )

        return ProbeWorker.of({
          work: share(
            Effect.fnUntraced(function* (except) {
              const owner = yield* membership.current
              const probe = Option.isNone(owner) ? undefined : yield* probes.claim(owner.value, except)
              return probe === undefined || Option.isNone(owner) ? undefined : { appId: probe.app_id, owner, probe }
            }),
            ({ owner, probe }) => {
              const giveUp = probes.finish(owner.value, probe, {
                status: "failed",
                contradictions: null,
                spentMicroUsd: probe.spent_micro_usd,
                errorCode: "given_up"
              })
              return attempt(unitOf("probe", probe.app_id, probe.run_ref), run(owner.value, probe), giveUp).pipe(
                Effect.onError((cause) =>
                  probes.release(owner.value, probe, wasStopped(cause)).pipe(Effect.timeout("2 seconds"), Effect.ignore)
                ),
                Effect.annotateLogs({ run_ref: probe.run_ref })
              )
            }
          )
        })
      })
    )
}

export const characterProbeTask = task(
  "rehearse",
  ProbeWorker.use((worker) => worker.work),
  { cron: "* * * * *" }
)
