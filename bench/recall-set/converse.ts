import { seeded } from "../support/seeded.ts"
import type { Life, QuestionKind, Said } from "./Life.ts"

const TURNS = 640
const BEGAN = Date.parse("2026-01-05T07:00:00Z")
const HOUR_MS = 3_600_000
/** Maximum hours between two turns. The conversation lasts for about a year. */
const MAX_HOURS = 27

export interface Turn {
  readonly person: string
  readonly character: string
  readonly personCursor: number
  readonly at: Date
}

export interface Question {
  readonly kind: QuestionKind
  readonly text: string
  /** Cursors of the messages that contain the answer. */
  readonly cursors: ReadonlyArray<number>
  readonly after: readonly [string, string]
}

export interface Conversation {
  readonly turns: ReadonlyArray<Turn>
  readonly questions: ReadonlyArray<Question>
  readonly endedAt: Date
}

/**
 * A long conversation from a life: its episodes in order, with small talk between them. The same seed gives the same
 * conversation.
 */
export const converse = ({ episodes, chatter, blanks, questions }: Life, seed: number): Conversation => {
  const random = seeded(seed)
  const below = (most: number) => Math.floor(random() * most)
  const oneOf = <A>(items: ReadonlyArray<A>): A => items[below(items.length)] as A
  const smallTalk = (): Said => {
    const drawn = new Map<string, string>()
    const filled = (text: string) =>
      text.replace(/\{(\w+)\}/g, (_, blank: string) => {
        const word = drawn.get(blank) ?? oneOf(blanks[blank] ?? [])
        drawn.set(blank, word)
        return word
      })
    const [person, character] = oneOf(chatter)
    return [filled(person), filled(character)]
  }

  const spokenBefore = (): readonly [string, string] => {
    const [person, character] = smallTalk()
    return [person, character]
  }

  const told = episodes.reduce((sum, episode) => sum + episode.length, 0)
  // Each episode has a position in the small talk, and none is at the end: questions are about the distant past.
  const breaks = episodes.map(() => below(TURNS - told - 24)).sort((a, b) => a - b)
  const said: Array<Said> = []
  for (const [n, episode] of episodes.entries()) {
    const before = (breaks[n] ?? 0) - (breaks[n - 1] ?? 0)
    said.push(...Array.from({ length: before }, smallTalk), ...episode)
  }
  while (said.length < TURNS) said.push(smallTalk())

  let at = BEGAN
  const cursors = new Map<string, number>()
  const turns = said.map(([person, character, name], n): Turn => {
    at += Math.ceil(random() * MAX_HOURS * HOUR_MS)
    const personCursor = 2 * n + 1
    if (name !== undefined) cursors.set(name, personCursor)
    return { person, character, personCursor, at: new Date(at) }
  })
  return {
    turns,
    endedAt: new Date(at + HOUR_MS),
    questions: questions.map(({ kind, text, answer, after }) => ({
      kind,
      text,
      cursors: answer.map((name) => {
        const cursor = cursors.get(name)
        if (cursor === undefined) throw new Error(`nobody says ${name}`)
        return cursor
      }),
      after: after ?? spokenBefore()
    }))
  }
}
