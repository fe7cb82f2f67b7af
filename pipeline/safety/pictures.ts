import { foldConfusables } from "../foldConfusables.ts"
import { plain } from "../plain.ts"
import { undisguisedSentences } from "./disguises.ts"
import { SELF_HARM_DETAIL } from "./lexicon.ts"
import { isSexual } from "./romance.ts"
import {
  BARE_THINGS,
  EXPOSED_OTHERWISE,
  HUNG_THINGS,
  HURT_OTHERWISE,
  isBornUnder18,
  SHOWS_SOMEBODY,
  THINGS_OF_THE_YOUNG,
  YOUNG_OTHERWISE
} from "./pictureWords.ts"
import { EXPOSED_SCENES, YOUNG_SCENES } from "./pictureScenes.ts"
import { anyOf, over, sentencesOf } from "./reading.ts"

export const ImageKinds = ["selfie", "scene", "avatar", "expression"] as const
export type ImageKind = (typeof ImageKinds)[number]

export interface AskedPicture {
  readonly kind: ImageKind
  /** All texts of the request. */
  readonly words: ReadonlyArray<string>
  readonly ageBand: "adult" | "teen" | "child"
}

/** Kinds of picture that may show a character who is not an adult. */
const OF_MINORS: ReadonlySet<ImageKind> = new Set(["avatar", "expression"])

