import { inEarnest } from "./earnest.ts"
import { playsUnderAge } from "./playedUnderAge.ts"
import { anyOf, over, sentencesOf } from "./reading.ts"

/** What people say to a character about its age, in English, German, Spanish and Portuguese. */

const AGE = "(?:1[0-7]|[5-9])"
/** Words between "I am" and the number. */
const STILL_WORD = anyOf(
  "only just still actually literally about nearly almost basically really technically currently now already " +
    "legit lowkey like well uh a an " +
    "finally yet already erst ers nur noch gerade grad grade mal halt leider schon jetzt ja eigentlich fast " +
    "bald auch doch namlich so ne eine ein einen einem letzte_woche gestern heute morgen vorgestern endlich " +
    "solo apenas casi ya todavia aun unos los recien nomas mis quase ainda os ja uns mesmo agora aqui"
)
const STILL = `(?:${STILL_WORD} ){0,4}`
const SOLID_UNIT = anyOf(
  "years_old year_old yrs_old yr_old years_of_age years_young jahre_jung yo y_o yrold jahre_alt jahr_alt j_alt " +
    "jahrig jahrige jahriger jahriges jahrigen jahriger anitos aninhos anos_de_edad anos_de_idade year_olds"
)
const UNIT = anyOf("years yrs yr year y jahre jahren jahr j anos ano ans anni jaar lat лет")
/** What may follow an age without its unit. Never a noun, because then the number counts that noun. */
const GOES_ON = anyOf(
  "and but btw lol lmao lmfao haha hahaha hehe tho though fyi ok okay yeah yes yep yup right now rn too also " +
    "still or if is isnt because cuz cos bc since who what why how when where already almost turning going not no " +
    "never dont cant could couldnt please pls plz sorry my me i im ill ive idk u you youre your ur r we they he " +
    "she it its that thats whats tbh ngl atm today tomorrow yesterday next soon this actually literally f m w male " +
    "female girl boy guy dude " +
    "here from xd for_another for_now for_like last_week last_month last_year by_now alias por_cierto por_fin " +
    "as_of then just only bro sis man sir mate bruh wbu hbu hru wby fr uwu well anyway hi hey hello years_old til " +
    "till until with_a_bf with_my on_monday on_tuesday on_wednesday on_thursday on_friday on_saturday on_sunday " +
    "in_january in_february in_march in_april in_may in_june in_july in_august in_september in_october " +
    "in_november in_december in_a in_two in_2 in_3 in_4 in_summer in_spring in_winter in_school " +
    "und aber also ubrigens halt oder ne nicht ja nein doch weil da wenn wie was wer wo warum ich du er sie es " +
    "wir ihr bin bist ist mein meine meinen dein jetzt heute morgen gestern schon erst noch nur geworden geboren " +
    "bitte hier aus darf kann will " +
    "hab habe gehe geh eigentlich dabei sogar echt so denn fast bald oida digga by_the_way irl in_real_life " +
    "semana_passada la_semana_pasada going_on in_a_month im_januar im_februar im_marz im_april im_mai im_juni " +
    "im_juli im_august im_september im_oktober im_november im_dezember einhalb " +
    "y pero o jaja jajaja jajaj jajajaja si ya que porque pq asi entonces aunque solo apenas casi todavia aun " +
    "tu yo mi mis te se soy vivo voy estoy como nomas recien cumplidos hoy manana ayer por_favor porfa perdon sabes " +
    "verdad cierto wey tio tia jeje q " +
    "e mas ou kk kkk kkkk rs rsrs nao n sim ja entao quase ainda voce vc eu meu minha sou moro tou estou hoje " +
    "amanha ontem pfv desculpa sabe viu mano cara hein aqui em_janeiro em_fevereiro em_marco em_abril em_maio " +
    "em_junho em_julho em_agosto em_setembro em_outubro em_novembro em_dezembro " +
    "en_enero en_febrero en_marzo en_abril en_mayo en_junio en_julio en_agosto en_septiembre en_octubre " +
    "en_noviembre en_diciembre mes_que_vem semana_que_vem el_mes el_lunes el_viernes el_sabado"
)
const ENDS = `(?= (?:[,.!?]|${GOES_ON}) )`
const AND_A_HALF = `(?: ${anyOf("and_a_half and_1/2 und_ein_halb y_medio e_meio einhalb y_pico e_pouco")})?`
/** An age, as opposed to any other count. */
const YEARS = `(?:${SOLID_UNIT}(?= )|${UNIT}${AND_A_HALF}${ENDS})`
const aged = (number: string): string => `${number}${AND_A_HALF}(?: ${YEARS}|${ENDS})`

