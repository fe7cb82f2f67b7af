import { terms } from "../../retrieval/terms.ts"
import { topicsTold } from "../../retrieval/topics/topics.ts"
import { tellingWords } from "./notFacts.ts"
import { kin, NOUN, topicOf } from "./topics.ts"

/** Names that people write in lower case: "my brother jan died", "me and my husband colin". */

const AFTER_RELATION = new RegExp(
  String.raw`(?<!\p{L})((?:my|our) (?:\p{Ll}{2,12} )??(${NOUN}|sis|bro|gf|bf|` +
    String.raw`hubby),? )(\p{Ll}{2,15})(?=( \p{L}{2,12}|['’]s)?(?!\p{L}))`,
  "gu"
)
/** A word before one of these is a name. */
const VERB = new RegExp(
  "^(?:['’]s|is|was|has|had|died|passed|lives?|lived|works|worked|loves|loved|likes|liked|hates|plays|played|wants|" +
    "wanted|says|said|moved|used|does|did|cooks|keeps|kept|makes|thinks|calls|went|came|turned|turns|started|bought|" +
    "gave|taught|built|told|and)$",
  "u"
)
/** Names end like this too, but more often verbs and adverbs do. */
const NO_NAME = new RegExp(
  "(?:(?:ed|ing|ly|[^aeiou]s)$|^(?:just|never|always|often|only|also|still|once|then|who|which|that|and|or|but|is|" +
    "was|has|had|will|can|could|would|should|did|does|went|came|gave|got|left|lost|quit|broke|said|told|made|kept|in|" +
    "on|at|to|from|with|for|of|as|so|because|when|if|tongue|food|litter|walker|shower|group|toy|sitter|law|today|" +
    "tonight|alone|again|too|though|tho|lol|btw|yesterday|before|there|here|out|off|back|up|down|about|over|until|" +
    "recently|actually|finally|usually|maybe|probably|since|after|while|where|how|why|what|are|were|am|be|been|have|" +
    "do|now|all|both|not|dont|isnt|wasnt|hasnt|cant|wont|really|very|kinda|is|passed|died)$)",
  "u"
)

const isName = (word: string): boolean =>
  !NO_NAME.test(word) && tellingWords(word).length > 0 && terms(word).every((term) => topicsTold(term).size === 0)

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** The clause with such names capitalized, so that it is read like any other. Bounded: clauses are short. */
export const withCapitalNames = (clause: string): string =>
  clause.replace(
    AFTER_RELATION,
    (whole, before: string, noun: string, word: string, next: string | undefined, at: number) => {
      if (!["person", "pet"].includes(topicOf(kin(noun))) || !isName(word)) return whole
      const after = clause.slice(at + whole.length)
      const isLast = /^[.!,]?\s{0,3}$/.test(after) || after.startsWith(",")
      const named = next === undefined ? isLast && at > 0 : VERB.test(next.trim())
      return named ? `${before}${capital(word)}` : whole
    }
  )
