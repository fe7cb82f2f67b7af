import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Critic } from "./critic/Critic.ts"
import { polish } from "./critic/polish.ts"
import { Outcome, type ReplyMode, type Turn } from "./domain/Turn.ts"
import { type EmittedDraft, emit } from "./emission/emit.ts"
import { fallbackBubbles } from "./emission/fallback.ts"
import { type GateContext, type GateName, refusal } from "./emission/gates.ts"
import { decisionsOpen } from "./generation/decisions.ts"
import { type Decision, type Reply, Writer, type WriteRequest } from "./generation/Writer.ts"
import { Analyst } from "./grounding/Analyst.ts"
import { ground } from "./grounding/ground.ts"
import { BY_RULES, understand } from "./grounding/understand.ts"
import { know } from "./knowledge/know.ts"
import { Recall } from "./retrieval/Recall.ts"
import { retrieve } from "./retrieval/retrieve.ts"
import { memoryId, Transcript } from "./retrieval/Transcript.ts"
import { judge, screen, verdictName } from "./safety/judge.ts"
import { SafetyRecord } from "./safety/SafetyRecord.ts"
import { type SafetyTextsByLocale, safetyTextsFor } from "./safety/texts.ts"
import type { Trail } from "./Trail.ts"

export interface TurnPipelineOptions {
  /** How long one run of a turn may take, by its mode. */
  readonly deadlines: Readonly<Record<ReplyMode, Duration.Duration>>
  /** Our rules to the model, watched for in replies. */
  readonly serviceText: string
  /** The operator's own safety texts, over ours. */
  readonly safetyTexts: SafetyTextsByLocale
}

/** How many of the user's messages back a question may lie that a disclosure answers. */
const QUESTION_MESSAGES = 3
/** What the trace shows of what a reply cites. */
const MOST_CITED = 20
const DEFAULT_EXIT_REASON = "boundary_violation"

const draftOf = ({ bubbles, cited_memory_ids }: Reply): EmittedDraft => ({ bubbles, citedIds: cited_memory_ids })

