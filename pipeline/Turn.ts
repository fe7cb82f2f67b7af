import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Critic } from "./critic/Critic.ts"
import { polish } from "./critic/polish.ts"
import { addressed } from "./domain/addressed.ts"
import { fillMacros } from "./domain/macros.ts"
import { Outcome, type ReplyMode, type Turn } from "./domain/Turn.ts"
import { type EmittedDraft, emit } from "./emission/emit.ts"
import { fallbackBubbles } from "./emission/fallback.ts"
import { gateContextFor } from "./emission/gateContext.ts"
import { pictureOf } from "./emission/picture.ts"
import { type GateName, openQuestion } from "./emission/gates.ts"
import { enact } from "./enact.ts"
import { decisionsOpen } from "./generation/decisions.ts"
import { type Decision, type Reply, Writer, type WriteRequest } from "./generation/Writer.ts"
import { Analyst } from "./grounding/Analyst.ts"
import { ground } from "./grounding/ground.ts"
import { BY_RULES, understand } from "./grounding/understand.ts"
import { know } from "./knowledge/know.ts"
import { languageAmong } from "./languages.ts"
import { onEmission, onFallback, onGeneration, onGrounding, onRetrieval } from "./remarks.ts"
import { EvidenceStore } from "./retrieval/EvidenceStore.ts"
import { LoreRecord } from "./retrieval/LoreRecord.ts"
import { MemoryStore } from "./retrieval/MemoryStore.ts"
import { Recall } from "./retrieval/Recall.ts"
import { retrieve } from "./retrieval/retrieve.ts"
import { Transcript } from "./retrieval/Transcript.ts"
import { asMinor } from "./safety/cardAge.ts"
import { DISCLOSED, gentlyAfter, judge, REMINDED, screen, TOLD_UNDER_AGE, verdictName } from "./safety/judge.ts"
import { SafetyRecord } from "./safety/SafetyRecord.ts"
import {
  alarmTexts,
  SAFETY_LANGUAGES,
  safetyLanguages,
  type SafetyTextsByLocale,
  safetyTextsFor
} from "./safety/texts.ts"
import { callsUnderAge } from "./safety/calledUnderAge.ts"
import { messageLanguage } from "./safety/messageScores.ts"
import { saysUnderAge } from "./safety/underAge.ts"
import type { Trail } from "./Trail.ts"
import { WorldStore } from "./world/WorldStore.ts"

export interface TurnPipelineOptions {
  /** How long one run of a turn may take, by its mode. */
  readonly deadlines: Readonly<Record<ReplyMode, Duration.Duration>>
  /** Our rules to the model, watched for in replies. */
  readonly serviceText: string
  /** The operator's own safety texts, over ours. */
  readonly safetyTexts: SafetyTextsByLocale
}

/** What emission needs of a deadline at most. */
const EMISSION_MS = 1_000

/** What a character may decide that answers nobody. */
const MAY_WRITE_FIRST: ReadonlyArray<Decision> = ["reply", "withhold"]

const DEFAULT_EXIT_REASON = "boundary_violation"

const draftOf = ({ bubbles, cited_memory_ids }: Reply): EmittedDraft => ({ bubbles, citedIds: cited_memory_ids })

/** The words that the app has scheduled for this turn, a bubble for each paragraph; null: the turn is to be written. */
const scheduledReply = ({ initiative, character, endUser }: Turn): Reply | null => {
  if (initiative?.text === undefined) return null
  const text = fillMacros(initiative.text, { character: character.display_name, user: endUser.displayName })
  const bubbles = text
    .split("\n\n")
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== "")
  return { decision: "reply", exit_reason: null, bubbles, cited_memory_ids: [] }
}

/** A turn becomes a reply. Never fails: whatever goes wrong is an outcome, and only interruption passes through. */
export class TurnPipeline extends Context.Service<
  TurnPipeline,
  {
    /** One attempt, which leaves its records on the trail. */
    readonly run: (turn: Turn, trail: Trail) => Effect.Effect<Outcome>
    /**
     * How long nothing happens before the turn is to be run, in milliseconds: meanwhile it takes up no place that
     * another turn could have.
     */
    readonly stallMs: (turn: Turn) => number
  }
