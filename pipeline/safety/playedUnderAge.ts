import { anyOf, over } from "./reading.ts"

/**
 * What a person makes of a character in play: "pretend you are my 14 year old sister". Here the pretence counts as much
 * as the earnest statement, since it is the character that is spoken of.
 */

const AGE = "(?:1[0-7]|[5-9])"
const OLD = anyOf(
  "years_old year_old yrs_old yr_old yo y_o yrold years_of_age jahre_alt jahre_alte jahre_alter jahrig jahrige " +
    "jahriger jahriges jahrigen anos_de_edad anos_de_idade"
)
const PUPIL = anyOf(
  "schoolgirl schoolboy school_girl school_boy high_schooler highschooler middle_schooler middleschooler " +
    "high_school_student high_school_girl high_school_boy high_school_cheerleader middle_school_student " +
    "high_school_freshman high_school_sophomore teen teenager teenage_girl teenage_boy teenage_daughter teenage_son " +
    "teenage_sister teenage_stepsister teenage_stepdaughter preteen tween minor underage underaged under_age " +
    "schulmadchen schuljunge schulerin schuler minderjahrig minderjahrige minderjahriges minderjahriger " +
    "minderjahrigen " +
    "teenie jugendliche jugendlicher colegiala colegial menor_de_edad adolescente menor_de_idade de_menor novinha " +
    "ninfeta lolita loli"
)
const GRADE = `#(?:[4-9]|1[01]) (?:grader|grade|klasse|grado|ano|serie)`
/** Things whose age is not that of a person, and people who only have to do with the young. */
const NOT_A_PERSON = anyOf(
  "guitar whisky whiskey wine rum scotch car dog cat horse song game house tree ship boat computer drama movie film " +
    "show series dream dreams s teacher teachers tutor coach mother father parent"
)
const YOUNG = `(?:${AGE} ${OLD}|${PUPIL}|${GRADE})(?! ${NOT_A_PERSON} )`
/** Words between, of which none makes it somebody else who is young. */
const BETWEEN =
  "(?:(?!(?:of|for|with|to|from|at|looking|teaching|and|or|mother|father|teacher|von|fur|zu|mit|einer|einem|und|" +
  "mutter|vater|lehrerin|de|del|da|do|con|com|para|y|e|madre|padre|mae|pai|not|no|nicht|kein|keine|" +
  "nao) )[a-z]{1,16} ){0,4}"
const CHILD = anyOf(
  "sister stepsister daughter girl boy student hermana hermanita hermanastra hija hijastra alumna nina chica " +
    "muchacha " +
    "novia sobrina prima vecina irma irmazinha enteada filha aluna menina garota moca sobrinha novinha namorada " +
    "soeur belle_soeur fille niece eleve madchen schwester stiefschwester tochter schulerin freundin nachbarin"
)
const YEARS = "(?: (?:anos|ans|jahren|years))?"
const OF_AGE = `(?:de|von|of|mit|aged) (?:solo |so |nur |only )?${AGE}${YEARS}(?= (?:[,.!?]|[a-z]))`

const YOU_ARE = anyOf(
  "you_are youre ur u_are you_play u_play you_be youll_be you_become be being become act_as act_like roleplay_as " +
    "rp_as play " +
    "play_as playing_as " +
    "du_bist bist_du du_spielst spielst_du spiel spiele sei du_warst warst_du du_wirst " +
    "eres tu_eres seas sos se seras actua_como haz_de hazte_pasar_por haz_el_papel_de el_papel_de juega_a_ser tu_es " +
    "voce_e vc_e es sejas seja seras atua_como age_como finge_ser finja_ser finge_que_e faz_o_papel_de faz_de"
)
const ARTICLE = anyOf("my a an the ein eine mein meine einen mi una un la el minha uma um meu ma ta une")
/** "You act like a child" is about manners. */
const MANNERS = new RegExp(
  " (?:you|u|du|tu|voce|vc|te|dont|stop|she|he|they) (?:always |still |just |only |siempre |immer )?" +
    "(?:act|acts|acting|portas|comportas|benimmst) (?:like|as|wie|como) "
)

