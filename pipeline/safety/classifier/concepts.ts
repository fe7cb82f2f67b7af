import { readFileSync } from "node:fs"

/**
 * Words of four languages that mean the same kind of thing: "wife", "novio" and "Freundin" are partners. By them the
 * classifier carries over what it has learned of one word to others. `stem*` stands for every word that begins so.
 */
const words = new Map<string, ReadonlyArray<string>>()
const stems = new Map<string, string>()
let longestStem = 0

for (const line of readFileSync(new URL("concepts.txt", import.meta.url), "utf8").split("\n")) {
  const [concept = "", members = ""] = line.split(": ")
  for (const member of members.split(" ")) {
    if (member.endsWith("*")) {
      const stem = member.slice(0, -1)
      stems.set(stem, concept)
      longestStem = Math.max(longestStem, stem.length)
    } else words.set(member, [...(words.get(member) ?? []), concept].slice(0, 2))
  }
}

const MARK = /^[0?.,"]/
const NONE: ReadonlyArray<string> = []

/** The concepts of a token, at most two. Numbers and marks stand for themselves. */
export const conceptsOf = (token: string): ReadonlyArray<string> => {
  const known = words.get(token)
  if (known !== undefined) return known
  if (MARK.test(token)) return [token]
  for (let length = Math.min(token.length, longestStem); length > 1; length--) {
    const concept = stems.get(token.slice(0, length))
    if (concept !== undefined) return [concept]
  }
  return NONE
}
