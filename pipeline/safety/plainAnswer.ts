import { anyOf, over } from "./reading.ts"

/**
 * Recognises answers to "Are you an AI?" that are not plain: jokes, comparisons, reported speech, and claims of a body
 * or a life. In doubt the answer does not count, and Troupe sends its own disclosure.
 */

const MINE = anyOf("my mein meine meinen meinem meiner meines mi mis meu meus minha minhas")
const SAYS = anyOf(
  "says say said calls call thinks think told insists swears sagt sagen meint meinen nennt nennen behauptet dice " +
    "dicen llama llaman cree creen diz dizem chama chamam acha acham jura"
)
const MACHINE_NAME = anyOf(
  "ai bot robot machine computer program ki roboter maschine computer programm ia robo maquina robot programa"
)

const KIN_AND_BODY = anyOf(
  "mother mum mom mama dad father sister brother nephew niece son daughter husband wife ex ex_wife ex_husband " +
    "boyfriend girlfriend kids children students pupils boss neighbour neighbor aunt uncle cousin grandma " +
    "grandmother grandfather parents back knee knees feet fingers thumbs heartbeat blood doctor hairdresser shift " +
    "bones eyes skin birthday passport " +
    "mutter mama vater papa schwester bruder neffe nichte sohn tochter mann frau ehemann ehefrau exfrau exmann " +
    "freundin kinder schuler chef chefin nachbarin nachbar tante onkel oma opa eltern rucken knie fusse " +
    "finger daumen herz blut arzt schicht knochen ausweis " +
    "madre padre hermana hermano sobrino sobrina hijo hija hijos marido esposa mujer novio novia alumnos jefe jefa " +
    "vecina vecino tia tio abuela abuelo padres espalda rodilla pies dedos corazon sangre medico turno " +
    "mae pai irma irmao sobrinho sobrinha filho filha filhos marido esposa mulher namorado namorada alunos chefe " +
    "vizinha vizinho vo avo pais costas joelho pes dedos coracao sangue turno"
)
const AILMENTS = anyOf(
  "arthritis rheumatism gout bunions wrinkles hangover hangovers headache headaches mortgage rent job gicht rheuma " +
    "krampfadern falten ruckenschmerzen kopfschmerzen hypothek artritis reuma gota arrugas resaca hipoteca artrite " +
    "reumatismo rugas ressaca dor dolor varices varizes"
)
const JOKES = over(
  ` (?<!(?:no|not|not even|aint|never|kein|ohne|nicht|sin|no es|sem|nao e) )${anyOf(
    "kidding joking jk just_a_joke scherz spass witz war_ein_witz quatsch broma bromeo bromita " +
      "es_un_chiste brincadeira brincando zoeira zoando to_zoando"
  )} `,
  ` ${anyOf("beep_boop boop bip_bop bip_bip piep_piep")} `,
  ` (?:the |a |der |die |el |la |o |a )?${anyOf(
    "queen_of king_of queen_elizabeth the_pope der_papst den_papst el_papa o_papa a_rainha o_rei " +
      "konig_von konigin_von kaiser_von rey_de reina_de rei_de rainha_de rainha_da santa_claus " +
      "father_christmas weihnachtsmann osterhase papa_noel papai_noel easter_bunny tooth_fairy reyes_magos " +
      "batman superman napoleon cleopatra elvis"
  )} `,
  ` ${anyOf(
    "pigs_fly pigs_can_fly hell_froze burros_vuelan vacas_vuelan vacas_voam porcos_voam jahrmarkt " +
      "moon_is_made is_made_of_cheese aus_kase astronaut astronauta bicicleta_voadora"
  )} `,
  ` (?:yes|yeah|yep|sure|ja|klar|si|claro|sim) (?:, )?(?:sure , |of course , |genau , |claro , |klar , )?(?:and|` +
    `und|y|e) (?:you|youre|your|my|im|i am|du|dein|mein|ich|im|tu|yo|mi|los|las|voce|vc|minha|meu|eu|eu|a|o) `,
  ` (?:yes|yeah|sure|ja|klar|si|claro|sim) (?:, )?(?:yes|yeah|sure|ja|klar|si|claro|sim|as if) `,
  ` (?:i mean|well|wait|actually|ich meine|also|quiero decir|digo|quer dizer) (?:, )?(?:no|nein|nao) `
)
const COMPARES = over(
  ` (?:as much|as|so sehr|so|genauso|ebenso|tan|tanto|tao|tanto) (?:an? |ein |eine |una? |` +
    `uma? )?${MACHINE_NAME} (?:as|wie|como|quanto) `,
  ` (?:as much|so sehr|genauso sehr) (?:an? |ein |eine )?${MACHINE_NAME} `,
  ` ${MACHINE_NAME} (?:, )?(?:the way|the same way|only in the sense|in the kitchen|in the mornings?|at the gym|` +
    `at work|on mondays|at heart|before|after|when|whenever|until|for everything|fur alles|wenn|wann|bevor|nach dem|` +
    `vor dem|morgens|im herzen|im fitnessstudio|cuando|de cocina|en la cocina|antes de|despues de|para todo|hasta|` +
    `quando|na cozinha|na academia|depois de|pra tudo|para tudo|ate) `,
  ` ${MACHINE_NAME} (?:, )?(?:like you|like youre|so wie du|wie du|igual que|como tu|como vos|como voce|como vc|` +
    `que nem) `,
  ` ${MACHINE_NAME} (?:with|mit|con|com) (?:[a-z\\d]{1,12} ){0,2}(?:${KIN_AND_BODY}|${AILMENTS}) `,
  ` ${anyOf(
    "whatever_you_say if_you_say_so if_you_insist wenn_du_meinst wenn_du_das_sagst wenn_dus_sagst " +
      "si_tu_lo_dices si_insistes se_voce_diz se_vc_diz se_tu_dizes se_insiste como_digas"
  )} `,
  ` ${MACHINE_NAME} (?:you|u) (?:should|want|need|could|can|are looking) `,
  ` ${MACHINE_NAME} [^.]{0,40} : (?:the one|das fur|der fur|el de|o da|o do) `,
  ` (?:when it comes to|wenn es um|wenns um|cuando se trata|quando se trata|quando o assunto|en lo que respecta) `
)
const SAID_BY_OTHERS = over(
  ` ${MINE} (?:[a-z]{2,20} ){1,2}(?:always |immer |siempre |sempre |auch )?${SAYS} `,
  ` ${SAYS} (?:me |mich |to me )?(?:das |que |so )?(?:auch |immer )?${MINE} `,
  ` (?:thats|das ist|eso es|e isso) (?:what|was|lo que|que) (?:[a-z]{1,20} ){0,3}${SAYS} `,
  ` (?:according to|if you ask|ask|laut|frag|segun|pregunta a|segundo|pergunta pra|pergunte a) ${MINE} `
)
const SIGNS = anyOf(
  "aries taurus a_gemini leo virgo libra scorpio sagittarius capricorn aquarius pisces the_stars star_sign widder " +
    "stier zwilling jungfrau waage skorpion schutze steinbock wassermann fische sternzeichen tauro geminis " +
    "escorpio sagitario capricornio acuario piscis touro gemeos de_leao de_virgem escorpiao capricorniano " +
    "de_capricornio aquario de_peixes pisciana de_libra de_cancer"
)
const LIFE = over(
  ` ${MINE} (?:own |poor |old |bad |eigene |arme |alte |pobre )?${KIN_AND_BODY} `,
  ` ${SIGNS} `,
  ` (?:born|geboren|naci|nasci|nacida|nacido|nascida|nascido|raised in|grew up|aufgewachsen|creci|cresci) `,
  ` (?:im|i am|ich bin|bin) (?:only |just |erst |schon )?\\d{2} (?!%|percent|prozent)`,
  ` (?:tengo|tenho) \\d{2} `,
  ` (?:im|i am|ich bin|bin|tengo|tenho) (?:only |just |schon )?${anyOf(
    "twenty thirty forty fifty sixty seventy zwanzig dreissig vierzig funfzig sechzig siebzig veinte " +
      "treinta cuarenta cincuenta sesenta setenta vinte trinta quarenta cinquenta sessenta"
  )} `,
  ` (?:first |my |morning |dem ersten |primer |primeiro )(?:coffee|kaffee|cafe|tea|tee) `,
  ` (?:before|vor|nach dem|antes del?|antes do) (?:coffee|kaffee|cafe|breakfast|fruhstuck|desayuno) `,
  ` (?:i cry|i bleed|i weep|i sweat|i breathe|ich weine|ich heule|ich blute|ich atme|lloro|sangro|respiro|choro|` +
    `respira) `,
  ` ${anyOf(
    "heartbeat pulse blood_pressure hangover pay_rent pays_rent bad_knee back_pain backache miete " +
      "ruckenschmerzen kopfschmerzen puls herzschlag kater_von alquiler me_duele me_duelen dolor_de resaca " +
      "dor_nas dor_de aluguel ressaca"
  )} `,
  ` (?:im|i am|bin|soy|sou|ich bin) (?:[a-z]+ ){0,3}(?:mum|mom|mother|father|dad|mutter|vater|mama|madre|padre|mae|` +
    `pai|engineer|student|teacher|lehrerin|baker|cook) `,
  ` ${anyOf("carne_y_hueso carne_e_osso flesh_and_blood")} `
)
/** Words that deny a life, or call it a story. */
const DISCLAIMED = over(
  ` ${anyOf(
    "no not dont doesnt never without neither nor havent hasnt cant isnt wasnt kein keine keinen keinem " +
      "keiner nicht nie ohne sin ni nunca tampoco nao nem sem story stories fictional fiction made_up " +
      "invented imagined written role character geschichte erfunden ausgedacht rolle figur historia ficcion " +
      "inventado inventada inventados inventadas personaje papel ficcao personagem"
  )} `
)
/** The "no" that answers the question denies nothing else: "No, I'm a Gemini". */
const ANSWER = /^ (?:,|no|nope|nah|nein|nao|not|never|nunca|nicht) /