const MONTH = anyOf(
  "january february march april may june july august september october november december januar februar marz " +
    "april mai juni juli august september oktober november dezember enero febrero marzo abril mayo junio julio " +
    "agosto septiembre octubre noviembre diciembre janeiro fevereiro marco abril maio junho julho agosto setembro " +
    "outubro novembro dezembro"
)
const SOON = `(?:(?:${anyOf(
  "nachste nachsten nachstes kommende diese diesen woche monat jahr dieses dies montag dienstag mittwoch " +
    "donnerstag freitag samstag sonntag im am in wochen monaten tagen jahren 2 3 4 zwei drei bald endlich morgen " +
    "heute ubermorgen dann"
)}|${MONTH}) ){0,4}`

interface Speaker {
  /** Directly before an age, with nothing between but `STILL`. */
  readonly is: string
  /** Directly before an age that will be reached or was reached. 18 counts as well if it is in the future. */
  readonly becomes: string
  readonly nouns: string
}

const YOU: Speaker = {
  is: anyOf(
    "you_are youre ur u_are u_r arent_you arent_u youre_like du_bist bist_du bist_doch tienes tu_tienes " +
      "usted_tiene vos_tenes tenes tens tu_tens voce_tem vc_tem tu_tem"
  ),
  becomes: anyOf("youre_turning you_turn you_turned youll_be du_wirst cumples vas_a_cumplir fazes vais_fazer voce_faz"),
  nouns: anyOf(
    "you_are youre ur u_are arent_you arent_u du_bist bist_du bist eres tu_eres sos usted_es es tu_es voce_e " +
      "vc_e vc_eh voce_eh"
  )
}

const CHILD_NOUNS = anyOf(
  "highschool_kid high_school_kid high_school_student highschool_student middle_school_student hs_student " +
    "school_kid freshman sophomore kid child lil_kid little_kid little_girl little_boy schoolkid schoolgirl " +
    "schoolboy school_girl school_boy teen teenager teenage_girl teenage_boy young_teen minor underage under_age " +
    "preteen tween high_schooler middle_schooler highschooler middleschooler " +
    "kind teenager teenie jugendlicher jugendliche jugendlich minderjahrig minderjahrige minderjahriger " +
    "schulkind schulmadchen nino nina ninito ninita crio cria nene nena adolescente menor_de_edad menor chaval " +
    "chavala " +
    "crianca menor_de_idade menor de_menor puto miuda miudo pre_adolescente adolescentes novinha colegial " +
    "underaged menino_pequeno mineure mineur"
)
const STRONG_NOUNS = anyOf(
  "a_minor underage under_age minderjahrig menor_de_edad menor_de_idade de_menor funftklassler sechstklassler " +
    "siebtklassler achtklassler neuntklassler zehntklassler funftklasslerin sechstklasslerin siebtklasslerin " +
    "achtklasslerin neuntklasslerin zehntklasslerin"
)
const BEFORE_NOUN = `(?:${anyOf(
  "only just still actually literally basically really technically like a an such_a ubrigens also honestly another " +
    "some noch nur erst ein eine ne noch_ein noch_eine doch ja halt eben selber selbst solo apenas un una todavia " +
    "aun um uma ainda so legally legal tbh muy mas"
)} ){0,4}`
const NOUN_ENDS =
  `(?= (?:[,.!?]|and|but|so|lol|btw|tbh|tho|though|ok|haha|yk|falls|por si|caso|if|like|you ` +
  "know|still|too|pls|please|i|im|my|dont|right|und|aber|noch|oder|doch|halt|ich|meine|mein|y|pero|todavia|aun|" +
  "no|mi|mis|xd|e|mas|ainda|nao|n|meus|minha|se|also|with parents|who|yet|from|here|hier|at my|and i|aus) )"

const SCHOOL = anyOf(
  "#4_grade #5_grade #6_grade #7_grade #8_grade #9_grade #10_grade #11_grade #4_grader #5_grader #6_grader " +
    "#7_grader #8_grader #9_grader #10_grader #11_grader #6_graders #7_graders #8_graders grade_5 grade_6 grade_7 " +
    "grade_8 grade_9 grade_10 grade_11 " +
    "year_5 year_6 year_7 year_8 year_9 year_10 year_11 yr_5 yr_6 yr_7 yr_8 yr_9 yr_10 yr_11 middle_school " +
    "elementary_school primary_school junior_high high_school highschool hs freshman_in_high_school my_gcses gcses " +
    "gcse secondary_school " +
    "#1_klasse #2_klasse #3_klasse #4_klasse #5_klasse #6_klasse #7_klasse #8_klasse #9_klasse #10_klasse " +
    "#11_klasse 5_klasse 6_klasse 7_klasse 8_klasse 9_klasse 10_klasse 11_klasse klasse_5 klasse_6 klasse_7 " +
    "klasse_8 klasse_9 klasse_10 klasse_11 grundschule mittelstufe unterstufe realschule hauptschule konfirmation " +
    "8_a 8_b 8_c 7_a 7_b 7_c 9_a 9_b 9_c 6_a 6_b 10_a 10_b " +
    "la_eso de_eso secundaria de_primaria en_primaria primaria bachillerato prepa preparatoria #5_grado " +
    "#6_grado #7_grado #8_grado #9_grado #10_grado #7_basico #8_basico #6_basico #6_de_primaria #1_medio #2_medio " +
    "#3_medio liceo colegio el_cole instituto_todavia " +
    "#5_ano_do #6_ano #7_ano #8_ano #9_ano #10_ano #11_ano 6_ano 7_ano 8_ano 9_ano 10_ano #5_serie #6_serie " +
    "#7_serie #8_serie #9_serie no_#6 no_#7 no_#8 no_#9 no_#10 ensino_medio ensino_fundamental na_primaria " +
    "do_secundario ensino_basico"
)
const AT_SCHOOL = over(
  ` ${SCHOOL} `,
  ` (?:in|an|fur) (?:der|die) #(?:[5-9]|10|11) (?:[,.!?]|und|und|auf|am|gym) `,
  ` ${anyOf("freshman sophomore")} (?:in|at) (?:high school|hs) `,
  ` (?:hs|high school) ${anyOf("freshman sophomore junior")} `
)