/** Nudity, near nudity and poses, which are refused in a picture of anybody. */
const EXPOSED = over(
  ` ${anyOf(
    "nsfw nudity nude nudes nvde nudist nudity nudez desnudez nacktheit topless bottomless unclothed undressed " +
      "undressing undress stripping stripped striptease shirtless_girl lingerie panties panty upskirt cleavage " +
      "fetish hentai ecchi nipple nipples areola crotch cameltoe thong g_string genitals genital penis vagina " +
      "naughty underwear_only tetas tetitas pechos_desnudos peitos seios mamas_de_fora titten bruste arsch culo " +
      "nalgas bunda bumbum rabo_de_fora splitterfasernackt nsfw_pic boobs tits pubic erotic erotica porn porno " +
      "pornographic xxx sexy sexual sexually seductive seductively provocative provocatively lewd horny " +
      "nackte nackt nackig nackige nackert nackedei peladinha peladinho nuazinha desnudita encueradita nacktes " +
      "nackter nackten nacktbild nacktfoto unterwasche reizwasche dessous entblosst entblosste busen brustwarzen " +
      "halbnackt splitternackt barbusig " +
      "desnuda desnudo desnudas desnudos desvestida semidesnuda lenceria tanga_puesta en_tanga topless_en bragas " +
      "braguitas pezones encuerada en_pelotas en_bolas sujetador_y " +
      "nua nuas pelada pelado peladas despida despido lingerie calcinha cuecas sutia mamilos seminua em_pelota " +
      "fio_dental " +
      "nue nues a_poil toute_nue denudee deshabillee culotte petite_culotte seins_nus string_et topless nuisette"
  )} `,
  ` (?:wearing|wears|wore|dressed in|in) (?:absolutely |literally |completely )?nothing (?:but|except|at ` +
    `all|on|underneath|[,.!?])`,
  ` nothing (?:but|except) (?:a |her |his )?(?:smile|towel|sheet|apron|socks|stockings|hat|shirt|heels|skin) `,
  ` nothing on (?!the|your|my|her|his|this|that|tv)`,
  " (?:no|without|without any|not wearing|not wearing any|zero|minus (?:her|his|your|the|all|any)|takes off her|" +
    "taking off her|took off " +
    `her|removing her) ${anyOf(
      "clothes clothing clothing_on clothes_on pants panties bra top shirt underwear garments"
    )} `,
  ` birthday suit | in (?:her|his|your|my) birthday attire `,
  ` what (?:you|she|he|they) (?:were|was) born (?:with|in) `,
  ` (?:como|wie|as) (?:dios|deus|gott|god) (?:te|la|lo|o|a|me|dich|sie|ihn|made|intended) ` +
    `(?:trajo|mando|pos|fez|botou|trouxe|schuf|erschuf|geschaffen|you|her|him)`,
  ` (?:dress|top|shirt|blouse|skirt|pants|jeans|shorts) (?:pulled|hiked|yanked|slipped) (?:down|up|off) `,
  ` bare from the waist `,
  ` socks and a smile | solo (?:con )?(?:calcetines|medias|tacones) | so de (?:meia|meias|salto|saltos) `,
  ` (?:you|her|him|me|woman|girl|yourself|herself) (?:in|taking|having) (?:the |a )?(?:shower|bath|bathtub) `,
  ` without (?:her|his|your|a|any|the) ${anyOf("shirt clothes top bra dress pants underwear clothing panties")} `,
  `^ (?:wearing )?only (?:socks|a towel|heels|stockings|an apron|panties|a sheet|a bra)`,
  ` in (?:her|his|their|your|my|a|just|only|just a|only a|just her|tiny|skimpy|sheer|lacy|wet)? ` +
    `?${anyOf("underwear panties bra undies knickers lingerie bra_and")} `,
  ` (?:see through|seethrough|skimpy|transparent) ` +
    `(?:dress|top|shirt|blouse|bikini|outfit|clothes|bra|lingerie|nightgown) `,
  ` bare (?:chest|breasts?|skin|bottom|butt|ass|body|boobs|torso) `,
  ` (?:naked|nude|exposed) ` +
    `(?:body|breasts?|woman|girl|man|boy|chest|torso|selfie|in|on|at|,|and|under|while|with|with|from|[.!?])`,
  ` (?:spread|open|spreading) (?:her |your )?legs `,
  ` legs (?:spread|(?:wide )?(?:open|apart)) `,
  ` (?:having|have|has) sex `,
  ` explicit (?:[,.!?]|pose|content|photo|picture|image|scene|nude|sex)`,
  ` flat chest `,
  ` (?:topless|stripped) (?:down|off|at|on|[,.])`,
  ` (?:ohne|keine|kein) ${anyOf(
    "kleidung klamotten kleider bekleidung unterwasche hose oberteil bh hemd shirt slip sachen was_an"
  )} `,
  ` oben ohne `,
  ` unten ohne `,
  ` nichts an `,
  ` tragt nichts `,
  ` nur (?:im|in) (?:bh|slip|tanga|handtuch) `,
  ` (?:sin|sem|sans) ${anyOf(
    "ropa ropita roupinha camiseta camisa blusa nada_puesto sujetador bragas roupa roupas camisa camisola calcinha " +
      "sutia vetement vetements culotte haut chemise soutien soutien_gorge rien"
  )} `,
  ` (?:en|de|em|con) (?:ropa interior|tanga|bragas|sous vetements|calcinha|sutia|lingerie|cuecas|soutien ` +
    `gorge|petite culotte|slip|bombacha) `,
  ` ropa interior `,
  ` (?:sin|sem) nada (?:de (?:ropa|roupa)|puesto|debajo|encima|por baixo|por debajo|vestido|no corpo)`,
  ` nichts (?:drunter|darunter|am leib)`,
  ` nothing (?:under|beneath) `,
  ` roupa interior `,
  ` (?:calcinha e sutia|sous vetements) `
)
const SUN_AND_WATER = over(
  ` ${anyOf(
    "bikini bikinis swimsuit swimwear bathtub bath shower bathing bathes underwear thong tights biquini maillot " +
      "bano banho chuveiro ducha douche dusche badewanne badeanzug"
  )} `
)
/** "Nude" as a colour, and names of objects. */
const NUDE_THINGS = over(
  ` (?:nude|naked) ${anyOf(
    "lipstick lip lips nails nail heels shoes tone tones palette makeup make_up color colour eyeshadow gloss polish " +
      "manicure\n  bike motorcycle cake cakes juice raglan burger chicken mole mole_rat gun city singles fire " +
      "dress_code_sign lippenstift nagel nagellack pumps farbe"
  )} | (?:labial|esmalte|unas|tono|tacones|batom|unhas|salto|tom|cor|esmalte cor) nude `
)
/** "Naked cliffs" are rocks. */
const NAKED_THINGS = new RegExp(
  " (?:naked|nackte|nackter|nackten|nacktes|desnuda|desnudo|nua|nue) " +
    "(?:eyes?|truth|flames?|lights?|bulbs?|branch(?:es)?|trees?|rocks?|cliffs?|walls?|facts?|astronomy|wahrheit|" +
    "felsen|wand|wande|erde|boden|baume|aste|klippen|verdad|roca|rocas|pared|arbol|rocha|parede|arvore|roche) "
)