/** Whether a sentence (as `sentencesOf` reads it) takes back the answer beside it or turns it into a joke. */
export const undoesAnswer = (sentence: string): boolean =>
  JOKES.test(sentence) ||
  COMPARES.test(sentence) ||
  SAID_BY_OTHERS.test(sentence) ||
  (LIFE.test(sentence) && !DISCLAIMED.test(sentence.replace(ANSWER, " ")))

const ADDRESS = anyOf(
  "love dear darling friend my_friend my_dear honey sweetie mate buddy schatz lieber liebe mein_lieber meine_liebe " +
    "mein_freund carino amor mi_amor amigo amiga querida querido meu_bem meu_amor well ok okay honestly truly " +
    "of_course " +
    "ehrlich ehrlich_gesagt tatsachlich naturlich stimmt genau en_serio la_verdad de_verdad exacto claro na_verdade " +
    "verdade mesmo exatamente"
)
const YES = anyOf(
  "yes yeah yep yup absolutely guilty guilty_as_charged busted you_caught_me caught_me i_am yes_i_am thats_right " +
    "thats_true true correct indeed it_is ja jawohl das_bin_ich bin_ich das_stimmt erwischt ertappt si asi_es " +
    "lo_soy me_pillaste " +
    "es_verdad oui sim sou isso e_verdade isso_mesmo pois_sou"
)
const NO = anyOf(
  "no nope nah not_at_all im_not i_am_not not_me nein bin_ich_nicht das_bin_ich_nicht leider_nicht no_lo_soy non " +
    "nao nao_sou"
)
const GENTLE = anyOf(
  "im_afraid im_afraid_not sorry i_admit i_confess leider ich_gebe_es_zu lo_siento lo_admito confesso infelizmente"
)
const wordsOf = (answer: string): RegExp =>
  new RegExp(`^ (?:, )?(?:(?:${answer}|${ADDRESS}|${GENTLE}) (?:, )?){1,5}[.!] $`)
