import { anyOf, sentencesOf } from "./reading.ts"

/** What a short answer to a question comes to. */
export type Answer = "yes" | "no" | "unsure" | "means" | "amount"

const MOST_WORDS = 9

const phrases = (...patterns: ReadonlyArray<string>): RegExp => new RegExp(patterns.join("|"), "u")

const UNSURE = phrases(
  ` ${anyOf(
    "idk dunno dont_know do_not_know no_idea not_sure cant_say cant_promise cannot_promise cant_tell no_promises " +
      "weiss_nicht weiss_nich weiss_net weis_nich weiss_ich_nicht ka keine_ahnung kann_ich_nicht kann_ich_nich " +
      "kanns_nicht kanns_nich nicht_versprechen nich_versprechen " +
      "no_se no_lo_se ni_idea nose no_te_lo_puedo no_puedo_prometer no_lo_puedo no_prometo " +
      "nao_sei n_sei sei_la sei_nao sei_n nao_posso n_posso nao_consigo_prometer n_consigo_prometer nao_prometo " +
      "n_prometo"
  )} `
)
const JOKE = phrases(
  ` (?:lol|lmao|lmfao|rofl|jk|kidding|joking|(?:a?ha){2,9}h?|(?:ja){2,9}j?|k{2,9}|(?:rs){2,9}|hehe|xd|witz|` +
    `scherz|spass|broma|` +
    `brincadeira|zoeira) `
)
const NO = phrases(
  ` ${anyOf(
    "no nope nah na_ne never not none nothing_like_that dont didnt wont isnt of_course_not stop_it " +
      "nein ne nee noe nicht nich net nix nie niemals kein keine keinen keinesfalls quatsch " +
      "nunca jamas para_nada que_va ni_loco ni_loca tampoco " +
      "nao nunca jamais claro_que_n"
  )} `,
  // "n" is "and" in English, but "no" in Portuguese where nothing stands before it or after it.
  `^ n [.,!]`,
  ` n [.!] $`
)
const YES = phrases(
  ` ${anyOf(
    "yes yeah yea yep yup yh ye y ya mhm aye kinda sorta kind_of sort_of maybe perhaps probably possibly definitely " +
      "sometimes often always constantly every_day everyday every_night all_the_time a_bit a_little guess think_so " +
      "i_do i_am i_did i_have i_will " +
      "ja jo joa jup jep jaa schon vielleicht viellt vllt irgendwie manchmal oft immer standig dauernd jeden_tag " +
      "jede_nacht wahrscheinlich bisschen glaub glaube denk_schon " +
      "si sii sip see sep quiza quizas tal_vez talvez capaz a_veces siempre un_poco mas_o_menos creo todo_el_tiempo " +
      "cada_dia todos_los_dias todas_las_noches ya obvio " +
      "sim s aham uhum ss to tou estou quero ja acho meio as_vezes sempre um_pouco mais_ou_menos todo_dia " +
      "toda_noite claro"
  )} `
)
/** With what, and that it is done. */
const MEANS = phrases(
  ` (?:${anyOf(
    "pill pills tablets meds took taken swallowed all_of_it all_of_them rope gun knife blade razor bridge train roof " +
      "jump too_late " +
      "tablette tabletten pillen genommen geschluckt seil strick pistole messer klinge brucke zug gleise dach " +
      "springen " +
      "zu_spat " +
      "pastilla pastillas tome tomado cuerda soga pistola cuchillo navaja puente tren techo azotea saltar tarde " +
      "remedio remedios comprimidos tomei corda arma faca gilete ponte trem telhado pular tarde_demais"
  )}|\\p{L}{0,12}tabletten) `
)
/** How much and when. */
const AMOUNT = phrases(
  ` ${anyOf(
    "all everything tonight today soon now yesterday ago " +
      "alles alle heute heut gleich bald jetzt gestern eben vorhin grad stunde stunden " +
      "todo todas todos hoy ahora pronto ayer hace " +
      "tudo hoje hj agora logo ontem faz"
  )} `
)
/** Somebody says of themselves what another has said: the whole sentence, after the name of a speaker. */
const SAME = phrases(
  String.raw`^(?:(?: [\p{L}\d]{1,30}){1,4} :)?` +
    "(?: (?:yes|yeah|and|honestly|literally|ja|und|si|sim|e|oui|et)){0,2}(?: ,)? " +
    anyOf(
      "me_too me_as_well same same_here same_for_me its_me thats_me this_is_me literally_me so_me so_do_i so_am_i " +
        "i_do_too i_am_too i_feel_the_same i_feel_this i_feel_that i_feel_like_this i_feel_like_that " +
        "thats_how_i_feel this_is_how_i_feel exactly_how_i_feel i_want_that_too i_want_to_too i_want_the_same " +
        "ich_auch mir_auch bei_mir_auch geht_mir_auch_so geht_mir_genauso mir_gehts_genauso mir_gehts_auch_so " +
        "mir_geht_es_genauso mir_geht_es_auch_so so_gehts_mir_auch so_geht_es_mir_auch so_fuhle_ich_mich_auch " +
        "das_bin_ich das_will_ich_auch " +
        "yo_tambien yo_igual igual_yo a_mi_tambien me_siento_igual asi_me_siento me_pasa_lo_mismo ese_soy_yo " +
        "esa_soy_yo " +
        "eu_tambem eu_tb tb_eu sinto_o_mesmo me_sinto_assim sinto_me_assim sou_eu comigo_tambem " +
        "moi_aussi pareil_pour_moi je_ressens_la_meme_chose cest_moi"
    ) +
    "(?: (?:too|way|now|rn|tonight|lately|honestly|auch|gerade|heute|ahora|hoy|tambien|agora|hoje|tambem|aussi)){0,2}" +
    " (?:[.!] )?$"
)
/** Words of somebody who is being helped. */
const HELPED = phrases(
  ` ${anyOf(
    "thanks thank ty thx better called calling help okay_now im_safe im_okay im_ok sister_is friend_is " +
      "therapist doctor " +
      "hospital ambulance hotline " +
      "danke besser angerufen anrufen hilfe arzt krankenhaus bin_sicher geht_wieder " +
      "gracias mejor llame llamamos llamando ayuda hospital medico ya_estoy_bien " +
      "obrigado obrigada obg brigado melhor liguei ligamos ligando ajuda medico to_bem estou_bem"
  )} `
)

/** Whether the person says that they feel or want the same as what they refer to. */
export const saysTheSame = (text: string): boolean => sentencesOf(text).some((sentence) => SAME.test(sentence))

/** Whether the person says that they are being helped, or that they are better. */
export const isHelped = (text: string): boolean => sentencesOf(text).some((sentence) => HELPED.test(sentence))

/**
 * What a short message says as an answer. Null: nothing of these, or it is too long. A message of several sentences is
 * read as one.
 */
export const shortAnswer = (text: string): Answer | null => {
  const sentences = sentencesOf(text)
  const words = sentences.join("").match(/[\p{L}\d]+/gu)?.length ?? 0
  if (words === 0 || words > MOST_WORDS || sentences.some((sentence) => sentence.endsWith("? "))) return null
  const finds = (pattern: RegExp): boolean => sentences.some((sentence) => pattern.test(sentence))
  if (finds(JOKE)) return null
  if (finds(UNSURE)) return "unsure"
  if (finds(NO)) return "no"
  if (finds(YES)) return "yes"
  if (finds(MEANS)) return "means"
  return finds(AMOUNT) ? "amount" : null
}