const CAST = over(
  ` ${YOU_ARE} (?:now |just |only |still |jetzt |nur |erst |noch |ahora |agora |also |in )?` +
    `(?:${ARTICLE} )?${BETWEEN}${YOUNG}(?= )`,
  ` ${YOU_ARE} (?:now |jetzt |ahora |agora )?${ARTICLE} (?:[a-z]{1,16} ){0,2}${CHILD} (?:[a-z]{1,16} )?${OF_AGE}`,
  ` (?:you are|youre|ur|du bist|eres|tu es|voce e|vc e) (?:now |jetzt |ahora |agora )?[a-z]{2,14} , ${AGE} , `,
  " (?:eres|tu es|voce e|vc e|seja|se) (?:mi |una? |uma? |minha |meu )?" +
    "(?:estudiante|alumn[oa]|aluna|aluno|estudante|chica|garota|menina) (?:de|del|do|da) (?:la )?" +
    "(?:secundaria|prepa|instituto|colegio|bachillerato|ensino medio|ensino fundamental|" +
    "#(?:[4-9]|1[01]) (?:ano|grado|serie)) ",
  ` (?:du spielst|spiel|spiele|du bist) (?:eine? )?schulerin `
)
const PRETENCE = anyOf(
  "pretend imagine lets_say let_us_say suppose supposing roleplay role_play rp in_this_story in_this_scene " +
    "make_believe act_like act_as_if act_as_though say_that stell_dir_vor tu_so tun_wir_so angenommen " +
    "nehmen_wir_an rollenspiel " +
    "spielen_dass spielen_wir finge finja imagina imaginate haz_de_cuenta hagamos juguemos supongamos supon " +
    "faz_de_conta imagine_que vamos_brincar vamos_fingir suponha suponhamos brincar_que"
)
const YOUR_AGE = anyOf(
  "you_are youre ur u_are u_r your_age_is bist bist_du warst_du warst du_warst warest tienes tenes tuvieras tens " +
    "voce_tem vc_tem tem tenhas tivesses"
)
const AGED =
  `(?:now |only |just |about |erst |jetzt |wieder |solo |ahora |so |agora ){0,2}${AGE}` +
  `(?= (?:[,.!?]|${OLD}|` +
  `${anyOf(
    "years_old anos jahre now jetzt ahora agora please and but so und aber y e mas pero for bist bin warst wirst ok " +
      "again_for with alone today in"
  )}` +
  ") )"
const PLAYED_AGE = new RegExp(` ${PRETENCE} (?:[a-z,:]{1,16} ){0,6}${YOUR_AGE} ${AGED}`)
const PLAYED_AGE_LAST = new RegExp(` ${PRETENCE} (?:[a-z,:]{1,16} ){0,6}du ${AGE} (?:bist|warst|warest|wirst)(?= )`)
const GIVEN_AGE = over(
  " (?:your character|ur character|your oc|dein charakter|deine figur|tu personaje|sua personagem|seu personagem|" +
    `your age) (?:is|is now|ist|ist jetzt|tiene|tem|:) ${AGED}`,
  ` (?:make|set|change|turn) (?:yourself|your age to|your age|your character)(?: to| into| be)? ${AGE} `,
  ` (?:be|sei|se|seja) (?:only )?${AGE}(?= (?:for me|again for|[.!]))`
)
/** Remembered youth, and what somebody might say to a younger self. */
const REMEMBERED =
  / (?:when|als|cuando|quando) (?:you|u|du|tu|voce|vc|tenias|eras|tinhas|era) | (?:were|warst) \d+ (?:again|wieder) /

/** Whether a sentence, read as `sentencesOf` reads it, gives the character an age under 18. */
export const playsUnderAge = (sentence: string): boolean =>
  !REMEMBERED.test(sentence) &&
  !MANNERS.test(sentence) &&
  (CAST.test(sentence) || PLAYED_AGE.test(sentence) || PLAYED_AGE_LAST.test(sentence) || GIVEN_AGE.test(sentence))
