import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { Outcome } from "#pipeline/domain/Turn.ts"
import { DEFAULT_CONTROLS } from "#pipeline/proactive/controls.ts"
import { decide, factsAfter } from "#pipeline/proactive/decide.ts"
import type { Facts } from "#pipeline/proactive/Facts.ts"
import { moodOf, type Said } from "#pipeline/proactive/mood.ts"
import { DEFAULT_POLICY } from "#pipeline/proactive/Policy.ts"
import { NO_PREFERENCES, type OpenLoop } from "#pipeline/relational/Relationship.ts"
import { contentOf } from "#pipeline/retrieval/contentWords.ts"
import { MemoryStore, NOTHING_KNOWN } from "#pipeline/retrieval/MemoryStore.ts"
import { Recall } from "#pipeline/retrieval/Recall.ts"
import { terms } from "#pipeline/retrieval/terms.ts"
import { Transcript, type Utterance } from "#pipeline/retrieval/Transcript.ts"
import { dangerIn } from "#pipeline/safety/crisis.ts"
import { TurnPipeline } from "#pipeline/Turn.ts"
import { EMPTY_WORLD } from "#pipeline/world/World.ts"
import { WorldStore } from "#pipeline/world/WorldStore.ts"
import { demoCharacters } from "#src/demo/characters.ts"
import { layer as offline } from "#src/model/offline/OfflineWriter.ts"
import { bubblesOf, characterOf, DEADLINES, runTurn, turnOf } from "#test/support/conversation/turns.ts"

/**
 * A month of five lives with a simulated clock: every hour, the character may write first. The decisions, the stages of
 * a turn and the offline engine are the server's own. What is sent is printed, and checked against what the person has
 * said.
 */

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.parse("2026-09-01T00:00:00Z")

interface Life {
  readonly name: string
  /** Day and hour of the month, and what the person writes then. */
  readonly says: ReadonlyArray<readonly [day: number, hour: number, text: string]>
  /** What comes due: when it is told, when it is due, and its text. */
  readonly loops: ReadonlyArray<readonly [day: number, dueDay: number, text: string]>
}

const LIVES: ReadonlyArray<Life> = [
  {
    name: "grief",
    says: [
      [1, 18, "hi, how are you?"],
      [1, 19, "my mum is in hospital, I'm visiting her tomorrow"],
      [4, 21, "she died this morning. mum died."],
      [4, 22, "I don't know what to do"],
      [9, 20, "the funeral was today"],
      [20, 19, "I went for a walk. first time in weeks"]
    ],
    loops: [
      [1, 2, "I'm visiting my mum in hospital tomorrow"],
      [1, 5, "supper with Paula on Saturday"],
      [4, 9, "The funeral is on Wednesday"]
    ]
  },
  {
    name: "quarrel",
    says: [
      [2, 19, "good evening"],
      [2, 20, "work was fine, nothing special"],
      [5, 21, "you never listen to me. I'm so angry at you"],
      [5, 22, "leave me alone"],
      [12, 20, "ok I'm sorry about last week"],
      [12, 21, "we're good"]
    ],
    loops: [[2, 6, "I start a pottery class on Sunday"]]
  },
  {
    name: "exam",
    says: [
      [1, 17, "hey"],
      [3, 18, "I have my statistics exam on the 11th"],
      [3, 19, "so much to learn"],
      [8, 20, "still learning. no time"],
      [11, 20, "I passed!!"],
      [18, 19, "semester is over, finally"]
    ],
    loops: [[3, 11, "I have my statistics exam on the 11th"]]
  },
  {
    name: "silence",
    says: [
      [1, 18, "hello there"],
      [1, 19, "I like the sea too"],
      [2, 19, "good night"]
    ],
    loops: []
  },
  {
    name: "holiday",
    says: [
      [2, 18, "hi! packing my bags"],
      [2, 19, "I'm off to Crete tomorrow, back on the 14th"],
      [15, 20, "back home. it was wonderful"],
      [15, 21, "the sea was so warm"]
    ],
    loops: [[2, 14, "I'm off to Crete, back on the 14th"]]
  }
]

const loopOf = ([day, due, text]: Life["loops"][number], n: number): OpenLoop => ({
  id: `lop_${n}`,
  kind: "event_followup",
  owner: "user",
  text,
  due_at: new Date(START + (due - 1) * DAY + 12 * HOUR).toISOString(),
  priority: 4,
  status: "open",
  evidence: [],
  created_at: new Date(START + (day - 1) * DAY).toISOString(),
  updated_at: new Date(START + (day - 1) * DAY).toISOString()
})

const FIRST: Omit<Facts, "sessionId"> = {
  at: START,
  policy: DEFAULT_POLICY,
  controls: { ...DEFAULT_CONTROLS, proactive_enabled: true, proactivity_tolerance: 1 },
  rhythm: characterOf({ slug: "ada", display_name: "Ada" }).life_rhythm,
  preferences: NO_PREFERENCES,
  person: { ageBand: "adult", timezone: null, blocked: false },
  unreachable: false,
  suspended: false,
  active: true,
  openTurns: 0,
  lastTurnAt: START,
  unansweredTurns: 0,
  proactiveUnanswered: false,
  lastProactiveAt: null,
  proactiveTurns: [],
  personProactiveTurns: [],
  appToday: null,
  channels: [{ kind: "event_log", today: 0 }],
  affordable: true,
  crisisAt: null,
  said: [],
  mood: null,
  loops: [],
  scheduled: [],
  beat: null
}

