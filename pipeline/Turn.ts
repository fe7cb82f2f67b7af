import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { addressed } from "./domain/addressed.ts"
import { Outcome, type ReplyMode, type Turn } from "./domain/Turn.ts"
import { gateContextFor } from "./emission/gateContext.ts"
import { simulateFault } from "./simulateFault.ts"
import type { Decision } from "./generation/Writer.ts"
import { knowledgeOf } from "./knowledge/knowledgeOf.ts"
import { summarizeRetrieval } from "./stageSummaries.ts"
import { retrieve } from "./retrieval/retrieve.ts"
import { DANGER_OF_ANOTHER, screen } from "./safety/judge.ts"
import { saidBefore } from "./safety/saidBefore.ts"
import type { SafetyTextsByLocale } from "./safety/texts.ts"
import type { TextsByTag } from "./texts/OwnTexts.ts"
import type { TurnTrace } from "./TurnTrace.ts"
import { answerCrisis } from "./turn/answerCrisis.ts"
import { answerUnread } from "./turn/answerUnread.ts"
import { answerWithoutDraft } from "./turn/answerWithoutDraft.ts"
import { applyStatedAges } from "./turn/applyStatedAges.ts"
import { draftWithinDeadline } from "./turn/draftWithinDeadline.ts"
import { groundTurn } from "./turn/groundTurn.ts"
import { judgeTurn } from "./turn/judgeTurn.ts"
import { exitSession } from "./turn/exitSession.ts"
import { openDecisions } from "./turn/openDecisions.ts"
import { redraftOnce } from "./turn/redraftOnce.ts"
import { draftOf, emitDraft, replyContextOf, repliedOutcome } from "./turn/ReplyContext.ts"
import { type TurnServices, turnServices } from "./turn/TurnServices.ts"
import { scheduledReply, type Unwritten, writeReply } from "./turn/writeReply.ts"

export interface TurnPipelineOptions {
  /** How long one run of a turn may take, by reply mode. */
  readonly deadlines: Readonly<Record<ReplyMode, Duration.Duration>>
  /** Our rules for the model. Replies must not quote them. */
  readonly serviceText: string
  /** The operator's safety texts, which override ours. */
  readonly safetyTexts: SafetyTextsByLocale
  /** The operator's own texts, which override ours. */
  readonly ownTexts: TextsByTag
}

