import { kin } from "./topics.ts"

/** People, animals and things of a person's life, which they may mention without "my". */
const FEMALE =
  "mother|mum|mom|mama|mommy|mummy|stepmum|stepmom|stepmother|sister|sis|stepsister|daughter|wife|missus|" +
  "girlfriend|gf|" +
  "fiancee|fiancée|grandmother|grandma|granny|gran|nan|nana|aunt|auntie|niece|queen|mutter|mutti|mami|schwester|" +
  "tochter|" +
  "ehefrau|freundin|oma|tante|nichte|chefin|mitbewohnerin|mãe|irmã|filha|namorada|esposa|avó|tia|sobrinha|madre|" +
  "hermana|hija|novia|mujer|abuela|tía|jefa|mulher"
const MALE =
  "father|dad|papa|daddy|stepdad|stepfather|brother|bro|stepbrother|son|husband|hubby|boyfriend|bf|fiancé|" +
  "grandfather|" +
  "grandpa|grandad|granddad|gramps|uncle|nephew|vater|papi|bruder|sohn|ehemann|freund|opa|onkel|neffe|chef|" +
  "mitbewohner|pai|irmão|filho|namorado|marido|avô|tio|sobrinho|padre|hermano|hijo|novio|abuelo|tío|jefe"
const EITHER =
  "partner|fiance|ex|twin|cousin|baby|best friend|best mate|friend|mate|roommate|flatmate|housemate|neighbou?r|" +
  "landlord|landlady|boss|manager|supervisor|colleague|coworker|teacher|coach|therapist|doctor|kid|child|nachbar|" +
  "nachbarin|vermieter|kollege|kollegin|bebé|bebê|amig[oa]|prim[oa]|vizinh[oa]|colega|vecin[oa]|compañer[oa]"
const MANY =
  "parents|siblings|kids|children|lads|boys|girls|twins|brothers|sisters|sons|daughters|grandparents|cousins|" +
  "friends|mates|eltern|" +
  "geschwister|kinder|pais|filhos|filhas|irmãos|padres|hijos|hijas|hermanos"
const ANIMAL =
  "dog|puppy|cat|kitten|kitty|rabbit|bunny|hamster|parrot|budgie|horse|pony|goldfish|fish|turtle|tortoise|snake|" +
  "lizard|" +
  "gecko|guinea pig|ferret|rat|hen|goat|pet|greyhound|husky|labrador|staffy|terrier|spaniel|poodle|collie|beagle|" +
  "dachshund|corgi|retriever|pug|hund|hündin|katze|kater|kaninchen|hase|wellensittich|" +
  "pferd|" +
  "schildkröte|cão|cadela|cachorro|cachorra|gat[oa]|coelho|papagaio|perr[oa]|conejo|loro|caballo"
const THING =
  "car|van|bike|motorbike|flat|apartment|house|garden|job|shop|company|team|commute|school|uni|exam|test|interview|" +
  "wedding|operation|surgery|appointment|knee|back|landlord|birthday|driving test|thesis|band|auto|wohnung|haus|" +
  "garten|" +
  "carro|casa|coche|piso|moto"

const ANY = `${FEMALE}|${MALE}|${MANY}|${EITHER}|${ANIMAL}|${THING}`
const POSSESSIVE =
  "my|our|mein|meine|meinen|meinem|meiner|unser|unsere|o meu|a minha|os meus|as minhas|meu|minha|o nosso|a nossa|" +
  "mi|mis|" +
  "nuestro|nuestra"
const FOLLOWED = String.raw`(?:['’]s|s['’]|s)?(?![\p{L}])`

