import { terms } from "../../retrieval/terms.ts"
import { SOCIAL_ACTS } from "./socialActs.ts"
import { TOPICAL_ACTS } from "./topicalActs.ts"

/** What a message does, as far as rules can tell. `remark` is the default. */
export const ACTS = [
  "gibberish",
  "meta",
  "probe",
  "question_past",
  "farewell",
  "grief",
  "affection",
  "insult",
  "apology",
  "thanks",
  "compliment",
  "greeting",
  "joke",
  "story",
  "advice",
  "more",
  "elaborate",
  "laughter",
  "agreement",
  "disagreement",
  "acknowledgement",
  "bad_news",
  "good_news",
  "question_self",
  "question_world",
  "command",
  "plan",
  "disclosure",
  "remark"
] as const
export type Act = (typeof ACTS)[number]

const RULES = [...SOCIAL_ACTS, ...TOPICAL_ACTS]

/** How much is read of a long text: its beginning and its end, in characters. */
const READ_CHARS = 2_000
const endsOf = (text: string): string =>
  text.length <= 2 * READ_CHARS ? text : `${text.slice(0, READ_CHARS)}\n${text.slice(-READ_CHARS)}`

export const actOf = (whole: string): Act => {
  const text = endsOf(whole)
  const words = terms(text).length
  return RULES.find(({ fits, mostWords = Infinity }) => words <= mostWords && fits(text))?.act ?? "remark"
}

const SITUATIONS: ReadonlyArray<readonly [Act, RegExp]> = [
  ["greeting", /greet|hello|welcom|says? hi/i],
  ["farewell", /farewell|goodbye|parting|good ?night|leav/i],
  ["thanks", /thank/i]
]

/** The act that an authored sample is meant for, according to its situation note. */
export const actOfSituation = (situation: string): Act | null =>
  SITUATIONS.find(([, pattern]) => pattern.test(situation))?.[0] ?? null