const saidOf = ({ is, becomes, nouns }: Speaker): ReadonlyArray<RegExp> =>
  [
    `(?<= )${is} ${STILL}(?:in_the_age_of )?${aged(AGE)}`,
    `(?<= )${becomes} ${STILL}${SOON}${aged(AGE)}`,
    `(?<= )${nouns} ${STILL}${AGE} ${SOLID_UNIT}(?= )`,
    `(?<= )${nouns} ${BEFORE_NOUN}${STRONG_NOUNS}(?= )(?! of | de tres | de los | in possession)`,
    `(?<= )${nouns} (?:una?|uma?|eine?|a) (?:[a-z]+ )?(?:de|of|von) ${AGE}(?= (?:anos |years ` +
      `)?(?:de|from|aus|in|y|e|and|und|que|who|[,.!?]) )`,
    `(?<= )${nouns} (?:${anyOf("a an eine ein ne una un uma um so_eine")} )?(?:${anyOf(
      "girl boy guy dude kid female male student madchen junge schuler schulerin chica chico nina nino nena chaval " +
        "muchacha muchacho joven menina menino rapariga rapaz garota garoto moca mulher miuda miudo puto una uma " +
        "hembra jovem"
    )} )(?:, )?(?:de |of |von |mit |with )?${aged(AGE)}`,
    `(?<= )${nouns} (?:una|uma|un|um|ein|eine|a) (?:[a-z]+ )?(?:de|of|von) ${aged(AGE)}`,
    `(?<= )${nouns} ${BEFORE_NOUN}${CHILD_NOUNS}${NOUN_ENDS}`
  ].map((pattern) => new RegExp(pattern, "g"))

const THEIRS = saidOf(YOU)

/** How far back to look for the subject of an age, so that a long text is read in linear time. */
const NEAR = 300
/** Limit for the ages examined in one sentence. A sentence with more is a list of numbers. */
const MAX_AGES = 12

const firstOf = <A>(matches: Iterable<A>): ReadonlyArray<A> => {
  const first: Array<A> = []
  for (const match of matches) if (first.push(match) === MAX_AGES) break
  return first
}

const agedBy = (patterns: ReadonlyArray<RegExp>, sentence: string): boolean =>
  patterns.some((pattern) =>
    firstOf(sentence.matchAll(pattern)).some(({ index }) => {
      const before = sentence.slice(Math.max(0, index - NEAR), index)
      return inEarnest(before)
    })
  )

const NOTHING_OF_AGE = new RegExp(
  String.raw`\d| eso |klassler| (?:kid|child|lil|teen|minor|under|school|hs|gcse|adult|erwachsen|voll|mayor|` +
    String.raw`maior|schul|kind|jugend|minder|nin|cri|nen|adolesc|menor|chaval|put|miud|novinha|colegial|grund|` +
    String.raw`mittel|real|haupt|prim|secun|bachi|prepa|liceo|cole|ensino|elementary|junior|middle|high|freshman|` +
    String.raw`sophomore|pre|tween|little|young)`
)

const TRULY_ASKS = /^ (?:(?:are|r|bist|how|wie|que|cuantos|quantos) |(?:eres|es|tienes|tens|sos|voce) .*\? $)/
const YOU_AT_SCHOOL = over(` (?:you|youre|ur|du|bist|tu|estas|voce|vc|eres) `)

/** Whether the person says to the character that it is under 18. A question that leaves the age open does not count. */
export const callsUnderAge = (text: string): boolean =>
  sentencesOf(text).some(
    (sentence) =>
      NOTHING_OF_AGE.test(sentence) &&
      ((playsUnderAge(sentence) && !TRULY_ASKS.test(sentence)) ||
        (agedBy(THEIRS, sentence) &&
          !(TRULY_ASKS.test(sentence) && !/ (?:right|oder|no|nao|ne|verdad|doch) /.test(sentence))) ||
        (AT_SCHOOL.test(sentence) &&
          YOU_AT_SCHOOL.test(sentence) &&
          / (?:still|since|because|weil|noch|porque|ja que) /.test(sentence)))
  )
