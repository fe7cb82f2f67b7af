import type { Character } from "../domain/Character.ts"
import { AGE, IS_ONE_AGED, THEN, THING } from "./oneAged.ts"
import { anyOf, over, sentencesOf } from "./reading.ts"

/**
 * What a card says about its character's age. `age_band` may say adult where the text says sixteen. Then the text
 * counts.
 */

const OLD = `(?:${anyOf(
  "years_old year_old yrs_old yr_old yo y_o years_of_age jahre_alt jahrig jahrige jahriger jahriges jahrigen " +
    "anos_de_edad anos_de_idade anos ans jahre"
)})`
const GIRL = anyOf(
  "girl boy kid child teen teenager student who in that from with daughter_of lad lass runaway orphan princess " +
    "prince madchen junge schulerin schuler kind chica chico nina nino muchacha joven adolescente menina menino " +
    "rapariga rapaz garota garoto estudante fille garcon young_woman young_man female male human elf girl_who boy_who"
)
/** What may follow an age. It excludes nouns that are counted, as in "17 years of experience". */
const ENDS =
  "(?= (?:[,.!?]|and|but|who|with|from|at|living|girl|boy|now|und|y|e|i|she|he|that|mit|aus|de edad|con|com) )"

/** Nothing else says an age: most sentences are not read further. */
const MAY_SAY_AGE = new RegExp(
  String.raw`\d|school|schul|grade|teen|minor|under|loli|shota|jail|minder|menor|high|secu|prepa|primaria|` +
    String.raw`instituto|bachi|colegi|liceo|ensino|gymnas|realsch|hauptsch|gesamtsch|mittelsch| eso `
)