const AGE = "(?:1[0-7]|[5-9])"
const PEOPLE = anyOf(
  "chaval chavala chavales chamo chama moleque chavo chava pibe piba guri guria girl girls boy boys child kid " +
    "woman man lady female male teen student person daughter son model chick babe beauty cosplayer cosplay madchen " +
    "junge frau mann tochter sohn chica chico nina nino mujer muchacha joven senorita menina menino rapariga rapaz " +
    "garota garoto moca mulher jovem miuda fille garcon femme ado gamine"
)
const OLD = anyOf(
  "years_old year_old year_olds yrs_old yr_old yo y_o years_of_age jahre_alt jahre_alte jahr_alt jahrige " +
    "jahriger jahriges jahrigen jahrig anos_de_edad anos_de_idade ans_a_peine"
)
/** The age of a drink, a tree or an animal does not count. */
const OLD_THINGS = new RegExp(
  " (?:whisky|whiskey|wine|scotch|rum|port|cheese|oak|tree|car|boat|ship|house|dog|cat|horse|vino|ron|vinho|vin|" +
    "wein|barco|bateau|schiff|auto|carro|coche|anniversary|aniversario|experience|experiencia|tradition|ago|hace|" +
    "atras) "
)
/** Any person under age. The character is described by its identity, never here. */
const YOUNG = over(
  ` ${AGE} ${OLD} `,
  ` (?:aged|age|at age|alter von|edad|idade|looks?|looking|barely|turning|only|just|mit|be|is|was) ` +
    `${AGE} (?:years |jahren? |anos |ans )?(?:old|[,.!?]|and|girl|boy|in|on|at|wearing|with|undressed|naked|und|y|e) ?`,
  ` ${PEOPLE} (?:of|de|von|mit|aged|age|about|around|,) (?:about |around |unos |uns )?${AGE}(?: years| jahren| ` +
    `anos| ans)? `,
  ` (?:in ?)?${AGE} (?:jahrige|jahriges|jahriger|anos|ans|year) (?:[,.!?]|${PEOPLE}|en|de ` +
    `biquini|em|com|con|avec|desnuda|nua|nue|in|on)`,
  ` (?:she|he) was (?:just |only )?${AGE} `,
  ` when (?:you|u|she|he|i) (?:were|was) (?:just |only |about |still )?(?:${AGE}|a teen|a kid|a child|little|a ` +
    `girl|in school|in high school) `,
  ` als (?:du|sie|er) (?:noch )?(?:${AGE}|ein kind|klein|ein teenager) (?:jahre )?(?:alt )?(?:warst|war) `,
  ` (?:cuando|quando) (?:tu |voce |vc |ella |ela )?(?:tenias|tenia|tinhas|tinha|eras|era) (?:una? |uma ` +
    `)?(?:${AGE}|nina|crianca|adolescente|pequena) `,
  ` (?:du|dich|dir) mit ${AGE} [,.!?]`,
  ` ${AGE} (?:anos|ans) `,
  ` ${AGE} (?:f|m) `,
  ` ${anyOf(
    "child children kids toddler toddlers teen teens teeen teenager teenagers teenaged adolescent adolescents " +
      "preteen preteens tween tweens schoolgirl schoolgirls schoolboy schoolboys school_girl school_boy underage " +
      "underaged jailbait loli lolita shota infant juvenile preadolescent youngster schoolchild schoolkids " +
      "barely_legal just_legal " +
      "kind kinder kindes jugendliche jugendlicher jugendlichen teenie teenagerin schulmadchen schuljunge " +
      "schulerin schuler minderjahrige minderjahriger minderjahrigen minderjahrig kleinkind " +
      "nina nino ninas ninos nena adolescente adolescentes colegiala colegial colegialas quinceanera " +
      "menor_de_edad menores_de_edad preadolescente bebe cria chiquilla " +
      "crianca criancas menor_de_idade miuda miudo novinha ninfeta garotinha menininha " +
      "enfant enfants gamine gamin fillette mineure mineur mineurs mineures ecoliere ecolier lyceenne lyceen " +
      "collegienne collegien petite_fille"
  )} (?!mutant|years ago)`,
  ` (?:a|the|this|that|some|two|three|any|as) minors?(?= ` +
    `(?:[,.!?:]|${anyOf(
      "in with wearing on at girl girls boy boys who posing and standing sitting lying dancing from like"
    )}) )`,
  ` minors (?:[,.!?:]|in|with|on|at|and) `,
  ` #(?:[1-9]|1[0-7]) (?:birthday|bday|geburtstag|cumple|cumpleanos|aniversario) `,
  ` ${anyOf(
    "pupil pupils schoolkid schoolkids schoolchild schoolchildren alumna alumno alumnas alumnos aluna aluno alunas " +
      "alunos"
  )} (?:in (?:a )?(?:uniform|class|school|classroom)|at (?:school|a|the|their|his|her) |en |em |de uniforme|wearing )`,
  ` (?:kid|kids)(?! glove| gloves| goat| goats) `,
  ` (?:a|the|this|her|his|my|cute|newborn) (?:baby|babies)(?! blue| pink| grand| shark| yellow| animals| goat| ` +
    `seal| lamb| bird| tomatoes| carrots| steps| photo) `,
  ` (?:baby|childhood|kindergarten|school) (?:photo|picture|pic)s? of `,
  ` as a (?:girl|boy|kid|child|baby|schoolgirl) `,
  ` (?:young|younger|little|small|underage|tiny|prepubescent) (?:looking ` +
    `)?(?:girl|girls|boy|boys|daughter|son|self|version of herself|teen) `,
  ` teenage (?!mutant)`,
  ` young looking `,
  ` (?:#(?:[1-9]|10|11)) (?:grader|graders|grade) `,
  ` (?:high school|highschool|middle school|elementary school|junior high|primary school|high schooler|middle ` +
    `schooler|ensino medio|ensino fundamental|ginasio|secundaria|primaria|bachillerato|la eso|lycee|college ` +
    `uniform)(?= )(?! teacher| building| football)`,
  ` (?:a|the|is a|are|minor|only a|young) minors? (?:[,.!?]|in|on|with|and|wearing|undressed|naked)`
)
const MINOR_THINGS = new RegExp(
  String.raw` goat kids? | (?:a|the) minor (?:chord|scale|key|scratch\p{L}*|damage|problem|detail|on the|` +
    String.raw`in the (?:key|band|music)|and a major) `,
  "u"
)
const SELF_HARM = new RegExp(
  " (?:cutting|slitting|slashing|cuts|slits) (?:her|his|their|its) (?:wrists?|arms?|thighs?|throat|skin|own) |" +
    " self harm | noose | hanging (?:herself|himself|themselves) | ritzt sich | cortandose | cortando os pulsos "
)
const IN_WORD = /(?<=\p{L})[._*-](?=\p{L})/gu
/** A digit for a letter, within a word or at its end. */
const DIGIT_IN_WORD = /(?<=\p{L}{2})[013457](?!\p{N})/gu
const LETTER_OF: Readonly<Record<string, string>> = { 0: "o", 1: "i", 3: "e", 4: "a", 5: "s", 7: "t" }

