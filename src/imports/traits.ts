const LONGEST_TRAIT = 40
const MAX_WORDS = 5

/** The traits in a comma-separated list. Null for prose. */
export const traitsOf = (text: string): ReadonlyArray<string> | null => {
  const line = text.trim().replace(/\.$/, "")
  if (line === "" || line.includes("\n")) return null
  const traits = line
    .split(/[,;]/)
    .map((trait) => trait.trim().replace(/^and /i, ""))
    .filter((trait) => trait !== "")
  const isList =
    traits.length >= 2 &&
    traits.every(
      (trait) => trait.length <= LONGEST_TRAIT && trait.split(/\s+/).length <= MAX_WORDS && !/[.!?]/.test(trait)
    )
  return isList ? traits : null
}

/** `[Mara's Personality= "a", "b"]`, and W++'s `Personality("a" + "b")`. */
const BLOCKS: ReadonlyArray<RegExp> = [
  /\[[^[\]=]{0,60}\bpersonality\s{0,4}=\s{0,4}((?:"[^"\n]{1,80}"\s{0,8}(?:[,+]\s{0,8})?){1,60})\]/i,
  /\bpersonality\s{0,4}\(\s{0,4}((?:"[^"\n]{1,80}"\s{0,8}(?:[,+]\s{0,8})?){1,60})\)/i
]

/** The traits that a description lists in one of the common notations, and the description without that list. */
export const withoutPersonalityBlock = (
  description: string
): { readonly traits: ReadonlyArray<string>; readonly rest: string } => {
  for (const block of BLOCKS) {
    const match = block.exec(description)
    if (match === null) continue
    const traits = [...(match[1] ?? "").matchAll(/"([^"]{1,80})"/g)]
      .map(([, trait = ""]) => trait.trim().slice(0, LONGEST_TRAIT))
      .filter((trait) => trait !== "")
    return { traits: traits.slice(0, 20), rest: description.replace(match[0], "") }
  }
  return { traits: [], rest: description }
}
