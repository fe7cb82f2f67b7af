import { historyText } from "./historyText.ts"
import type { Utterance } from "./Transcript.ts"

/** How many utterances a turn reads. A session with fewer is read as a whole. */
export const HISTORY_UTTERANCES = 24
/** A turn takes up three positions on the log, so a block is about eight turns: sixteen utterances. */
const BLOCK_CURSORS = 24
/** Of long messages, fewer fit. They are left out in blocks of about four turns. */
const SHORT_BLOCK_CURSORS = 12
/** At least this many remain when a block is left out. If they would not, a short block is. */
const MIN_UTTERANCES = 8
/** Limit for the blocks that are complete. What follows them may use the rest of `MAX_CHARS`. */
const MAX_SETTLED_CHARS = 4_400
const MAX_CHARS = 6_000
/** Longer utterances are cut, so that one pasted text does not displace everything else. */
const MAX_UTTERANCE_CHARS = 2_000

const cut = (said: Utterance): Utterance => {
  const short =
    said.text.length <= MAX_UTTERANCE_CHARS
      ? said
      : { ...said, text: `${said.text.slice(0, MAX_UTTERANCE_CHARS).toWellFormed()}…` }
  return short.referred === undefined ? short : { ...short, text: historyText(short), referred: [] }
}
const charsIn = (history: ReadonlyArray<Utterance>): number => history.reduce((sum, { text }) => sum + text.length, 0)

/** The latest utterances that fit, at least one. */
const latest = (history: ReadonlyArray<Utterance>): ReadonlyArray<Utterance> => {
  let left = MAX_CHARS
  const last = history.findLastIndex(({ text }) => (left -= text.length) < 0)
  return history.slice(Math.min(last + 1, history.length - 1))
}

/** Where the shown part may begin: the first message of the person in each block. Chat turns start with the person. */
const beginsOf = (history: ReadonlyArray<Utterance>, blockCursors: number): ReadonlyArray<number> => {
  const blockOf = (place: number): number => Math.floor((history[place]?.cursor ?? 0) / blockCursors)
  const asked = history.flatMap(({ role }, place) => (role === "user" ? [place] : []))
  const isFirst = (place: number, before: number | undefined) =>
    before !== undefined && blockOf(before) !== blockOf(place)
  return [
    ...(history.length < HISTORY_UTTERANCES ? [0] : []),
    ...asked.filter((place, n) => isFirst(place, asked[n - 1]))
  ]
}

/**
 * The part of the history that prompts show. It only grows at its end, and loses its oldest block about every eight
 * turns, so that providers can cache everything before the newest message. Depends on the log alone, so every worker
 * cuts at the same place.
 */
export const shownHistory = (history: ReadonlyArray<Utterance>): ReadonlyArray<Utterance> => {
  const all = history.map(cut)
  const newest = all.at(-1)
  if (newest === undefined) return all
  const openBlock = Math.floor(newest.cursor / SHORT_BLOCK_CURSORS)
  const open = all.findIndex(({ cursor }) => Math.floor(cursor / SHORT_BLOCK_CURSORS) === openBlock)
  const fits = (place: number) =>
    charsIn(all.slice(place, open)) <= MAX_SETTLED_CHARS && charsIn(all.slice(place)) <= MAX_CHARS
  const keepsEnough = (place: number) => place === 0 || all.length - place >= MIN_UTTERANCES
  const from =
    beginsOf(all, BLOCK_CURSORS).find((place) => keepsEnough(place) && fits(place)) ??
    beginsOf(all, SHORT_BLOCK_CURSORS).find(fits)
  return from === undefined ? latest(all.slice(open)) : all.slice(from)
}
