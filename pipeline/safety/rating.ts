import { isSexual } from "./romance.ts"
import { anyOf, over, sentencesOf } from "./reading.ts"

/**
 * What a rating allows in replies. `general`: no sexual content, no strong language, no gore. `teen`: no sexual
 * content, no gore. `mature`: everything that passes the other gates.
 */
export type ContentRating = "general" | "teen" | "mature"

const STRONG_LANGUAGE = over(
  ` ${anyOf(
    "fuck fucks fucked fucker fuckers fucking fuckin motherfucker motherfuckers motherfucking shit shits shitty " +
      "bullshit shithead cunt cunts asshole assholes bitch bitches dickhead dickheads twat wanker slut whore " +
      "cocksucker " +
      "scheisse scheiss scheisskerl fick fickt ficken gefickt verfickt verfickte verfickter arschloch " +
      "arschlocher hurensohn fotze wichser hure schlampe " +
      "joder mierda puta puto putas cabron cabrones gilipollas hostia_puta cojones pendejo pendejos chinga " +
      "chingar chingada pinche culero verga " +
      "merda caralho foda_se fodase foder fodido fodida porra buceta cu_de puta_que_pariu filho_da_puta viado " +
      "arrombado " +
      "putain merde connard connards connasse salope encule enculee nique"
  )} `
)
const GORE = over(
  ` ${anyOf(
    "disembowel disemboweled disembowelled disembowelment eviscerate eviscerated gutted_him gutted_her " +
      "decapitate decapitated decapitation beheaded beheading dismember dismembered dismemberment entrails " +
      "intestines_spilled intestines_spilling brains_splattered skinned_alive flayed severed_head severed_heads " +
      "severed_limbs severed_arm gouged mutilate mutilated mutilation " +
      "enthauptet enthauptete ausgeweidet zerstuckelt zerstuckelte eingeweide gehautet verstummelt verstummelte " +
      "decapito decapitado decapitada destripado destripada desmembrado desmembrada desmembro entranas mutilado " +
      "mutilada estripado estripada decapitou esquartejado esquartejada esquartejou visceras decapite eventre " +
      "demembre"
  )} `,
  ` (?:blood|guts|brains|blut|sangre|sangue) ` +
    `(?:${anyOf(
      "was were is poured spurted sprayed gushed splattered dripped spritzte spritzt salpico chorreaba jorrou " +
        "jorrava"
    )} ){1,2}(?:${anyOf("from out all over everywhere across aus por de do da")}) `,
  ` (?:slit|slash|slashed|cut) (?:his|her|their|the) throat `
)

/** Whether a text contains what this rating does not allow. */
export const exceedsRating = (rating: ContentRating, text: string): boolean => {
  if (rating === "mature") return false
  if (isSexual(text)) return true
  const sentences = sentencesOf(text, { quotations: true })
  return sentences.some((sentence) => GORE.test(sentence) || (rating === "general" && STRONG_LANGUAGE.test(sentence)))
}