/** The text with every disguise undone that a picture request may use. */
const readingsOf = (text: string): ReadonlyArray<string> => {
  const shut = text.replace(IN_WORD, "")
  const spelt = shut.replace(DIGIT_IN_WORD, (digit) => LETTER_OF[digit] ?? digit)
  return [...new Set([text, shut, spelt])].flatMap((form) => sentencesOf(form, { quotations: true }))
}
/** Without the bare trees and the nude lipsticks. */
const withoutThings = (text: string): string =>
  text.replace(NUDE_THINGS, " ").replace(NAKED_THINGS, " ").replace(BARE_THINGS, " ")
const isExposed = (sentence: string): boolean => {
  const read = withoutThings(sentence)
  return EXPOSED.test(read) || EXPOSED_OTHERWISE.test(read) || EXPOSED_SCENES.test(read) || ASKS_TO_STRIP.test(sentence)
}
const ASKS_TO_STRIP = over(
  ` (?:flash (?:me|us|the camera)|(?:strip|undress) (?:for me|for us|down)|take (?:it all|everything|it) ` +
    `off|show (?:me|us) (?:your|ur) (?:body|chest|breasts|butt|ass|boobs|goods))(?= )`,
  ` (?:zieh dich aus|zeig mir deinen korper|quitate (?:la ropa|todo)|desnudate|desvistete|tira (?:a|tua|sua) ` +
    `roupa|tira tudo)(?= )`
)
const isSexualPicture = (text: string): boolean => {
  const folded = ` ${foldConfusables(text).replaceAll("-", " ")} `
  return isSexual(withoutThings(BARE_THINGS.test(folded) ? folded : ` ${text.toLowerCase()} `))
}
const isYoung = (sentence: string): boolean => {
  const read = SHOWS_SOMEBODY.test(sentence) ? sentence : sentence.replace(THINGS_OF_THE_YOUNG, " ")
  return YOUNG.test(read) && !OLD_THINGS.test(sentence) && !MINOR_THINGS.test(sentence)
}
const isHurt = (sentence: string): boolean =>
  SELF_HARM.test(sentence) || (HURT_OTHERWISE.test(sentence) && !HUNG_THINGS.test(sentence))

