import type { Mentions } from "./Mentions.ts"
import { isDreamt, isOthersPlan, startsWithTheirs } from "./passing.ts"
import { type Found, isClose, pronounOf } from "./subjects.ts"
import { topicOf } from "./topics.ts"

const FIRST_WORD = /^\p{L}+/u
const NAME_NEXT = /^,? \p{Lu}\p{L}+,?/u

/** "my flatmate wants a parrot", "she'll say no": what people around the person have in mind. */
export const isPlanOfOthers = (bare: string, subject: Found | null, mentions: Mentions): boolean => {
  const genders = pronounOf(bare)
  const who = subject?.atTheStart === true ? subject : genders === null ? mentions.about(bare) : mentions.meant(genders)
  if (who === null || topicOf(who.noun) !== "person") return false
  if (isClose(who)) return isDreamt(bare)
  if (genders !== null) return startsWithTheirs(bare) || isOthersPlan(bare.replace(FIRST_WORD, ""))
  return isOthersPlan(subject?.atTheStart === true ? bare.slice(subject.end).replace(NAME_NEXT, "") : bare)
}