const runStages = Effect.fnUntraced(function* (
  { stores, record, analyst, writer, critic }: TurnServices,
  { deadlines, serviceText, safetyTexts, ownTexts }: TurnPipelineOptions,
  accepted: Turn,
  trace: TurnTrace
): Effect.fn.Return<Outcome> {
  const begunAt = yield* Clock.currentTimeMillis
  const retrieval = yield* trace.stage("retrieval", retrieve(stores, accepted), summarizeRetrieval)
  const { history, retrieved, relationship, trust } = retrieval
  const { turn, toldUnderAge } = yield* applyStatedAges(record, accepted, history, begunAt)

  // The character does not write first to a person who was in a crisis a moment ago.
  if (turn.proactive !== undefined && (yield* record.before(turn)).crisis)
    return Outcome.cases.Withheld.make({ by: "crisis" })

  const screened = screen(turn, saidBefore(history))
  const { analysis, grounding } = yield* groundTurn({ analyst, writer }, trace, turn, retrieval, screened)
  const judged = yield* judgeTurn(record, trace, turn, { screened, analysis, history, toldUnderAge }, safetyTexts)
  const { safety } = judged
  if (safety.action === "crisis") return answerCrisis(trace, judged)
  const unread = answerUnread(trace, turn, judged, history, ownTexts)
  if (unread !== null) return unread

  const knowledge = yield* trace.stage(
    "knowledge",
    Effect.sync(() => knowledgeOf(turn.character, analysis, trust))
  )
  const decisions = yield* openDecisions(record, { turn, history, grounding, safety })
  const request: Unwritten = {
    turn,
    history,
    retrieved,
    grounding,
    safety,
    knowledge,
    relationship,
    decisions,
    refusedBy: null
  }
  const scheduled = scheduledReply(turn)
  if (scheduled !== null) trace.skip("generation", "scheduled_text")
  const written =
    scheduled === null
      ? yield* Effect.result(
          Effect.retry(writeReply(writer, trace, request), { times: 1, while: (error) => !error.isLasting })
        )
      : Result.succeed(scheduled)
  if (Result.isFailure(written))
    return Outcome.cases.Failed.make({ reason: written.failure.isTimeout ? "timed_out" : "generation_failed" })
  const reply = written.success
  const decides = (decision: Decision) => reply.decision === decision && decisions.includes(decision)
  if (decides("withhold")) {
    trace.skip("emission", "withheld")
    return Outcome.cases.Withheld.make(turn.proactive === undefined ? {} : { by: "writer" })
  }

  const context = gateContextFor(
    turn,
    retrieval,
    grounding,
    knowledge,
    serviceText,
    safety.categories.some((category) => category === "after_crisis" || category === DANGER_OF_ANOTHER)
  )
  const speech = replyContextOf(trace, turn, judged, context, { safetyTexts, ownTexts })
  // The character does not leave a person whose cry for help arrived while this was being written.
  if (decides("exit") && !(yield* record.before(turn)).crisis) return yield* exitSession(speech, reply)

  const deadlineAt = begunAt + Duration.toMillis(deadlines[turn.replyMode])
  const draft = yield* draftWithinDeadline(critic, speech, draftOf(reply), deadlineAt)
  const { refusedBy, bubbles } = yield* emitDraft(speech, draft)
  if (refusedBy === null) return yield* repliedOutcome(speech, bubbles, reply)

  const refused = { by: refusedBy, draft }
  // Text that the author blocks is not redrafted, and scheduled text from the app is not replaced.
  if (refusedBy === "forbidden_block" || scheduled !== null) return yield* answerWithoutDraft(speech, refused)
  const second = yield* redraftOnce(writer, speech, request, refused)
  return "outcome" in second ? second.outcome : yield* answerWithoutDraft(speech, second.refused)
})

/**
 * Turns an accepted message into a reply. Never fails: every error is an outcome, and only interruption passes through.
 */
export class TurnPipeline extends Context.Service<
  TurnPipeline,
  {
    /** One attempt. Its records are left on the trail. */
    readonly run: (turn: Turn, trace: TurnTrace) => Effect.Effect<Outcome>
    /** How long to wait before running the turn, in milliseconds. While it waits, it takes no slot from other turns. */
    readonly stallMs: (turn: Turn) => number
  }
>()("pipeline/TurnPipeline") {
  static readonly layer = (options: TurnPipelineOptions) =>
    Layer.effect(
      TurnPipeline,
      Effect.map(turnServices, (services) => {
        const deadlineOf = ({ replyMode }: Turn) => options.deadlines[replyMode]
        const run = (given: Turn, trace: TurnTrace) => {
          const turn = {
            ...given,
            character: addressed(given.character, given.endUser.displayName, given.seed ?? given.sessionId)
          }
          const deadline = Effect.map(Effect.sleep(deadlineOf(turn)), () => {
            trace.expire()
            return Outcome.cases.Failed.make({ reason: "timed_out" })
          })
          return Effect.raceFirst(
            turn.fault === undefined
              ? runStages(services, options, turn, trace)
              : Effect.succeed(simulateFault(turn.fault, trace)),
            deadline
          ).pipe(
            Effect.catchDefect((defect) =>
              Effect.as(
                Effect.logError("turn pipeline defect", { run_ref: turn.runRef, defect }),
                Outcome.cases.Failed.make({ reason: "generation_failed" })
              )
            )
          )
        }
        return TurnPipeline.of({
          run,
          stallMs: (turn) => (turn.fault === "stall" ? Duration.toMillis(deadlineOf(turn)) : 0)
        })
      })
    )
}
