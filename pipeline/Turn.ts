import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Outcome, type ReplyMode, type Turn } from "./domain/Turn.ts"
import { emit } from "./emission/emit.ts"
import { fallbackBubbles } from "./emission/fallback.ts"
import type { GateContext } from "./emission/gates.ts"
import { Writer, type WriteRequest } from "./generation/Writer.ts"
import { Analyst } from "./grounding/Analyst.ts"
import { ground } from "./grounding/ground.ts"
import { BY_RULES, understand } from "./grounding/understand.ts"
import { know } from "./knowledge/know.ts"
import { Recall } from "./retrieval/Recall.ts"
import { retrieve } from "./retrieval/retrieve.ts"
import { Transcript } from "./retrieval/Transcript.ts"
import { judge, screen, verdictName } from "./safety/judge.ts"
import { CRISIS_BUBBLES } from "./safety/texts.ts"
import type { Trail } from "./Trail.ts"

export interface TurnPipelineOptions {
  /** How long one run of a turn may take, by its mode. */
  readonly deadlines: Readonly<Record<ReplyMode, Duration.Duration>>
  /** Our rules to the model, watched for in replies. */
  readonly serviceText: string
}

/** How many of the user's messages back a question may lie that a disclosure answers. */
const QUESTION_MESSAGES = 3

/** A turn becomes a reply. Never fails: whatever goes wrong is an outcome, and only interruption passes through. */
export class TurnPipeline extends Context.Service<TurnPipeline, {
  /** One attempt, which leaves its records on the trail. */
  readonly run: (turn: Turn, trail: Trail) => Effect.Effect<Outcome>
}>()("pipeline/TurnPipeline") {
  static readonly layer = ({ deadlines, serviceText }: TurnPipelineOptions) => Layer.effect(TurnPipeline, Effect.gen(function*() {
    const transcript = yield* Transcript
    const recall = yield* Recall
    const analyst = yield* Analyst
    const writer = yield* Writer

    const write = (trail: Trail, request: Omit<WriteRequest, "onSpent">) =>
      trail.paying("generation", (onSpent) => writer.write({ ...request, onSpent }), ({ reply, usage }) => ({ decision: reply.decision, usage }))

    const stages = Effect.fnUntraced(function*(turn: Turn, trail: Trail) {
      const { history, retrieved } = yield* trail.stage("retrieval", retrieve({ transcript, recall }, turn), ({ failed }) => failed ? { status: "fallback", errorCode: "recall_failed" } : {})
      const screened = screen(turn)
      const { analysis, grounding } = yield* trail.paying("grounding", (onSpent) => Effect.gen(function*() {
        const { recalled } = retrieved
        // In a crisis nobody waits for a model.
        const understood = screened.action === "crisis" ? BY_RULES : yield* understand(analyst, { turn, history, recalled, onSpent })
        return { ...understood, grounding: yield* ground(turn, { history, recalled }, understood.analysis) }
      }), ({ grounding, usage, errorCode }) => ({ status: errorCode === null ? "ok" : "fallback", decision: grounding.intent, usage, errorCode }))
      const safety = yield* trail.stage("safety", Effect.sync(() => judge(screened, analysis)), (verdict) => ({ decision: verdictName(verdict) }))
      if (safety.action === "crisis") {
        for (const stage of ["knowledge", "generation", "emission"] as const) trail.skip(stage, "crisis")
        return Outcome.cases.Replied.make({ bubbles: CRISIS_BUBBLES })
      }
      const knowledge = yield* trail.stage("knowledge", Effect.sync(() => know(turn.character, analysis)))

      const request: Omit<WriteRequest, "onSpent"> = {
        turn, history, retrieved, grounding, safety, knowledge, decisions: ["reply"], refusedBy: null
      }
      const draft = yield* Effect.result(Effect.retry(write(trail, request), { times: 1 }))
      if (Result.isFailure(draft)) return Outcome.cases.Failed.make({ reason: "generation_failed" })

      const context: GateContext = {
        userTexts: [turn.text, ...history.filter(({ role }) => role === "user").map(({ text }) => text).toReversed()].slice(0, QUESTION_MESSAGES),
        serviceText,
        mustNotReveal: knowledge.mustNotReveal
      }
      const emission = (bubbles: ReadonlyArray<string>) =>
        trail.stage("emission", Effect.sync(() => emit(bubbles, turn.character.voice, context)), ({ refusedBy }) => ({
          decision: refusedBy === null ? "passed" : `refused:${refusedBy}`
        }))
      const first = yield* emission(draft.success.reply.bubbles)
      if (first.refusedBy === null) return Outcome.cases.Replied.make({ bubbles: first.bubbles })

      // The character could speak a moment ago, so from here on a line of its author is better than a failure.
      const redraft = yield* Effect.result(write(trail, { ...request, refusedBy: first.refusedBy }))
      if (Result.isSuccess(redraft)) {
        const second = yield* emission(redraft.success.reply.bubbles)
        if (second.refusedBy === null) return Outcome.cases.Replied.make({ bubbles: second.bubbles })
      }
      const bubbles = yield* trail.stage("emission", Effect.sync(() => fallbackBubbles(turn, history, context)), () => ({
        status: "fallback",
        decision: "fallback_line"
      }))
      return Outcome.cases.Replied.make({ bubbles })
    })

    const run = (turn: Turn, trail: Trail) => {
      const deadline = Effect.map(Effect.sleep(deadlines[turn.replyMode]), () => {
        trail.expire()
        return Outcome.cases.Failed.make({ reason: "timed_out" })
      })
      return Effect.raceFirst(stages(turn, trail), deadline).pipe(
        Effect.catchDefect((defect) => Effect.as(
          Effect.logError("turn pipeline defect", { runRef: turn.runRef, defect }),
          Outcome.cases.Failed.make({ reason: "generation_failed" })
        ))
      )
    }
    return TurnPipeline.of({ run })
  }))
}