>()("pipeline/TurnPipeline") {
  static readonly layer = ({ deadlines, serviceText, safetyTexts }: TurnPipelineOptions) =>
    Layer.effect(
      TurnPipeline,
      Effect.gen(function* () {
        const ports = {
          transcript: yield* Transcript,
          recall: yield* Recall,
          memoryStore: yield* MemoryStore,
          evidenceStore: yield* EvidenceStore,
          worldStore: yield* WorldStore,
          loreRecord: yield* LoreRecord
        }
        const record = yield* SafetyRecord
        const analyst = yield* Analyst
        const writer = yield* Writer
        const critic = yield* Critic

        const write = (trail: Trail, request: Omit<WriteRequest, "onSpent">) =>
          trail.paying("generation", (onSpent) => writer.write({ ...request, onSpent }), onGeneration)

        const stages = Effect.fnUntraced(function* (accepted: Turn, trail: Trail) {
          const begunAt = yield* Clock.currentTimeMillis
          const retrieval = yield* trail.stage("retrieval", retrieve(ports, accepted), onRetrieval)
          const { history, retrieved, relationship, trust } = retrieval
          const lastSaid = history.findLast(({ role }) => role === "character")?.text
          // Whoever says so is known to be a minor from this message on. Taking it back makes nobody older: that is for
          // the app to say.
          const toldUnderAge =
            accepted.initiative === undefined &&
            accepted.endUser.ageBand !== "minor" &&
            saysUnderAge(accepted.text, new Date(begunAt), lastSaid)
          // The same for the character, for as long as this person talks to it.
          const calledUnderAge =
            accepted.initiative === undefined &&
            accepted.character.safety.age_band === "adult" &&
            callsUnderAge(accepted.text)
          const turn: Turn = {
            ...accepted,
            ...(toldUnderAge && { endUser: { ...accepted.endUser, ageBand: "minor" } }),
            ...(calledUnderAge && { character: asMinor(accepted.character) })
          }
          if (toldUnderAge) yield* record.isMinor(turn)
          if (calledUnderAge) yield* record.isMinorCharacter(turn)
          const { character, endUser } = turn

          // Whoever was in danger a moment ago is not chatted up.
          if (turn.initiative !== undefined && (yield* record.before(turn)).crisis)
            return Outcome.cases.Withheld.make({ by: "crisis" })

          const screened = screen(turn)
          const memories = { history, recalled: retrieved.recalled, remembered: retrieved.memories }
          const { analysis, grounding } = yield* trail.paying(
            "grounding",
            (onSpent) =>
              Effect.gen(function* () {
                // In a crisis nobody waits for a model.
                const understood =
                  screened.action === "crisis" || turn.initiative !== undefined
                    ? BY_RULES
                    : yield* understand(analyst, { turn, ...memories, onSpent })
                return { ...understood, grounding: yield* ground(turn, memories, understood.analysis) }
              }),
            onGrounding
          )

          const texts = safetyTextsFor(
            safetyLanguages(screened.language ?? languageAmong(turn.text, SAFETY_LANGUAGES), [
              character.safety.crisis_locale,
              endUser.locale,
              ...character.voice.languages
            ]),
            safetyTexts
          )
          // Said once, with the first answer; a greeting comes before anybody has asked.
          const answered = history.some(
            ({ role }, place) =>
              role === "character" && history.slice(0, place).some((earlier) => earlier.role === "user")
          )
          const opening = character.safety.ai_disclosure === "explicit" && !answered ? texts.ai_opening : []
          const verdict = gentlyAfter(judge(screened, analysis), history, turn.afterCrisis)
          const reminds =
            endUser.ageBand === "minor" && verdict.action !== "crisis" && (yield* record.reminderDue(turn))
          const replied = (bubbles: ReadonlyArray<string>) =>
            Outcome.cases.Replied.make({ bubbles: [...opening, ...(reminds ? texts.break_reminder : []), ...bubbles] })
          /** With the picture that the reply has asked for, where it may have one. */
          const spoken = Effect.fnUntraced(function* (bubbles: ReadonlyArray<string>, reply: Reply) {
            const asked = pictureOf(turn, verdict, reply)
            if (asked === null) return replied(bubbles)
            if ("dropped" in asked) trail.skip("image", asked.dropped)
            else yield* trail.stage("image", Effect.void, () => ({ decision: "requested" }))
            return "wish" in asked
              ? Outcome.cases.Replied.make({ ...replied(bubbles), picture: asked.wish })
              : replied(bubbles)
          })
          const safety = yield* trail.stage("safety", Effect.succeed(verdict), () => ({
            decision: `${verdictName(verdict)}${toldUnderAge ? TOLD_UNDER_AGE : ""}${opening.length > 0 ? DISCLOSED : ""}${reminds ? REMINDED : ""}`
          }))
          if (safety.action === "crisis") {
            for (const stage of ["knowledge", "generation", "emission"] as const) trail.skip(stage, "crisis")
            return replied(alarmTexts(texts, safety.alarm))
          }

          const knowledge = yield* trail.stage(
            "knowledge",
            Effect.sync(() => know(character, analysis, trust))
          )

          const recorded =
            character.behavioral_thresholds.exit > 0 && turn.initiative === undefined
              ? yield* record.before(turn)
              : { boundaries: 0, crisis: false }
          const decisions =
            turn.initiative === undefined
              ? decisionsOpen({ turn, history, grounding, safety, recorded })
              : MAY_WRITE_FIRST
          const request: Omit<WriteRequest, "onSpent"> = {
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
          if (scheduled !== null) trail.skip("generation", "scheduled_text")
          const written =
            scheduled === null
              ? yield* Effect.result(Effect.retry(write(trail, request), { times: 1 }))
              : Result.succeed({ reply: scheduled })
          if (Result.isFailure(written))
            return Outcome.cases.Failed.make({ reason: written.failure.isTimeout ? "timed_out" : "generation_failed" })
          const { reply } = written.success
          const decides = (decision: Decision) => reply.decision === decision && decisions.includes(decision)
          if (decides("withhold")) {
            trail.skip("emission", "withheld")
            return Outcome.cases.Withheld.make(turn.initiative === undefined ? {} : { by: "writer" })
          }

          const context = gateContextFor(turn, retrieval, grounding, knowledge, serviceText)
          const question = openQuestion(context)
          // The truth comes in the language in which it was asked for.
          const asking =
            question === null ? null : (messageLanguage(question) ?? languageAmong(question, SAFETY_LANGUAGES))
          const disclosures = (asking === null ? texts : safetyTextsFor([asking], safetyTexts)).ai_disclosure
          const emission = (draft: EmittedDraft) =>
            trail.stage(
              "emission",
              Effect.sync(() => emit(draft, context)),
              onEmission
            )
          // Whoever has cried for help while this was written is not left.
          if (decides("exit") && !(yield* record.before(turn)).crisis) {
            // Leaving is decided; last words that may not be said are not.
            const { bubbles } = yield* emission(draftOf(reply))
            const left =
              bubbles ??
              (question === null
                ? []
                : yield* trail.stage("emission", Effect.succeed(disclosures.slice(0, 1)), () => onFallback(true)))
            return Outcome.cases.Exited.make({ reasonCode: reply.exit_reason ?? DEFAULT_EXIT_REASON, bubbles: left })
          }

          const unpolished = draftOf(reply)
          const left =
            Duration.toMillis(deadlines[turn.replyMode]) - EMISSION_MS - ((yield* Clock.currentTimeMillis) - begunAt)
          // A reply that could go out does not fall to a critic that is slow.
          const enough = Effect.map(Effect.sleep(Math.max(0, left)), () => {
            trail.expire()
            return unpolished
          })
          // An engine without a critic is as fast in both modes; the trace does not hide it.
          if (turn.replyMode === "deep" && critic === null) trail.skip("critic", "no_critic")
          const draft =
            turn.replyMode === "deep" && critic !== null
              ? yield* Effect.raceFirst(polish(critic, trail, turn, unpolished, context), enough)
              : unpolished
          const first = yield* emission(draft)
          if (first.refusedBy === null) return yield* spoken(first.bubbles, reply)

          // The character could speak a moment ago, so from here on a line of its author is better than a failure.
          let refused: { readonly by: GateName; readonly draft: EmittedDraft } = { by: first.refusedBy, draft }
          // What the author wants blocked is not asked for a second time, and the app's own words are not replaced.
          if (first.refusedBy !== "forbidden_block" && scheduled === null) {
            const redraft = yield* Effect.result(
              write(trail, { ...request, decisions: ["reply"], refusedBy: first.refusedBy })
            )
            if (Result.isSuccess(redraft)) {
              const draft = draftOf(redraft.success.reply)
              const second = yield* emission(draft)
              if (second.refusedBy === null) return yield* spoken(second.bubbles, redraft.success.reply)
              refused = { by: second.refusedBy, draft }
            }
          }
          // Nobody waits for these words.
          if (turn.initiative !== undefined) return Outcome.cases.Withheld.make({ by: refused.by })
          const bubbles = yield* trail.stage(
            "emission",
            Effect.sync(() => fallbackBubbles(turn, context, { ...texts, ai_disclosure: disclosures }, refused)),
            () => onFallback(question !== null)
          )
          return replied(bubbles)
        })

        const run = (given: Turn, trail: Trail) => {
          const turn = { ...given, character: addressed(given.character, given.endUser.displayName) }
          const deadline = Effect.map(Effect.sleep(deadlines[turn.replyMode]), () => {
            trail.expire()
            return Outcome.cases.Failed.make({ reason: "timed_out" })
          })
          return Effect.raceFirst(
            turn.fault === undefined ? stages(turn, trail) : Effect.succeed(enact(turn.fault, trail)),
            deadline
          ).pipe(
            Effect.catchDefect((defect) =>
              Effect.as(
                Effect.logError("turn pipeline defect", { runRef: turn.runRef, defect }),
                Outcome.cases.Failed.make({ reason: "generation_failed" })
              )
            )
          )
        }
        return TurnPipeline.of({
          run,
          stallMs: ({ fault, replyMode }) => (fault === "stall" ? Duration.toMillis(deadlines[replyMode]) : 0)
        })
      })
    )
}