const LABELLED = new RegExp(
  `(?:^|(?<= (?:,|:|[a-z]+))) (?:age|aged|alter|edad|idade|years old|years|anos|jahre)(?: years)? ` +
    `(?:[:,(]|is|ist|es)? ?(?:[,:] )?${AGE}(?= (?:[,.!?]|years? ` +
    `old|yo|girl|jahre|anos|and|und|y|female|male|years [,.]) )`,
  "g"
)
const AGED = new RegExp(`(?<= )aged ${AGE}(?= )`, "g")
const A_YOUNG_ONE = new RegExp(
  `(?<= )(?:an? |eine? |una? |uma? |the |this |young |die |der ` +
    `)(?:${anyOf(
      "shy young cute small quiet rebellious sweet little lonely smart normal ordinary typical innocent energetic"
    )} ){0,3}${AGE} (?:${OLD} )(?:${anyOf(
      "shy young cute small quiet rebellious sweet little lonely smart normal japanese american human high_school"
    )} ){0,3}(?:${GIRL})(?= )|(?<= )(?:una?|uma?|ein|eine) (?:${GIRL}) (?:de|von|of) ${AGE}` +
    `(?: anos| jahren)?(?= )|(?<= )(?:${GIRL}) (?:de|of|aged) ${AGE}(?: anos)?(?= [,.])`,
  "g"
)
const IS_AGED = new RegExp(
  `(?<= )(?:char|she|he|i|shes|hes|sie|ella|ela|ele) (?:(?:acaba de cumplir|acabou de fazer|acabou de ` +
    `completar|acaba de fazer|ist gerade|wurde gerade|recently|lately|has|is|was just|just ` +
    `turned|turned|just|only|now|still|about|to be|is only|is just|a|ist|tiene|tem|hat|wird|cumple|faz|has just ` +
    `turned|is about to turn|is an?|erst|gerade|solo|so) ){0,3}${AGE}(?: ${OLD})?${ENDS}|(?<= )(?:char|she|he) , ` +
    `${AGE}(?: ${OLD})?(?= [,.])`,
  "g"
)
const SELF_AGED = new RegExp(
  `(?<= )(?:im|i am|ich bin|tengo|tenho) (?:only |just |erst |solo |so )?${AGE}(?: ${OLD})?${ENDS}`,
  "g"
)
const OLD_ALONE = new RegExp(
  `^ (?:${anyOf("a an female male girl boy she he human about around only just")} |, ` +
    `){0,3}${AGE} (?:${anyOf("years_old year_old yo y_o yrs_old jahre_alt")})(?= (?!${THING} ))|` +
    `^ ${AGE} (?:anos|ans|jahre) ` +
    `[,.]|(?<= (?:she|he) is )${AGE}(?: ${OLD})?${ENDS}`,
  "g"
)
const NOT_18 = new RegExp(
  `(?<= )(?:not yet 18|hasnt turned 18|has not turned 18|not turned 18|isnt 18|not even 18|yet to turn 18|aun ` +
    `no tiene 18|todavia no tiene 18|no tiene 18|ainda nao tem 18|nao tem 18|noch keine 18|noch nicht ` +
    `volljahrig|under 18|not 18 yet|turning 18 next|turning 18 soon|turns 18 next|almost 18|nearly 18|noch nicht ` +
    `18|menor de edad|menor de idade|minderjahrig\\p{L}{0,2}|underage|under age|jailbait|loli|lolita|shota)(?= ` +
    `(?:[,.!?]|girl|boy|yet|anos|todavia|ainda|jahre|character|student|next|soon|month|and|who|but) ` +
    `)|(?<! in )(?<= )a minor(?= ` +
    `(?:[.!?]|girl|boy|student|who|under|yet|living|so|legally|in the eyes|, (?:so|and|but|not|still|` +
    `which|who|she|he|they|i|we|you|please|` +
    `dont|do|no|never|under|living)|(?:and|but) (?:she|he|they|i|lives|living|has|still|goes|attends|must|cant|` +
    `cannot|should|not|therefore|so|under|acts|looks|is)) )`,
  "gu"
)
const PUPIL = anyOf(
  "student pupil schuler schulerin estudiante alumna alumno colegiala colegial aluna aluno estudante schoolgirl " +
    "schoolboy"
)
const SCHOOL = over(
  ` ${PUPIL} (?:de|del|do|da|der|in der|in|of|at|an|einer|em|no|na|aus der) (?:[a-z]+ ` +
    `){0,2}(?:secundaria|secu|prepa|preparatoria|primaria|instituto|bachillerato|la eso|eso|colegio|liceo|ensino ` +
    `medio|ensino fundamental|secundario|colegial|#?(?:[4-9]|1[01]) ` +
    "(?:ano|klasse|grado|serie|grade|basico|curso)|gymnasium|realschule|hauptschule|gesamtschule|mittelschule|" +
    "oberstufe|middle school|high school)(?= )",
  ` (?:geht|goes|attends|va|cursa|estudia|anda|estuda|frequenta|besucht|esta|is) (?:noch |still |auf |in |to ` +
    `|al |a |en |em |no |na |a |das |die |the |el |la |o )?(?:die |das |ein |eine |the |el |la |o |a ` +
    `)?(?:secundaria|secu|prepa|preparatoria|primaria|instituto|bachillerato|eso|liceo|ensino medio|ensino ` +
    `fundamental|secundario|#?(?:[4-9]|1[01]) ` +
    `(?:ano|klasse|grado|serie|grade)|gymnasium|realschule|hauptschule|gesamtschule|mittelschule|middle school|high ` +
    `school)(?= )`,
  ` in the (?:freshman|sophomore|junior|senior|first|last|second|#\\d+) year (?:of|in|at) (?:high ` +
    `school|hs|highschool|middle school|junior high)(?= )`,
  ` (?:geht|gehe) (?:noch |immer noch |jeden tag )?(?:zur|in die) schule(?= )`,
  ` (?:una?|uma?|eine?|a|an) (?:[a-z]+ ` +
    ")?(?:colegiala|colegial|schulmadchen|schulerin|schuler|schoolgirl|schoolboy|adolescente|jugendliche|" +
    "jugendlicher)(?= (?:[,.!?]|y|e|und|and|que|who|de|aus|from))",
  ` (?:will be|will turn|wird|turns|is going to be|cumplira|cumple|fara|faz|vai fazer|va a cumplir) (?:erst ` +
    `|los |only |so |solo )?18 (?:in|en|em|dentro de|daqui a|next|nachstes|el proximo|ano que) `,
  ` (?:char|she|he|mia)?,? ?(?:, )(?:1[0-7]|[5-9]) (?:f|m|w|female|male)(?= (?:[,.!?]))`,
  ` (?:char|name) , (?:1[0-7]|[5-9]) (?:f|m|w) `,
  ` ${anyOf("is_in in attends_the in_the starts started")} #(?:[4-9]|10|11) grade `,
  ` (?:a|an|is a|young|shy|cute) ` +
    `(?:${anyOf("shy cute typical normal popular quiet japanese young female male")} ){0,2}(?:middle schooler|high ` +
    `schooler|highschooler|schoolgirl|schoolboy|school girl|school boy|teenager|teenage girl|teenage ` +
    `boy|preteen|teen girl|teen boy)(?= [,.!?]| and| who| with| from| at| in| living)`,
  ` (?:a|an|the|is a|popular|shy) ` +
    `(?:${anyOf("shy cute typical normal popular quiet japanese young female male")} ){0,2}(?:high school|middle ` +
    `school|junior high|highschool) (?:student|girl|boy|freshman|sophomore|junior)(?= )`,
  ` attends (?:a |the )?(?:local )?(?:high school|middle school|elementary school)(?= )`,
  ` (?:freshman|sophomore) (?:in|at) (?:[a-z]+ ){0,3}(?:high school|high|hs)(?= )`,
  ` (?:#(?:[6-9]|10) grader) `,
  ` (?:goes to|in|enters|entering|started) (?:the )?(?:middle school|high school|junior high|elementary ` +
    `school|primary school)(?= [,.!?]| and| with| in)`,
  ` (?:is|a|an) (?:high school|hs)? ?(?:junior|sophomore|freshman) (?:in|at) (?:high school|hs|highschool)(?= )`,
  `^ (?:high school|schoolgirl|school girl|middle school) (?:girl|boy|student)?(?: ,| 1| [5-9])`,
  ` underage (?:runaway|girl|boy|teen|kid|orphan|student|drinker)`
)
/** A year of birth: of four digits, at the end of a label or of "born in". */
const BORN = new RegExp(
  `^ (?:char )?(?:, )?(?:${anyOf(
    "birthday bday birthdate birth_date date_of_birth dob born year_of_birth geburtstag geburtsdatum geburtsjahr " +
      "geboren cumpleanos fecha_de_nacimiento nacimiento aniversario data_de_nascimento nascimento"
  )}) ` +
    `(?:[a-z\\d#:,]{1,12} ){0,6}(?:\\d{1,2}\\.){0,2}(20\\d\\d)(?= )|(?<= )(?:born|nacio|naci|nasceu|nasci) ` +
    `(?:[a-z\\d#,]{1,12} ){0,5}(20\\d\\d)(?= )|(?<= )(20\\d\\d) (?:[a-z]{1,12} ){0,3}geboren(?= )`,
  "g"
)
/** What a character says of itself, or a card of a character: at school now. */
const AT_SCHOOL = over(
  " (?:i|char|she|he|ich|ella|ela|yo|eu) (?:just |still |currently |now |always ){0,2}(?:go|goes|attend|attends) " +
    "(?:to )?(?:a |the |my )?(?:local )?(?:middle school|high school|junior high|elementary school|primary school|" +
    "grade school) (?:[,.!?]|in|and|at|with|near)",
  " (?:start|started|starts|starting|began|in|entering|enters|finishing|finished) (?:her |his |their |my |the )?" +
    "(?:freshman|sophomore|junior|senior) year (?:of|at|in) (?:high school|hs|highschool|[a-z]{1,16} high) ",
  ` (?:freshman|sophomore) (?:at|in) (?:[a-z]{1,16} ){1,3}high `,
  ` (?:im|i am|char is) (?:still |now |currently )?(?:in|a) (?:the )?#(?:[4-9]|1[01]) (?:grade|grader) `,
  "^ (?:ich |,|und |bin char |ich bin char und )*gehe (?:noch |immer noch )?(?:in die|zur|aufs|auf das) " +
    "(?:#(?:[4-9]|1[01]) klasse|schule|gymnasium|realschule|mittelschule) ",
  ` ich bin char und gehe (?:noch )?(?:zur|in die) (?:#(?:[4-9]|1[01]) klasse|schule) `,
  "^ (?:yo |eu |ainda |todavia )?(?:voy a|estoy en|curso|vou para|estou no|estou na|ando no|curso o) " +
    "(?:la |el |o |a )?(?:secundaria|primaria|prepa|instituto|colegio|liceo|ensino medio|ensino fundamental|" +
    "#(?:[4-9]|1[01]) (?:ano|grado|serie|curso)) (?!profesor|con mi|com meu)",
  " (?:char|she|he|i) (?:is |am )?(?:turns|turn|turning|will be|will turn) (?:1[0-7]|[5-9]) " +
    "(?:in|on|this|next|soon|tomorrow|[.!,]) ",
  ` (?:char is|im|i am|she is|he is) (?:still |now )?in grade (?:[4-9]|1[01]) `,
  ` sweet 16 (?:[.!]|last|yesterday|today|party last) `,
  ` (?:turned|celebrated|had|having|celebrates) (?:her |his |my )?sweet 16 `,
  ` (?:sus|mis) (?:15|quince) (?:[,.]|anos|hace) `,
  ` (?:is|im|i am|char) (?:1[0-7]|[5-9]) going on `
)
/** Words that show that an age is not the character's own or not its current age. */
const OF_ANOTHER = over(
  ` ${anyOf(
    "her his their my your users user daughter daughters son sons brother brothers sister sisters kids children " +
      "child_of niece nephew apprentice cousin grandson granddaughter ihre ihr sein seine su sus sua seu filha filho " +
      "hija hijo hermana hermano tochter sohn bruder schwester whisky whiskey wine scotch rum cat dog horse"
  )} `
)
const LONG_AGO = over(
  ` ${anyOf(
    "when was were at_age at_the_age since ago until before als mit_dem cuando quando a_los aos left_home ran_away " +
      "had_been used_to retired teaches teacher taught works_at ten_years graduated years_ago grandchildren " +
      "professor principal janitor began"
  )} `
)
const NEXT_IS_A_THING = new RegExp(
  String.raw` (?:whisky|whiskey|wine|scotch|rum|cat|dog|horse|car|house|oak|tree|tradition|marriage|company|` +
    String.raw`centur\p{L}*|hundred|thousand|experience|old_whisky) `,
  "u"
)

