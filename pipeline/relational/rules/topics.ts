import type { Topic } from "./Fact.ts"

const PET =
  "dog|puppy|cat|kitten|rabbit|bunny|hamster|parrot|budgie|horse|pony|goldfish|fish|turtle|tortoise|snake|lizard|" +
  "guinea pig|ferret|chicken|goat|pet"
const PERSON =
  "mother|mum|mom|mama|father|dad|papa|parents|sister|brother|twin|son|daughter|lads|boys|girls|kids?|child|" +
  "children|baby|wife|" +
  "husband|partner|girlfriend|boyfriend|fianc[eé]e?|ex|grandmother|grandma|granny|nan|grandfather|grandpa|" +
  "grandad|aunt|uncle|cousin|niece|nephew|best friend|friend|roommate|flatmate|neighbou?r|boss|colleague|" +
  "coworker|relative|teacher|coach|therapist|stepmum|stepmom|stepmother|stepdad|stepfather|housemate|landlord|landlady"
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
  mommy: "mother",
  mummy: "mother",
  daddy: "father",
  gran: "grandmother",
  nana: "grandmother",
  granddad: "grandfather",
  gramps: "grandfather",
  sis: "sister",
  bro: "brother",
  gf: "girlfriend",
  bf: "boyfriend",
  hubby: "husband",
  "best mate": "best friend",
  mate: "friend",
  housemate: "flatmate",
  roommate: "flatmate",
  labrador: "dog",
  staffy: "dog",
  terrier: "dog",
  spaniel: "dog",
  poodle: "dog",
  collie: "dog",
  beagle: "dog",
  dachshund: "dog",
  corgi: "dog",
  retriever: "dog",
  pug: "dog",
  puppy: "dog",
  kitten: "cat",
  kitty: "cat",
  bunny: "rabbit",
  kids: "children",
  kid: "child",
  manager: "boss",
  supervisor: "boss",
  hund: "dog",
  hündin: "dog",
  katze: "cat",
  kater: "cat",
  kaninchen: "rabbit",
  pferd: "horse",
  mutter: "mother",
  vater: "father",
  schwester: "sister",
  bruder: "brother",
  oma: "grandmother",
  opa: "grandfather",
  tochter: "daughter",
  sohn: "son",
  freundin: "girlfriend",
  freund: "boyfriend",
  chefin: "boss",
  chef: "boss",
  mitbewohner: "flatmate",
  mitbewohnerin: "flatmate",
  perro: "dog",
  perra: "dog",
  madre: "mother",
  padre: "father",
  hermana: "sister",
  hermano: "brother",
  abuela: "grandmother",
  abuelo: "grandfather",
  hija: "daughter",
  hijo: "son",
  novia: "girlfriend",
  novio: "boyfriend",
  marido: "husband",
  mulher: "wife",
  mujer: "wife",
  esposa: "wife",
  jefe: "boss",
  jefa: "boss",
  chefe: "boss",
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
export const NOUN_DE =
  "hund|hündin|katze|kater|hamster|kaninchen|pferd|mutter|mama|vater|papa|schwester|bruder|oma|opa|tochter|sohn|" +
  "freundin|" +
  "freund|frau|mann|chefin|chef|mitbewohnerin|mitbewohner"
export const NOUN_ES =
  "perr[oa]|gat[oa]|hámster|caballo|madre|padre|hermana|hermano|abuela|abuelo|hija|hijo|amig[oa]|novi[oa]|marido|" +
  "mujer|" +
  "jef[ea]|compañer[oa]"
export const NOUN_PT =
  "cão|cadela|gat[oa]|coelho|cavalo|marido|mulher|chefe|mãe|pai|irmã|irmão|avó|avô|filh[oa]|amig[oa]|namorad[oa]"

/** One canonical word for relatives with several names. */
export const kin = (noun: string): string => KIN[noun.toLowerCase()] ?? noun.toLowerCase()
