import { anyOf, over } from "./reading.ts"

/** An age under 18, in the form in which sentences are read. */
export const AGE = "(?:1[0-7]|[5-9])"
/** What has an age and is not a person. */
export const THING = anyOf(
  "whisky whiskey wine scotch rum port bourbon cheese cat kitten dog puppy horse mare pony car truck bike boat ship " +
    "house home building castle bridge inn tavern bar shop store company business firm oak tree feud war grudge " +
    "rivalry conflict curse promise oath secret mystery case cases murder crime scandal debt wound scar mistake " +
    "memory dream marriage friendship relationship tradition song book album game photo letter account " +
    "auto wagen haus hund katze pferd schiff fehde firma coche casa perro gata gato caballo empresa carro cao cavalo " +
    "maison chat chien cheval"
)
const ARTICLE = "(?:an?|the|eine?|una?|uma?|une)"
/** Words between an article and an age: no others that the age could belong to. */
const QUALITY =
  "(?!(?:of|with|in|to|from|for|and|who|that|the|an|by|at|on|whose|de|mit|von) )" +
  "(?:(?:charm|lov|car|aspir|dar|cunn|promis|outgo)ing|(?![a-z]{1,14}ing )[a-z]{2,16}) "
const YEAR_OLD = anyOf("years_old year_old yrs_old yr_old yo y_o jahre_alt jahrig jahrige jahriger jahriges jahrigen")
const ONE_AGED = `(?:${QUALITY}){0,3}${AGE} ${YEAR_OLD} (?!${THING} )`
const SUBJECT = "(?:char|she|he|i|sie|er|ich|ella|el|ela|ele|yo|eu|elle|il|je)"
const BEING = "(?:is|was|am|ist|bin|es|soy|e|sou|est|suis)"
const ALREADY = "(?:(?:only|just|still|really|actually|currently|now|erst|noch|solo|so|ainda) ){0,2}"
/** A person of this age, whatever else it is: "is a 13 year old wizard", "a 13 year old wizard from the north". */
export const IS_ONE_AGED = new RegExp(
  `(?<= )(?:${SUBJECT} ${BEING}|im|shes|hes) ${ALREADY}(?:${ARTICLE} )?${ONE_AGED}|` +
    `(?<= )(?:they are|theyre) ${ALREADY}an? ${ONE_AGED}|` +
    `(?<= )char , ${ARTICLE} ${ONE_AGED}|` +
    `^ ${ARTICLE} ${ONE_AGED}[a-z]{3,16} (?:[a-z]{2,16} )?` +
    `(?=(?:[,.!?]|who|with|from|living|mit|aus|con|com|qui|que) )|` +
    `(?<= )${AGE} ${YEAR_OLD} (?!${THING} )(?:[a-z]{3,16} ){1,2}(?:, |named |called )?char |` +
    `(?<= )${SUBJECT} ${BEING} ${ARTICLE} (?:[a-z]{2,16} ){1,3}(?:de|von|of) ${AGE} (?:anos|jahren|ans|years) ` +
    `(?=(?:[,.!?]|y|e|et|und|and|que|qui|die|der|who|de edad|de idade|con|com|mit) )|` +
    `(?<= )(?:elle|il) a ${AGE} ans (?=(?:[,.!?]|et|qui) )`,
  "g"
)
/** Words that set a sentence in the past apart from the present. */
export const THEN = over(
  ` ${anyOf("when ago then until before once since now later today back als cuando quando quand")} `
)