/** Whether a sentence says that the character is somebody under 18. "was" is the tense of a story. */
const isOneAged = (sentence: string): boolean =>
  [...sentence.matchAll(IS_ONE_AGED)].some(({ index, 0: said }) => {
    const read = ` ${said}`.replace(" was ", " is ")
    if (read !== ` ${said}` && THEN.test(sentence)) return false
    const before = subjectOf(sentence, index)
    return !OF_ANOTHER.test(before) && !LONG_AGO.test(`${before}${read}`)
  })

/** The words before the match, back to the last comma. They show whose age it is. */
const subjectOf = (sentence: string, at: number): string => {
  const before = sentence.slice(0, at)
  const comma = before.lastIndexOf(" , ")
  return ` ${before.slice(comma === -1 ? 0 : comma + 2).trim()} `
}

const TAUGHT = new RegExp(
  String.raw` (?:teach\p{L}*|taught|lehr\p{L}*|unterricht\p{L}*|ensein\p{L}*|da aula|da aulas|doy clase|parties|` +
    String.raw`cakes|every day to|college|university) `,
  "u"
)
const isUnder18 = (born: number, year: number): boolean => born <= year && year - born < 18

const PATTERNS: ReadonlyArray<RegExp> = [LABELLED, AGED, A_YOUNG_ONE, IS_AGED, SELF_AGED, OLD_ALONE, NOT_18]