const POSSESSED = new RegExp(
  String.raw`(?<![\p{L}])(${POSSESSIVE}) ((?:(?!and |y |e |und )\p{L}+ ){0,2}?)(${ANY})${FOLLOWED}`,
  "iu"
)
/** "Mum remarried", "the cat's called Professor", "gf is vegan". */
const AT_THE_START = new RegExp(
  String.raw`^((?:the|our|der|die|das|den|o|a|os|as|el|la|los|las) )?((?:(?:little|older|younger|big|old|new|` +
    String.raw`best) )?(?:${ANY}))` +
    String.raw`${FOLLOWED}(?= \p{L}|, )`,
  "iu"
)
/** Only these are mentioned without an article. */
const BARE = new RegExp(
  `^(?:${FEMALE}|${MALE}|${MANY}|partner|fiance|ex|boss|landlord|flatmate|roommate|best mate)$`,
  "iu"
)
/** "we have two greyhounds": later sentences may speak of them. */
const HAD = new RegExp(
  String.raw`(?<!\p{L})(?:have|has|had|got|adopted|bought|raise|foster|(?:i|we)['’]?ve|there['’]?s|there is|` +
    String.raw`there are|habe|haben|` +
    String.raw`tenho|` +
    String.raw`temos|tengo|tenemos) (?:got )?` +
    String.raw`(?:an?|one|two|three|four|five|\d{1,2}|eine?|einen|zwei|drei|uma?|dois|duas|três|una?|dos|tres) ` +
    String.raw`((?:\p{L}+ ){0,2}?)(${ANY})${FOLLOWED}`,
  "iu"
)
const NAMED = /^,? (\p{Lu}[\p{L}'’-]+)(?=[ ,.!]|['’]s|$)/u
const NAMED_OF = /^ (?:called|named|namens|chamad[oa]|llamad[oa]) (\p{L}[\p{L}'’-]+)/iu

export type Gender = "female" | "male" | "many" | "either" | "thing"

const only = (words: string): RegExp => new RegExp(`^(?:${words})s?$`, "iu")
const GENDERS: ReadonlyArray<readonly [Gender, RegExp]> = [
  ["many", only(MANY)],
  ["female", only(FEMALE)],
  ["male", only(MALE)],
  ["either", only(`${EITHER}|${ANIMAL}`)]
]

/** Someone or something that later sentences may refer to. */
export interface Subject {
  /** The canonical noun, in lower case. */
  readonly noun: string
  /** How to refer to it: "my sister Nadia". */
  readonly span: string
  readonly name: string | null
  readonly gender: Gender
}

/** A subject in a sentence. `end`: where its noun ends. */
export interface Found extends Subject {
  readonly atTheStart: boolean
  readonly end: number
}

const genderOf = (noun: string): Gender => GENDERS.find(([, words]) => words.test(noun))?.[0] ?? "thing"

/** Where the noun that ends at `after` ends without its own ending: "my neighbour's son" has the neighbour. */
const endOf = (sentence: string, noun: string, after: number): number => {
  const at = sentence.lastIndexOf(noun, after)
  return at === -1 ? after : at + noun.length
}

/** "our Megan's at sea" */
const OUR_NAME = /^(?:[Mm]y|[Oo]ur) (\p{Lu}\p{Ll}{2,20})(?=['’ ])/u

const nameIn = (rest: string): string | null => NAMED_OF.exec(rest)?.[1] ?? NAMED.exec(rest)?.[1] ?? null

/** Who or what of the person's life a sentence is about: what it begins with, or else what is called theirs. */
export const subjectIn = (sentence: string): Found | null => {
  const first = AT_THE_START.exec(sentence)
  if (first !== null) {
    const [whole, article, noun = ""] = first
    if (article !== undefined || BARE.test(noun)) {
      const name = nameIn(sentence.slice(whole.length))
      const owner = article === undefined ? "my " : article
      return {
        noun: kin(noun),
        span: `${owner}${noun}${name === null ? "" : ` ${name}`}`,
        name,
        gender: genderOf(noun),
        atTheStart: true,
        end: endOf(sentence, noun, whole.length)
      }
    }
  }
  const owned = POSSESSED.exec(sentence)
  if (owned === null) {
    const relative = OUR_NAME.exec(sentence)
    if (relative !== null) {
      const [span, name = ""] = relative
      return { noun: "relative", span, name, gender: "either", atTheStart: true, end: span.length }
    }
    const had = HAD.exec(sentence)
    if (had === null) return null
    const [whole, adjectives = "", noun = ""] = had
    const name = nameIn(sentence.slice(had.index + whole.length))
    return {
      noun: kin(noun),
      span: `my ${adjectives}${noun}${name === null ? "" : ` ${name}`}`,
      name,
      gender: genderOf(noun.toLowerCase()),
      atTheStart: false,
      end: had.index + whole.length
    }
  }
  const [whole, possessive = "", adjectives = "", noun = ""] = owned
  const name = nameIn(sentence.slice(owned.index + whole.length))
  return {
    noun: kin(noun),
    span: `${possessive.toLowerCase()} ${adjectives}${noun}${name === null ? "" : ` ${name}`}`,
    name,
    gender: genderOf(noun),
    atTheStart: owned.index === 0,
    end: endOf(sentence, noun, owned.index + whole.length)
  }
}

const TWO_NAMES = /(?:,|:|called|named) (\p{Lu}[\p{L}'’-]+)(?:,| and| und| e| y| &) (\p{Lu}[\p{L}'’-]+)/u
const TWO_AGED = new RegExp(
  String.raw`^(\p{Lu}[\p{L}'-]{1,20}?)(?:['’]s| is)? \d{1,3},? and (\p{Lu}[\p{L}'-]{1,20}?)(?:['’]s| is|` +
    String.raw` just turned| turned)? \d`,
  "u"
)
/** The names of several: "two greyhounds, Salt and Pepper", "Aisha's 9 and Noor just turned 6". */
export const namesIn = (sentence: string): ReadonlyArray<string> =>
  (TWO_NAMES.exec(sentence) ?? TWO_AGED.exec(sentence))?.slice(1) ?? []

const SEVERAL = new RegExp(String.raw`(?<!\p{L})(?:with|and) (the|my|our) (${MANY})(?![\p{L}])`, "iu")
/** Several people whom a sentence mentions besides its subject: "with the twins". */
export const severalIn = (sentence: string): Subject | null => {
  const [, article = "", noun = ""] = SEVERAL.exec(sentence) ?? []
  return noun === "" ? null : { noun: kin(noun), span: `${article} ${noun}`.toLowerCase(), name: null, gender: "many" }
}

/** The noun of somebody who does not belong to the person's life. Nothing is remembered about such people. */
export const STRANGER = "stranger"
export const SOMEBODY: Subject = { noun: STRANGER, span: "somebody", name: null, gender: "either" }
const STRANGERS = new RegExp(
  String.raw`^(?:(?:(?:the|some|this|that|a) (?:\p{L}{2,20} ){0,2}?(?:man|guy|bloke|woman|lady|girl|boy|kid|` +
    String.raw`neighbou?r|` +
    String.raw`butcher|baker|postman|driver|customer|client|colleague|one|person|couple|people|lot)|(?:mr|mrs|ms|` +
    String.raw`miss|` +
    String.raw`dr)\.? \p{L}{2,20}|\p{Lu}\p{Ll}{2,20}(?: (?:from|in|at|next) (?:\p{L}{2,20} ?){1,2})?)) ` +
    String.raw`(?:is|was|has|had|will|might|may|just|keeps?|said|says|wants?|never|always|got|went|came|bought|` +
    String.raw`left|\p{L}{2,20}(?:ed|es|s))\b`,
  "u"
)
/** Somebody else whom a sentence begins with, so that the next "she" is not taken for a relative. */
export const strangerIn = (sentence: string): Subject | null => (STRANGERS.test(sentence) ? SOMEBODY : null)

const CLOSE = new RegExp(`^(?:${FEMALE}|${MALE}|${MANY}|partner|fiance|twin|baby|kid|child|relative|family)$`, "iu")
const NOT_CLOSE = /^(?:aunt|auntie|uncle|niece|nephew|cousins?|friends|mates|tante|onkel|tia|tio|tía|tío)$/iu
/** Whether somebody is so close that their plans are a part of the person's life. */
export const isClose = ({ noun }: Subject): boolean => CLOSE.test(noun) && !NOT_CLOSE.test(noun)

/** "shes" as "she's", so that it is read as a pronoun. */
export const withApostrophes = (sentence: string): string =>
  sentence
    .replace(/(?<!\p{L})(s?he|that|there)s(?=\s)/giu, "$1's")
    .replace(/(?<!\p{L})(they)(re|ve|ll)(?=\s)/giu, "$1'$2")

const PRONOUNS: ReadonlyArray<readonly [RegExp, ReadonlySet<Gender>]> = [
  [/^(?:she|sie|ela|ella|her|ihr|ihre)(?=['’ ])/iu, new Set(["female", "either"])],
  [/^(?:he|er|ele|él|his|sein|seine)(?=['’ ])/iu, new Set(["male", "either"])],
  [
    /^(?:they|their|theyre|eles|elas|ellos|ellas|both|one of them)(?=['’ ])/iu,
    new Set(["many", "either", "female", "male"])
  ],
  [/^(?:it|its)(?=['’ ])/iu, new Set(["thing", "either"])]
]
/** The genders that the pronoun at the start of a sentence may refer to. Null if there is none. */
export const pronounOf = (sentence: string): ReadonlySet<Gender> | null =>
  PRONOUNS.find(([pattern]) => pattern.test(sentence))?.[1] ?? null

const OBJECT = /(?<!\p{L})(?:him|her|them|ihn|ihm|ihr)(?=[.!]?$)/iu
/** A sentence that ends with such a pronoun. */
export const endsWithPronoun = (sentence: string): boolean => OBJECT.test(sentence)

/** A sentence that ends with a pronoun for things. */
export const endsWithThem = (sentence: string): boolean => /\bthem[.!]?$/iu.test(sentence)

/** The sentence with its first pronoun replaced, so that it can be understood on its own. */
export const resolved = (sentence: string, { span, gender }: Subject): string =>
  sentence
    .replace(/^(?:her|his|their|its)(?= )/iu, `${span}${/s$/iu.test(span) && gender === "many" ? "’" : "'s"}`)
    .replace(
      /^(?:she|he|they|it|sie|er|ela|ele|ella|él|eles|elas|ellos|ellas)(['’]re|['’]ve)?(?=['’ ])/iu,
      (_, short?: string) => (short === undefined ? span : `${span} ${/re$/i.test(short) ? "are" : "have"}`)
    )