/** A turn becomes a reply. Never fails: whatever goes wrong is an outcome, and only interruption passes through. */
export class TurnPipeline extends Context.Service<TurnPipeline, {
  /** One attempt, which leaves its records on the trail. */
  readonly run: (turn: Turn, trail: Trail) => Effect.Effect<Outcome>
}>()("pipeline/TurnPipeline") {
  static readonly layer = ({ deadlines, serviceText, safetyTexts }: TurnPipelineOptions) => Layer.effect(TurnPipeline, Effect.gen(function*() {
    const ports = { transcript: yield* Transcript, recall: yield* Recall }
    const record = yield* SafetyRecord
    const analyst = yield* Analyst
    const writer = yield* Writer
    const critic = yield* Critic

    const write = (trail: Trail, request: Omit<WriteRequest, "onSpent">) =>
      trail.paying("generation", (onSpent) => writer.write({ ...request, onSpent }), ({ reply, usage }) => ({
        decision: reply.decision, usage, ...reply.cited_memory_ids.length > 0 && { detail: { cited_memory_ids: reply.cited_memory_ids.slice(0, MOST_CITED).map((id) => id.slice(0, 40)) } }
      }))

    const stages = Effect.fnUntraced(function*(turn: Turn, trail: Trail) {
      const { history, retrieved } = yield* trail.stage("retrieval", retrieve(ports, turn), ({ failed, retrieved }) => ({
        ...failed && { status: "fallback", errorCode: "recall_failed" },
        ...retrieved.recalled.length > 0 && { detail: { memories: retrieved.recalled.map((said) => ({ id: memoryId(said), score: Math.round(said.score * 1000) / 1000 })) } }
      }))
      const screened = screen(turn)
      const { analysis, grounding } = yield* trail.paying("grounding", (onSpent) => Effect.gen(function*() {
        const { recalled } = retrieved
        // In a crisis nobody waits for a model.
        const understood = screened.action === "crisis" ? BY_RULES : yield* understand(analyst, { turn, history, recalled, onSpent })
        return { ...understood, grounding: yield* ground(turn, { history, recalled }, understood.analysis) }
      }), ({ grounding, usage, errorCode }) => ({ status: errorCode === null ? "ok" : "fallback", decision: grounding.intent, usage, errorCode }))

      const { character, endUser } = turn
      const texts = safetyTextsFor([character.safety.crisis_locale, endUser.locale, ...character.voice.languages], safetyTexts)
      const safety = yield* trail.stage("safety", Effect.sync(() => judge(screened, analysis)), (verdict) => ({ decision: verdictName(verdict) }))
      if (safety.action === "crisis") {
        for (const stage of ["knowledge", "generation", "emission"] as const) trail.skip(stage, "crisis")
        return Outcome.cases.Replied.make({ bubbles: texts.crisis })
      }
      const knowledge = yield* trail.stage("knowledge", Effect.sync(() => know(character, analysis)))

      const recorded = character.behavioral_thresholds.exit > 0 ? yield* record.before(turn) : { boundaries: 0, crisis: false }
      const decisions = decisionsOpen({ turn, history, grounding, safety, recorded })
      const decides = (reply: Reply, decision: Decision) => reply.decision === decision && decisions.includes(decision)
      const request: Omit<WriteRequest, "onSpent"> = { turn, history, retrieved, grounding, safety, knowledge, decisions, refusedBy: null }
      const written = yield* Effect.result(Effect.retry(write(trail, request), { times: 1 }))
      if (Result.isFailure(written)) return Outcome.cases.Failed.make({ reason: "generation_failed" })
      const { reply } = written.success
      if (decides(reply, "withhold")) {
        trail.skip("emission", "withheld")
        return Outcome.cases.Withheld.make({})
      }

      const saidBy = (wanted: "user" | "character") => history.filter(({ role }) => role === wanted).map(({ text }) => text)
      const context: GateContext = {
        character,
        endUser,
        userTexts: [turn.text, ...saidBy("user").toReversed()].slice(0, QUESTION_MESSAGES),
        characterTexts: saidBy("character"),
        memories: new Map([...history, ...retrieved.recalled].map((said) => [memoryId(said), said.text])),
        serviceText,
        mustNotReveal: knowledge.mustNotReveal
      }
      const emission = (draft: EmittedDraft) => trail.stage("emission", Effect.sync(() => emit(draft, context)), ({ refusedBy }) => ({
        decision: refusedBy === null ? "passed" : `refused:${refusedBy}`
      }))
      const passes = ({ bubbles, citedIds }: EmittedDraft) => refusal({ text: bubbles.join("\n"), citedIds }, context) === null

      if (decides(reply, "exit")) {
        // Leaving is decided; last words that may not be said are not.
        const lastWords = yield* emission(draftOf(reply))
        return Outcome.cases.Exited.make({ reasonCode: reply.exit_reason ?? DEFAULT_EXIT_REASON, bubbles: lastWords.bubbles ?? [] })
      }

      const polished = Effect.fnUntraced(function*(draft: EmittedDraft) {
        if (turn.replyMode !== "deep" || critic === null || !passes(draft)) return draft
        const cited = draft.citedIds.flatMap((id) => context.memories.get(id) ?? [])
        return yield* polish(critic, trail, { turn, draft, characterTexts: context.characterTexts, cited, passes })
      })
      const first = yield* emission(yield* polished(draftOf(reply)))
      if (first.refusedBy === null) return Outcome.cases.Replied.make({ bubbles: first.bubbles })

      // The character could speak a moment ago, so from here on a line of its author is better than a failure.
      let refused: { readonly by: GateName; readonly draft: EmittedDraft } = { by: first.refusedBy, draft: draftOf(reply) }
      // What the author wants blocked is not asked for a second time.
      if (first.refusedBy !== "forbidden_block") {
        const redraft = yield* Effect.result(write(trail, { ...request, decisions: ["reply"], refusedBy: first.refusedBy }))
        if (Result.isSuccess(redraft)) {
          const draft = draftOf(redraft.success.reply)
          const second = yield* emission(draft)
          if (second.refusedBy === null) return Outcome.cases.Replied.make({ bubbles: second.bubbles })
          refused = { by: second.refusedBy, draft }
        }
      }
      const bubbles = yield* trail.stage("emission", Effect.sync(() => fallbackBubbles(turn, context, texts, refused)), () => ({
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
