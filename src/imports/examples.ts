import type { Text } from "./Text.ts"

export interface Turn {
  readonly role: "user" | "character"
  readonly text: string
}

const MAX_TURNS = 12
const LONGEST_TURN = 2000
const LONGEST_SAMPLE = 600
const MAX_DIALOGUES = 500
const MAX_SAMPLES = 40
const START = /<start>/i

const BEFORE_A_NAME = /^\s{0,4}(?:\*\*)?/
const AFTER_A_NAME = /^(?:\*\*)?\s?:\s?(?:\*\*)?/
const PERSON: ReadonlyArray<string> = ["{{user}}", "user", "you", "interviewer", "anon"]

/** Who speaks a line, and what they say. Null: it does not begin with a name and a colon. */
type Speaker = (line: string) => { readonly role: Turn["role"]; readonly said: string } | null

const speakerOf = (names: ReadonlyArray<string>): Speaker => {
  const given = names.filter((name) => name !== "").map((name) => name.toLowerCase())
  const known = [...PERSON, "{{char}}", ...(given.length === 0 ? ["char"] : given)]
  return (line) => {
    const rest = line.replace(BEFORE_A_NAME, "")
    for (const name of known) {
      const after = rest.slice(name.length)
      if (rest.slice(0, name.length).toLowerCase() === name && AFTER_A_NAME.test(after))
        return { role: PERSON.includes(name) ? "user" : "character", said: after.replace(AFTER_A_NAME, "") }
    }
    return null
  }
}

/**
 * Lines that begin with a name and a colon, each with its continuation lines. Text before the first of them is `stray`.
 */
const turnsIn = (block: string, speaker: Speaker): { readonly turns: ReadonlyArray<Turn>; readonly stray: string } => {
  const turns: Array<{ readonly role: Turn["role"]; readonly lines: Array<string> }> = []
  const stray: Array<string> = []
  for (const line of block.split("\n")) {
    const spoken = speaker(line)
    if (spoken !== null) turns.push({ role: spoken.role, lines: [spoken.said] })
    else (turns.at(-1)?.lines ?? stray).push(line)
  }
  return {
    turns: turns.map(({ role, lines }) => ({ role, text: lines.join("\n").trim() })).filter(({ text }) => text !== ""),
    stray: stray.join("\n").trim()
  }
}

const isBoth = (turns: ReadonlyArray<Turn>): boolean =>
  turns.some(({ role }) => role === "user") && turns.some(({ role }) => role === "character")

/**
 * Conversations that a description tells its character by, and the description without them. A conversation is a run of
 * spoken lines with both sides in it.
 */
export const dialoguesIn = (
  description: string,
  names: ReadonlyArray<string>
): { readonly blocks: ReadonlyArray<string>; readonly rest: string } => {
  const speaker = speakerOf(names)
  const blocks: Array<string> = []
  const rest: Array<string> = []
  let run: Array<string> = []
  const end = () => {
    const block = run.join("\n")
    if (isBoth(turnsIn(block, speaker).turns)) blocks.push(block)
    else rest.push(...run)
    run = []
  }
  for (const [place, line] of description.split("\n").entries()) {
    const isSpoken = speaker(line) !== null
    if (run.length === 0 && !isSpoken) rest.push(line)
    else if (isSpoken || (line.trim() !== "" && place > 0 && run.at(-1)?.trim() !== "")) run.push(line)
    else if (line.trim() === "") run.push(line)
    else {
      end()
      rest.push(line)
    }
  }
  end()
  return { blocks, rest: rest.join("\n").trim() }
}

/** Collects dialogues of both sides as examples, and monologues of the character as voice samples. */
export class Examples {
  readonly dialogues: Array<object> = []
  readonly samples: Array<{ readonly text: string; readonly situation?: string }> = []
  readonly #text: Text

  constructor(text: Text) {
    this.#text = text
  }

  /** One conversation. */
  take(turns: ReadonlyArray<Turn>, path: string): void {
    const spoken = turns
      .map(({ role, text }) => ({ role, text: this.#text.bounded(this.#text.spoken(text, path), LONGEST_TURN, path) }))
      .filter(({ text }) => text !== "")
    for (let at = 0; at < spoken.length; at += MAX_TURNS) {
      const some = spoken.slice(at, at + MAX_TURNS)
      if (isBoth(some)) this.#takeDialogue(some, path)
      else this.#takeMonologue(some, path)
    }
  }

  #takeDialogue(turns: ReadonlyArray<Turn>, path: string): void {
    const [first, second] = turns
    if (turns.length === 2 && first?.role === "user" && second?.role === "character" && [...first.text].length <= 1000)
      this.dialogues.push({ user: first.text, character: second.text })
    else this.dialogues.push({ turns })
    this.#text.report.mapped(path, "character.example_dialogues")
  }

  #takeMonologue(turns: ReadonlyArray<Turn>, path: string): void {
    for (const { role, text } of turns) {
      if (role === "character") this.takeSample(text, path)
      else this.#text.report.dropped(path, "The person speaks, but the character does not answer.")
    }
  }

  takeSample(text: string, path: string, situation?: string): void {
    const bounded = this.#text.bounded(text, LONGEST_SAMPLE, path)
    if (bounded === "") return
    this.samples.push({ text: bounded, ...(situation !== undefined && { situation }) })
    this.#text.report.mapped(path, "character.voice_samples")
  }

  /** Takes blocks separated by `<START>`, in prepared text. */
  takeBlocks(source: string, names: ReadonlyArray<string>, path: string): void {
    const speaker = speakerOf(names)
    for (const block of source.split(START)) {
      const { turns, stray } = turnsIn(block, speaker)
      if (stray !== "") this.#text.report.dropped(path, "Text before the first speaker.")
      this.take(turns, path)
    }
  }

  /** Up to the maximum number that a character may have. */
  get fields(): object {
    const { report } = this.#text
    if (this.dialogues.length > MAX_DIALOGUES)
      report.warn("list_truncated", "character.example_dialogues", `More than ${MAX_DIALOGUES}. The rest was omitted.`)
    if (this.samples.length > MAX_SAMPLES)
      report.warn("list_truncated", "character.voice_samples", `More than ${MAX_SAMPLES}. The rest was omitted.`)
    return {
      ...(this.dialogues.length > 0 && { example_dialogues: this.dialogues.slice(0, MAX_DIALOGUES) }),
      ...(this.samples.length > 0 && { voice_samples: this.samples.slice(0, MAX_SAMPLES) })
    }
  }
}