interface Sent {
  readonly at: number
  readonly reason: string
  readonly about: OpenLoop | null
  readonly mood: string
  readonly text: string
  /** Loops that were waiting for their day. */
  readonly notDue: ReadonlyArray<OpenLoop>
}

const monthOf = (life: Life, profile: (typeof demoCharacters)[number]) =>
  Effect.gen(function* () {
    const character = characterOf(profile)
    const log: Array<Utterance> = []
    const said: Array<Said> = []
    const sent: Array<Sent> = []
    let facts: Facts = { ...FIRST, sessionId: `ses_${life.name}` }
    let turnIndex = 0
    const say = (role: Utterance["role"], text: string, at: number) =>
      log.push({ role, text, cursor: log.length + 1, at: new Date(at) })
    const pipeline = yield* Effect.provide(
      TurnPipeline,
      TurnPipeline.layer({ deadlines: DEADLINES, serviceText: "", safetyTexts: new Map(), ownTexts: new Map() }).pipe(
        Layer.provide([
          Layer.succeed(Transcript, { before: (_, limit) => Effect.sync(() => log.slice(-limit)) }),
          Layer.succeed(Recall, { search: () => Effect.succeed({ found: [], failed: false }) }),
          Layer.succeed(WorldStore, { look: () => Effect.succeed({ world: EMPTY_WORLD, failed: false }) }),
          Layer.succeed(MemoryStore, { look: () => Effect.sync(() => ({ ...NOTHING_KNOWN, loops: facts.loops })) }),
          offline
        ])
      )
    )
    const run = (given: Parameters<typeof turnOf>[0]) =>
      Effect.map(
        runTurn(pipeline, turnOf({ sessionId: facts.sessionId, turnIndex: turnIndex++, character, ...given })),
        ({ outcome }): Outcome => outcome
      )
    for (let hour = 0; hour < 30 * 24; hour++) {
      const now = START + hour * HOUR
      yield* TestClock.setTime(now)
      const place = [Math.floor(hour / 24) + 1, hour % 24] as const
      const noted = life.loops
        .map((loop, n) => ({ day: loop[0], loop: loopOf(loop, n) }))
        .filter(({ day }) => day === place[0] && place[1] === 0)
      const known = facts.loops
      if (noted.length > 0) facts = Object.assign({}, facts, { loops: known.concat(noted.map(({ loop }) => loop)) })
      const message = life.says.find(([day, at]) => day === place[0] && at === place[1])
      if (message !== undefined) {
        const [, , text] = message
        const reply = bubblesOf(yield* run({ text })).join("\n")
        say("user", text, now)
        said.push({ text, at: now })
        if (reply !== "") say("character", reply, now)
        facts = {
          ...facts,
          lastTurnAt: now,
          unansweredTurns: 1,
          proactiveUnanswered: false,
          ...(dangerIn(text) !== null && { crisisAt: now })
        }
        continue
      }
      // The session begins with the first message.
      if (said.length === 0) continue
      const mood = moodOf(said.slice(-8), now)
      facts = { ...facts, at: now, said: said.slice(-8), mood }
      const decision = decide(facts, now)
      if (!decision.send) continue
      const { candidate } = decision
      const outcome = yield* run({
        text: "",
        proactive: {
          reason: candidate.reason,
          about: candidate.loop?.text ?? null,
          avoid: [],
          welcome: [],
          channels: ["event_log"],
          ...(mood !== null && { mood: mood.kind })
        }
      })
      const text = bubblesOf(outcome).join(" / ")
      facts = { ...factsAfter(facts, candidate, now), openTurns: 0 }
      if (text === "") continue
      say("character", text, now)
      sent.push({
        at: now,
        reason: candidate.reason,
        about: candidate.loop,
        mood: mood?.kind ?? "",
        text,
        notDue: facts.loops.filter(({ due_at }) => due_at !== null && Date.parse(due_at) > now)
      })
    }
    return sent
  })

describe("a month of messages that the character writes first", () => {
  for (const [n, life] of LIVES.entries()) {
    it.effect(`fits a life with ${life.name}`, () =>
      Effect.gen(function* () {
        const profile = demoCharacters[n % 2]
        if (profile === undefined) return
        const sent = yield* monthOf(life, profile)
        console.log(
          [
            `${life.name}, ${profile.display_name}:`,
            ...[
              ...life.says.map(([day, hour, text]) => ({
                at: START + (day - 1) * DAY + hour * HOUR,
                line: `< ${text}`
              })),
              ...sent.map(({ at, reason, mood, text }) => ({ at, line: `> [${reason} ${mood}] ${text}` }))
            ]
              .toSorted((one, other) => one.at - other.at)
              .map(({ at, line }) => `  ${new Date(at).toISOString().slice(5, 16)} ${line}`)
          ].join("\n")
        )
        assert.isNotEmpty(sent)
        for (const { at, reason, about, mood, text, notDue } of sent) {
          const where = `${new Date(at).toISOString()} ${reason}: ${text}`
          if (["grief", "conflict", "crisis"].includes(mood) && about === null) assert.notMatch(text, /\?/, where)
          if (about === null)
            for (const loop of notDue)
              for (const word of contentOf(terms(loop.text)).filter((word) => word.length > 3))
                assert.notInclude(terms(text), word, where)
          if (about !== null) assert.isAtMost(Date.parse(about.due_at ?? ""), at, where)
        }
        // Nobody who does not answer is written to again and again.
        const after = (from: number) => sent.filter(({ at }) => at > from && at < from + 7 * DAY).length
        for (const [day, hour] of life.says) assert.isAtMost(after(START + (day - 1) * DAY + hour * HOUR), 5)
      })
    )
  }
})