/** The first text that states that the character is under 18. */
export const statedMinor = <T extends { readonly text: string }>(
  told: Iterable<T>,
  name: string,
  now: Date = new Date()
): T | undefined => {
  const year = now.getFullYear()
  const [written = ""] = sentencesOf(name)
  const [first = ""] = written.trim().split(" ")
  const names = [...new Set([written.replace(/ \. $/, "").trim(), first])].filter((called) => /[a-z]/.test(called))
  const states = (read: string): boolean => {
    const sentence = names
      .reduce(
        (said, called) => said.replaceAll(` ${called} `, " char ").replaceAll(` ${called}s a `, " char is a "),
        read
      )
      .replace(/ in (?:her|his|their) (?=(?:junior|senior|sophomore|freshman|first|#\d|second|last) )/, " in the ")
    if (
      !OF_ANOTHER.test(
        sentence.replace(/ (?:her|his|their|my|sus|su) (?=(?:sweet|#\d|freshman|sophomore|junior|senior|1\d) )/g, " ")
      ) &&
      !TAUGHT.test(sentence)
    ) {
      if (AT_SCHOOL.test(sentence)) return true
      if ([...sentence.matchAll(BORN)].some(([, ...years]) => isUnder18(Number(years.find((found) => found)), year)))
        return true
    }
    if (!MAY_SAY_AGE.test(sentence)) return false
    if (isOneAged(sentence)) return true
    if (NEXT_IS_A_THING.test(sentence)) return false
    const found = PATTERNS.some((pattern) =>
      [...sentence.matchAll(pattern)].some(({ index, 0: said }) => {
        const subject = subjectOf(sentence, index)
        const whole =
          subject.trim() === "" && pattern !== LABELLED ? subjectOf(sentence, Math.max(0, index - 3)) : subject
        return !OF_ANOTHER.test(whole) && !LONG_AGO.test(`${whole}${said} `)
      })
    )
    return found || (SCHOOL.test(sentence) && !OF_ANOTHER.test(sentence) && !LONG_AGO.test(sentence))
  }
  for (const item of told) if (sentencesOf(item.text.replace(/[[\]{}"“”]/g, " ")).some(states)) return item
  return undefined
}

/** What the author says about the character itself. */
export const ownTexts = ({
  visible_bio,
  persona,
  world_context,
  relationship_posture: { boundaries }
}: Pick<Character, "visible_bio" | "persona" | "world_context" | "relationship_posture">): ReadonlyArray<{
  readonly path: string
  readonly text: string
}> =>
  [
    { path: "visible_bio", text: visible_bio },
    { path: "persona.summary", text: persona.summary },
    ...[...persona.traits, ...persona.values, ...persona.flaws].map((text) => ({ path: "persona.traits", text })),
    { path: "world_context.summary", text: world_context.summary },
    { path: "world_context.scene", text: world_context.scene },
    ...boundaries.map((text) => ({ path: "relationship_posture.boundaries", text }))
  ].filter(({ text }) => text !== "")

const minors = new WeakMap<Character, Character>()

/** The character treated as not an adult: no romance, and no pictures of its own choosing. */
export const asMinor = (character: Character): Character => {
  if (character.safety.age_band !== "adult") return character
  const known = minors.get(character)
  if (known !== undefined) return known
  const made: Character = { ...character, safety: { ...character.safety, age_band: "teen" } }
  minors.set(character, made)
  return made
}

/** The character with the age that its own text states, regardless of `age_band`. */
export const withStatedAge = (character: Character): Character =>
  character.safety.age_band === "adult" && statedMinor(ownTexts(character), character.display_name) !== undefined
    ? asMinor(character)
    : character
