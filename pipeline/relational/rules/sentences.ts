/** Abbreviations whose period does not end a sentence. */
const ABBREVIATION = new RegExp(
  String.raw`(?:^|[\s(])(?:dr|dra|mr|mrs|ms|st|prof|sr|sra|srta|fr|hr|jr|vs|approx|etc|ca|nr|no|bzw|usw|e\.g|` +
    String.raw`i\.e|z\.b|` +
    String.raw`d\.h|a\.m|p\.m|\p{L})\.$`,
  "iu"
)
/** "am 4. Mai": an ordinal number in German. */
const ORDINAL = /(?:^|\s)\d{1,2}\.$/
const LONGEST_ABBREVIATION = 9
const ENDS = /(?<=[.!?…;])\s+|\n+/
/** A clause with a subject of its own after a comma or a conjunction. */
const CLAUSES = new RegExp(
  String.raw`,\s+(?:and\s+)?(?=(?:i(?:['’]?m|['’]?ve|['’]?d|['’]?ll)?|hes?|shes?|we|they(?:re)?|my|` +
    String.raw`our)(?:['’]\p{L}+)? )|` +
    String.raw`,\s+(?=(?:tem|está|vive|mora|trabalha|estuda) )|` +
    String.raw`\sand\s+(?=(?:i(?:['’]?m|['’]?ve)?|my|we|our|her name|his name|she['’]?s called|he['’]?s called) )|` +
    String.raw`\sbut\s+(?=(?:my|our) )|,\s+(?=(?:ich|er|sie|wir|mein|meine|ela|ele|eu|ella|él) )`,
  "giu"
)
/** "my brother and": the subject of what follows. */
const ONLY_A_SUBJECT =
  /^(?:(?:well|so|but|and|yes|no),? )?(?:my |our |mein |meine |o meu |a minha |mi )?(?:\p{L}+ ){0,2}\p{L}+$/iu
/** "I moved to Faro!" without the mark, so that more can follow. */
export const withoutFinalStop = (sentence: string): string => sentence.replace(/(?<![.!])[.!]+$/, "")

const VERB = /\b(?:is|was|are|were|am|has|have|had|do|did|does|can|will|\p{L}{2,20}(?:ed|es|s))\b|['’](?:s|m|re|ve)\b/iu
const MAX_SUBJECT_WORDS = 4

const joined = (parts: ReadonlyArray<string>, belongs: (left: string, right: string) => boolean, by: string) =>
  parts.reduce<Array<string>>((all, part) => {
    const last = all.at(-1)
    if (last !== undefined && belongs(last, part)) all[all.length - 1] = `${last}${by}${part}`
    else all.push(part)
    return all
  }, [])

/** The sentences of a message. Abbreviations and ordinal numbers do not end one. */
export const sentencesOf = (text: string): ReadonlyArray<string> =>
  joined(
    text
      .split(ENDS)
      .map((part) => part.trim())
      .filter((part) => part !== ""),
    (left, right) => {
      const end = left.slice(-LONGEST_ABBREVIATION)
      return ABBREVIATION.test(end) || (ORDINAL.test(end) && /^\p{L}/u.test(right))
    },
    " "
  )

const wordsIn = (text: string): number => text.split(/\s+/).length

/**
 * The clauses of a sentence that have subjects of their own. "my brother and I don't speak" is one clause: it is about
 * both.
 */
export const clausesOf = (sentence: string): ReadonlyArray<string> => {
  const clauses: Array<string> = []
  let from = 0
  for (const { index, 0: gap } of sentence.matchAll(CLAUSES)) {
    const left = sentence.slice(from, index).trim()
    if (wordsIn(left) <= MAX_SUBJECT_WORDS && ONLY_A_SUBJECT.test(left) && !VERB.test(left) && !gap.startsWith(","))
      continue
    if (left !== "") clauses.push(left)
    from = index + gap.length
  }
  const last = sentence.slice(from).trim()
  return last === "" ? clauses : [...clauses, last]
}
