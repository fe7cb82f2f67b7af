import { anyOf } from "./reading.ts"

/** Words directly before "I am" which show that it is reported or not meant seriously. */
const NOT_IN_EARNEST = new RegExp(
  " " +
    `(?:${[
      anyOf(
        "as_if as_though feel_like feels_like act_like look_like sound_like treated_like like if_i_was wish_i_was " +
          "like_when_i wenn als_ob als als_ware ob stell_dir_vor si como_si se como_se wenn_ich als_ob_ich"
      ),
      `(?:imagin\\p{L}*|pretend\\p{L}*|wish|suppose|finge|finja|fingindo|supon|supongamos|ojala|faz de conta|hagamos|` +
        `vorstellen|stell dir vor|lets say|say|angenommen|nehmen wir an)(?: (?:that|que|dass|,|we|i|eu|yo))?`,
      `(?<! (?:i|yo|ich|eu) )(?:says?|said|thinks?|thought|thinking|wrote|writes|assumes?|assumed|` +
        `meinte|meint|sagte?|sagt|denkt|denken|glaubt|glauben|schrieb|dijo|dice|dicen|cree|creen|piensa|piensan|` +
        `escribio|disse|diz|dizem|acha|acham|pensa|pensam|escreveu)(?: (?:that|que|dass|me|,))?`,
      "(?:im herzen|innerlich|gefuhlt|im kopf|im geiste|mentally|emotionally|spiritually|deep down|inside|" +
        "in my head|at heart|en el fondo|mentalmente|por dentro|no fundo|de corazon|de coracao|de alma|na cabeca)",
      "told (?:me|him|her|them|us)(?: that)?",
      "(?:thinks?|thought)",
      "(?:when|whenever|cuando|quando|as)",
      "if"
    ].join("|")}` +
    ")(?: (?:ich|i|yo|eu))? $",
  "u"
)
const IF_IT_MATTERS = new RegExp(
  " (?:ok|okay|weird|bad|fine|problem|matter|matters|care|mind|wrong|allowed|schlimm|egal|stort|raro|mal|importa|" +
    "problema|estranho|mal|tem) [^,]{0,24}(?:if|wenn|si|se)(?: ich| i| yo| eu)? $"
)
const CUT = / (?:,|but|pero|aber|mas|und|and|y) /g

/** The text after the last comma or conjunction. */
export const afterLastCut = (text: string): string => {
  let from = 0
  for (const { index, 0: cut } of text.matchAll(CUT)) from = index + cut.length - 1
  return text.slice(from)
}

/** Whether what follows these words is the writer's own, serious statement. */
export const inEarnest = (before: string): boolean => {
  const clause = ` ${afterLastCut(before).trim()} `
  return IF_IT_MATTERS.test(clause) || !NOT_IN_EARNEST.test(clause)
}
