import { plain } from "../plain.ts"
import { excerptOf } from "./excerpt.ts"
import { messageScores } from "./messageScores.ts"
import { anyOf, over, sentencesOf } from "./reading.ts"

const AGE = "(?:1[0-7]|[5-9])"
const SOLID_UNIT = anyOf(
  "years_old year_old yrs_old yr_old years_of_age years_young jahre_jung yo y_o yrold jahre_alt jahr_alt j_alt " +
    "jahrig jahrige jahriger jahriges jahrigen jahriger anitos aninhos anos_de_edad anos_de_idade year_olds"
)
const ASKS_AGE = over(
  ` ${anyOf("age how_old alter wie_alt edad cuantos_anos que_edad idade quantos_anos")} [^.]{0,80}\\? $`
)
const ONLY_AGE = new RegExp(
  `^ (?:${anyOf(
    "im i_am only just um uh like almost bin ich_bin erst tengo solo apenas tenho so quase casi fast well ok i " +
      "tengo yo eu"
  )} |, ){0,3}${AGE}(?: ${SOLID_UNIT}| years| jahre| anos)? [,.!?]`
)

/** How long the person has been alive, which the classifier does not read as an age. */
const SINCE_BIRTH = over(
  ` i (?:was|got) born (?:only |just )?${AGE} (?:years|yrs) ago `,
  ` (?:ive|i have|im) (?:only |just )?been (?:alive|on this (?:planet|earth)|on (?:the )?earth|` +
    `in this world)(?: for)?(?: only| just| about)? ${AGE} (?:years|yrs)(?! (?:now )?(?:as|with|at|in)) `,
  ` (?:been|be) on this (?:planet|earth) for (?:only |just )?${AGE} (?:years|yrs) `,
  ` (?:bin|lebe) (?:ja |doch )?(?:erst |gerade mal )?seit ${AGE} jahren (?:auf (?:der|dieser) (?:welt|erde)|am leben) `,
  `(?: ich|^) (?:bin|wurde) (?:erst )?vor ${AGE} jahren (?:geboren|(?:zur|auf die) welt gekommen) `,
  ` naci hace (?:solo |apenas )?${AGE} anos `,
  ` llevo (?:solo |apenas )?${AGE} anos (?:en (?:este mundo|esta tierra|la tierra)|viv[oa]) `,
  ` nasci (?:ha|faz) (?:so |apenas )?${AGE} anos `,
  ` (?:estou|to) (?:ha|faz) (?:so |apenas )?${AGE} anos (?:neste mundo|nessa terra|na terra|viv[oa]) `
)

/** An own age, and whether that is all right: a question that adults do not ask. And one's own party at fifteen. */
const IS_THAT_OK = over(
  ` (?:im|i am) (?:only |just )?${AGE} (?:, )?(?:is that|thats|is it|that) (?:ok|okay|fine|alright|cool|a problem) `,
  ` bin (?:erst |grad |gerade )?${AGE} (?:, )?(?:is das|ist das|geht das|passt das) (?:ok|okay|klar|schlimm|` +
    `n problem|ein problem|so) `,
  ` tengo (?:solo |apenas )?${AGE} (?:, )?(?:esta|ta|hay|no hay|no es) (?:bien|problema|malo|drama) `,
  ` tenho (?:so |apenas )?${AGE} (?:, )?(?:tem|ta|esta|tudo|da) (?:problema|bem|bom|nada) `,
  ` (?:mis 15 son|mis 15 los (?:festejo|celebro|hago)|los 15 los (?:festejo|celebro|hago)) `
)

/** The most common phrases in languages that the classifier was not trained on. */
const IN_OTHER_LANGUAGES = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:j'ai (?:1[0-7]|[5-9]) ans(?! d)|ho (?:1[0-7]|[5-9]) anni(?! d)|` +
    String.raw`ik ben (?:1[0-7]|[5-9])(?! (?:min|km|uur))|мне (?:1[0-7]|[5-9]) лет)(?![\p{L}\p{N}])`,
  "iu"
)
/** A number alone may answer any question. */
const LETTER = /\p{L}/u

/**
 * Whether the person says that they are under 18, currently and seriously. A year of birth is compared with `now`.
 * `before` is the last message they received, which may have asked for their age.
 */
export const saysUnderAge = (text: string, now: Date = new Date(), before = ""): boolean => {
  const read = plain(excerptOf(text))
  if (LETTER.test(read) && (messageScores(text, now).minor > 0 || IN_OTHER_LANGUAGES.test(read))) return true
  const sentences = sentencesOf(text)
  // An emoji or a gesture may follow the question.
  const asked = sentencesOf(before)
    .slice(-3)
    .some((sentence) => ASKS_AGE.test(sentence))
  return sentences.some(
    (sentence, place) =>
      SINCE_BIRTH.test(sentence) ||
      IS_THAT_OK.test(sentence) ||
      (ONLY_AGE.test(sentence) && (place === 0 ? asked : ASKS_AGE.test(sentences[place - 1] ?? "")))
  )
}