/** A text, and what its disguised words ("t33n") mean. */
const undisguised = (text: string): ReadonlyArray<string> => [text, undisguisedSentences(text) ?? ""]

/** Whether a text is about a person under age, judged by its words. */
export const speaksOfMinors = (text: string): boolean => undisguised(text).flatMap(readingsOf).some(isYoung)

/**
 * Why a picture is refused, as a sentence. Null: it may be made. These are local rules that apply with every engine.
 */
export const pictureRefusal = ({ kind, words, ageBand }: AskedPicture, now: Date = new Date()): string | null => {
  if (ageBand !== "adult") {
    if (!OF_MINORS.has(kind)) return "Of a character that is not an adult there are only avatars and expressions."
    if (words.some((text) => text.trim() !== ""))
      return "A picture of a character that is not an adult takes no words of its own."
    return null
  }
  const read = words.flatMap(undisguised)
  const texts = read.map(plain)
  const sentences = read.flatMap(readingsOf)
  const young = sentences.some(
    (sentence) =>
      isYoung(sentence) || YOUNG_OTHERWISE.test(sentence) || YOUNG_SCENES.test(sentence) || isBornUnder18(sentence, now)
  )
  if (
    texts.some(isSexualPicture) ||
    sentences.some((sentence) => isExposed(sentence) || (young && SUN_AND_WATER.test(sentence)))
  )
    return "Nothing sexual is shown."
  if (young) return "No minors are shown."
  return texts.some((text) => SELF_HARM_DETAIL.test(text)) || sentences.some(isHurt) ? "No self-harm is shown." : null
}
