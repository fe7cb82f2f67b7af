import { terms } from "#pipeline/retrieval/terms.ts"

/** What a short social message does. Anything else is for the index to answer. */
export type Act = "greeting" | "farewell" | "thanks"

const ACTS: ReadonlyArray<{ readonly act: Act; readonly pattern: RegExp; readonly mostWords: number }> = [
  {
    act: "farewell",
    pattern: /\b(?:(?:good ?)?bye+|(?:good ?|g)night|nighty? night|see (?:you|ya)|cya|farewell|ciao|ttyl|(?:gotta|have to|need to|must) (?:go|run|sleep)|(?:talk|speak) (?:to you )?(?:later|soon|tomorrow)|tschüss?|gute nacht)(?![\p{L}])/iu,
    mostWords: 8
  },
  { act: "thanks", pattern: /\b(?:thanks?|thank you|thx|tysm|ty|cheers|danke|merci|gracias)(?![\p{L}])/iu, mostWords: 6 },
  {
    act: "greeting",
    pattern: /^\W*(?:hi+|hey+a?|hello+|hiya|yo|howdy|sup|good (?:morning|evening|afternoon|day)|morning|evening|greetings|hallo|moin|servus|hola|salut)(?![\p{L}])/iu,
    mostWords: 4
  }
]

export const actOf = (text: string): Act | null => {
  const words = terms(text).length
  return ACTS.find(({ pattern, mostWords }) => words <= mostWords && pattern.test(text))?.act ?? null
}

const SITUATIONS: ReadonlyArray<readonly [Act, RegExp]> = [
  ["greeting", /greet|hello|welcom|says? hi/i],
  ["farewell", /farewell|goodbye|parting|good ?night|leav/i],
  ["thanks", /thank/i]
]

/** The act that an authored sample is meant for, by its note on the situation. */
export const actOfSituation = (situation: string): Act | null => SITUATIONS.find(([, pattern]) => pattern.test(situation))?.[0] ?? null
