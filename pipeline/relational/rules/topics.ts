import type { Topic } from "./Fact.ts"

const PET =
  "dog|puppy|cat|kitten|rabbit|bunny|hamster|parrot|budgie|horse|pony|goldfish|fish|turtle|tortoise|snake|lizard|" +
  "guinea pig|ferret|chicken|goat|pet"
const PERSON =
  "mother|mum|mom|mama|father|dad|papa|parents|sister|brother|twin|son|daughter|kids?|child|children|baby|wife|" +
  "husband|partner|girlfriend|boyfriend|fianc[eé]e?|ex|grandmother|grandma|granny|nan|grandfather|grandpa|" +
  "grandad|aunt|uncle|cousin|niece|nephew|best friend|friend|roommate|flatmate|neighbou?r|boss|colleague|" +
  "coworker|teacher|coach|therapist"
const EVENT =
  "exam|test|interview|wedding|trip|holiday|vacation|move|concert|date|presentation|thesis|operation|surgery|" +
  "appointment|deadline|marathon|race|competition|audition|driving test|party"
const WORK = "job|work|career|company|business|shop|shift|office"
const HOME = "flat|apartment|house|home|town|city|village|street|room|kitchen|garden"

const only = (words: string): RegExp => new RegExp(String.raw`^(?:${words})s?$`, "i")
const KINDS: ReadonlyArray<readonly [Topic, RegExp]> = [
  ["pet", only(PET)],
  ["person", only(PERSON)],
  ["event", only(EVENT)],
  ["work", only(WORK)],
  ["home", only(HOME)]
]

/** Nouns that may precede a name or follow an adjective: "my little sister Nadia". */
export const NOUN = String.raw`(?:${PET}|${PERSON}|${EVENT}|${WORK}|${HOME})s?`

export const topicOf = (subject: string): Topic => KINDS.find(([, words]) => words.test(subject))?.[0] ?? "other"

const KIN: Readonly<Record<string, string>> = {
  mum: "mother",
  mom: "mother",
  mama: "mother",
  dad: "father",
  papa: "father",
  grandma: "grandmother",
  granny: "grandmother",
  nan: "grandmother",
  grandpa: "grandfather",
  grandad: "grandfather",
  cão: "dog",
  cadela: "dog",
  gato: "cat",
  gata: "cat",
  mãe: "mother",
  pai: "father",
  irmã: "sister",
  irmão: "brother",
  avó: "grandmother",
  avô: "grandfather",
  filha: "daughter",
  filho: "son",
  amiga: "friend",
  amigo: "friend",
  namorada: "girlfriend",
  namorado: "boyfriend"
}
/** The same nouns in other languages. */
export const NOUN_PT = "cão|cadela|gat[oa]|mãe|pai|irmã|irmão|avó|avô|filh[oa]|amig[oa]|namorad[oa]"

/** One canonical word for relatives with several names. */
export const kin = (noun: string): string => KIN[noun.toLowerCase()] ?? noun.toLowerCase()