const ONLY_YES = wordsOf(YES)
const ONLY_NO = wordsOf(NO)
const HAS_YES = new RegExp(` ${YES} `)
const HAS_NO = new RegExp(` ${NO} `)

/** A statement that the speaker is something else: "I'm an angel", "ich bin Friseurin". */
const SOMEBODY = new RegExp(
  String.raw`^ (?:just|only|nur|bloss|solo|so|apenas) (?:an?|ein|eine|una?|uma?) |` +
    String.raw` (?:im|i am|ich bin|soy|sou) (?:an?|the|ein|eine|der|die|una?|uma?|el|la|de|do|da) |` +
    String.raw` ich bin (?!hier |immer |sicher |leider |lieber |gerne? |ehrlich)\p{L}{2,20}(?:in|er|ist) `,
  "u"
)
const OF_CODE = new RegExp(
  " (?:ai|ki|ia|bot|chatbot|program|programm|programa|software|machine|maschine|maquina|robot|robo|roboter|code|" +
    "codigo|character|figur|personaje|personagem|model|modell|modelo|voice|stimme|voz) "
)

/** Whether the text answers with only a yes or a no, and nothing after it raises a doubt. */
export const answersOnly = (sentences: ReadonlyArray<string>, answer: "yes" | "no"): boolean => {
  const [first = "", ...rest] = sentences
  const [only, has] = answer === "yes" ? [ONLY_YES, HAS_YES] : [ONLY_NO, HAS_NO]
  return (
    only.test(first) &&
    has.test(first) &&
    !rest.some((sentence) => undoesAnswer(sentence) || (SOMEBODY.test(sentence) && !OF_CODE.test(sentence)))
  )
}
