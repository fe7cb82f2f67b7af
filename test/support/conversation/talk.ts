import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Character } from "#pipeline/domain/Character.ts"
import type { StageRecord } from "#pipeline/domain/Turn.ts"
import { type Reply, Writer } from "#pipeline/generation/Writer.ts"
import { HISTORY_UTTERANCES } from "#pipeline/retrieval/shownHistory.ts"
import { Transcript, type Utterance } from "#pipeline/retrieval/Transcript.ts"
import { TurnPipeline } from "#pipeline/Turn.ts"
import { layer as offline } from "#src/model/offline/OfflineWriter.ts"
import { memoriesByRules } from "#test/support/memoriesByRules.ts"
import { bubblesOf, DEADLINES, nothingRecalled, runTurn, turnOf } from "./turns.ts"

/** One message of a script and its result. */
export interface Exchange {
  readonly asked: string
  readonly cursor: number
  readonly reply: string
  /** The engine's last draft, before the gates and the splitter. */
  readonly draft: Reply | undefined
  readonly stages: ReadonlyArray<StageRecord>
}

/**
 * Runs a script with the offline engine through the whole pipeline, on a log that starts with the character's greeting.
 * `remembers`: whether memories are extracted after each turn and read in the next one.
 */
export const talk = (
  character: Character,
  script: ReadonlyArray<string>,
  { sessionId = "ses_1", greeting = "", firstTurnIndex = 0, remembers = false } = {}
) =>
  Effect.gen(function* () {
    const at = new Date(0)
    const log: Array<Utterance> = greeting === "" ? [] : [{ role: "character", text: greeting, cursor: 1, at }]
    const drafts: Array<Reply> = []
    const kept = Layer.effect(
      Writer,
      Effect.map(Writer, (writer) =>
        Writer.of({
          ...writer,
          write: (request) => Effect.tap(writer.write(request), ({ reply }) => Effect.sync(() => drafts.push(reply)))
        })
      )
    ).pipe(Layer.provide(offline))
    const transcript = Layer.succeed(Transcript, { before: (_, limit) => Effect.sync(() => log.slice(-limit)) })
    const memories = memoriesByRules()
    const known = remembers ? Layer.merge(nothingRecalled, memories.layer) : nothingRecalled
    const pipeline = yield* Effect.provide(
      TurnPipeline,
      TurnPipeline.layer({ deadlines: DEADLINES, serviceText: "", safetyTexts: new Map(), ownTexts: new Map() }).pipe(
        Layer.provide([transcript, known, kept])
      )
    )
    const exchanges: Array<Exchange> = []
    for (const [i, asked] of script.entries()) {
      const turnIndex = firstTurnIndex + i
      const turn = turnOf({ sessionId, turnIndex, character, text: asked })
      const { outcome, stages } = yield* runTurn(pipeline, turn)
      const cursor = i * 3 + 2
      const reply = bubblesOf(outcome).join("\n")
      exchanges.push({ asked, cursor, reply, draft: drafts.at(-1), stages })
      const said: Utterance = { role: "character", text: reply, cursor: cursor + 2, at }
      memories.learn({ turn, history: log.slice(-HISTORY_UTTERANCES), cursor, reply: said })
      log.push({ role: "user", text: asked, cursor, at }, said)
    }
    return exchanges
  })
